package detect

import (
	"fmt"
	"slices"

	"roughcut/media"
	"roughcut/pipeline/language"
)

// Who tries a sentence again goes back and says everything since then again. A sentence that comes
// again behind speech that does not is a refrain, such as "please subscribe", and stays.
const (
	asideMS    = 1800 // most speech between two takes that need not come again, such as "no, once more"
	asideWords = 10   // most words of a longer aside, of which at least a third are language.IsAside
	saidAgain  = 0.6  // least share of the words in between that come again
)

// markRefrains makes the attempts that are likely refrains inactive, and says why.
func (f *finder) markRefrains(attempts []attempt) {
	var refrains []attempt
	for i := range attempts {
		if a := &attempts[i]; f.isRefrain(*a, attempts) {
			refrains = append(refrains, *a)
			a.becomeRefrain()
		}
	}

	for i := range attempts {
		a := &attempts[i]
		isRough := func(r attempt) bool { return a.confidence < r.confidence && a.hasTakesOf(r) }
		if a.confidence > doubtful && slices.ContainsFunc(refrains, isRough) {
			a.becomeRefrain()
		}
	}
}

// becomeRefrain makes an attempt inactive because it is perhaps a refrain.
func (a *attempt) becomeRefrain() {
	a.confidence, a.isTake = min(a.confidence, doubtful), false
	a.reason = fmt.Sprintf(
		"Said again %s later, behind other sentences: perhaps a refrain", seconds(a.next.StartMS-a.EndMS),
	)
}

// hasTakesOf reports whether both takes of two attempts are mostly the same.
func (a *attempt) hasTakesOf(o attempt) bool {
	same := func(x, y media.Span) bool {
		return 2*x.Intersect(y).Duration() > min(x.Duration(), y.Duration())
	}
	return same(a.Span, o.Span) && same(a.next, o.next)
}

// isRefrain reports whether most of the speech between an attempt and its repetition is neither
// repeated nor an aside.
func (f *finder) isRefrain(a attempt, attempts []attempt) bool {
	between := media.Span{StartMS: a.EndMS, EndMS: a.next.StartMS}
	spoken := spokenIn(f.speech, between)
	if spoken <= asideMS || f.isAside(between) || f.comesAgain(between, a.next) {
		return false
	}

	takes := f.takesIn(between, a.Span)
	for _, b := range attempts {
		if b.confidence > doubtful && b.next.StartMS+sameStartMS >= between.EndMS {
			takes = append(takes, b.Span)
		}
	}

	return spoken-spokenWithin(f.speech, takes, between) > max(asideMS, spoken/2)
}

// isRepeatedBetween reports whether most of the speech between the takes of a repeat belongs to
// other repeats.
func (f *finder) isRepeatedBetween(r Repeat) bool {
	between := media.Span{StartMS: r.Earlier.EndMS, EndMS: r.Later.StartMS}
	return 2*spokenWithin(f.speech, f.takesIn(between, r.Earlier), between) > spokenIn(f.speech, between)
}

// takesIn returns the speech between a take and its repetition that comes again after the
// repetition has begun, or that repeats what was said before the take, by sound. Doubtful repeats
// do not count.
func (f *finder) takesIn(between, take media.Span) (takes []media.Span) {
	for _, r := range f.Repeats {
		if soundConfidence(r, false) <= doubtful {
			continue
		}
		if r.Later.StartMS+sameStartMS >= between.EndMS && r.Earlier.StartMS+sameStartMS >= between.StartMS {
			takes = append(takes, r.Earlier)
		}
		if r.Earlier.EndMS <= take.StartMS+sameStartMS && r.Later.EndMS <= between.EndMS+sameStartMS {
			takes = append(takes, r.Later)
		}
	}

	return takes
}

// spokenIn returns how much speech a span holds, in milliseconds.
func spokenIn(speech []media.Span, s media.Span) (ms int64) {
	for _, v := range speech {
		ms += max(v.Intersect(s).Duration(), 0)
	}
	return ms
}

// spokenWithin returns how much of the speech in a span lies within others, in milliseconds.
func spokenWithin(speech, others []media.Span, s media.Span) (ms int64) {
	for _, o := range media.MergeSpans(others) {
		ms += spokenIn(speech, o.Intersect(s))
	}
	return ms
}

// isAside reports whether the words in a span announce another take.
func (f *finder) isAside(s media.Span) bool {
	words := f.within(s)
	asides := 0
	for _, i := range words {
		if language.IsAside(f.words[i].norm) {
			asides++
		}
	}

	return len(words) > 0 && len(words) <= asideWords && 3*asides >= len(words)
}

// comesAgain reports whether most words of a span are said again, in their order, where the speaker
// goes on after the repetition.
func (f *finder) comesAgain(s, repetition media.Span) bool {
	words := f.within(s)
	later := f.within(media.Span{StartMS: repetition.StartMS, EndMS: repetition.EndMS + s.Duration()})
	again := make([]float64, len(later)+1) // words that come again before each later word, at most
	for _, i := range words {
		diagonal := 0.0
		for n, j := range later {
			best := max(diagonal+f.soundsLike(i, j), again[n], again[n+1])
			diagonal, again[n+1] = again[n+1], best
		}
	}

	return len(words) > 0 && again[len(later)] >= saidAgain*float64(len(words))
}
