package av

import (
	"errors"
	"fmt"
	"io"

	"github.com/asticode/go-astiav"
)

// Deinterlacer passes frames through until one is flagged as interlaced. From then on frames go
// through a filter that also reads neighboring frames, so it must get all frames in order. close
// frees it.
type Deinterlacer struct {
	threads  int
	outliers outlierFilter
	graph    *Graph
	format   FrameFormat
	ended    bool
}

// NewDeinterlacer returns a deinterlacer, whose filters use that many threads.
func NewDeinterlacer(threads int) *Deinterlacer { return &Deinterlacer{threads: threads} }

// active reports whether frames go through the filter, which clears their interlaced flag.
func (d *Deinterlacer) active() bool { return d.graph != nil }

// Next writes the next frame into f. source provides decoded frames, and io.EOF at the end.
func (d *Deinterlacer) Next(f *astiav.Frame, base astiav.Rational, source func(*astiav.Frame) error) error {
	for {
		if d.graph != nil {
			err := d.graph.Pull(f)
			if err == nil {
				setTime(f, f.Pts()/2, frameDuration(f)/2) // the filter halves the time base
				return nil
			}

			if IsEOF(err) {
				return io.EOF
			}
			if !IsAgain(err) {
				return fmt.Errorf("deinterlacing: %w", err)
			}
		}

		if d.ended {
			return io.EOF
		}
		err := d.outliers.next(f, base, source)
		if errors.Is(err, io.EOF) && d.graph != nil {
			d.ended = true
			if err := d.graph.Push(nil); err != nil {
				return fmt.Errorf("deinterlacing: %w", err)
			}
			continue
		}

		if err != nil {
			return err
		}
		if d.graph == nil && !IsInterlaced(f) {
			return nil
		}
		if err := d.push(f, base); err != nil {
			return err
		}
	}
}

func (d *Deinterlacer) push(f *astiav.Frame, base astiav.Rational) error {
	l := FormatOf(f)
	if d.graph != nil && l != d.format {
		d.drop()
	}
	if d.graph == nil {
		g, err := NewGraph(l, base, DeinterlaceFilters(), d.threads)
		if err != nil {
			return err
		}
		d.graph, d.format = g, l
	}

	ApplyFormat(f, l)
	f.SetPts(framePTS(f))
	err := d.graph.Push(f)
	f.Unref()
	if err != nil {
		return fmt.Errorf("deinterlacing: %w", err)
	}
	return nil
}

// reset drops all frames in flight, after a seek.
func (d *Deinterlacer) reset() {
	d.Close()
	d.outliers.reset()
	d.ended = false
}

// Close frees the filters and the frames in them.
func (d *Deinterlacer) Close() {
	d.outliers.close()
	d.drop()
}

func (d *Deinterlacer) drop() {
	if d.graph != nil {
		d.graph.Close()
		d.graph = nil
	}
}

// DeinterlaceFilters returns the filter that makes one progressive frame from each interlaced one.
func DeinterlaceFilters() []string {
	return []string{"bwdif=mode=send_frame:parity=auto:deint=interlaced"}
}
