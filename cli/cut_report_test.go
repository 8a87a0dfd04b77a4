package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReportsListStretches(t *testing.T) {
	edit := func(start, end int64, active bool, action string) cutEdit {
		return cutEdit{StartMS: start, EndMS: end, Active: active, Action: action}
	}
	r := cutReport{Edits: []cutEdit{
		edit(1500, 2500, true, "cut"), edit(1000, 1800, true, "cut"), edit(2500, 3000, false, "cut"),
		edit(2500, 2700, true, "mute"), edit(4000, 5000, true, "cut"), edit(5000, 5500, true, "cut"),
	}}
	r.findStretches([]int64{0, 5000})
	want := []cutStretch{{1000, 2500, []int{1, 0}}, {4000, 5000, []int{4}}, {5000, 5500, []int{5}}}
	if diff := cmp.Diff(want, r.Stretches); diff != "" {
		t.Error(diff)
	}
	r = cutReport{}
	if r.findStretches(nil); r.Stretches == nil {
		t.Error("a report without cuts has null instead of an empty list")
	}
}
