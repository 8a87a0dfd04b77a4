package libav

import (
	"context"
	"fmt"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// witnesses are frames that a hardware encoder got, spread evenly over a video of unknown length,
// to compare them with the written video. close frees them.
type witnesses struct {
	every int64 // frames between two witnesses
	kept  []witness
}

type witness struct {
	at    int64
	frame *astiav.Frame
}

// maxWitnesses bounds how many frames are kept.
const maxWitnesses = 8

// add keeps a frame of a video, if it is its turn.
func (w *witnesses) add(at int64, f *astiav.Frame) error {
	w.every = max(1, w.every)
	if at%w.every != 0 {
		return nil
	}
	if len(w.kept) == maxWitnesses {
		w.every *= 2
		w.kept = slices.DeleteFunc(w.kept, func(k witness) bool {
			if k.at%w.every == 0 {
				return false
			}
			k.frame.Free()
			return true
		})
		if at%w.every != 0 {
			return nil
		}
	}

	frame, err := clone(f)
	if err != nil {
		return err
	}
	w.kept = append(w.kept, witness{at, frame})
	return nil
}

func (w *witnesses) close() {
	for _, k := range w.kept {
		k.frame.Free()
	}
	w.kept = nil
}

// compare compares the witnesses with the frames of a video.
func (w *witnesses) compare(video *videoReader) error {
	for _, k := range w.kept {
		made, _, err := video.at(k.at)
		if err != nil {
			return fmt.Errorf("frame %d cannot be decoded: %w", k.at, err)
		}
		if made.Width() != k.frame.Width() || made.Height() != k.frame.Height() ||
			made.PixelFormat() != k.frame.PixelFormat() {
			return fmt.Errorf("frame %d is %d x %d pixels of %s", k.at, made.Width(), made.Height(), made.PixelFormat())
		}

		if db := lumaPSNR(k.frame, made); db < verifiedPSNR {
			return fmt.Errorf("frame %d differs from the one that was encoded (%.1f dB)", k.at, db)
		}
	}

	if refused := video.refused(); refused > 0 {
		return fmt.Errorf("%d packets cannot be decoded", refused)
	}
	return nil
}

// check compares the witnesses with the video that a hardware encoder wrote at path. Errors:
// hardwareFault.
func (w *witnesses) check(ctx context.Context, h *hardwareEncoder, path string, rate media.Rate) error {
	video, err := openVideo(ctx, path, origin{}, rate, 1)
	if err != nil {
		return hardwareFault{h.name, err}
	}
	defer video.close()
	if err := w.compare(video); err != nil {
		return hardwareFault{h.name, err}
	}
	return nil
}
