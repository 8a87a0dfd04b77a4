package av

import (
	"context"
	"fmt"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// Witnesses are frames that a hardware encoder got, spread evenly over a video of unknown length,
// to compare them with the written video. Close frees them.
type Witnesses struct {
	every int64 // frames between two witnesses
	kept  []witness
}

type witness struct {
	at    int64
	frame *astiav.Frame
}

// maxWitnesses bounds how many frames are kept.
const maxWitnesses = 8

// Add keeps a frame of a video, if it is its turn.
func (w *Witnesses) Add(at int64, f *astiav.Frame) error {
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

	frame, err := Clone(f)
	if err != nil {
		return err
	}
	w.kept = append(w.kept, witness{at, frame})
	return nil
}

// Close frees the witnesses.
func (w *Witnesses) Close() {
	for _, k := range w.kept {
		k.frame.Free()
	}
	w.kept = nil
}

// compare compares the witnesses with the frames of a video.
func (w *Witnesses) compare(video *VideoReader) error {
	for _, k := range w.kept {
		made, _, err := video.At(k.at)
		if err != nil {
			return fmt.Errorf("frame %d cannot be decoded: %w", k.at, err)
		}
		if made.Width() != k.frame.Width() || made.Height() != k.frame.Height() ||
			made.PixelFormat() != k.frame.PixelFormat() {
			return fmt.Errorf("frame %d is %d x %d pixels of %s", k.at, made.Width(), made.Height(), made.PixelFormat())
		}

		if db := LumaPSNR(k.frame, made); db < VerifiedPSNR {
			return fmt.Errorf("frame %d differs from the one that was encoded (%.1f dB)", k.at, db)
		}
	}

	if refused := video.Refused(); refused > 0 {
		return fmt.Errorf("%d packets cannot be decoded", refused)
	}
	return nil
}

// Check compares the witnesses with the video that a hardware encoder wrote at path. Errors:
// HardwareFault.
func (w *Witnesses) Check(ctx context.Context, h *HardwareEncoder, path string, rate media.Rate) error {
	video, err := OpenVideo(ctx, path, Origin{}, rate, 1)
	if err != nil {
		return HardwareFault{h.Name, err}
	}
	defer video.Close()
	if err := w.compare(video); err != nil {
		return HardwareFault{h.Name, err}
	}
	return nil
}
