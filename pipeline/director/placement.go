package director

import (
	"cmp"
	"math"
	"slices"

	"roughcut/media"
)

// Segment is footage that the cuts leave, on clip time. No placement leaves its stretch.
type Segment struct {
	ClipID string
	media.Span
}

// FixedPlacement is where a person has placed an asset, or left one that was placed, on clip time.
type FixedPlacement struct {
	ClipID, AssetID string
	media.Span
}

// Placement is an asset that is shown or played, on clip time.
type Placement struct {
	AssetID, ClipID string
	media.Span
	Active        bool
	Confidence    float64
	Reason        string
	VisualMode    string // overlay, cutaway, none
	AudioMode     string // mute, mix
	Position      string
	SizePercent   int
	VolumePercent int
}

// Bounds on placements, in milliseconds of the edited video.
const (
	openingMS     = 5000 // of a talk stay free, less of a short one: its tenth, but no less than shortOpeningMS
	shortOpening  = 1500
	apartMS       = 6000  // between the end of one and the start of the next
	repeatMS      = 90000 // between two of the same asset
	perMinute     = 3.0
	mostCovered   = 0.25 // of the video
	leadMS        = 150  // before the first word
	activeFrom    = 0.5  // less sure placements are proposed but not made
	earlierMostMS = 1000 // that a placement may begin before the words, where a cut comes soon after them
	overlaySize   = 35
	soundVolume   = 60
)

// lengths returns the least, usual and longest time for which an asset shows.
func lengths(kind string) (least, usual, most int64) {
	switch kind {
	case Video:
		return 1500, 6000, 8000
	case Audio:
		return 300, 4000, 5000
	}
	return 1200, 3000, 5000
}

// Place chooses placements among mentions. Kept is what the cuts leave, in the order of the video.
func Place(mentions []Mention, kept []Segment, taken []FixedPlacement, notes string) []Placement {
	wishes := ParseNotes(notes)
	s := newScene(kept)
	for _, t := range taken {
		if spot, ok := s.find(t.ClipID, t.StartMS); ok {
			s.add(spot.out(t.StartMS), t.Duration(), t.AssetID)
		}
	}
	budget := int(math.Ceil(perMinute * wishes.Density * float64(s.total) / 60_000))
	if wishes.Most > 0 {
		budget = min(wishes.Most, max(budget, int(math.Ceil(2*perMinute*float64(s.total)/60_000))))
	}
	from, to := s.bounds(wishes)
	order := slices.Clone(mentions)
	slices.SortStableFunc(order, func(a, b Mention) int { return cmp.Compare(b.Confidence, a.Confidence) })
	var out []Placement
	for _, m := range order {
		if len(out) == budget || wishes.Nothing {
			break
		}
		if slices.Contains(wishes.Without, m.Kind) ||
			len(wishes.OnlyKinds) > 0 && !slices.Contains(wishes.OnlyKinds, m.Kind) {
			continue
		}
		spot, ok := s.find(m.ClipID, m.Said.StartMS)
		if !ok {
			continue
		}
		span, ok := spot.span(m)
		if !ok {
			continue
		}
		at := spot.out(span.StartMS)
		if at < from || at+span.Duration() > to || !s.free(at, span.Duration(), m.AssetID) {
			continue
		}
		s.add(at, span.Duration(), m.AssetID)
		out = append(out, m.placed(span, wishes.Layout))
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

// placed makes the placement of a mention.
func (m Mention) placed(span media.Span, wished Layout) Placement {
	p := Placement{
		AssetID:       m.AssetID,
		ClipID:        m.ClipID,
		Span:          span,
		Active:        m.Confidence >= activeFrom,
		Confidence:    m.Confidence,
		Reason:        m.Reason,
		AudioMode:     "mute",
		Position:      "center",
		SizePercent:   overlaySize,
		VolumePercent: 100,
	}
	how := Layout{VisualMode: "cutaway"}
	if m.Kind == Image {
		how = Layout{VisualMode: "overlay", Position: "top_right"}
	}
	how = how.over(m.Layout).over(wished)
	p.VisualMode = how.VisualMode
	if how.Position != "" {
		p.Position = how.Position
	} else if p.VisualMode == "overlay" {
		p.Position = "top_right"
	}
	if m.Kind == Audio {
		p.VisualMode, p.AudioMode, p.VolumePercent = "none", "mix", soundVolume
	}
	return p
}

// scene is the edited video with what is placed on it so far.
type scene struct {
	spots   []spot
	total   int64
	covered int64
	placed  []shown
}

// spot is a stretch and where it begins on the edited video.
type spot struct {
	Segment
	start int64
}

// shown is an asset on the edited video.
type shown struct {
	asset      string
	start, end int64
}

func newScene(kept []Segment) *scene {
	s := &scene{}
	for _, k := range kept {
		s.spots = append(s.spots, spot{k, s.total})
		s.total += k.Duration()
	}
	return s
}

// find returns the stretch that a moment of a clip lies in.
func (s *scene) find(clip string, ms int64) (spot, bool) {
	i := slices.IndexFunc(s.spots, func(k spot) bool { return k.ClipID == clip && ms >= k.StartMS && ms < k.EndMS })
	if i < 0 {
		return spot{}, false
	}
	return s.spots[i], true
}

// bounds returns where on the edited video placements may begin and must end.
func (s *scene) bounds(w Rules) (from, to int64) {
	from, to = min(openingMS, max(shortOpening, s.total/10)), s.total
	if w.From.set {
		from = max(from, w.From.at(s.total))
	}
	if w.To.set {
		to = min(to, w.To.at(s.total))
	}
	return from, to
}

// free reports that an asset may be shown at a moment. The first one may take more of a short video
// than its share.
func (s *scene) free(at, length int64, asset string) bool {
	if s.covered > 0 && float64(s.covered+length) > mostCovered*float64(s.total) {
		return false
	}
	return !slices.ContainsFunc(s.placed, func(p shown) bool {
		apart := int64(apartMS)
		if p.asset == asset {
			apart = repeatMS
		}
		return at < p.end+apart && p.start < at+length+apart
	})
}

func (s *scene) add(at, length int64, asset string) {
	s.covered += length
	s.placed = append(s.placed, shown{asset, at, at + length})
}

// out returns where a moment of the stretch is on the edited video.
func (k spot) out(ms int64) int64 { return k.start + ms - k.StartMS }

// span returns when the asset of a mention shows, within the stretch; false where there is no room
// for it.
func (k spot) span(m Mention) (media.Span, bool) {
	least, usual, most := lengths(m.Kind)
	if m.Kind != Image {
		least, usual = min(least, m.DurationMS), min(usual, m.DurationMS)
	}
	length := min(max(usual, m.Said.Duration()+leadMS+least/2), most)
	if m.Kind != Image {
		length = min(length, m.DurationMS)
	}
	s := media.Span{StartMS: max(k.StartMS, m.Said.StartMS-leadMS)}
	s.EndMS = min(s.StartMS+length, k.EndMS)
	if s.Duration() < least {
		s.StartMS = max(k.StartMS, s.StartMS-earlierMostMS, s.EndMS-least)
	}
	return s, s.Duration() >= least && s.Duration() > 0
}
