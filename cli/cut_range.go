package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"roughcut/media"
)

// cutTime is the value of a flag for a time of the recordings, in milliseconds. It is negative
// without the flag.
type cutTime int64

// timeFlag is the type of a cutTime in help and errors.
const timeFlag = "time"

// Set reads seconds, m:ss or h:mm:ss, with decimals.
func (t *cutTime) Set(text string) error {
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return errors.New("too many colons")
	}
	seconds := 0.0
	for i, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		isWhole := n == math.Trunc(n) && !strings.ContainsAny(part, ".eE")
		switch {
		case err != nil:
			return err
		case n < 0 || math.IsInf(n, 0) || math.IsNaN(n) || strings.HasPrefix(part, "+"):
			return errors.New("not a time")
		case (i > 0 && n >= 60) || (i < len(parts)-1 && !isWhole):
			return errors.New("not a clock time")
		}

		seconds = 60*seconds + n
	}

	if seconds > 1e9 {
		return errors.New("too long")
	}
	*t = cutTime(math.Round(1000 * seconds))
	return nil
}

func (t *cutTime) String() string {
	if *t < 0 {
		return ""
	}
	return timecode(int64(*t))
}

// Type returns the name of the type.
func (*cutTime) Type() string { return timeFlag }

// cutRange are the flags of the range that is cut.
type cutRange struct{ from, to cutTime }

func (r *cutRange) addTo(f *pflag.FlagSet) {
	r.from, r.to = -1, -1
	f.Var(&r.from, "from", "start of the range to cut, such as 90.5 or 1:30")
	f.Var(&r.to, "to", "end of the range to cut; the rest of the recordings is left out")
}

func (r cutRange) validate() error {
	if r.to >= 0 && r.to <= max(0, r.from) {
		return usageError{errors.New("--to must be a later time than --from")}
	}
	return nil
}

// of returns the range of recordings of a length. It is empty without the flags.
func (r cutRange) of(totalMS int64) (span media.Span, err error) {
	if r.from < 0 && r.to < 0 {
		return span, nil
	}
	span = media.Span{StartMS: max(0, int64(r.from)), EndMS: int64(r.to)}
	if r.to < 0 {
		span.EndMS = totalMS
	}
	flag, at := "--from", span.StartMS
	if span.StartMS < totalMS {
		flag, at = "--to", span.EndMS
	}
	if span.StartMS >= totalMS || span.EndMS > totalMS {
		return span, usageError{fmt.Errorf(
			"%s %s is past the end, the recording is %s long", flag, timecode(at), timecode(totalMS),
		)}
	}

	return span, nil
}
