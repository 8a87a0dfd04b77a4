package detect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roughcut/media"
)

// take is a Take on its way into a group.
type take struct {
	Take
	group      int     // -1 without a group
	confidence float64 // that a later take repeats it; 0 without a later take
	echoed     float64 // that it repeats an earlier take
	reason     string  // of its edit
	cut        media.Span
	heardMS    int64 // the latest end of a match
	spokenMS   int64 // the end of the speech that is repeated as a whole, or 0
	again      int64 // the start of the nearest repetition
	matches    []takeMatch
}

// takeMatch is what another take has in common with a take.
type takeMatch struct{ startMS, endMS int64 }

// falseStarts proposes to cut abandoned attempts, and groups those that are takes.
func (t *talk) falseStarts(k Settings) ([]Edit, []TakeGroup) {
	attempts := t.attempts(clampPercent(k.FalseStartSensitivity))
	groups, edits := t.groups(t.takes(attempts), k)
	taken := coveredBy(groups, edits)
	for _, a := range attempts {
		inside := func(s media.Span) bool { return 2*s.Intersect(a.Span).Duration() > a.Duration() }
		isTaken := a.isTake && slices.ContainsFunc(taken, inside)
		if isTaken || slices.ContainsFunc(spansOf(edits), inside) {
			continue
		}
		if a.echo {
			a.Span = a.next
		}
		if a.cut.Duration() <= 0 {
			a.cut = t.cutSpeech(a.Span)
		}
		edits = append(edits, k.falseStart(a.cut, a.confidence, cmp.Or(a.reason, "Said again"+heard)))
	}

	return disjoint(edits), groups
}

func spansOf(edits []Edit) (spans []media.Span) {
	for _, e := range edits {
		spans = append(spans, e.Span)
	}
	return spans
}

// coveredBy returns the spans of edits and of all takes.
func coveredBy(groups []TakeGroup, edits []Edit) []media.Span {
	spans := spansOf(edits)
	for _, g := range groups {
		for _, x := range g.Takes {
			spans = append(spans, x.Span)
		}
	}

	return spans
}

// falseStart returns the edit that cuts an abandoned attempt.
func (k Settings) falseStart(cut media.Span, confidence float64, reason string) Edit {
	c := round2(confidence)
	return Edit{Type: media.EditFalseStart, Span: cut, Active: c >= activeFrom, Reason: reason, Confidence: c}
}

// disjoint sorts edits and removes overlaps: adjacent cuts may overlap slightly.
func disjoint(edits []Edit) (out []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.EndMS, b.EndMS))
	})
	for _, e := range edits {
		if n := len(out); n > 0 {
			e.StartMS = max(e.StartMS, out[n-1].EndMS)
		}
		isTake := e.Take != nil && e.Duration() > 0
		if isTake || e.Duration() >= shortestCut {
			out = append(out, e)
		}
	}

	return out
}

// takes returns the takes of all attempts by time. They do not overlap, and takes of one sentence
// have the same group.
func (t *talk) takes(attempts []attempt) []take {
	var list []take
	for _, a := range attempts {
		if !a.isTake || repeatedSooner(attempts, a) {
			continue
		}
		first, ok := findOrAddTake(&list, a.Span)
		if !ok {
			continue
		}
		second, ok := findOrAddTake(&list, a.next)
		if !ok || first == second || (a.confidence < activeFrom && list[first].group+list[second].group > -2) {
			continue // a doubtful repeat does not extend a group
		}
		mergeGroups(list, first, second)
		list[first].pair(a.Span, a.next, a)
		list[second].pair(a.next, a.Span, a)
	}

	list = slices.DeleteFunc(list, func(x take) bool { return x.group < 0 })
	slices.SortFunc(list, func(a, b take) int { return cmp.Compare(a.StartMS, b.StartMS) })
	for i := range list {
		t.setEnd(list, i)
	}
	for i := range list {
		list[i].Partial = list[i].isPartial(list)
	}
	return list
}

// repeatedSooner reports whether a nearer repetition of an attempt is certain enough to be active.
// An aborted start may match several sentences that begin alike. Only the first of them repeats it.
func repeatedSooner(attempts []attempt, a attempt) bool {
	return slices.ContainsFunc(attempts, func(b attempt) bool {
		return isClose(a.StartMS, b.StartMS) && b.next.StartMS+sameStartMS < a.next.StartMS &&
			b.confidence >= activeFrom && b.isTake
	})
}

// pair keeps what an attempt says about one of its two takes.
func (x *take) pair(own, other media.Span, a attempt) {
	if own.StartMS < other.StartMS {
		x.spokenMS = max(x.spokenMS, own.EndMS)
	}
	x.heardMS = max(x.heardMS, own.EndMS)
	if own.StartMS < other.StartMS || a.echo {
		x.matches = append(x.matches, takeMatch{other.StartMS, other.EndMS})
	}
	if own.StartMS > other.StartMS {
		x.echoed = max(x.echoed, a.confidence)
		return
	}

	x.confidence = max(x.confidence, a.confidence)
	if x.again == 0 || other.StartMS < x.again {
		x.again = other.StartMS
	}
	if x.cut.Duration() <= 0 {
		x.reason, x.cut = a.reason, a.cut
	}
}

const (
	fragmentMS   = 700  // most speech between two takes that belongs to the first
	moreMS       = 300  // least speech after a match that makes the other take longer
	moreShare    = 0.15 // of the other take
	phraseGapMS  = 220  // shortest pause that ends a phrase
	hesitationMS = 700  // longer pauses are not fluent
)

// isPartial reports whether another take of the group continues after the words that both takes
// have in common.
func (x *take) isPartial(list []take) bool {
	return slices.ContainsFunc(x.matches, func(m takeMatch) bool {
		return slices.ContainsFunc(list, func(o take) bool {
			return o.group == x.group && isClose(o.StartMS, m.startMS) &&
				float64(o.EndMS-m.endMS) > max(moreMS, moreShare*float64(o.Duration()))
		})
	})
}

// setEnd moves the end of take i to the end of its speech. That is the end of the phrase, or the
// end of a short fragment before the next take.
func (t *talk) setEnd(list []take, i int) {
	x := &list[i]
	heard := cmp.Or(x.spokenMS, x.heardMS)
	limit := t.DurationMS
	if i+1 < len(list) {
		limit = list[i+1].StartMS
	}
	last, voiced := heard, int64(0)
	for _, s := range t.speech {
		if rest := s.Intersect(media.Span{StartMS: heard, EndMS: limit}); rest.Duration() > 0 {
			last, voiced = rest.EndMS, voiced+rest.Duration()
		}
	}

	if i+1 == len(list) || list[i+1].group != x.group || voiced > fragmentMS {
		last = t.phraseEnd(heard)
	}
	x.EndMS = min(last, limit)
}

// phraseEnd returns the end of the phrase that is spoken at a time, or ended shortly before.
func (t *talk) phraseEnd(ms int64) int64 {
	for _, p := range t.pauses {
		if p.Duration() >= phraseGapMS && p.StartMS >= ms-phraseGapMS/2 {
			return p.StartMS
		}
	}

	return t.DurationMS
}

// findOrAddTake returns the index of the take with a span, which it adds if it is new. ok is false
// if the span overlaps other takes without being one of them.
func findOrAddTake(list *[]take, s media.Span) (index int, ok bool) {
	for i, x := range *list {
		if isClose(x.StartMS, s.StartMS) {
			(*list)[i].EndMS = max(x.EndMS, s.EndMS)
			return i, true
		}

		if x.Intersect(s).Duration() > sameStartMS {
			return 0, false
		}
	}

	*list = append(*list, take{Take: Take{Span: s}, group: -1, heardMS: s.EndMS})
	return len(*list) - 1, true
}

// mergeGroups puts two takes and all takes of their groups into one group.
func mergeGroups(list []take, a, b int) {
	from, to := list[b].group, list[a].group
	if to < 0 {
		if to = from; to < 0 {
			to = min(a, b)
		}
	}

	for i := range list {
		if i == a || i == b || (from >= 0 && list[i].group == from) {
			list[i].group = to
		}
	}
}

// groups returns the take groups of takes, which are sorted, and the edits that cut the takes that
// are not proposed.
func (t *talk) groups(list []take, k Settings) (groups []TakeGroup, edits []Edit) {
	var order []int
	members := map[int][]*take{}
	for i, x := range list {
		if members[x.group] == nil {
			order = append(order, x.group)
		}
		members[x.group] = append(members[x.group], &list[i])
	}

	for _, id := range order {
		g, cuts := t.group(members[id], k)
		groups, edits = append(groups, g), append(edits, cuts...)
	}

	return groups, edits
}

// group describes the takes of one group and proposes the last complete one.
func (t *talk) group(takes []*take, k Settings) (g TakeGroup, edits []Edit) {
	g.ID, g.Proposed = fmt.Sprintf("take-%d", takes[0].StartMS), len(takes)
	for i, x := range slices.Backward(takes) {
		if !x.Partial {
			g.Proposed = i + 1
			break
		}
	}

	for i, x := range takes {
		x.Complete, x.Fluent = !x.Partial, t.isFluent(x.Span)
		x.Text, x.LevelDB = t.textIn(x.Span), t.levelOf(x.Span)
		x.Reason = fmt.Sprintf("Take %d of %d: %s", i+1, len(takes), x.qualities(i+1 == len(takes)))
		g.Takes = append(g.Takes, x.Take)
		if i+1 == g.Proposed {
			continue
		}
		e := k.falseStart(t.cutTake(x), cmp.Or(x.confidence, x.echoed), cmp.Or(x.reason, x.editReason()))
		e.Take = &TakeRef{Group: g.ID, Number: i + 1}
		edits = append(edits, e)
	}

	return g, edits
}

// cutTake returns the cut that removes a take: that by words, unless the take continues after them.
// Without a pause, a cut by words ends up to borderMS before the next word.
func (t *talk) cutTake(x *take) media.Span {
	if x.cut.Duration() > 0 && x.cut.EndMS >= x.EndMS-borderMS {
		return x.cut
	}
	return t.cutSpeech(x.Span)
}

// qualities lists what speaks for and against a take.
func (x *take) qualities(last bool) string {
	words := []string{"complete", "fluent"}
	if x.Partial {
		words[0] = "breaks off"
		if text := strings.Fields(x.Text); len(text) > 0 {
			words[0] += " after " + quoted(media.TrimPunct(text[len(text)-1]))
		}
	}

	if !x.Fluent {
		words[1] = "hesitant"
	}
	if last {
		words = append(words, "last")
	}
	return strings.Join(words, ", ")
}

// editReason is the reason to cut a take that only sound shows.
func (x *take) editReason() string {
	switch {
	case x.again == 0:
		return "Breaks off" + heard
	case x.Partial:
		return "Breaks off, said again " + seconds(max(x.again-x.EndMS, 0)) + " later" + heard
	}

	return "Said again " + seconds(max(x.again-x.EndMS, 0)) + " later" + heard
}

// isFluent reports whether speech has no filler and no long pause.
func (t *talk) isFluent(s media.Span) bool {
	for _, w := range t.wordsIn(s) {
		if slices.Contains(fillersOrEnglish(t.language), normalize(w.Text)) || isUnfinished(w.Text) {
			return false
		}
	}

	return !slices.ContainsFunc(t.pauses, func(p media.Span) bool { return p.Intersect(s).Duration() > hesitationMS })
}
