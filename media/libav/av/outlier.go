package av

import (
	"errors"
	"io"

	"github.com/asticode/go-astiav"
)

// outlierFilter drops a frame whose time stamp jumps far ahead if the next frame is back in line.
// Damaged transport streams contain such frames. A frame like that would freeze the video for the
// length of the jump. close frees it.
type outlierFilter struct {
	last  int64         // time stamp of the previous frame
	known bool          // last is set
	held  *astiav.Frame // a frame that was read ahead
}

// OutlierSeconds is the largest step between frames that passes without a check of the next frame.
const OutlierSeconds = 10

// next writes the next frame into f. source provides decoded frames, and io.EOF at the end, also
// when called again.
func (c *outlierFilter) next(f *astiav.Frame, base astiav.Rational, source func(*astiav.Frame) error) error {
	if c.held != nil {
		f.MoveRef(c.held)
		c.close()
	} else if err := source(f); err != nil {
		return err
	}

	pts := framePTS(f)
	if pts == NoPTS {
		return nil
	}
	if c.known && float64(pts-c.last)*base.Float64() > OutlierSeconds {
		after := astiav.AllocFrame()
		if err := source(after); err != nil {
			after.Free()
			if !errors.Is(err, io.EOF) {
				return err
			}
		} else if next := framePTS(after); next != NoPTS && next >= c.last && next < pts {
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

// reset drops all state, after a seek.
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
