package media

import (
	"bytes"
	"slices"
	"testing"
)

// An outline has as many bars for one sample as for a whole day, and each is the loudest of its
// part.
func TestOutlined(t *testing.T) {
	if got := OutlineOf(nil); got != nil {
		t.Errorf("of nothing it is %d", got)
	}
	if got := OutlineOf([]byte{7}); !bytes.Equal(got, bytes.Repeat([]byte{7}, OutlineBars)) {
		t.Errorf("of one sample it is %d", got)
	}
	peaks := make([]byte, 8_640_000)
	peaks[0], peaks[len(peaks)/2], peaks[len(peaks)-1] = 1, 2, 3
	got := OutlineOf(peaks)
	if len(got) != OutlineBars || got[0] != 1 || got[OutlineBars/2] != 2 || got[OutlineBars-1] != 3 ||
		slices.Max(got[1:OutlineBars/2]) != 0 {
		t.Errorf("of a day it is %d", got)
	}
}
