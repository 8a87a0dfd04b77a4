package subtitle

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"roughcut/media"
)

// Descriptions of sounds, in rows of markup: "[Music]", "(applause)", "*laughs*".
const (
	soundLead  = `(?:<[^<>]*>|&gt;|[-–—>\s])*`
	soundTrail = `(?:<[^<>]*>|[.\s])*`
	roundSound = `([(（][^()（）\n]*[)）])`
)

var (
	squareSound = regexp.MustCompile(`(\[[^\[\]]*\]|［[^［］]*］)`)
	wholeSound  = regexp.MustCompile(`\A` + soundLead + `([(（][^()（）]*[)）]|\*[^*]*\*)` + soundTrail + `\z`)
	firstSound  = regexp.MustCompile(`\A` + soundLead + roundSound)
	rowSound    = regexp.MustCompile(`(?m)^` + soundLead + roundSound + soundTrail + `$`)
)

// maxSoundWords is how many words a description in round brackets has beside spoken words. Longer
// ones are asides, which people say.
const maxSoundWords = 3

// soundsIn returns the places of descriptions of sounds in the text of a cue. Such a description is
// in square brackets, or in round ones that start the cue or have a row or the cue for themselves.
// Brackets before a colon have the name of a speaker. Brackets without letters hide a spoken word.
func soundsIn(text string) (places [][2]int) {
	for i, form := range []*regexp.Regexp{wholeSound, squareSound, firstSound, rowSound} {
		for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
			from, to := m[2], m[3]
			after := strings.TrimLeftFunc(text[to:], unicode.IsSpace)
			isName := strings.HasPrefix(after, ":") || strings.HasPrefix(after, "：")
			isAside := i > 1 && len(strings.Fields(text[from:to])) > maxSoundWords
			if !isName && !isAside && strings.ContainsFunc(text[from:to], unicode.IsLetter) {
				places = append(places, [2]int{from, to})
			}
		}
	}

	slices.SortFunc(places, func(a, b [2]int) int { return a[0] - b[0] })
	apart := places[:0]
	for _, p := range places {
		if n := len(apart); n > 0 && p[0] < apart[n-1][1] {
			apart[n-1][1] = max(apart[n-1][1], p[1])
			continue
		}

		apart = append(apart, p)
	}

	return apart
}

// spokenRows returns rows of markup without descriptions of sounds and marks of a change of
// speaker. Neither has a time in a recording.
func (f *file) spokenRows(rows []string) []string {
	if !f.spoken || f.Exact {
		return rows
	}
	text := strings.Join(rows, "\n")
	places := soundsIn(text)
	var rest strings.Builder
	from := 0
	for _, p := range places {
		f.addSound(text[p[0]:p[1]])
		rest.WriteString(text[from:p[0]])
		from = p[1]
	}

	rest.WriteString(text[from:])

	var spoken cue
	for row := range strings.SplitSeq(turn.ReplaceAllString(rest.String(), "$1"), "\n") {
		if marks := rowText(row); marks == "" || media.IsSpoken(marks) {
			spoken.add(row)
		}
	}

	if len(places) == 0 && len(spoken.rows) == 0 && strings.ContainsAny(text, "♩♪♫♬🎵🎶") {
		f.addSound(text)
	}
	return spoken.rows
}

func (f *file) addSound(text string) {
	f.sounds.add(quoted(oneLine(rowText(text))))
}

// quoted returns a text in quotation marks for a warning, without the end of a long one.
func quoted(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest-1]) + "…"
	}
	return "“" + text + "”"
}

// timedWords returns words without those of descriptions of sounds, and without marks of a change
// of speaker.
func (f *file) timedWords(words []jsonWord) []jsonWord {
	if !f.spoken || f.Exact {
		return words
	}
	var text strings.Builder
	starts := make([]int, len(words))
	for i, w := range words {
		starts[i] = text.Len()
		text.WriteString(w.text() + " ")
	}

	places := soundsIn(text.String())
	var spoken []jsonWord
	for i, w := range words {
		for len(places) > 0 && places[0][1] <= starts[i] {
			places = places[1:]
		}
		isTurn := w.text() != "" && turn.ReplaceAllString(w.text(), "") == ""
		if !isTurn && (len(places) == 0 || starts[i]+len(w.text()) <= places[0][0]) {
			spoken = append(spoken, w)
		}
	}

	return spoken
}

// joinMarks joins words without letters and digits, such as dashes and notes, to the word before
// them, or to the first one. Nobody says them.
func joinMarks(words []string) (joined []string) {
	lead := ""
	for _, w := range words {
		switch isMark := !media.IsSpoken(w); {
		case !isMark:
			joined, lead = append(joined, lead+w), ""
		case len(joined) > 0:
			joined[len(joined)-1] = strings.TrimSpace(joined[len(joined)-1]) + " " + w
		default:
			lead += w + " "
		}
	}

	return joined
}
