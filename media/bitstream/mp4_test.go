package bitstream

import "testing"

func TestIsMP4(t *testing.T) {
	for head, want := range map[string]bool{
		"\x00\x00\x00\x20ftypisom": true,
		"\x00\x00\x00\x08wide":     true,
		"\x00\x00\x00\x01mdat":     true,
		"\x00\x00\x00\x08moov":     true,
		"\x00\x00\x00\x20ftyp"[:7]: false,
		"ftypisom\x00\x00":         false,
		"RIFF\x00\x00\x00\x00WAVE": false,
		"":                         false,
	} {
		if got := IsMP4([]byte(head)); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}
