package media

import (
	"bytes"
	"slices"
	"testing"
)

// An outline has OutlineBars values for one sample and for a whole day. Each value is the peak of
// its part.
func TestOutlineHoldsThePeakOfEachPart(t *testing.T) {
	if got := OutlineOf(nil); got != nil {
		t.Errorf("OutlineOf(nil) = %d, want nil", got)
	}
	if got := OutlineOf([]byte{7}); !bytes.Equal(got, bytes.Repeat([]byte{7}, OutlineBars)) {
		t.Errorf("OutlineOf of one sample = %d, want %d equal bars", got, OutlineBars)
	}
	peaks := make([]byte, 8_640_000)
	peaks[0], peaks[len(peaks)/2], peaks[len(peaks)-1] = 1, 2, 3
	got := OutlineOf(peaks)
	if len(got) != OutlineBars || got[0] != 1 || got[OutlineBars/2] != 2 || got[OutlineBars-1] != 3 ||
		slices.Max(got[1:OutlineBars/2]) != 0 {
		t.Errorf("OutlineOf of a day = %d", got)
	}
}
