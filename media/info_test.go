package media

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The store keeps RenderResult as JSON. A data directory of an earlier version must open, so the
// names never change.
func TestRenderResultKeepsItsStoredNames(t *testing.T) {
	const stored = `{"Frames":1,"DurationMS":2,"Width":3,"Height":4,"SizeBytes":5,"Copied":6,"Encoded":7,"Kept":8,` +
		`"WhyEncoded":"a","Verified":9,"Codec":"h264","WhyH264":"b","Again":"c",` +
		`"Encoder":"x264","SoftwareBecause":"d","OverDB":10.5}`
	want := RenderResult{
		Frames:          1,
		DurationMS:      2,
		Width:           3,
		Height:          4,
		SizeBytes:       5,
		Copied:          6,
		Encoded:         7,
		Reused:          8,
		EncodedBecause:  "a",
		VerifiedParts:   9,
		Codec:           "h264",
		H264Because:     "b",
		RepeatedBecause: "c",
		Encoder:         "x264",
		SoftwareBecause: "d",
		OverDB:          10.5,
	}
	var got RenderResult
	if err := json.Unmarshal([]byte(stored), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("reading a stored result:", diff)
	}
	written, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != stored {
		t.Errorf("wrote %s, want %s", written, stored)
	}
}
