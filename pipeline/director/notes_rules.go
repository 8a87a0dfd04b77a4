package director

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"roughcut/media"
)

// Layout is how an asset is shown. An empty field means the default of the asset's kind.
type Layout struct {
	VisualMode string `json:"visual_mode,omitempty"` // overlay or cutaway
	Position   string `json:"position,omitempty"`    // top_left … bottom_right
}

// over returns the layout with the set fields of other replacing its own.
func (m Layout) over(other Layout) Layout {
	if other.VisualMode != "" {
		m.VisualMode = other.VisualMode
	}
	if other.Position != "" {
		m.Position = other.Position
	}
	return m
}

// Rules are the parts of notes that ParseNotes understands.
type Rules struct {
	Nothing     bool
	Without     []string // excluded kinds
	OnlyKinds   []string
	Only, Never []string // clauses with names of assets, tags or groups
	Most        int      // maximum number of placements; 0 if not set
	Density     float64  // factor for the default number of placements
	From, To    edge     // on the edited video
	Layout      Layout
}

// edge is a time on the edited video, in milliseconds from its start or end. It is unset unless set
// is true.
type edge struct {
	ms      int64
	fromEnd bool
	set     bool
}

// at returns the time in milliseconds from the start.
func (e edge) at(totalMS int64) int64 {
	if e.fromEnd {
		return max(0, totalMS-e.ms)
	}
	return e.ms
}

const number = `(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten)`

// wordings match clauses in lower case.
type wordings struct{ nothing, negated, only, count, few, many, within, after *regexp.Regexp }

func newWordings() wordings {
	kinds := `(?:assets?|placements?|overlays?|images?|pictures?|photos?|videos?|clips?|sounds?|times?|things?)`
	return wordings{
		nothing: regexp.MustCompile(
			`^(?:nothing|none|` +
				`(?:please )?(?:(?:use|place|add) )?no (?:assets?|placements?|overlays?|b-roll)|` +
				`(?:do not|don't) (?:place|use|add) (?:anything|any|assets?))` +
				`(?: at all| please)?$`,
		),
		negated: regexp.MustCompile(`\b(?:no|nothing|not|never|without|avoid|skip|don't|do not|except)\b`),
		only:    regexp.MustCompile(`\b(?:only|just)\b`),
		count: regexp.MustCompile(
			`(at most|no more than|max(?:imum)?(?: of)?|up to|exactly|only|just)?\s*\b` + number + ` ` + kinds + `\b|` +
				`(at most|no more than|max(?:imum)?(?: of)?|up to) ` + number + `\b`,
		),
		few:    regexp.MustCompile(`\b(?:a few|few|sparing(?:ly)?|rarely|less|fewer|subtle)\b`),
		many:   regexp.MustCompile(`\b(?:many|a lot|lots|often|more|plenty|as much as possible)\b`),
		within: regexp.MustCompile(`\b(first|last)\s+(?:` + number + `\s+)?(seconds?|minutes?|half minute)\b`),
		after:  regexp.MustCompile(`\bafter\b`),
	}
}

// ParseNotes parses notes as the package comment describes.
func ParseNotes(notes string) Rules {
	r := Rules{Density: 1, Layout: ParseLayout(notes)}
	wording := newWordings()
	for _, clause := range clauses(notes) {
		if wording.nothing.MatchString(clause) {
			r.Nothing = true
			continue
		}

		if m := wording.within.FindStringSubmatch(clause); m != nil {
			r.limit(wording, clause, m)
			continue
		}

		if n := wording.counted(clause); n > 0 {
			r.Most = n
		}
		kind, negated, only := kindIn(clause), wording.negated.MatchString(clause), wording.only.MatchString(clause)
		switch {
		case wording.counted(clause) > 0:
		case kind != "" && negated:
			r.Without = append(r.Without, kind)
		case kind != "" && only && bareKind(clause):
			r.OnlyKinds = append(r.OnlyKinds, kind)
		case negated:
			r.Never = append(r.Never, clause)
		case only:
			r.Only = append(r.Only, clause)
		}

		if wording.few.MatchString(clause) {
			r.Density = 0.5
		} else if wording.many.MatchString(clause) && !negated {
			r.Density = 2
		}
	}

	return r
}

// clauses splits notes into clauses, in lower case.
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

// limit sets From or To to the time range in a clause, which matched the wording within.
func (r *Rules) limit(wording wordings, clause string, m []string) {
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
		r.From = edge{ms: ms, set: true}
	case m[1] == "first":
		r.To = edge{ms: ms, set: true}
	case away:
		r.To = edge{ms: ms, fromEnd: true, set: true}
	default:
		r.From = edge{ms: ms, fromEnd: true, set: true}
	}
}

// counted returns the number of placements in a clause, 0 if it names none.
func (wording wordings) counted(clause string) int {
	m := wording.count.FindStringSubmatch(clause)
	if m == nil {
		return 0
	}
	if m[4] != "" {
		return numberOf(m[4])
	}
	if m[1] == "" && strings.HasPrefix(m[2], "a") { // "a picture" is not a number
		return 0
	}
	return numberOf(m[2])
}

// numberOf returns the value of a number in digits or words, 1 for other words.
func numberOf(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return min(n, 1_000_000)
	}
	names := []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	return max(1, slices.Index(names, word)+1)
}

// kindIn returns the first kind of asset that a clause names, empty if it names none.
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
		return media.KindAudio
	case "image", "picture", "photo", "still":
		return media.KindImage
	case "video", "footage", "b-roll", "broll", "clip":
		return media.KindVideo
	}

	return ""
}

// bareKind reports whether a clause names a kind and nothing else: "only images", but not "only
// images of coffee".
func bareKind(clause string) bool {
	return !slices.ContainsFunc(words(clause), func(word string) bool {
		return kindOf(word) == "" &&
			!slices.Contains([]string{"only", "just", "use", "please", "place", "show", "add"}, word)
	})
}

// words splits a text into words. Hyphens and apostrophes inside words remain.
func words(text string) (list []string) {
	separator := func(r rune) bool { return !media.InWord(r) && r != '-' && r != '\'' }
	for _, word := range strings.FieldsFunc(text, separator) {
		if word = strings.Trim(word, "-'"); word != "" {
			list = append(list, word)
		}
	}

	return list
}

// ParseLayout returns the layout that a text asks for.
func ParseLayout(text string) (m Layout) {
	text = strings.Join(words(strings.ToLower(text)), " ")
	for _, c := range []struct{ words, mode string }{
		{"full screen", "cutaway"}, {"full-screen", "cutaway"}, {"fullscreen", "cutaway"},
		{"cutaway", "cutaway"}, {"fill the frame", "cutaway"},
		{"overlay", "overlay"}, {"corner", "overlay"}, {"picture in picture", "overlay"},
		{"picture-in-picture", "overlay"}, {"small", "overlay"},
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

// allows reports whether the rules allow an asset, by its kind and its texts.
func (r Rules) allows(a Asset) bool {
	if r.Nothing || slices.Contains(r.Without, a.Kind) ||
		(len(r.OnlyKinds) > 0 && !slices.Contains(r.OnlyKinds, a.Kind)) {
		return false
	}

	if slices.ContainsFunc(r.Never, a.namedIn) {
		return false
	}
	return len(r.Only) == 0 || slices.ContainsFunc(r.Only, a.namedIn)
}

// namedIn reports whether a clause contains the name of the asset, one of its tags or one of its
// groups.
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
