package libav

import (
	"errors"
	"fmt"
	"io"

	"github.com/asticode/go-astiav"
)

// deinterlacer passes frames through until one is flagged as interlaced. From then on frames go
// through a filter that also reads neighboring frames, so it must get all frames in order. close
// frees it.
type deinterlacer struct {
	threads  int
	outliers outlierFilter
	graph    *graph
	format   frameFormat
	ended    bool
}

func newDeinterlacer(threads int) *deinterlacer { return &deinterlacer{threads: threads} }

// active reports whether frames go through the filter, which clears their interlaced flag.
func (d *deinterlacer) active() bool { return d.graph != nil }

// next writes the next frame into f. source provides decoded frames, and io.EOF at the end.
func (d *deinterlacer) next(f *astiav.Frame, base astiav.Rational, source func(*astiav.Frame) error) error {
	for {
		if d.graph != nil {
			err := d.graph.pull(f)
			if err == nil {
				setTime(f, f.Pts()/2, frameDuration(f)/2) // the filter halves the time base
				return nil
			}

			if isEOF(err) {
				return io.EOF
			}
			if !isAgain(err) {
				return fmt.Errorf("deinterlacing: %w", err)
			}
		}

		if d.ended {
			return io.EOF
		}
		err := d.outliers.next(f, base, source)
		if errors.Is(err, io.EOF) && d.graph != nil {
			d.ended = true
			if err := d.graph.push(nil); err != nil {
				return fmt.Errorf("deinterlacing: %w", err)
			}
			continue
		}

		if err != nil {
			return err
		}
		if d.graph == nil && !isInterlaced(f) {
			return nil
		}
		if err := d.push(f, base); err != nil {
			return err
		}
	}
}

func (d *deinterlacer) push(f *astiav.Frame, base astiav.Rational) error {
	l := formatOf(f)
	if d.graph != nil && l != d.format {
		d.drop()
	}
	if d.graph == nil {
		g, err := newGraph(l, base, deinterlaceFilters(), d.threads)
		if err != nil {
			return err
		}
		d.graph, d.format = g, l
	}

	applyFormat(f, l)
	f.SetPts(framePTS(f))
	err := d.graph.push(f)
	f.Unref()
	if err != nil {
		return fmt.Errorf("deinterlacing: %w", err)
	}
	return nil
}

// reset drops all frames in flight, after a seek.
func (d *deinterlacer) reset() {
	d.close()
	d.outliers.reset()
	d.ended = false
}

func (d *deinterlacer) close() {
	d.outliers.close()
	d.drop()
}

func (d *deinterlacer) drop() {
	if d.graph != nil {
		d.graph.close()
		d.graph = nil
	}
}

// deinterlaceFilters returns the filter that makes one progressive frame from each interlaced one.
func deinterlaceFilters() []string {
	return []string{"bwdif=mode=send_frame:parity=auto:deint=interlaced"}
}
