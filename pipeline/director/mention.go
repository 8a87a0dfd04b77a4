package director

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/pipeline/language"
)

// Kinds of assets.
const (
	Image = "image"
	Video = "video"
	Audio = "audio"
)

// Field says what of an asset a text is.
type Field string

// The parts of what is written about an asset.
const (
	Name         Field = "name"
	Tag          Field = "tag"
	Group        Field = "group"
	Description  Field = "description"  // of a group
	Instructions Field = "instructions" // of a group
)

// Text is something that is written about an asset, with the stems of its words that carry a
// meaning.
type Text struct {
	Field Field
	Text  string
	Stems []string
}

// Asset is one that may be placed.
type Asset struct {
	ID, Kind, Name string
	DurationMS     int64 // 0 for images
	Texts          []Text
}

// Clip is what was said in a recording, on clip time, with the stems of each word.
type Clip struct {
	ID    string
	Words []media.Word
	Stems [][]string
}

// Mention is a place where a talk speaks of an asset. It holds all that placing needs, and is kept
// with an analysis.
type Mention struct {
	AssetID    string     `json:"asset_id"` // of its file
	Kind       string     `json:"kind"`
	Name       string     `json:"name"`
	DurationMS int64      `json:"duration_ms,omitempty"`
	ClipID     string     `json:"clip_uuid"`
	Said       media.Span `json:"said"` // of the words, on clip time
	Words      string     `json:"words"`
	Confidence float64    `json:"confidence"` // 0-1
	Reason     string     `json:"reason"`
	Layout     Layout     `json:"manner"` // what the groups of the asset say about how it shows
}

// Bounds of a mention: words that speak of one asset stand so close together, and a talk has so
// many mentions at most.
const (
	reachWords    = 6
	reachMS       = 4000
	leastSure     = 0.3
	mostSure      = 0.97
	repeatedLess  = 0.04 // less sure each further time that an asset is mentioned
	alsoWritten   = 0.08 // surer for each further text that fits
	wished        = 0.1  // surer where notes use the same words
	shortestStem  = 3    // characters
	tellingWords  = 2    // of a longer text make up a full match
	mentionsLimit = 2000
)

// weight is how much a text counts that fits wholly.
func (p Field) weight() float64 {
	switch p {
	case Name, Tag:
		return 0.95
	case Group:
		return 0.6
	}
	return 0.52
}

// generic reports whether the stem of a word in an asset's texts says nothing about what the asset
// shows: a stop word, or a file type or camera prefix in a file name.
func generic(stem string) bool {
	switch stem {
	case "img", "dsc", "mov", "mp4", "png", "jpg", "jpeg", "wav", "mp3":
		return true
	}
	return language.IsStopWord(stem)
}

// Find returns where clips speak of assets, in order, but for those that the notes rule out.
// noteStems are the stems of the words in notes.
func Find(clips []Clip, assets []Asset, notes string, noteStems []string) []Mention {
	wishes := ParseNotes(notes)
	var out []Mention
	for _, a := range assets {
		if !wishes.allows(a) {
			continue
		}
		f := newFinder(a, noteStems)
		if len(f.texts) == 0 {
			continue
		}
		before := 0
		for _, c := range clips {
			for _, m := range f.find(c) {
				m.Confidence = math.Round(100*min(m.Confidence-repeatedLess*float64(min(before, 5)), mostSure)) / 100
				if before++; m.Confidence >= leastSure {
					out = append(out, m)
				}
			}
		}
	}
	order := map[string]int{}
	for i, c := range clips {
		order[c.ID] = i
	}
	slices.SortStableFunc(out, func(a, b Mention) int {
		return cmp.Or(
			cmp.Compare(order[a.ClipID], order[b.ClipID]),
			cmp.Compare(a.Said.StartMS, b.Said.StartMS),
			cmp.Compare(b.Confidence, a.Confidence),
			cmp.Compare(a.AssetID, b.AssetID),
		)
	})
	return out[:min(len(out), mentionsLimit)]
}

// finder looks for one asset.
type finder struct {
	asset Asset
	texts []written
	boost float64
	how   Layout
}

// written is a text with the words that it is told by.
type written struct {
	Text
	telling map[string]bool
}

func newFinder(a Asset, noteStems []string) *finder {
	f := &finder{asset: a}
	for _, t := range a.Texts {
		if t.Field == Instructions {
			f.how = f.how.over(ParseLayout(t.Text))
		}
		w := written{Text: t, telling: map[string]bool{}}
		for _, stem := range t.Stems {
			if telling(stem) {
				w.telling[stem] = true
				if slices.Contains(noteStems, stem) {
					f.boost = wished
				}
			}
		}
		if len(w.telling) > 0 {
			f.texts = append(f.texts, w)
		}
	}
	return f
}

// telling reports that a word says what something is about.
func telling(stem string) bool {
	letters := strings.ContainsFunc(stem, unicode.IsLetter)
	wide := strings.ContainsFunc(stem, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
	})
	return letters && (wide || utf8.RuneCountInString(stem) >= shortestStem) && !generic(stem)
}

// find returns the mentions of the asset in a clip; no two share a word.
func (f *finder) find(c Clip) []Mention {
	var out []Mention
	for i := 0; i < len(c.Words); i++ {
		if !f.says(c.Stems[i]) {
			continue
		}
		last := i
		said := map[string]bool{}
		for j := i; j < len(c.Words) && j-i < reachWords && c.Words[j].StartMS-c.Words[i].StartMS <= reachMS; j++ {
			if !f.says(c.Stems[j]) {
				continue
			}
			last = j
			for _, stem := range c.Stems[j] {
				said[stem] = true
			}
		}
		sure, by := f.fits(said)
		quote := quoteOf(c.Words[i : last+1])
		out = append(
			out,
			Mention{
				AssetID:    f.asset.ID,
				Kind:       f.asset.Kind,
				Name:       f.asset.Name,
				DurationMS: f.asset.DurationMS,
				ClipID:     c.ID,
				Said: media.Span{
					StartMS: c.Words[i].StartMS,
					EndMS:   c.Words[last].EndMS,
				},
				Words:      quote,
				Confidence: min(sure+f.boost, mostSure),
				Reason:     f.reason(quote, by),
				Layout:     f.how,
			},
		)
		i = last
	}
	return out
}

// says reports that one of a word's stems is written about the asset.
func (f *finder) says(stems []string) bool {
	return slices.ContainsFunc(
		f.texts,
		func(t written) bool { return slices.ContainsFunc(stems, func(s string) bool { return t.telling[s] }) },
	)
}

// fits returns how sure words are about the asset, and the text that they fit best.
func (f *finder) fits(said map[string]bool) (sure float64, by Text) {
	fitting := 0
	for _, t := range f.texts {
		n := 0
		for stem := range t.telling {
			if said[stem] {
				n++
			}
		}
		if n == 0 {
			continue
		}
		fitting++
		of := len(t.telling)
		if t.Field == Description || t.Field == Instructions {
			of = min(of, tellingWords)
		}
		share := min(1, float64(n)/float64(of))
		score := t.Field.weight() * (0.45 + 0.55*share)
		if share < 0.5 {
			score = t.Field.weight() * (0.3 + 0.3*share)
		}
		if score > sure {
			sure, by = score, t.Text
		}
	}
	return sure + alsoWritten*float64(fitting-1), by
}

func (f *finder) reason(quote string, by Text) string {
	switch by.Field {
	case Tag:
		return fmt.Sprintf("You say “%s”; asset “%s” has the tag “%s”.", quote, f.asset.Name, by.Text)
	case Group:
		return fmt.Sprintf("You say “%s”; asset “%s” is in the group “%s”.", quote, f.asset.Name, by.Text)
	case Description, Instructions:
		return fmt.Sprintf("You say “%s”, which a group of asset “%s” speaks of.", quote, f.asset.Name)
	}
	return fmt.Sprintf("You say “%s”; asset “%s”.", quote, f.asset.Name)
}

// quoteOf returns words as they are quoted: without the punctuation around them.
func quoteOf(words []media.Word) string {
	parts := make([]string, 0, len(words))
	for _, w := range words {
		parts = append(parts, strings.TrimSpace(w.Text))
	}
	return strings.TrimFunc(
		strings.Join(parts, " "),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) },
	)
}
