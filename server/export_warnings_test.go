package server

import (
	"testing"

	"roughcut/media/estimate"
)

// The estimate of an export names the characters without a font with what to install, and why HEVC
// cannot be kept.
func TestEstimatesWarn(t *testing.T) {
	record := estimateRecord(estimate.Result{MissingGlyphs: "日本"}, nil)
	const want = "No font on this machine can draw 日 本, so the captions would show boxes. Install fonts-noto-cjk."
	if record.MissingGlyphs == nil || *record.MissingGlyphs != "日本" || (*record.Warnings)[0] != want {
		t.Errorf("%+v, want the warning %q", record, want)
	}
	const hevc = "The video will be H.264, because the recording cannot stay HEVC: it is 4:2:2."
	if record = estimateRecord(estimate.Result{H264Because: "it is 4:2:2"}, nil); (*record.Warnings)[0] != hevc {
		t.Errorf("%+v, want the warning %q", record, hevc)
	}
	if record = estimateRecord(estimate.Result{}, nil); record.MissingGlyphs != nil || record.Warnings != nil {
		t.Errorf("without missing characters: %+v", record)
	}
}
