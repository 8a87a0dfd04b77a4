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

// Field names where a text of an asset comes from.
type Field string

// Fields of assets and of their groups.
const (
	Name         Field = "name"
	Tag          Field = "tag"
	Group        Field = "group"
	Description  Field = "description"  // of a group
	Instructions Field = "instructions" // of a group
)

// Text is a text about an asset, with the stems of its meaningful words.
type Text struct {
	Field Field
	Text  string
	Stems []string
}

// Asset is an asset that can be placed.
type Asset struct {
	ID, Kind, Name string
	DurationMS     int64 // 0 for images
	Texts          []Text
}

// Clip is the transcript of a recording, on clip time, with the stems of each word.
type Clip struct {
	ID    string
	Words []media.Word
	Stems [][]string
}

// Mention is a passage of a recording that mentions an asset. It holds everything that Place needs
// and is stored with the analysis as JSON.
type Mention struct {
	AssetID    string     `json:"asset_id"` // of the asset's file
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

const (
	mentionWords  = 6    // largest distance between the words of a mention
	mentionMS     = 4000 // longest time between the starts of its words
	mentionsLimit = 2000 // per analysis

	minConfidence = 0.3
	maxConfidence = 0.97
	repeatPenalty = 0.04 // for each earlier mention of the asset, at most five times
	textBonus     = 0.08 // for each further matching text
	notesBonus    = 0.1  // if the notes use a word of the asset's texts

	minStemRunes     = 3
	descriptionWords = 2 // matching words that count as a full match of a description or instructions
)

// weight returns the confidence of a full match with a text of this field.
func (p Field) weight() float64 {
	switch p {
	case Name, Tag:
		return 0.95
	case Group:
		return 0.6
	}

	return 0.52
}

// isGeneric reports whether the stem of a word in an asset's texts says nothing about what the
// asset shows: a stop word, or a file type or camera prefix in a file name.
func isGeneric(stem string) bool {
	switch stem {
	case "img", "dsc", "mov", "mp4", "png", "jpg", "jpeg", "wav", "mp3":
		return true
	}

	return language.IsStopWord(stem)
}

// Find returns the mentions of assets in the clips, in the order of the clips. It leaves out assets
// that the notes exclude. noteStems are the stems of the words in notes.
func Find(clips []Clip, assets []Asset, notes string, noteStems []string) []Mention {
	rules := ParseNotes(notes)
	var out []Mention
	for _, a := range assets {
		if !rules.allows(a) {
			continue
		}
		f := newFinder(a, noteStems)
		if len(f.texts) == 0 {
			continue
		}
		before := 0
		for _, c := range clips {
			for _, m := range f.find(c) {
				m.Confidence = math.Round(
					100*min(m.Confidence-repeatPenalty*float64(min(before, 5)), maxConfidence),
				) / 100
				if before++; m.Confidence >= minConfidence {
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

// finder finds the mentions of one asset.
type finder struct {
	asset  Asset
	texts  []searchText
	boost  float64 // added to the confidence of all mentions
	layout Layout  // of the instructions of the asset's groups
}

// searchText is a text with the stems that identify its topic.
type searchText struct {
	Text
	keywords map[string]bool
}

func newFinder(a Asset, noteStems []string) *finder {
	f := &finder{asset: a}
	for _, t := range a.Texts {
		if t.Field == Instructions {
			f.layout = f.layout.over(ParseLayout(t.Text))
		}
		w := searchText{Text: t, keywords: map[string]bool{}}
		for _, stem := range t.Stems {
			if isKeyword(stem) {
				w.keywords[stem] = true
				if slices.Contains(noteStems, stem) {
					f.boost = notesBonus
				}
			}
		}

		if len(w.keywords) > 0 {
			f.texts = append(f.texts, w)
		}
	}

	return f
}

// isKeyword reports whether the stem of a word identifies a topic.
func isKeyword(stem string) bool {
	letters := strings.ContainsFunc(stem, unicode.IsLetter)
	wide := strings.ContainsFunc(stem, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
	})
	specific := wide || utf8.RuneCountInString(stem) >= minStemRunes
	return letters && specific && !isGeneric(stem)
}

// find returns the mentions of the asset in a clip. Mentions do not overlap.
func (f *finder) find(c Clip) []Mention {
	var out []Mention
	for i := 0; i < len(c.Words); i++ {
		if !f.matches(c.Stems[i]) {
			continue
		}
		last := i
		said := map[string]bool{}
		for j := i; j < len(c.Words) && j-i < mentionWords && c.Words[j].StartMS-c.Words[i].StartMS <= mentionMS; j++ {
			if !f.matches(c.Stems[j]) {
				continue
			}
			last = j
			for _, stem := range c.Stems[j] {
				said[stem] = true
			}
		}

		confidence, by := f.score(said)
		quote := quoteOf(c.Words[i : last+1])
		out = append(out, Mention{
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
			Confidence: min(confidence+f.boost, maxConfidence),
			Reason:     f.reason(quote, by),
			Layout:     f.layout,
		})
		i = last
	}

	return out
}

// matches reports whether one of a word's stems is a keyword of the asset.
func (f *finder) matches(stems []string) bool {
	return slices.ContainsFunc(
		f.texts,
		func(t searchText) bool {
			return slices.ContainsFunc(stems, func(s string) bool { return t.keywords[s] })
		},
	)
}

// score returns the confidence that words with these stems mention the asset, and the text that
// they match best.
func (f *finder) score(said map[string]bool) (confidence float64, by Text) {
	matching := 0
	for _, t := range f.texts {
		n := 0
		for stem := range t.keywords {
			if said[stem] {
				n++
			}
		}

		if n == 0 {
			continue
		}
		matching++
		of := len(t.keywords)
		if t.Field == Description || t.Field == Instructions {
			of = min(of, descriptionWords)
		}
		share := min(1, float64(n)/float64(of))
		score := t.Field.weight() * (0.45 + 0.55*share)
		if share < 0.5 {
			score = t.Field.weight() * (0.3 + 0.3*share)
		}
		if score > confidence {
			confidence, by = score, t.Text
		}
	}

	return confidence + textBonus*float64(matching-1), by
}

// reason explains a mention to the user.
func (f *finder) reason(quote string, by Text) string {
	switch by.Field {
	case Tag:
		return fmt.Sprintf("You say “%s”, which matches the tag “%s” of “%s”.", quote, by.Text, f.asset.Name)
	case Group:
		return fmt.Sprintf("You say “%s”, which matches the group “%s” of “%s”.", quote, by.Text, f.asset.Name)
	case Description, Instructions:
		return fmt.Sprintf("You say “%s”, which matches the description of a group of “%s”.", quote, f.asset.Name)
	}

	return fmt.Sprintf("You say “%s”, which matches the name of “%s”.", quote, f.asset.Name)
}

// quoteOf returns words without the punctuation around them.
func quoteOf(words []media.Word) string {
	parts := make([]string, 0, len(words))
	for _, w := range words {
		parts = append(parts, strings.TrimSpace(w.Text))
	}
	return media.TrimPunct(strings.Join(parts, " "))
}
