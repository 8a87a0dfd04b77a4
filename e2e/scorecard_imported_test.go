package e2e

import (
	"fmt"
	"slices"
	"strings"

	"roughcut/media"
	"roughcut/media/align"
	"roughcut/media/mediatest"
	"roughcut/media/subtitle"
)

// Errors of the times of words that Roughcut places without a model, in milliseconds.
const (
	placedMedianMS = 80
	placedMostMS   = 250
)

// scoreImported gives the true text as subtitle lines, and compares the words that Roughcut places
// in them with the spoken words.
//
// With the speech model, the words must be placed as well as in our own transcript. Our own has no
// times of the words that the model misheard or omitted, but the imported lines contain them all.
// So the words that both have are compared, and the others must be placed as well as without a
// model. Together these rows judge every word of the imported lines.
func (c *card) scoreImported(talks []scoredTalk) {
	c.t.Helper()
	var own, same, misheard, alone wordErrors
	lost, all := 0, 0
	for _, s := range talks {
		given, err := subtitle.ReadTranscript([]byte(asSubtitles(s.said())))
		if err != nil {
			c.t.Fatal(err)
		}
		voice := s.found.Clips[0].Evidence.Voice
		said, heard := s.said(), s.heard()
		guided, unguided := align.Guided(given, heard, voice).Words, align.Transcript(given, voice).Words
		ours := mediatest.CompareWords(said, heard)
		got, without := mediatest.CompareWords(said, guided), mediatest.CompareWords(said, unguided)
		has := make([]bool, len(said)) // the words in our own transcript
		for _, p := range ours.Pairs {
			has[p[0]] = true
			own.add(said[p[0]], heard[p[1]])
		}
		for _, p := range got.Pairs {
			if has[p[0]] {
				same.add(said[p[0]], guided[p[1]])
			} else {
				misheard.add(said[p[0]], guided[p[1]])
			}
		}
		for _, p := range without.Pairs {
			alone.add(said[p[0]], unguided[p[1]])
		}
		lost, all = lost+got.Errors+without.Errors, all+2*len(said)
	}
	n := len(misheard.starts)
	for _, row := range []struct {
		what    string
		of      func(e wordErrors) []int64
		percent int
		placed  float64 // milliseconds
	}{
		{"start error, median", func(e wordErrors) []int64 { return e.starts }, 50, placedMedianMS},
		{"start error, 95th percentile", func(e wordErrors) []int64 { return e.starts }, 95, placedMostMS},
		{"end error, median", func(e wordErrors) []int64 { return e.ends }, 50, placedMedianMS},
		{"end error, 95th percentile", func(e wordErrors) []int64 { return e.ends }, 95, placedMostMS},
	} {
		at := func(e wordErrors) float64 {
			list := slices.Sorted(slices.Values(row.of(e)))
			return float64(mediatest.Percentile(list, row.percent))
		}
		c.atMost("imported lines: "+row.what, at(same), at(own)+5, "ms")
		c.atMost(fmt.Sprintf("imported lines, %d misheard words: %s", n, row.what), at(misheard), row.placed, "ms")
		c.atMost("imported lines without a model: "+row.what, at(alone), row.placed, "ms")
	}
	c.none("imported lines: lost words", lost, all)
}

// wordErrors are the absolute errors of the times of words, in milliseconds.
type wordErrors struct {
	starts, ends []int64
}

func (e *wordErrors) add(said, got media.Word) {
	e.starts = append(e.starts, max(said.StartMS-got.StartMS, got.StartMS-said.StartMS))
	e.ends = append(e.ends, max(said.EndMS-got.EndMS, got.EndMS-said.EndMS))
}

// asSubtitles writes words as SubRip lines of seven words, as a person would time them.
func asSubtitles(words []media.Word) string {
	stamp := func(ms int64) string {
		return fmt.Sprintf("%02d:%02d:%02d,%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
	}
	var out strings.Builder
	n := 0
	for line := range slices.Chunk(words, 7) {
		n++
		var texts []string
		for _, w := range line {
			texts = append(texts, w.Text)
		}
		start, end := max(line[0].StartMS-60, 0), line[len(line)-1].EndMS+90
		fmt.Fprintf(&out, "%d\n%s --> %s\n%s\n\n", n, stamp(start), stamp(end), strings.Join(texts, " "))
	}
	return out.String()
}
