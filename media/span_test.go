package media_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"roughcut/media"
)

func TestKeptSpansAreWhatCutsLeave(t *testing.T) {
	for _, c := range []struct {
		name string
		cuts []media.Span
		want []media.Span
	}{
		{"no cuts", nil, []media.Span{{0, 1000}}},
		{"in the middle", []media.Span{{200, 300}}, []media.Span{{0, 200}, {300, 1000}}},
		{"overlapping, out of order", []media.Span{{250, 400}, {200, 300}}, []media.Span{{0, 200}, {400, 1000}}},
		{"touching", []media.Span{{200, 300}, {300, 400}}, []media.Span{{0, 200}, {400, 1000}}},
		{"at both ends", []media.Span{{0, 100}, {900, 1000}}, []media.Span{{100, 900}}},
		{"past the end", []media.Span{{900, 5000}, {6000, 7000}}, []media.Span{{0, 900}}},
		{"before the start", []media.Span{{-500, 100}}, []media.Span{{100, 1000}}},
		{"everything", []media.Span{{0, 1000}}, nil},
		{"empty and reversed", []media.Span{{300, 300}, {500, 400}}, []media.Span{{0, 1000}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, media.KeptSpans(1000, c.cuts)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Every millisecond is either kept or cut, never both.
func TestKeptSpansPartitionTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(0, 60).Draw(t, "total")
		cuts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) media.Span {
			start := rapid.Int64Range(-5, 65).Draw(t, "start")
			return media.Span{StartMS: start, EndMS: start + rapid.Int64Range(-3, 20).Draw(t, "length")}
		}), 0, 12).Draw(t, "cuts")
		kept := media.KeptSpans(total, cuts)
		for ms := range total {
			in := func(spans []media.Span) (n int) {
				for _, s := range spans {
					if s.StartMS <= ms && ms < s.EndMS {
						n++
					}
				}
				return n
			}
			want := 1
			if in(cuts) > 0 {
				want = 0
			}
			if got := in(kept); got != want {
				t.Fatalf("at %d ms: kept %d times, want %d", ms, got, want)
			}
		}
	})
}

// The page derives the same stretches from the same vectors.
func TestStretchVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/stretch_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Stretches []struct {
			Name   string
			Starts []int64
			Cuts   []media.Span
			Firsts []int
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors.Stretches) == 0 {
		t.Fatalf("%d vectors: %v", len(vectors.Stretches), err)
	}
	for _, v := range vectors.Stretches {
		t.Run(v.Name, func(t *testing.T) {
			if diff := cmp.Diff(v.Firsts, media.Stretches(v.Cuts, v.Starts)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The stretches of one clip are the footage that MergeSpans removes.
func TestStretchesAreTheMergedCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cuts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) media.Span {
			start := rapid.Int64Range(0, 60).Draw(t, "start")
			return media.Span{StartMS: start, EndMS: start + rapid.Int64Range(1, 9).Draw(t, "length")}
		}), 0, 12).Draw(t, "cuts")
		byFirst := map[int]media.Span{}
		for i, first := range media.Stretches(cuts, []int64{0}) {
			s, ok := byFirst[first]
			if !ok {
				s = cuts[first]
			}
			byFirst[first] = media.Span{StartMS: s.StartMS, EndMS: max(s.EndMS, cuts[i].EndMS)}
		}
		got := slices.SortedFunc(maps.Values(byFirst), func(a, b media.Span) int { return int(a.StartMS - b.StartMS) })
		if diff := cmp.Diff(media.MergeSpans(cuts), got); diff != "" {
			t.Error(diff)
		}
	})
}
