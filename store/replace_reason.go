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
		for i := range row.Takes {
			take := &row.Takes[i]
			take.Text = r.respelled(take.Text, row.ClipUUID, take.Span)
			take.Reason = r.requoted(take.Reason, row.ClipUUID, take.Span)
		}

		if err := takeGroups.Put(r.t, row); err != nil {
			return err
		}
	}

	return nil
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
