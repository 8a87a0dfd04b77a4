package store

import (
	"regexp"
	"strings"

	"roughcut/media"
)

// spokenHit is a match in the transcript of a clip, in clip time, and whether it is replaced.
type spokenHit struct {
	media.Span
	replaced bool
}

// reasonChange is a text of the active run before and after a replacement: the reason of an edit,
// or the text or the reason of a take.
type reasonChange struct {
	EditUUID      string `json:",omitempty"`
	TakeGroup     string `json:",omitempty"`
	Take          int    `json:",omitempty"` // index in the take group
	Reason        bool   `json:",omitempty"` // of the take, not its text
	Before, After string
}

// quotes matches the words that a reason quotes.
var quotes = regexp.MustCompile(`“[^”]*”`)

// reasons replaces the text in the reasons of edits and in the takes of the active run. They quote
// the transcript.
func (r *replacing) reasons(runUUID string) error {
	edited, err := edits.List(r.t, editsByRun, runUUID)
	if err != nil {
		return err
	}
	for _, row := range edited {
		if row.Found == nil || !strings.Contains(row.Reason, "“") {
			continue
		}
		after := r.requoted(row.Reason, row.FoundClip, *row.Found)
		if after == row.Reason {
			continue
		}
		r.made.Reasons = append(r.made.Reasons, reasonChange{EditUUID: row.UUID, Before: row.Reason, After: after})
		row.Reason = after
		if err := edits.Put(r.t, row); err != nil {
			return err
		}
	}
	groups, err := takeGroups.List(r.t, takeGroupsByRun, runUUID)
	if err != nil {
		return err
	}
	for _, row := range groups {
		if err := r.takes(row); err != nil {
			return err
		}
	}
	return nil
}

// takes replaces the text in the takes of a group.
func (r *replacing) takes(row *takeGroupRow) error {
	before := len(r.made.Reasons)
	for i := range row.Takes {
		take := &row.Takes[i]
		change := reasonChange{TakeGroup: row.ID, Take: i, Before: take.Text}
		if change.After = r.respelled(take.Text, row.ClipUUID, take.Span); change.After != change.Before {
			r.made.Reasons, take.Text = append(r.made.Reasons, change), change.After
		}
		change.Reason, change.Before = true, take.Reason
		if change.After = r.requoted(take.Reason, row.ClipUUID, take.Span); change.After != change.Before {
			r.made.Reasons, take.Reason = append(r.made.Reasons, change), change.After
		}
	}
	if len(r.made.Reasons) == before {
		return nil
	}
	return takeGroups.Put(r.t, row)
}

// requoted returns a reason with the text replaced in its quotes, if the match in the transcript
// that is nearest to the span is replaced.
func (r *replacing) requoted(reason, clipUUID string, span media.Span) string {
	if !nearestHit(r.hits[clipUUID], span).replaced {
		return reason
	}
	return quotes.ReplaceAllStringFunc(reason, func(quote string) string {
		return r.matcher.replaceAll(quote, func(int) bool { return true })
	})
}

// respelled returns the text of a span of speech with the matches replaced that are replaced in the
// transcript.
func (r *replacing) respelled(text, clipUUID string, span media.Span) string {
	var inside []spokenHit
	for _, hit := range r.hits[clipUUID] {
		if hit.Intersect(span).Duration() > 0 {
			inside = append(inside, hit)
		}
	}
	return r.matcher.replaceAll(text, func(n int) bool { return n < len(inside) && inside[n].replaced })
}

// nearestHit returns the hit that is nearest to a span, or none.
func nearestHit(hits []spokenHit, span media.Span) (nearest spokenHit) {
	least := int64(-1)
	for _, hit := range hits {
		if d := max(hit.StartMS-span.EndMS, span.StartMS-hit.EndMS, 0); least < 0 || d < least {
			nearest, least = hit, d
		}
	}
	return nearest
}

// replaceAll returns a text with the matches replaced whose numbers are chosen.
func (m textMatcher) replaceAll(text string, chosen func(n int) bool) string {
	var out strings.Builder
	at := 0
	for n, hit := range m.find(text) {
		if chosen(n) {
			out.WriteString(text[at:hit.from] + m.replace)
			at = hit.to
		}
	}
	return out.String() + text[at:]
}

// revertReasons restores the reasons and takes of a run before a replacement. It skips those that
// changed or were deleted since then.
func (t *txn) revertReasons(runUUID string, changes []reasonChange) error {
	groups, err := takeGroups.List(t, takeGroupsByRun, runUUID)
	if err != nil {
		return err
	}
	for _, change := range changes {
		if change.EditUUID != "" {
			row, err := edits.Find(t, change.EditUUID)
			if err != nil {
				return err
			}
			if row == nil || row.Reason != change.After {
				continue
			}
			row.Reason = change.Before
			if err := edits.Put(t, row); err != nil {
				return err
			}
			continue
		}
		for _, row := range groups {
			if row.ID != change.TakeGroup || change.Take >= len(row.Takes) {
				continue
			}
			text := &row.Takes[change.Take].Text
			if change.Reason {
				text = &row.Takes[change.Take].Reason
			}
			if *text != change.After {
				continue
			}
			*text = change.Before
			if err := takeGroups.Put(t, row); err != nil {
				return err
			}
		}
	}
	return nil
}
