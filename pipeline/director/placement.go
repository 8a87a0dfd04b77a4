package director

import (
	"cmp"
	"math"
	"slices"

	"roughcut/media"
)

// Segment is a part of a clip that stays in the video, on clip time. Placements do not cross the
// bounds of a segment.
type Segment struct {
	ClipID string
	media.Span
}

// FixedPlacement is a placement that the user has made or changed, on clip time.
type FixedPlacement struct {
	ClipID, AssetID string
	media.Span
}

// Placement is a mentioned asset that the video shows or plays, on clip time.
type Placement struct {
	Mention
	media.Span
	Active bool
	media.Placement
}

// Limits of placements. Times are in milliseconds of the edited video.
const (
	openingMS      = 5000  // without placements at the start; a tenth of short videos
	minOpeningMS   = 1500  // at least, in short videos
	gapMS          = 6000  // between two placements
	repeatGapMS    = 90000 // between two placements of the same asset
	perMinute      = 3.0
	maxCoverage    = 0.25 // of the video
	leadMS         = 150  // from the start of a placement to the first word
	maxLeadMS      = 1000 // if a cut soon after the words leaves too little room
	activeFrom     = 0.5  // lowest confidence of an active placement
	overlayPercent = 35
	audioPercent   = 60 // volume of audio assets
)

// displayTimes returns the shortest, usual and longest display time of an asset, in milliseconds.
func displayTimes(kind string) (least, usual, most int64) {
	switch kind {
	case media.KindVideo:
		return 1500, 6000, 8000
	case media.KindAudio:
		return 300, 4000, 5000
	}

	return 1200, 3000, 5000
}

// Place selects placements among the mentions, in the order of the video. kept lists the segments
// of the video in order, and fixed the placements that stay.
func Place(mentions []Mention, kept []Segment, fixed []FixedPlacement, notes string) []Placement {
	rules := ParseNotes(notes)
	s := newScene(kept)
	for _, t := range fixed {
		if segment, ok := s.find(t.ClipID, t.StartMS); ok {
			s.add(segment.onVideo(t.StartMS), t.Duration(), t.AssetID)
		}
	}

	budget := int(math.Ceil(perMinute * rules.Density * float64(s.total) / 60_000))
	if rules.Most > 0 {
		budget = min(rules.Most, max(budget, int(math.Ceil(2*perMinute*float64(s.total)/60_000))))
	}
	from, to := s.bounds(rules)
	order := slices.Clone(mentions)
	slices.SortStableFunc(order, func(a, b Mention) int { return cmp.Compare(b.Confidence, a.Confidence) })
	var out []Placement
	for _, m := range order {
		if len(out) == budget || rules.Nothing {
			break
		}
		if slices.Contains(rules.Without, m.Kind) ||
			(len(rules.OnlyKinds) > 0 && !slices.Contains(rules.OnlyKinds, m.Kind)) {
			continue
		}

		segment, ok := s.find(m.ClipID, m.Said.StartMS)
		if !ok {
			continue
		}
		span, ok := segment.span(m)
		if !ok {
			continue
		}
		at := segment.onVideo(span.StartMS)
		if at < from || at+span.Duration() > to || !s.free(at, span.Duration(), m.AssetID) {
			continue
		}
		s.add(at, span.Duration(), m.AssetID)
		out = append(out, m.placement(span, rules.Layout))
	}

	place := map[string]int{}
	for i, k := range slices.Backward(kept) {
		place[k.ClipID] = i
	}
	slices.SortStableFunc(out, func(a, b Placement) int {
		return cmp.Or(cmp.Compare(place[a.ClipID], place[b.ClipID]), cmp.Compare(a.StartMS, b.StartMS))
	})
	return out
}

// placement returns the placement of a mention at span, with the layout that the notes ask for.
func (m Mention) placement(span media.Span, fromNotes Layout) Placement {
	p := Placement{m, span, m.Confidence >= activeFrom, media.NewPlacement(m.AssetID, m.Kind)}
	layout := Layout{VisualMode: media.VisualCutaway}
	if m.Kind == media.KindImage {
		layout = Layout{VisualMode: media.VisualOverlay, Position: "top_right"}
	}
	layout = layout.over(m.Layout).over(fromNotes)
	p.VisualMode, p.SizePercent = layout.VisualMode, overlayPercent
	if layout.Position != "" {
		p.Position = layout.Position
	} else if p.VisualMode == media.VisualOverlay {
		p.Position = "top_right"
	}

	if m.Kind == media.KindAudio {
		p.VisualMode, p.VolumePercent = media.VisualNone, audioPercent
	}
	return p
}

// scene is the edited video with the placements so far. All times are on the edited video, in
// milliseconds.
type scene struct {
	segments []placedSegment
	total    int64
	covered  int64 // by placements
	placed   []occupied
}

// placedSegment is a segment with its start on the edited video.
type placedSegment struct {
	Segment
	start int64
}

// occupied is the time range of a placement.
type occupied struct {
	asset      string
	start, end int64
}

func newScene(kept []Segment) *scene {
	s := &scene{}
	for _, k := range kept {
		s.segments = append(s.segments, placedSegment{k, s.total})
		s.total += k.Duration()
	}

	return s
}

// find returns the segment that contains a time of a clip.
func (s *scene) find(clip string, ms int64) (placedSegment, bool) {
	i := slices.IndexFunc(
		s.segments,
		func(k placedSegment) bool { return k.ClipID == clip && ms >= k.StartMS && ms < k.EndMS },
	)
	if i < 0 {
		return placedSegment{}, false
	}
	return s.segments[i], true
}

// bounds returns the time range of allowed placements.
func (s *scene) bounds(r Rules) (from, to int64) {
	from, to = min(openingMS, max(minOpeningMS, s.total/10)), s.total
	if r.From.set {
		from = max(from, r.From.at(s.total))
	}
	if r.To.set {
		to = min(to, r.To.at(s.total))
	}
	return from, to
}

// free reports whether an asset can be placed at a time. The first placement of a short video may
// exceed maxCoverage.
func (s *scene) free(at, length int64, asset string) bool {
	if s.covered > 0 && float64(s.covered+length) > maxCoverage*float64(s.total) {
		return false
	}
	return !slices.ContainsFunc(s.placed, func(p occupied) bool {
		gap := int64(gapMS)
		if p.asset == asset {
			gap = repeatGapMS
		}
		return at < p.end+gap && p.start < at+length+gap
	})
}

// add records a placement.
func (s *scene) add(at, length int64, asset string) {
	s.covered += length
	s.placed = append(s.placed, occupied{asset, at, at + length})
}

// onVideo converts a clip time inside the segment to the edited video.
func (k placedSegment) onVideo(ms int64) int64 { return k.start + ms - k.StartMS }

// span returns the time range of a mention's placement within the segment, on clip time. It returns
// false if the segment is too short.
func (k placedSegment) span(m Mention) (media.Span, bool) {
	least, usual, most := displayTimes(m.Kind)
	if m.Kind != media.KindImage {
		least, usual = min(least, m.DurationMS), min(usual, m.DurationMS)
	}
	length := min(max(usual, m.Said.Duration()+leadMS+least/2), most)
	if m.Kind != media.KindImage {
		length = min(length, m.DurationMS)
	}
	s := media.Span{StartMS: max(k.StartMS, m.Said.StartMS-leadMS)}
	s.EndMS = min(s.StartMS+length, k.EndMS)
	if s.Duration() < least {
		s.StartMS = max(k.StartMS, s.StartMS-maxLeadMS, s.EndMS-least)
	}
	return s, s.Duration() >= least && s.Duration() > 0
}
