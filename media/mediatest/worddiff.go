package mediatest

import (
	"slices"
	"strings"

	"roughcut/media"
)

// TranscriptDiff compares a transcript with the spoken words.
type TranscriptDiff struct {
	Pairs         [][2]int // indexes of equal words, spoken and transcribed, in order
	Errors        int      // word substitutions, insertions and deletions
	StartErrorsMS []int64  // absolute errors of the start times of equal words, sorted
	EndErrorsMS   []int64  // absolute errors of their end times, sorted
}

// Percentile returns the given percentile of sorted values, or 0 without values.
func Percentile(sorted []int64, percent int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*percent/100]
}

// CompareWords pairs the equal words of two texts with the smallest number of errors.
func CompareWords(spoken, transcribed []media.Word) TranscriptDiff {
	d := editDistances(spoken, transcribed)
	diff := TranscriptDiff{Errors: d[len(spoken)][len(transcribed)]}
	for i, j := len(spoken), len(transcribed); i > 0 && j > 0; {
		switch change := substitutionCost(spoken[i-1], transcribed[j-1]); {
		case d[i][j] == d[i-1][j-1]+change:
			if change == 0 {
				diff.Pairs = append(diff.Pairs, [2]int{i - 1, j - 1})
			}
			i, j = i-1, j-1
		case d[i][j] == d[i-1][j]+1:
			i--
		default:
			j--
		}
	}

	slices.Reverse(diff.Pairs)
	for _, p := range diff.Pairs {
		a, b := spoken[p[0]], transcribed[p[1]]
		diff.StartErrorsMS = append(diff.StartErrorsMS, max(a.StartMS-b.StartMS, b.StartMS-a.StartMS))
		diff.EndErrorsMS = append(diff.EndErrorsMS, max(a.EndMS-b.EndMS, b.EndMS-a.EndMS))
	}

	slices.Sort(diff.StartErrorsMS)
	slices.Sort(diff.EndErrorsMS)
	return diff
}

// editDistances returns the edit distance between each prefix of one text and each prefix of the
// other.
func editDistances(spoken, transcribed []media.Word) [][]int {
	d := make([][]int, len(spoken)+1)
	for i := range d {
		d[i] = make([]int, len(transcribed)+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			default:
				d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+substitutionCost(spoken[i-1], transcribed[j-1]))
			}
		}
	}

	return d
}

func substitutionCost(a, b media.Word) int {
	if normalize(a.Text) == normalize(b.Text) {
		return 0
	}
	return 1
}

func normalize(word string) string { return strings.ToLower(strings.Trim(word, ".,!? ")) }
