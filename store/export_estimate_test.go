package store

import (
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/estimate"
)

// An estimate knows what the exports of its project and of the machine took, also after a restart.
// The figures of an earlier version count for nothing.
func TestEstimatesKnowFinishedExports(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p, other := w.project(u), w.project(u)
	w.ready(p, 10_000)
	w.ready(other, 10_000)
	earlier := []byte(`{"encode_ns_per_pixel":5,"copy_ns_per_byte":2}`)
	if err := w.update(func(t *txn) error {
		return t.Bucket([]byte(bucketMeta)).Put([]byte(metaSpeed), earlier)
	}); err != nil {
		t.Fatal(err)
	}
	finish := func(p Project, rates media.RenderRates) {
		t.Helper()
		get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "e"}))(t)
		get(w.FinishExport(w.claim(), w.temp(10), media.RenderResult{Frames: 300, Rates: rates}))(t)
	}
	check := func(p Project, want ...media.RenderRates) {
		t.Helper()
		in := get(w.EstimateInput(u.UUID, p.UUID, NewExport{}))(t)
		if !slices.Equal(in.Rates, want) {
			t.Errorf("rates %+v, want %+v", in.Rates, want)
		}
	}
	check(p)
	first := media.RenderRates{Kind: "x264", Time: 2, Size: 0.5}
	second, copied := media.RenderRates{Kind: "x264", Time: 4, Size: 0.7}, media.RenderRates{Kind: "copy", Time: 3}
	finish(p, first)
	finish(p, second)
	finish(other, copied)
	w.reopen()
	machine := estimate.Learn(first, second)
	check(p, second, first, machine, copied)
	check(other, copied, machine, copied)
}
