package libav

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// Opacity of the bars of a waveform that are not played yet, and of the band under all bars that
// keeps them legible on a cover.
const (
	unplayedOpacity = 0.35
	bandOpacity     = 0.45
)

// readPeaks reads the waveforms that the export shows. A recording whose waveform is missing shows
// the lowest bars.
func (r *render) readPeaks() error {
	if !r.plan.Waveform.Shown {
		return nil
	}
	peaks := make([][]byte, len(r.plan.Inputs))
	for i, in := range r.plan.Inputs {
		if in.PeaksPath == "" {
			continue
		}
		var err error
		if peaks[i], err = os.ReadFile(in.PeaksPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reading a waveform: %w", err)
		}
	}

	r.levels = r.plan.WaveformLevels(peaks)
	return nil
}

// fillAudioClips draws the cover and the waveform on the frames of recordings without video.
func (r *render) fillAudioClips(from <-chan timedFrame, to chan<- timedFrame) error {
	var cover *astiav.Frame // the background with the cover; nil before it is needed
	defer func() {
		if cover != nil {
			cover.Free()
		}
	}()
	at := int64(0)
	for s := range from {
		count := s.count
		if r.hasVideo(at) {
			if err := sendFrame(r.ctx, to, s); err != nil {
				return err
			}
			at += count
			continue
		}

		if r.plan.Cover != nil {
			if cover == nil {
				var err error
				if cover, err = r.drawCover(s.frame); err != nil {
					s.frame.Free()
					return err
				}
			}

			s.frame.Free()
			var err error
			if s.frame, err = av.Clone(cover); err != nil {
				return err
			}
		}

		if err := r.sendWaveform(s, r.outputFrame(at), to); err != nil {
			return err
		}
		at += count
	}

	return nil
}

// hasVideo reports whether a frame that is counted among the re-encoded ones shows video.
func (r *render) hasVideo(encoded int64) bool {
	for _, seg := range r.encoded {
		if encoded < seg.Start+seg.Frames() {
			return r.plan.Inputs[seg.Input].HasVideo
		}
	}

	return true
}

// drawCover returns a background with the cover. The caller frees it.
func (r *render) drawCover(background *astiav.Frame) (*astiav.Frame, error) {
	l, err := r.openLayer(*r.plan.Cover)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if _, err := l.at(r.plan.Cover.Range.In); err != nil {
		return nil, err
	}
	return composite(background, []*layer{l})
}

// sendWaveform draws the waveform on a frame, which starts at an output frame, and sends the frames
// that differ.
func (r *render) sendWaveform(s timedFrame, at int64, to chan<- timedFrame) error {
	if !r.plan.Waveform.Shown {
		return sendFrame(r.ctx, to, s)
	}
	defer s.frame.Free()
	for end := at + s.count; at < end; {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		bars, until := r.plan.WaveformBars(r.levels, at)
		until = min(until, end)
		out, err := r.drawBars(s.frame, bars)
		if err != nil {
			return err
		}
		r.meter.Alive()
		if err := sendFrame(r.ctx, to, timedFrame{frame: out, count: until - at}); err != nil {
			return err
		}
		at = until
	}

	return nil
}

// drawBars returns a copy of a frame with the bars of a waveform. The caller frees it.
func (r *render) drawBars(f *astiav.Frame, bars []media.WaveformBar) (*astiav.Frame, error) {
	out, err := av.Clone(f)
	if err != nil {
		return nil, err
	}
	if err := out.MakeWritable(); err != nil {
		out.Free()
		return nil, fmt.Errorf("drawing a waveform: %w", err)
	}

	if r.plan.Cover != nil {
		top, height := r.plan.WaveformBand()
		fillArea(out, area{0, top, float64(out.Width()), height}, r.colors.YUV([3]uint8{}), bandOpacity)
	}

	color := r.colors.YUV(r.plan.Waveform.Color)
	for _, b := range bars {
		opacity := 1.0
		if !b.Played {
			opacity = unplayedOpacity
		}
		fillArea(out, area{b.Left, b.Top, b.Width, b.Height}, color, opacity)
	}

	return out, nil
}

// fillArea blends a color in 8-bit samples over an area of a writable frame in a format of
// HEVCFormat. Its edges are rounded to whole samples of chroma, so that colors have no seam.
func fillArea(f *astiav.Frame, a area, color [3]float64, opacity float64) {
	edge := func(n float64, most int) int { return min(max(2*int(math.Round(n/2)), 0), most) }
	left, right := edge(a.left, f.Width()), edge(a.left+a.width, f.Width())
	top, bottom := edge(a.top, f.Height()), edge(a.top+a.height, f.Height())
	right, bottom = max(right, min(left+2, f.Width())), max(bottom, min(top+2, f.Height()))
	chroma, depth, _ := av.HEVCFormat(f.PixelFormat())
	for plane, value := range color {
		across, down := 0, 0 // shifts of the subsampling
		if plane > 0 {
			across, down = min(3-chroma, 1), max(2-chroma, 0)
		}
		data, stride := av.PlaneBytes(f, plane, (f.Height()+down)>>down)
		from, to := left>>across, (right+across)>>across
		for y := top >> down; y < (bottom+down)>>down; y++ {
			if row := data[y*stride:]; depth == 8 {
				blendSamples(row[from:to], value, opacity)
			} else {
				blendDeepSamples(row[2*from:2*to], value*float64(int(1)<<(depth-8)), opacity)
			}
		}
	}
}

// blendSamples blends a value over 8-bit samples.
func blendSamples(row []byte, value, opacity float64) {
	for x, under := range row {
		row[x] = uint8(math.Round(float64(under) + opacity*(value-float64(under))))
	}
}

// blendDeepSamples blends a value over samples of two bytes.
func blendDeepSamples(row []byte, value, opacity float64) {
	for x := 0; x+1 < len(row); x += 2 {
		under := float64(binary.LittleEndian.Uint16(row[x:]))
		binary.LittleEndian.PutUint16(row[x:], uint16(math.Round(under+opacity*(value-under))))
	}
}

// audioClipRecipe returns everything that the cover and the waveform add to what determines a
// chunk. named is false if the cover has no permanent ID.
func (r *render) audioClipRecipe(p media.Chunk) (parts []any, named bool) {
	if r.plan.Inputs[p.Input].HasVideo {
		return nil, true
	}
	if c := r.plan.Cover; c != nil {
		if c.ID == "" {
			return nil, false
		}
		own := *c
		own.Path, own.Name, own.Range = "", "", media.FrameRange{}
		parts = append(parts, fmt.Sprintf("cover %+v", own))
	}

	if r.plan.Waveform.Shown {
		parts = append(parts, "waveform", r.plan.Waveform.Color)
		for n := p.Start; n < p.Start+p.Frames(); {
			bars, until := r.plan.WaveformBars(r.levels, n)
			parts = append(parts, n-p.Start, fmt.Sprint(bars))
			n = until
		}
	}

	return parts, true
}
