package pipeline

import (
	"context"
	"fmt"
	"math"
	"strings"

	"roughcut/media"
	"roughcut/pipeline/director"
	"roughcut/pipeline/rank"
	"roughcut/store"
)

// StepPlaceAssets is the last step of an analysis.
const StepPlaceAssets = "place_assets"

// contextWords is how many words on each side of a mention a language model is told.
const contextWords = 12

// direct looks for assets of the library that the talk speaks of, and says in words what came of
// it. Only ctx ending is an error: an analysis does not fail for want of assets.
func (p *Pool) direct(ctx context.Context, run store.Run, found *Analysis) (report string, err error) {
	if !run.Directed {
		if strings.TrimSpace(run.DirectorNotes) != "" {
			return "Your plan has no AI Director, so no assets were placed.", nil
		}
		return "", nil
	}
	clips, stems := p.spoken(found)
	assets, err := p.Store.MentionedAssets(ctx, run.UserUUID, media.BaseLanguage(found.Language), stems)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		p.Log.Warn("the library could not be searched for assets to place", "run", run.UUID, "error", err)
		return "The library could not be searched, so no assets were placed. Analyse again to try once more.", nil
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
		"The talk speaks of assets of your library in %s (%s).",
		many(len(found.Mentions), "place"),
		many(len(different), "asset"),
	)
	if p.Ranker == nil {
		return report, nil
	}
	if err := p.rerank(ctx, run.DirectorNotes, clips, found.Mentions); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		p.Log.Warn("assets are placed without the language model", "run", run.UUID, "error", err)
		return report + " The language model could not be used, so the built-in ranking was.", nil
	}
	return report + " A language model ranked them.", nil
}

func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// spoken returns what was said with the stems of each word, and all of these.
func (p *Pool) spoken(found *Analysis) (clips []director.Clip, stems []string) {
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

func describedAssets(list []store.MentionedAsset) []director.Asset {
	var out []director.Asset
	for _, a := range list {
		asset := director.Asset{ID: a.AssetFileID, Kind: a.Kind, Name: a.DisplayName}
		if a.DurationMS != nil {
			asset.DurationMS = *a.DurationMS
		}
		for _, w := range a.Texts {
			asset.Texts = append(asset.Texts, director.Text{Field: director.Field(w.Part), Text: w.Text, Stems: w.Stems})
		}
		out = append(out, asset)
	}
	return out
}

// rerank lets a language model say how sure the first mentions are.
func (p *Pool) rerank(ctx context.Context, notes string, clips []director.Clip, mentions []director.Mention) error {
	mentions = mentions[:min(len(mentions), rank.MaxCandidates)]
	candidates := make([]rank.Candidate, len(mentions))
	for i, m := range mentions {
		candidates[i] = rank.Candidate{
			ID:      i,
			Said:    m.Words,
			Context: around(clips, m),
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

// around returns a mention with the words about it.
func around(clips []director.Clip, m director.Mention) string {
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
			said = append(said, strings.TrimSpace(c.Words[i].Text))
		}
	}
	return strings.Join(said, " ")
}

// Placements places the assets that were found, between the cuts that hold: those that are derived
// now, and what a person has decided before.
func (f Analysis) Placements(notes string, derived, standing []store.DetectedEdit) []store.DetectedEdit {
	if len(f.Mentions) == 0 {
		return nil
	}
	var taken []director.FixedPlacement
	for _, s := range standing {
		if s.Placement != nil {
			taken = append(taken, director.FixedPlacement{ClipID: s.ClipUUID, AssetID: s.Placement.AssetFileID, Span: s.Span})
		}
	}
	var out []store.DetectedEdit
	for _, p := range director.Place(f.Mentions, f.kept(derived, standing), taken, notes) {
		out = append(
			out,
			store.DetectedEdit{
				ClipUUID:   p.ClipID,
				Type:       store.EditAsset,
				Span:       p.Span,
				Active:     p.Active,
				Reason:     p.Reason,
				Confidence: p.Confidence,
				Placement: &store.Placement{
					AssetFileID:    p.AssetID,
					VisualMode:     p.VisualMode,
					AudioMode:      p.AudioMode,
					Position:       p.Position,
					X:              0.5,
					Y:              0.5,
					SizePercent:    p.SizePercent,
					OpacityPercent: 100,
					VolumePercent:  p.VolumePercent,
				},
			},
		)
	}
	return out
}

// kept returns what the cuts leave of each clip. A detected edit that a person has toggled or moved
// holds instead of what is derived in its place.
func (f Analysis) kept(derived, standing []store.DetectedEdit) []director.Segment {
	cuts := map[string][]media.Span{}
	for _, s := range standing {
		if s.Active && media.IsCut(s.Type) {
			cuts[s.ClipUUID] = append(cuts[s.ClipUUID], s.Span)
		}
	}
	for _, d := range derived {
		if d.Active && !replaced(d, standing) {
			cuts[d.ClipUUID] = append(cuts[d.ClipUUID], d.Span)
		}
	}
	var out []director.Segment
	for _, c := range f.Clips {
		if c.Evidence == nil {
			continue
		}
		for _, span := range media.KeptSpans(c.Evidence.Voice.DurationMS, media.MergeSpans(cuts[c.ClipUUID])) {
			out = append(out, director.Segment{ClipID: c.ClipUUID, Span: span})
		}
	}
	return out
}

func replaced(d store.DetectedEdit, standing []store.DetectedEdit) bool {
	for _, s := range standing {
		if s.ClipUUID == d.ClipUUID && s.Type == d.Type && s.Span.Intersect(d.Span).Duration() > 0 {
			return true
		}
	}
	return false
}
