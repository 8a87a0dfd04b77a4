package pipeline

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"roughcut/media"
	"roughcut/pipeline/director"
	"roughcut/pipeline/rank"
	"roughcut/store"
)

// StepPlaceAssets is the last step of an analysis.
const StepPlaceAssets = "place_assets"

// contextWords is the number of words on each side of a mention that a language model gets.
const contextWords = 12

// findMentions finds the assets of the library that the recordings mention, and returns a report
// for the user. It returns an error only if ctx ends: a failed search does not fail the analysis.
func (p *Pool) findMentions(ctx context.Context, run store.Run, found *Analysis) (report string, err error) {
	if !run.Directed {
		if strings.TrimSpace(run.DirectorNotes) != "" {
			return "Your tier does not include the AI Director, so no assets were placed.", nil
		}
		return "", nil
	}

	clips, stems := p.stemmed(found)
	assets, err := p.Store.MentionedAssets(ctx, run.UserUUID, media.BaseLanguage(found.Language), stems)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		p.Log.Warn("searching the library for assets to place failed", "run", run.UUID, "error", err)
		return "Searching your library failed, so no assets were placed. Run the analysis again.", nil
	}

	found.Mentions = director.Find(
		clips,
		describedAssets(assets),
		run.DirectorNotes,
		p.Store.WordStems(media.BaseLanguage(found.Language), run.DirectorNotes),
	)
	if len(found.Mentions) == 0 {
		return "", nil
	}
	different := map[string]bool{}
	for _, m := range found.Mentions {
		different[m.AssetID] = true
	}
	report = fmt.Sprintf(
		"You mention %s of your library %s.",
		plural(len(different), "asset"),
		plural(len(found.Mentions), "time"),
	)
	if p.Ranker == nil {
		return report, nil
	}
	if err := p.rerank(ctx, run.DirectorNotes, clips, found.Mentions); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		p.Log.Warn("ranking assets with the language model failed", "run", run.UUID, "error", err)
		return report + " The language model did not respond correctly, so they have the built-in ranking.", nil
	}

	return report + " A language model ranked them.", nil
}

// plural formats a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// stemmed returns the transcripts with the stems of each word, and all stems.
func (p *Pool) stemmed(found *Analysis) (clips []director.Clip, stems []string) {
	language := media.BaseLanguage(found.Language)
	for _, c := range found.Clips {
		if c.Evidence == nil {
			continue
		}
		clip := director.Clip{ID: c.ClipUUID, Words: c.Evidence.Words}
		for _, w := range c.Evidence.Words {
			of := p.Store.WordStems(language, w.Text)
			clip.Stems = append(clip.Stems, of)
			stems = append(stems, of...)
		}

		clips = append(clips, clip)
	}

	return clips, stems
}

// describedAssets converts assets of the store to assets of the director.
func describedAssets(list []store.MentionedAsset) []director.Asset {
	var out []director.Asset
	for _, a := range list {
		asset := director.Asset{ID: a.AssetFileID, Kind: a.Kind, Name: a.DisplayName}
		if a.DurationMS != nil {
			asset.DurationMS = *a.DurationMS
		}
		for _, w := range a.Texts {
			asset.Texts = append(
				asset.Texts,
				director.Text{Field: director.Field(w.Part), Text: w.Text, Stems: w.Stems},
			)
		}

		out = append(out, asset)
	}

	return out
}

// rerank replaces the confidence of the first mentions by the ranking of a language model.
func (p *Pool) rerank(ctx context.Context, notes string, clips []director.Clip, mentions []director.Mention) error {
	mentions = mentions[:min(len(mentions), rank.MaxCandidates)]
	candidates := make([]rank.Candidate, len(mentions))
	for i, m := range mentions {
		candidates[i] = rank.Candidate{
			ID:      i,
			Said:    m.Words,
			Context: contextOf(clips, m),
			Asset:   m.Name,
			Kind:    m.Kind,
			Fit:     m.Confidence,
			Why:     m.Reason,
		}
	}

	fits, err := p.Ranker.Rank(ctx, notes, candidates)
	for i, fit := range fits {
		mentions[i].Confidence = math.Round(100*fit) / 100
	}
	return err
}

// contextOf returns the words of a mention and up to contextWords words on each side.
func contextOf(clips []director.Clip, m director.Mention) string {
	var said []string
	for _, c := range clips {
		if c.ID != m.ClipID {
			continue
		}
		first, last := len(c.Words), 0
		for i, w := range c.Words {
			if w.StartMS >= m.Said.StartMS && w.EndMS <= m.Said.EndMS {
				first, last = min(first, i), i
			}
		}

		for i := max(0, first-contextWords); i <= min(len(c.Words)-1, last+contextWords); i++ {
			said = append(said, c.Words[i].Text)
		}
	}

	return media.JoinWords(said)
}

// Placements places the mentioned assets outside the cuts: the active derived edits, and the
// standing ones, which the user has made or changed. Suggested placements are inactive.
func (a Analysis) Placements(
	k store.AnalysisSettings,
	derived, standing []store.DetectedEdit,
) []store.DetectedEdit {
	if len(a.Mentions) == 0 {
		return nil
	}
	var fixed []director.FixedPlacement
	for _, s := range standing {
		if s.Placement != nil {
			fixed = append(
				fixed,
				director.FixedPlacement{ClipID: s.ClipUUID, AssetID: s.Placement.AssetFileID, Span: s.Span},
			)
		}
	}

	var out []store.DetectedEdit
	for _, p := range director.Place(a.Mentions, a.kept(derived, standing), fixed, k.DirectorNotes) {
		out = append(out, store.DetectedEdit{
			ClipUUID:   p.ClipID,
			Type:       store.EditAsset,
			Span:       p.Span,
			Active:     p.Active && k.Director != store.DirectorSuggest,
			Reason:     p.Reason,
			Confidence: p.Confidence,
			Placement:  &p.Placement,
		})
	}

	return out
}

// kept returns the segments of each clip outside the cuts. A standing edit replaces the derived
// edits of its type that overlap it.
func (a Analysis) kept(derived, standing []store.DetectedEdit) []director.Segment {
	cuts := map[string][]media.Span{}
	for _, s := range standing {
		if s.Removes() {
			cuts[s.ClipUUID] = append(cuts[s.ClipUUID], s.Span)
		}
	}

	for _, d := range derived {
		if d.Removes() && !isReplaced(d, standing) {
			cuts[d.ClipUUID] = append(cuts[d.ClipUUID], d.Span)
		}
	}

	var out []director.Segment
	for _, c := range a.Clips {
		if c.Evidence == nil {
			continue
		}
		for _, span := range media.KeptSpans(c.Evidence.Voice.DurationMS, media.MergeSpans(cuts[c.ClipUUID])) {
			out = append(out, director.Segment{ClipID: c.ClipUUID, Span: span})
		}
	}

	return out
}

// isReplaced reports whether a standing edit replaces a derived one.
func isReplaced(d store.DetectedEdit, standing []store.DetectedEdit) bool {
	return slices.ContainsFunc(standing, func(s store.DetectedEdit) bool {
		return s.ClipUUID == d.ClipUUID && s.Type == d.Type && s.Span.Intersect(d.Span).Duration() > 0
	})
}
