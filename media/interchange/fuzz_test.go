package interchange_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// A changed timeline of any format is read into clips with finite times, and compared, or refused
// with a reason.
func FuzzRead(f *testing.F) {
	projects := allProjects()
	var formats []string
	for _, format := range interchange.Formats() {
		if !format.Reads {
			continue
		}
		for _, p := range projects[:3] {
			if format.Name == "llc" && len(p.project.Recordings) > 1 {
				continue
			}
			line := timelineOf(f, p.project, interchange.Place{}, true)
			f.Add(uint8(len(formats)), []byte(written(f, format.Name, line, interchange.Options{})))
		}
		formats = append(formats, format.Name)
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		format := formats[int(which)%len(formats)]
		reading, err := interchange.Read(bytes.NewReader(data), format)
		if err != nil {
			wantReason(t, format, err)
			return
		}
		for _, clip := range reading.Clips {
			if !finite(clip.Start) || !finite(clip.End) || clip.End < clip.Start {
				t.Errorf("%s: clip %+v", format, clip)
			}
		}
		for _, marker := range reading.Markers {
			if !finite(marker.At) {
				t.Errorf("%s: marker %+v", format, marker)
			}
		}
		if _, err := interchange.Compare(projects[0].project, reading); err != nil {
			wantReason(t, format, err)
		}
	})
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// wantReason fails the test unless an error says why a file cannot be read.
func wantReason(t *testing.T, format string, err error) {
	t.Helper()
	var reason *interchange.ReadError
	if !errors.As(err, &reason) || reason.Reason == "" {
		t.Errorf("%s: refused with %v", format, err)
	}
}

// A timecode that is read has the frame of its label.
func FuzzTimecode(f *testing.F) {
	for _, seed := range []string{"00:00:00:00", "01:00:00;02", "23:59:59.29", "99:59:59:29", "0a:00:00:00"} {
		f.Add(seed, int64(30000), int64(1001))
		f.Add(seed, int64(25), int64(1))
	}
	f.Fuzz(func(t *testing.T, label string, num, den int64) {
		r := media.Rate{Num: num % 1_000_000, Den: den % 100_000}
		tc, ok := interchange.ParseTimecode(label, r)
		if !ok {
			return
		}
		name := tc.Label(r)
		if again, ok := interchange.ParseTimecode(name, r); label[:2] < "24" && (!ok || again.Label(r) != name) {
			t.Errorf("%q at %v is frame %d, labeled %q, which is frame %d", label, r, tc.Frame, name, again.Frame)
		}
	})
}
