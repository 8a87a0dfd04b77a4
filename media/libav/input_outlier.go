package libav

import (
	"errors"
	"io"

	"github.com/asticode/go-astiav"
)

// calm passes pictures on and drops one whose time stamp jumps far ahead while the next one is back
// in line, as damage in a transport stream makes them: shown, such a picture would freeze the video
// for as long as it jumped. close frees it.
type outlierFilter struct {
	last  int64         // the time stamp of the picture before
	known bool          // last means something
	held  *astiav.Frame // a picture that was read ahead
}

// farSeconds is a jump that is looked at twice.
const outlierSeconds = 10

// next writes the next picture into f. source gives decoded pictures, io.EOF at the end, also when
// asked again.
func (c *outlierFilter) next(f *astiav.Frame, base astiav.Rational, source func(*astiav.Frame) error) error {
	if c.held != nil {
		f.MoveRef(c.held)
		c.close()
	} else if err := source(f); err != nil {
		return err
	}
	pts := framePTS(f)
	if pts == noPTS {
		return nil
	}
	if c.known && float64(pts-c.last)*base.Float64() > outlierSeconds {
		after := astiav.AllocFrame()
		if err := source(after); err != nil {
			after.Free()
			if !errors.Is(err, io.EOF) {
				return err
			}
		} else if next := framePTS(after); next != noPTS && next >= c.last && next < pts {
			f.Unref()
			f.MoveRef(after)
			after.Free()
			pts = next
		} else {
			c.held = after
		}
	}
	c.last, c.known = pts, true
	return nil
}

// reset forgets what came before, after a seek.
func (c *outlierFilter) reset() {
	c.close()
	c.known = false
}

func (c *outlierFilter) close() {
	if c.held != nil {
		c.held.Free()
		c.held = nil
	}
}
