package mediatest

import (
	"slices"
	"strings"

	"roughcut/media"
)

// TranscriptDiff compares words that were heard with those that were said.
type TranscriptDiff struct {
	Pairs         [][2]int // indexes of equal words, said and heard, in order
	Errors        int      // words that must be changed, added or taken away
	StartErrorsMS []int64  // by how many milliseconds the equal words begin off, sorted
	EndErrorsMS   []int64  // and end off, sorted
}

// Percentile returns the value that a share in percent of sorted values does not exceed; 0 without
// values.
func Percentile(sorted []int64, percent int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*percent/100]
}

// CompareWords pairs the equal words of two texts with the least number of edits.
func CompareWords(said, heard []media.Word) TranscriptDiff {
	d := editDistances(said, heard)
	h := TranscriptDiff{Errors: d[len(said)][len(heard)]}
	for i, j := len(said), len(heard); i > 0 && j > 0; {
		switch change := differ(said[i-1], heard[j-1]); {
		case d[i][j] == d[i-1][j-1]+change:
			if change == 0 {
				h.Pairs = append(h.Pairs, [2]int{i - 1, j - 1})
			}
			i, j = i-1, j-1
		case d[i][j] == d[i-1][j]+1:
			i--
		default:
			j--
		}
	}
	slices.Reverse(h.Pairs)
	for _, p := range h.Pairs {
		a, b := said[p[0]], heard[p[1]]
		h.StartErrorsMS = append(h.StartErrorsMS, max(a.StartMS-b.StartMS, b.StartMS-a.StartMS))
		h.EndErrorsMS = append(h.EndErrorsMS, max(a.EndMS-b.EndMS, b.EndMS-a.EndMS))
	}
	slices.Sort(h.StartErrorsMS)
	slices.Sort(h.EndErrorsMS)
	return h
}

// editDistances returns, for each beginning of the one text and of the other, how many edits lie
// between them.
func editDistances(said, heard []media.Word) [][]int {
	d := make([][]int, len(said)+1)
	for i := range d {
		d[i] = make([]int, len(heard)+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			default:
				d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+differ(said[i-1], heard[j-1]))
			}
		}
	}
	return d
}

func differ(a, b media.Word) int {
	if plain(a.Text) == plain(b.Text) {
		return 0
	}
	return 1
}

func plain(word string) string { return strings.ToLower(strings.Trim(word, ".,!? ")) }
