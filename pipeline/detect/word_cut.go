package detect

import (
	"slices"

	"roughcut/media"
)

const (
	nearMS      = 40 // largest distance between the end of a pause and the word that follows it
	borderMS    = 20 // how far a cut between adjacent words may move into the removed word
	marginMS    = 5  // how far it is inside the removed word at least
	quotedWords = 8  // longer quotes are shortened
)

// pauseBefore returns the pause that ends at word i, or an empty span at the start of the word
// without a pause.
func (t *talk) pauseBefore(i int) media.Span {
	ms := t.Words[i].StartMS
	n, _ := slices.BinarySearchFunc(t.pauses, ms-nearMS, func(p media.Span, at int64) int { return int(p.EndMS - at) })
	if n < len(t.pauses) && t.pauses[n].EndMS <= ms+nearMS {
		return t.pauses[n]
	}
	return media.Span{StartMS: ms, EndMS: ms}
}

// isCut reports whether a silence edit shortens a pause.
func (t *talk) isCut(p media.Span) bool {
	return p.Duration() > t.threshold && t.pauseCut(p).Duration() >= shortestCut
}

// cutWords returns the cut that removes words [i, j) and the pause after them. The pause before
// them stays, apart from its own silence edit.
func (t *talk) cutWords(i, j int) media.Span {
	before := t.pauseBefore(i)
	var cut media.Span
	var lead int64 // what stays before word j, in milliseconds
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
		cut.StartMS = t.pauseCut(before).EndMS
	case before.Duration() > 0:
		cut.StartMS = before.EndMS - min(max(lead, 0), before.Duration()/2)
	default:
		cut.StartMS = t.betweenWords(i, -marginMS, borderMS)
	}

	return cut
}

// cutEnd returns the end of a cut before word j.
func (t *talk) cutEnd(j int) int64 {
	p := t.pauseBefore(j)
	switch {
	case t.isCut(p):
		return t.pauseCut(p).EndMS
	case p.Duration() > 0:
		return p.EndMS - min(t.padding, p.Duration()/2)
	}

	return t.betweenWords(j, borderMS, -marginMS)
}

// betweenWords returns the quietest time around the start of word i: from before milliseconds
// before it to after milliseconds after it, where negative numbers are on the other side. If no
// time is much quieter, it returns the middle, because an export moves the cut to a frame.
func (t *talk) betweenWords(i int, before, after int64) int64 {
	at := t.Words[i].StartMS
	low := max(at-before, 0)
	if i > 0 {
		low = max(low, (t.Words[i-1].StartMS+t.Words[i-1].EndMS)/2)
	}
	s := media.Span{StartMS: low, EndMS: max(min(at+after, t.Words[i].EndMS), low)}
	return t.quiet(s, (s.StartMS+s.EndMS)/2)
}

// quote returns the text of words [i, j), shortened to quotedWords.
func (t *talk) quote(i, j int) string {
	var parts []string
	for _, w := range t.Words[i:min(j, i+quotedWords)] {
		parts = append(parts, media.TrimPunct(w.Text))
	}
	text := media.JoinWords(parts)
	if j-i > quotedWords {
		text += "…"
	}
	return text
}
