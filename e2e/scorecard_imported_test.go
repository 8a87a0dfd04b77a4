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

// scoreImported gives the true text as subtitle lines, and compares the words that Roughcut places
// in them with the spoken words. With the speech model, they must be as good as those of our own
// transcript.
func (c *card) scoreImported(talks []scoredTalk) {
	c.t.Helper()
	var own, guided, alone wordErrors
	for _, s := range talks {
		given, err := subtitle.Read([]byte(asSubtitles(s.said())))
		if err != nil {
			c.t.Fatal(err)
		}
		voice := s.found.Clips[0].Evidence.Voice
		own.add(s.said(), s.heard())
		guided.add(s.said(), align.Guided(given, s.heard(), voice).Words)
		alone.add(s.said(), align.Transcript(given, voice).Words)
	}
	for _, row := range []struct {
		what    string
		of      func(e wordErrors) []int64
		percent int
		alone   float64 // milliseconds
	}{
		{"start error, median", func(e wordErrors) []int64 { return e.starts }, 50, 80},
		{"start error, 95th percentile", func(e wordErrors) []int64 { return e.starts }, 95, 250},
		{"end error, median", func(e wordErrors) []int64 { return e.ends }, 50, 80},
		{"end error, 95th percentile", func(e wordErrors) []int64 { return e.ends }, 95, 250},
	} {
		at := func(e wordErrors) float64 {
			list := slices.Sorted(slices.Values(row.of(e)))
			return float64(mediatest.Percentile(list, row.percent))
		}
		c.atMost("imported lines: "+row.what, at(guided), at(own)+5, "ms")
		c.atMost("imported lines without a model: "+row.what, at(alone), row.alone, "ms")
	}
	c.none("imported lines: lost words", guided.lost+alone.lost, guided.all+alone.all)
}

// wordErrors are the errors of the times of words, and how many words are lost.
type wordErrors struct {
	starts, ends []int64
	lost, all    int
}

func (e *wordErrors) add(said, got []media.Word) {
	diff := mediatest.CompareWords(said, got)
	e.starts, e.ends = append(e.starts, diff.StartErrorsMS...), append(e.ends, diff.EndErrorsMS...)
	e.lost, e.all = e.lost+diff.Errors, e.all+len(said)
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
