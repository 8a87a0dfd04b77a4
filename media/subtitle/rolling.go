package subtitle

import (
	"cmp"
	"slices"
	"strings"
)

const (
	rollGapMS = 2_000 // most time between two cues that show the same row
	flashMS   = 50    // most time of a cue between two steps of rolling captions
	leastRoll = 2     // steps that make a pattern
	rollShare = 0.2   // of the cues of rolling captions, which repeat a row of the cue before
	growShare = 0.5   // of the cues of captions that grow by words
)

// unrolled returns the cues of a file without the text that the cue before shows already.
//
// Captions of video sites roll: a cue repeats the rows before it and adds one, so every row is in
// two cues or three. Others grow: a cue repeats a row and adds words to it. Only a file with a
// pattern counts: people do say a sentence twice, and its second cue then stays.
func unrolled(cues []cue) []cue {
	cues = slices.DeleteFunc(slices.Clone(cues), func(c cue) bool { return rowText(strings.Join(c.rows, "\n")) == "" })
	slices.SortStableFunc(cues, func(a, b cue) int { return cmp.Compare(a.StartMS, b.StartMS) })
	r := roll{cues: cues, texts: make([][]string, len(cues))}
	for i, c := range cues {
		for _, row := range c.rows {
			r.texts[i] = append(r.texts[i], rowText(row))
		}
	}

	if !r.isRolling() {
		return cues
	}
	return r.without()
}

// roll finds the repeated rows of cues, which are sorted.
type roll struct {
	cues  []cue
	texts [][]string // of the rows of each cue
}

// overlap is the start of a cue that the cue before shows too.
type overlap struct {
	rows  int    // whole rows
	words string // and the start of the next row, which grows
}

// isRolling reports whether the cues repeat rows so often that this is how the file was made.
func (r roll) isRolling() bool {
	steps, repeats, grown := 0, 0, 0
	for i := 1; i < len(r.cues); i++ {
		o := r.between(i-1, i)
		isWhole := o.rows == len(r.texts[i])
		switch {
		case o.words != "":
			grown++
		case o.rows > 0 && (!isWhole || r.cues[i-1].isFlash || r.cues[i].isFlash):
			steps++
		case isWhole && len(r.texts[i-1]) > o.rows:
			repeats++
		}
	}

	share := float64(steps+repeats+grown) / float64(max(len(r.cues)-1, 1))
	return (steps >= leastRoll && share >= rollShare) || (steps+grown >= leastRoll && share >= growShare)
}

// between returns the most that the start of cue j has in common with the end of cue i. A row with
// times of words is new: video sites time the words of a row once.
func (r roll) between(i, j int) overlap {
	if r.cues[j].StartMS-r.cues[i].EndMS > rollGapMS {
		return overlap{}
	}
	before, after := r.texts[i], r.texts[j]
	if timed := slices.IndexFunc(r.cues[j].rows, inlineTime.MatchString); timed >= 0 {
		after = after[:timed]
	}
	for n := min(len(before), len(after)); n > 0; n-- {
		tail, last := before[len(before)-n:], n-1
		if !slices.Equal(tail[:last], after[:last]) {
			continue
		}
		if tail[last] == after[last] {
			return overlap{rows: n}
		}
		if strings.HasPrefix(after[last], tail[last]+" ") {
			return overlap{rows: last, words: tail[last]}
		}
	}

	return overlap{}
}

// without returns the cues without what the cue before shows. A cue that adds nothing vanishes, and
// so does a short one whose rows the next cue shows with their time.
func (r roll) without() (out []cue) {
	shown := -1 // the cue before
	for i, c := range r.cues {
		var o overlap
		if shown >= 0 {
			o = r.between(shown, i)
		}
		isTold := i+1 < len(r.cues) && startsWith(r.texts[i+1], r.texts[i])
		if c.isFlash && isTold && o.rows < len(c.rows) {
			continue
		}
		shown = i
		if o.rows == len(c.rows) {
			continue
		}
		c.shown, c.rows = c.rows[:o.rows:o.rows], slices.Clone(c.rows[o.rows:])
		if o.words != "" {
			head, tail := splitRow(c.rows[0], o.words)
			c.shown, c.rows[0] = append(c.shown, head), tail
		}

		out = append(out, c)
	}

	return out
}

// startsWith reports whether rows start with others.
func startsWith(rows, start []string) bool {
	return len(rows) >= len(start) && slices.Equal(rows[:len(start)], start)
}

// splitRow divides a row of markup after a text that it starts with.
func splitRow(row, text string) (head, tail string) {
	for at, c := range row {
		if c == ' ' && rowText(row[:at]) == text {
			return row[:at], row[at:]
		}
	}

	return "", row
}
