package detect

import (
	"cmp"
	"math"
	"slices"

	"roughcut/media"
)

// attempt is speech that the speaker abandons and starts again.
type attempt struct {
	media.Span            // of the abandoned speech
	next       media.Span // of the matching part of the repetition
	cut        media.Span // empty to derive the cut from the span
	confidence float64
	reason     string // empty to derive the reason from the takes
	isTake     bool   // the attempt starts a sentence
	echo       bool   // the repetition ends before the sentence does
}

// attempts returns the abandoned attempts of a clip that words or sound reveal, the most confident
// first. Several attempts may have the same span. An "um" that sounds like another "um" is not an
// attempt.
func (t *talk) attempts(sensitivity int) []attempt {
	f := t.finder(sensitivity)
	out := f.attempts()
	suspects := t.suspects()
	for _, r := range t.Repeats {
		if t.onlySuspects(r.Earlier, suspects) {
			continue
		}
		if a, ok := f.repeated(r); ok && !confirmAttempt(out, a) {
			out = append(out, a)
		}
	}

	f.markRefrains(out)
	f.doubtLoops(out)
	slices.SortStableFunc(out, func(a, b attempt) int {
		return cmp.Or(cmp.Compare(b.confidence, a.confidence), cmp.Compare(a.StartMS, b.StartMS))
	})
	return out
}

// heard ends the reason of a repeat that the words do not show.
const heard = " (heard, not read)"

// sameStartMS is the largest distance between the start of a take by words and its start by sound.
const sameStartMS = 300

func isClose(a, b int64) bool { return max(a-b, b-a) <= sameStartMS }

// confirmAttempt finds the attempt by words that matches attempt a by sound, and raises its
// confidence. It reports whether it found a match.
func confirmAttempt(byWords []attempt, a attempt) bool {
	for i, w := range byWords {
		if isClose(w.StartMS, a.StartMS) && isClose(w.next.StartMS, a.next.StartMS) {
			byWords[i].confidence = max(1-(1-w.confidence)*(1-a.confidence/2), a.confidence)
			return true
		}
	}

	return false
}

// Parameters of soundConfidence, from a logistic regression on recordings of media/mediatest.
const (
	baseLogit   = 1.1
	nearWeight  = -5.5 // of the distance, relative to the distance from other places
	nearCenter  = 0.7
	worstWeight = -6.2 // of the worst distance, relative to the same
	shortWeight = -3.9 // of each second that a repeat is shorter than one second
	farWeight   = -1.2 // of takes more than farMS apart
	farMS       = 4_000
	farFrom     = 0.65   // least confidence that counts across farMS
	strangeMS   = 12_000 // between the takes: likely another sentence with the same words
)

// A repeat may be another sentence of the same pattern if it differs by more than contrastWorst
// over the duration of a word, relative to the distance from other places. This does not apply if
// its margin reaches contrastMargin: it is then clearly nearer than other places. Across strangeMS,
// a repeat is proposed only if its margin reaches contrastMargin or its words agree.
const (
	contrastWorst  = 1.02
	contrastMargin = 1.55
)

// gapMS returns the time between the takes of a repeat.
func gapMS(r Repeat) int64 { return r.Later.StartMS - r.Earlier.EndMS }

// soundConfidence returns the confidence in a repeat by sound alone. A repeat is far if its takes
// are more than farMS apart, and the speech between them does not come again.
func soundConfidence(r Repeat, isFar bool) float64 {
	margin := max(r.Margin, 0.1)
	worst := r.Worst / (max(r.Distance, 0.05) * margin)
	x := baseLogit + nearWeight*(1/margin-nearCenter) + worstWeight*(worst-1)
	x += shortWeight * max(1-float64(r.Earlier.Duration())/1000, 0)
	if isFar {
		x += farWeight
	}
	c := 0.98 / (1 + math.Exp(-x))
	another := worst > contrastWorst && margin < contrastMargin
	// Two sentences may begin alike, so a repeat of a beginning is doubtful too.
	if r.Echo || another || (isFar && c < farFrom) {
		c = min(c, doubtful)
	}
	return c
}

// A take of a whole sentence that follows soon may be more distant: people never say a sentence
// twice in the same way, and rooms blur it.
const (
	soonFrom    = 0.65  // least confidence of such a take
	soonLeastMS = 1_000 // and its least duration
)

// mostDistance returns the largest distance of a repeat that is proposed at a sensitivity, by the
// confidence in it.
func mostDistance(r Repeat, confidence float64, sensitivity int) float64 {
	share := float64(sensitivity) / 100
	isSoon := gapMS(r) <= farMS && r.Earlier.Duration() >= soonLeastMS
	if isSoon && confidence >= soonFrom {
		return 0.44 + 0.42*share
	}
	return 0.44 + 0.3*share
}

const (
	agreeing     = 0.7      // least likeness of the words that confirms a repeat by sound
	overruling   = 0.95     // confidence by sound that misheard words do not contradict
	overruleFrom = 1.8      // and the least margin of such a repeat
	doubtful     = 0.45     // most confidence in a repeat that the words contradict
	minBySound   = doubtful // least confidence of a proposal that no words confirm
)

// repeated returns the attempt that a repeat by sound shows. ok is false if the repeat is too
// unlikely for the sensitivity.
func (f *finder) repeated(r Repeat) (a attempt, ok bool) {
	c := soundConfidence(r, gapMS(r) > farMS && !f.isRepeatedBetween(r))
	alike, known := f.agreement(r)
	agree := known && alike >= agreeing
	switch {
	case agree:
		c = max(1-(1-c)*0.3, 0.4+0.5*alike)
	case known && (c < overruling || r.Margin < overruleFrom):
		c = min(c, doubtful)
	}

	if gapMS(r) > strangeMS {
		c = min(c, doubtful)
		if r.Margin < contrastMargin && !agree {
			return a, false
		}
	}

	isUnlikely := c < minBySound || r.Distance > mostDistance(r, c, f.sensitivity)
	if isUnlikely && !agree {
		return a, false
	}
	a = attempt{Span: r.Earlier, next: r.Later, confidence: c, echo: r.Echo, isTake: f.startsPhrase(r.Earlier.StartMS)}
	if !a.isTake {
		a.reason = "Said again " + seconds(max(gapMS(r), 0)) + " later" + heard
	}
	return a, true
}

// startsPhrase reports whether speech starts at a time after a pause of at least breathMS, or after
// any pause at the start of the clip.
func (t *talk) startsPhrase(ms int64) bool {
	return slices.ContainsFunc(t.pauses, func(p media.Span) bool {
		precedesPhrase := p.StartMS == 0 || p.Duration() >= breathMS
		return precedesPhrase && isClose(p.EndMS, ms)
	})
}

// agreement returns the similarity of the words of both takes of a repeat, 0 to 1. known is false
// if a take has too few words, because speech models swallow repeats. A replaced word counts
// double, because two sentences of the same pattern are not a retake.
func (f *finder) agreement(r Repeat) (alike float64, known bool) {
	a, b := f.within(r.Earlier), f.within(r.Later)
	if r.Echo {
		a, b = b, a
	}
	if len(a) < 2 || len(b) == 0 {
		return 0, false
	}
	cost := make([]float64, len(b)+1)
	for n := range cost {
		cost[n] = float64(n) / 2 // a filler or a conjunction may come first
	}
	for x, i := range a {
		diagonal := cost[0]
		cost[0]++
		for n, j := range b {
			swap := 2 * (1 - f.soundsLike(i, j)) * f.differenceWeight(i, j)
			if x == len(a)-1 {
				swap /= 2 // the attempt may break off inside the word
			}
			best := min(diagonal+swap, cost[n]+1, cost[n+1]+1)
			diagonal, cost[n+1] = cost[n+1], best
		}
	}

	return max(1-slices.Min(cost)/float64(len(a)), 0), true
}

// soundsLike returns the similarity of two words, or 0 if they differ. A prefix of a word is equal
// to it, because an attempt may end within a word.
func (f *finder) soundsLike(i, j int) float64 {
	if isPrefixOf(f.words[i].norm, f.words[j].norm) {
		return 1
	}
	if s := f.similarity(i, j); s >= minWordSimilarity {
		return s
	}
	return 0
}

// within returns the spoken words whose middle is in a span.
func (f *finder) within(s media.Span) (found []int) {
	from, _ := slices.BinarySearchFunc(f.words, s.StartMS, func(w token, ms int64) int {
		return cmp.Compare(f.Words[w.index].EndMS, ms)
	})
	for i := from; i < len(f.words) && f.startMS(i) < s.EndMS; i++ {
		middle, index := (f.startMS(i)+f.endMS(i))/2, f.words[i].index
		if middle >= s.StartMS && middle < s.EndMS && !f.inventions.any(index, index+1) {
			found = append(found, i)
		}
	}

	return found
}

// cutSpeech returns the cut that removes speech and the pause after it, like cutWords.
func (t *talk) cutSpeech(s media.Span) media.Span {
	cut := media.Span{StartMS: t.joint(s.StartMS), EndMS: t.joint(s.EndMS)}
	var lead int64
	if p, ok := t.pauseNear(s.EndMS); ok {
		cut.EndMS = p.EndMS
		if t.isCut(p) {
			cut.EndMS = t.pauseCut(p).EndMS
		} else if p.EndMS < t.DurationMS {
			cut.EndMS = p.EndMS - min(t.padding, p.Duration()/2)
		}

		lead = p.EndMS - cut.EndMS
	}

	if p, ok := t.pauseNear(s.StartMS); ok {
		cut.StartMS = p.EndMS - min(lead, p.Duration()/2)
		if t.isCut(p) {
			cut.StartMS = t.pauseCut(p).EndMS
		}
	}

	return cut
}

const (
	pauseNearMS = 120 // largest distance between the border of a take and its pause
	jointMS     = 60  // how far a cut without a pause may move
)

// pauseNear returns the longest pause within pauseNearMS of a time.
func (t *talk) pauseNear(ms int64) (best media.Span, ok bool) {
	for _, p := range t.pauses {
		if p.StartMS <= ms+pauseNearMS && p.EndMS >= ms-pauseNearMS && p.Duration() > best.Duration() {
			best, ok = p, true
		}
	}

	return best, ok
}

// joint returns the quietest time within jointMS of a border of speech without a pause.
func (t *talk) joint(ms int64) int64 {
	return t.quiet(media.Span{StartMS: max(ms-jointMS, 0), EndMS: min(ms+jointMS, t.DurationMS)}, ms)
}
