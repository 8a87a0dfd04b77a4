package director

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Layout is how an asset shows; an empty field leaves that to its kind.
type Layout struct {
	VisualMode string `json:"visual_mode,omitempty"` // overlay or cutaway
	Position   string `json:"position,omitempty"`    // top_left … bottom_right
}

// over returns the manner with what another one says laid over it.
func (m Layout) over(other Layout) Layout {
	if other.VisualMode != "" {
		m.VisualMode = other.VisualMode
	}
	if other.Position != "" {
		m.Position = other.Position
	}
	return m
}

// Rules are what notes ask for in words that are understood.
type Rules struct {
	Nothing     bool
	Without     []string // kinds
	OnlyKinds   []string
	Only, Never []string // clauses that name assets
	Most        int      // placements; 0 says nothing
	Density     float64  // 1 is usual
	From, To    edge     // of the edited video
	Layout      Layout
}

// edge is a moment of the edited video: milliseconds from its start, or from its end. The zero edge
// says nothing.
type edge struct {
	ms      int64
	fromEnd bool
	set     bool
}

func (e edge) at(totalMS int64) int64 {
	if e.fromEnd {
		return max(0, totalMS-e.ms)
	}
	return e.ms
}

const number = `(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten)`

// Wordings of wishes, in lower case.
type wordings struct{ nothing, negated, only, count, few, many, within, after *regexp.Regexp }

func newWordings() wordings {
	kinds := `(?:assets?|placements?|overlays?|images?|pictures?|photos?|videos?|clips?|sounds?|times?|things?)`
	return wordings{
		nothing: regexp.MustCompile(
			`^(?:nothing|none|(?:please )?(?:(?:use|place|add) )?no (?:assets?|placements?|overlays?|b-roll)|(?:do not|don't) (?:place|use|add) (?:anything|any|assets?))(?: at all| please)?$`,
		),
		negated: regexp.MustCompile(`\b(?:no|nothing|not|never|without|avoid|skip|don't|do not|except)\b`),
		only:    regexp.MustCompile(`\b(?:only|just)\b`),
		count: regexp.MustCompile(
			`(at most|no more than|max(?:imum)?(?: of)?|up to|exactly|only|just)?\s*\b` + number + ` ` + kinds + `\b|(at most|no more than|max(?:imum)?(?: of)?|up to) ` + number + `\b`,
		),
		few:    regexp.MustCompile(`\b(?:a few|few|sparing(?:ly)?|rarely|less|fewer|subtle)\b`),
		many:   regexp.MustCompile(`\b(?:many|a lot|lots|often|more|plenty|as much as possible)\b`),
		within: regexp.MustCompile(`\b(first|last)\s+(?:` + number + `\s+)?(seconds?|minutes?|half minute)\b`),
		after:  regexp.MustCompile(`\bafter\b`),
	}
}

// ParseNotes understands notes as far as the comment of the package says.
func ParseNotes(notes string) Rules {
	w := Rules{Density: 1, Layout: ParseLayout(notes)}
	wording := newWordings()
	for _, clause := range clauses(notes) {
		if wording.nothing.MatchString(clause) {
			w.Nothing = true
			continue
		}
		if m := wording.within.FindStringSubmatch(clause); m != nil {
			w.limit(wording, clause, m)
			continue
		}
		if n := wording.counted(clause); n > 0 {
			w.Most = n
		}
		switch kind, negated, only := kindIn(clause), wording.negated.MatchString(clause), wording.only.MatchString(clause); {
		case wording.counted(clause) > 0:
		case kind != "" && negated:
			w.Without = append(w.Without, kind)
		case kind != "" && only && bareKind(clause):
			w.OnlyKinds = append(w.OnlyKinds, kind)
		case negated:
			w.Never = append(w.Never, clause)
		case only:
			w.Only = append(w.Only, clause)
		}
		if wording.few.MatchString(clause) {
			w.Density = 0.5
		} else if wording.many.MatchString(clause) && !wording.negated.MatchString(clause) {
			w.Density = 2
		}
	}
	return w
}

// clauses takes notes apart, in lower case.
func clauses(notes string) (list []string) {
	text := strings.ToLower(strings.ReplaceAll(notes, "’", "'"))
	text = strings.ReplaceAll(strings.ReplaceAll(text, "nothing but ", "only "), " but ", ",")
	for _, clause := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".,;!\n\r", r) }) {
		if clause = strings.Join(strings.Fields(clause), " "); clause != "" {
			list = append(list, clause)
		}
	}
	return list
}

// limit takes in where on the edited video placements are wanted.
func (w *Rules) limit(wording wordings, clause string, m []string) {
	n := int64(1)
	if m[2] != "" {
		n = int64(numberOf(m[2]))
	}
	ms := n * 1000
	if strings.HasPrefix(m[3], "minute") {
		ms = n * 60_000
	} else if m[3] == "half minute" {
		ms = 30_000
	}
	away := wording.negated.MatchString(clause) || wording.after.MatchString(clause)
	switch {
	case m[1] == "first" && away:
		w.From = edge{ms: ms, set: true}
	case m[1] == "first":
		w.To = edge{ms: ms, set: true}
	case away:
		w.To = edge{ms: ms, fromEnd: true, set: true}
	default:
		w.From = edge{ms: ms, fromEnd: true, set: true}
	}
}

// counted returns how many placements a clause asks for, 0 where it does not say.
func (wording wordings) counted(clause string) int {
	m := wording.count.FindStringSubmatch(clause)
	if m == nil {
		return 0
	}
	if m[4] != "" {
		return numberOf(m[4])
	}
	if m[1] == "" && strings.HasPrefix(m[2], "a") { // "a picture" asks for no number
		return 0
	}
	return numberOf(m[2])
}

func numberOf(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return min(n, 1_000_000)
	}
	names := []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	return max(1, slices.Index(names, word)+1)
}

// kindIn returns the kind of asset that a clause speaks of, empty for none.
func kindIn(clause string) string {
	for _, word := range words(clause) {
		if kind := kindOf(word); kind != "" {
			return kind
		}
	}
	return ""
}

func kindOf(word string) string {
	switch strings.TrimSuffix(word, "s") {
	case "music", "sound", "audio", "jingle", "effect":
		return Audio
	case "image", "picture", "photo", "still":
		return Image
	case "video", "footage", "b-roll", "broll", "clip":
		return Video
	}
	return ""
}

// bareKind reports that a clause says nothing but a kind: "only images", not "only images of
// coffee".
func bareKind(clause string) bool {
	return !slices.ContainsFunc(words(clause), func(word string) bool {
		return kindOf(word) == "" &&
			!slices.Contains([]string{"only", "just", "use", "please", "place", "show", "add"}, word)
	})
}

// words takes a text apart; hyphens and apostrophes within words stay.
func words(text string) (list []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '-' && r != '\'' }) {
		if word = strings.Trim(word, "-'"); word != "" {
			list = append(list, word)
		}
	}
	return list
}

// ParseLayout understands what a text says about how assets show.
func ParseLayout(text string) (m Layout) {
	text = strings.Join(words(strings.ToLower(text)), " ")
	for _, c := range []struct{ words, mode string }{
		{"full screen", "cutaway"}, {"full-screen", "cutaway"}, {"fullscreen", "cutaway"}, {"cutaway", "cutaway"}, {"fill the frame", "cutaway"},
		{"overlay", "overlay"}, {"corner", "overlay"}, {"picture in picture", "overlay"}, {"picture-in-picture", "overlay"}, {"small", "overlay"},
	} {
		if strings.Contains(text, c.words) {
			m.VisualMode = c.mode
			break
		}
	}
	row, column := "", ""
	for word, name := range map[string]string{"top": "top", "upper": "top", "bottom": "bottom", "lower": "bottom"} {
		if slices.Contains(words(text), word) {
			row = name
		}
	}
	for _, name := range []string{"left", "right"} {
		if slices.Contains(words(text), name) {
			column = name
		}
	}
	if row != "" && column != "" {
		m.Position = row + "_" + column
	}
	return m
}

// allows reports that the notes let an asset through, by its kind and by what is written about it.
func (w Rules) allows(a Asset) bool {
	if w.Nothing || slices.Contains(w.Without, a.Kind) ||
		len(w.OnlyKinds) > 0 && !slices.Contains(w.OnlyKinds, a.Kind) {
		return false
	}
	if slices.ContainsFunc(w.Never, a.namedIn) {
		return false
	}
	return len(w.Only) == 0 || slices.ContainsFunc(w.Only, a.namedIn)
}

// namedIn reports that a clause holds the name of the asset, a tag of it, or the name of a group
// that it is in.
func (a Asset) namedIn(clause string) bool {
	said := " " + strings.Join(words(clause), " ") + " "
	return slices.ContainsFunc(a.Texts, func(t Text) bool {
		if t.Field != Name && t.Field != Tag && t.Field != Group {
			return false
		}
		name := strings.Join(words(strings.ToLower(t.Text)), " ")
		return name != "" && strings.Contains(said, " "+name+" ")
	})
}
