package store

import "testing"

func TestCutsToReviewAreCountedByStretch(t *testing.T) {
	t.Parallel()
	open := func(start, end int64, state string) reviewCut { return reviewCut{start, end, state, true} }
	decided := func(start, end int64, state string) reviewCut { return reviewCut{start, end, state, false} }
	for _, test := range []struct {
		name string
		cuts []reviewCut
		want int
	}{
		{"none", nil, 0},
		{"apart", []reviewCut{open(0, 10, stateCut), open(20, 30, stateCut)}, 2},
		{"touching, in any order", []reviewCut{open(10, 20, stateCut), open(0, 10, stateCut)}, 1},
		{"one of two decided", []reviewCut{decided(0, 10, stateCut), open(5, 20, stateCut)}, 1},
		{"joined by hand", []reviewCut{open(0, 10, stateCut), open(20, 30, stateCut), decided(5, 25, stateCut)}, 1},
		{"decided", []reviewCut{decided(0, 10, stateCut), decided(20, 30, stateOff)}, 0},
		{"inactive ones that touch", []reviewCut{open(0, 10, stateOff), open(10, 20, stateOff)}, 2},
		{"an inactive one inside a stretch", []reviewCut{decided(0, 30, stateCut), open(10, 20, stateOff)}, 1},
		{"an inactive one across its end", []reviewCut{open(0, 30, stateCut), open(20, 40, stateOff)}, 2},
		{"mutes next to a cut", []reviewCut{open(0, 9, stateCut), open(9, 20, stateMute), open(20, 30, stateMute)}, 2},
	} {
		if got := toReview(test.cuts); got != test.want {
			t.Errorf("%s: %d stretches to review, want %d", test.name, got, test.want)
		}
	}
}
