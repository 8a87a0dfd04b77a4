package detect_test

import (
	"fmt"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest/voices"
	"roughcut/pipeline/detect"
)

// retakeScore counts how the proposed cuts of takes compare with the truth.
type retakeScore struct {
	takes, cut      int // takes that an editor removes, and those that an active edit cuts
	proposed, wrong int // active edits, and those that remove speech that an editor keeps
	groups, best    int // take groups with a proposal, and those that propose the take of the editor
}

func (s *retakeScore) add(o retakeScore) {
	s.takes, s.cut = s.takes+o.takes, s.cut+o.cut
	s.proposed, s.wrong = s.proposed+o.proposed, s.wrong+o.wrong
	s.groups, s.best = s.groups+o.groups, s.best+o.best
}

func (s retakeScore) String() string {
	return fmt.Sprintf("%d of %d takes cut, %d of %d edits wrong, proposed take right in %d of %d groups",
		s.cut, s.takes, s.wrong, s.proposed, s.best, s.groups)
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func (s retakeScore) recall() float64    { return share(s.cut, s.takes) }
func (s retakeScore) precision() float64 { return 1 - share(s.wrong, max(s.proposed, 1)) }

// scoreRetakes compares proposals with the takes of a recording.
func scoreRetakes(
	r voices.Recording, edits []detect.Edit, groups []detect.TakeGroup,
) (score retakeScore, notes []string) {
	var cuts, kept []media.Span
	kept = r.Speech
	var dropped []media.Span
	for _, g := range r.Groups {
		for i, k := range g.Takes {
			if i != g.Best() {
				dropped = append(dropped, k.Span)
			}
		}
	}
	for _, e := range edits {
		if e.Type != media.EditFalseStart || !e.Active {
			continue
		}
		cuts = append(cuts, e.Span)
		score.proposed++
		lost := int64(0)
		for _, s := range kept {
			lost += max(s.Intersect(e.Span).Duration(), 0)
		}
		for _, s := range dropped {
			lost -= max(s.Intersect(e.Span).Duration(), 0)
		}
		if lost > 300 {
			score.wrong++
			notes = append(notes, fmt.Sprintf("WRONG cuts %d ms of kept speech: %+v", lost, e))
		}
	}
	for _, g := range r.Groups {
		for i, k := range g.Takes {
			if i == g.Best() {
				continue
			}
			score.takes++
			if left := keptOf(k.Span, media.MergeSpans(cuts)); left*5 <= k.Duration() {
				score.cut++
			} else {
				notes = append(notes, fmt.Sprintf("LEFT %d ms of take %d of %+v", left, i, g))
			}
		}
		best := g.Takes[g.Best()].Span
		for _, found := range groups {
			proposed := found.Takes[found.Proposed-1].Span
			isTake := func(k voices.Take) bool { return found.Takes[0].Intersect(k.Span).Duration() > 300 }
			if slices.ContainsFunc(g.Takes, isTake) {
				score.groups++
				if proposed.Intersect(best).Duration()*2 > best.Duration() {
					score.best++
				} else {
					notes = append(notes, fmt.Sprintf("PROPOSED %+v, want %v", found, g))
				}
			}
		}
	}
	return score, notes
}

// retakeBounds are the least recall and precision of a difficulty without and with a transcript,
// and the least share of groups that propose the take that an editor keeps.
type retakeBounds struct{ recall, withWords, precision, best float64 }

func TestRetakesOfRealVoicesAreFound(t *testing.T) {
	for level, want := range map[string]retakeBounds{
		"easy":     {recall: 0.98, withWords: 0.98, precision: 0.98, best: 0.98},
		"hard":     {recall: 0.98, withWords: 0.98, precision: 0.97, best: 0.98},
		"retold":   {recall: 0.98, withWords: 0.97, precision: 0.98, best: 0.98},
		"refrain":  {recall: 1, withWords: 1, precision: 1, best: 1},
		"no pause": {recall: 0.94, withWords: 0.98, precision: 0.98, best: 0.98},
		"none":     {recall: 1, withWords: 1, precision: 1, best: 1},
		"spoken":   {recall: 0.95, withWords: 0.98, precision: 0.98, best: 0.98},
	} {
		t.Run(level, func(t *testing.T) {
			var bySound, byWords retakeScore
			for _, voice := range voices.Names() {
				r := voices.Retakes(t, 1, voice, level)
				e := measured(t, spoken{raw: r.Raw(), durationMS: r.DurationMS})
				bySound.add(scored(t, r, e))
				e.Words = r.Words
				byWords.add(scored(t, r, e))
			}
			t.Logf("by sound %v; with words %v", bySound, byWords)
			if bySound.recall() < want.recall || byWords.recall() < want.withWords {
				t.Errorf(
					"the recall is %.3f by sound and %.3f with words, want %+v",
					bySound.recall(), byWords.recall(), want,
				)
			}
			if p := min(bySound.precision(), byWords.precision()); p < want.precision {
				t.Errorf("the precision is %.3f, want %+v", p, want)
			}
			if best := share(bySound.best, bySound.groups); best < want.best {
				t.Errorf("%.3f of the groups propose the right take, want %+v", best, want)
			}
		})
	}
}

// A ringing room makes speech change as slowly as music, and fills its pauses. Its retakes are
// found all the same.
func TestRetakesInRingingRoomsAreFound(t *testing.T) {
	voices.Load(t)
	for level, least := range map[string]float64{"ringing": 0.95, "hall": 0.95, "church": 0.8} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			var score retakeScore
			for _, voice := range voices.Names() {
				r := voices.Retakes(t, 200, voice, level)
				score.add(scored(t, r, measured(t, spoken{raw: r.Raw(), durationMS: r.DurationMS})))
			}
			if score.recall() < least || score.precision() < 0.98 {
				t.Errorf("%v, want %g of the takes and 98 %% right edits", score, least)
			}
		})
	}
}

func scored(t *testing.T, r voices.Recording, e detect.Evidence) retakeScore {
	t.Helper()
	edits, groups := detect.Propose(e, detect.Settings{CutOptions: media.DefaultCutOptions()})
	score, notes := scoreRetakes(r, edits, groups)
	for _, n := range notes {
		t.Logf("%s, %d words: %s", r.Voice, len(e.Words), n)
	}
	return score
}
