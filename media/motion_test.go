package media_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
)

func TestMotionIsRelativeToTheCalmOfARecording(t *testing.T) {
	for name, c := range map[string]struct {
		changes []float64
		want    []byte
	}{
		"nothing":            {nil, nil},
		"a still image":      {[]float64{0, 0, 0.5}, []byte{0, 0, 0}},
		"a screen recording": {[]float64{0, 0, 2, 16, 0, 0}, []byte{0, 0, 40, 160, 0, 0}},
		"a screen recording that almost always moves": {
			append(slices.Repeat([]float64{16}, 8), 0, 0), append(slices.Repeat([]byte{160}, 8), 0, 0),
		},
		"a camera": {
			append(slices.Repeat([]float64{20}, 8), 40, 160, 10), append(slices.Repeat([]byte{0}, 8), 40, 120, 0),
		},
		"a camera that always moves much": {slices.Repeat([]float64{800}, 4), slices.Repeat([]byte{120}, 4)},
		"more than a byte holds":          {[]float64{0, 1e9}, []byte{0, 255}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, media.MotionOf(c.changes, 1, 100)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
