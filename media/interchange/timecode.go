package interchange

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"roughcut/media"
)

// Timecode labels frames. Frame 0 has the label 00:00:00:00.
type Timecode struct {
	Frame int64 // that the label of the first frame counts
	Drop  bool  // drop-frame labels: they skip numbers so that they follow the clock
}

// nominalFPS returns the whole number of frames that a second of timecode counts.
func nominalFPS(r media.Rate) int64 { return int64(math.Ceil(r.Float() - 0.001)) }

// canDrop reports whether a rate has drop-frame timecode.
func canDrop(r media.Rate) bool { return r.Den == 1001 && r.Num%30000 == 0 }

// droppedLabels returns how many labels drop-frame timecode skips at the start of a minute.
func droppedLabels(r media.Rate) int64 { return nominalFPS(r) / 15 }

// ParseTimecode reads a label such as 01:00:00:00, or 01:00:00;00 for drop-frame labels. ok is
// false for any other text.
func ParseTimecode(label string, r media.Rate) (tc Timecode, ok bool) {
	if len(label) != len("00:00:00:00") || r.Num <= 0 || r.Den <= 0 {
		return Timecode{}, false
	}
	last := label[8]
	if label[2] != ':' || label[5] != ':' || !strings.ContainsRune(":;.", rune(last)) {
		return Timecode{}, false
	}
	var part [4]int64
	for i := range part {
		n, err := strconv.ParseUint(label[3*i:3*i+2], 10, 8)
		if err != nil {
			return Timecode{}, false
		}
		part[i] = int64(n)
	}

	if part[1] > 59 || part[2] > 59 || part[3] >= nominalFPS(r) {
		return Timecode{}, false
	}
	tc.Drop = last != ':' && canDrop(r)
	minutes := 60*part[0] + part[1]
	tc.Frame = (60*minutes+part[2])*nominalFPS(r) + part[3]
	if tc.Drop {
		tc.Frame -= droppedLabels(r) * (minutes - minutes/10)
	}
	return tc, true
}

// Label returns the label of a frame at a rate. Labels start again after 24 hours.
func (tc Timecode) Label(r media.Rate) string {
	base, frame, separator := nominalFPS(r), tc.Frame, ":"
	if tc.Drop {
		separator = ";"
		skip := droppedLabels(r)
		minute, tenMinutes := 60*base-skip, 600*base-9*skip
		tens, rest := frame/tenMinutes, frame%tenMinutes
		frame += 9 * skip * tens
		if rest >= 60*base {
			frame += skip * (1 + (rest-60*base)/minute)
		}
	}

	seconds := frame / base
	return fmt.Sprintf("%02d:%02d:%02d%s%02d", seconds/3600%24, seconds/60%60, seconds%60, separator, frame%base)
}
