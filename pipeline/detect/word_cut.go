package detect

import (
	"slices"
	"strings"

	"roughcut/media"
)

const (
	nearMS = 40 // a word begins with the sound after a pause when it is this near
	// how far a cut between two words without a pause may move to a quiet spot, into the word that
	// goes
	borderMS    = 20
	strayMS     = 5 // and into the word that stays
	quotedWords = 8 // longer passages are quoted by their beginning
)

// pauseBefore returns the pause that ends where word i begins, an empty span at the word where
// there is none.
func (t *talk) pauseBefore(i int) media.Span {
	ms := t.Words[i].StartMS
	n, _ := slices.BinarySearchFunc(t.pauses, ms-nearMS, func(p media.Span, at int64) int { return int(p.EndMS - at) })
	if n < len(t.pauses) && t.pauses[n].EndMS <= ms+nearMS {
		return t.pauses[n]
	}
	return media.Span{StartMS: ms, EndMS: ms}
}

// isCut reports whether a pause is shortened by a silence edit.
func (t *talk) isCut(p media.Span) bool {
	return p.Duration() > t.threshold && t.cutOf(p).Duration() >= shortestCut
}

// cutWords returns the cut that takes out words [i, j) so that word j, or the clip's end, follows
// what was before them. The pause before the words stays as it is, whether it is cut itself or not;
// the pause after them goes.
func (t *talk) cutWords(i, j int) media.Span {
	before := t.pauseBefore(i)
	var cut media.Span
	var lead int64 // the air that stays before word j
	if j < len(t.Words) {
		cut.EndMS = t.cutEnd(j)
		lead = t.Words[j].StartMS - cut.EndMS
	} else {
		cut.EndMS = t.Words[j-1].EndMS
		if n := len(t.pauses); n > 0 && t.pauses[n-1].EndMS == t.DurationMS &&
			t.pauses[n-1].StartMS <= cut.EndMS+nearMS {
			cut.EndMS = t.DurationMS
		}
	}
	switch {
	case t.isCut(before):
		cut.StartMS = t.cutOf(before).EndMS
	case before.Duration() > 0:
		cut.StartMS = before.EndMS - min(max(lead, 0), before.Duration()/2)
	default:
		cut.StartMS = t.betweenWords(i, strayMS, borderMS)
	}
	return cut
}

// cutEnd returns where a cut ends that word j is to follow.
func (t *talk) cutEnd(j int) int64 {
	p := t.pauseBefore(j)
	switch {
	case t.isCut(p):
		return t.cutOf(p).EndMS
	case p.Duration() > 0:
		return p.EndMS - min(t.air, p.Duration()/2)
	}
	return t.betweenWords(j, borderMS, strayMS)
}

// betweenWords returns the quietest spot at the border before word i, at most so many milliseconds
// before and after it.
func (t *talk) betweenWords(i int, before, after int64) int64 {
	at := t.Words[i].StartMS
	low := max(at-before, 0)
	if i > 0 {
		low = max(low, (t.Words[i-1].StartMS+t.Words[i-1].EndMS)/2)
	}
	return t.quiet(media.Span{StartMS: min(low, at), EndMS: min(at+after, t.Words[i].EndMS)}, at)
}

// quote returns words [i, j), shortened.
func (t *talk) quote(i, j int) string {
	var parts []string
	for _, w := range t.Words[i:min(j, i+quotedWords)] {
		parts = append(parts, strings.TrimRight(bare(w.Text), " "))
	}
	text := strings.Join(parts, " ")
	if j-i > quotedWords {
		text += "…"
	}
	return text
}
