package av

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/asticode/go-astiav"
)

// One frame with a damaged time stamp does not freeze the video.
func TestOutlierFilterDropsOneFrame(t *testing.T) {
	base := astiav.NewRational(1, 10)
	for _, c := range []struct {
		name     string
		in, want []int64
	}{
		{"outlier", []int64{0, 1, 9999, 2, 3}, []int64{0, 1, 2, 3}},
		{"real gap", []int64{0, 1, 500, 501, 502}, []int64{0, 1, 500, 501, 502}},
		{"gap at the end", []int64{0, 1, 500}, []int64{0, 1, 500}},
		{"reordered a little", []int64{0, 2, 1, 3}, []int64{0, 2, 1, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var filter outlierFilter
			defer filter.close()
			rest := c.in
			f := astiav.AllocFrame()
			defer f.Free()
			var got []int64
			for {
				f.Unref()
				err := filter.next(f, base, func(f *astiav.Frame) error {
					if len(rest) == 0 {
						return io.EOF
					}
					f.SetPts(rest[0])
					rest = rest[1:]
					return nil
				})
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, framePTS(f))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
