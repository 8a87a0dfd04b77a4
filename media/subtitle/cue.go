package subtitle

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"roughcut/media"
)

var (
	// A time of SubRip or WebVTT. Both separators occur in both formats.
	cueTime = `(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,6}))?`
	arrow   = regexp.MustCompile(`^\s*` + cueTime + `\s*-->\s*` + cueTime + `(?:\s.*)?$`)
	// The time of a word within a cue of WebVTT.
	inlineTime = regexp.MustCompile(`<` + cueTime + `>`)
	// Markup: tags, voices and classes of WebVTT, and override blocks of SubStation.
	markup = regexp.MustCompile(`</?[A-Za-z][^<>]*>|\{\\[^{}]*\}`)
	// A voice of WebVTT with the name of its speaker, or the end of a voice.
	voice = regexp.MustCompile(`<v(?:\.[^\s<>]*)?\s+([^<>]*)>|</v>`)
)

func isVTT(text string) bool {
	rest, ok := strings.CutPrefix(text, "WEBVTT")
	if !ok {
		return false
	}
	return rest == "" || strings.ContainsRune(" \t\n", rune(rest[0]))
}

// readCues reads SubRip, or WebVTT. Errors: *Fault.
func (f *file) readCues(text string, vtt bool) error {
	for block := range strings.SplitSeq(text, "\n\n") {
		rows := strings.Split(strings.Trim(block, "\n"), "\n")
		hasNoCue := isVTT(rows[0]) || isComment(rows[0])
		if vtt && hasNoCue {
			continue
		}
		if err := f.addBlock(rows); err != nil {
			return err
		}
		if len(f.Lines) > MaxLines {
			break // normalize refuses the file
		}
	}

	return nil
}

func isComment(row string) bool {
	for _, name := range []string{"NOTE", "STYLE", "REGION"} {
		if row == name || strings.HasPrefix(row, name+" ") || strings.HasPrefix(row, name+"\t") {
			return true
		}
	}

	return false
}

// addBlock adds the cues of a block of rows without an empty row. Some programs leave out the empty
// row between two cues, so a block may hold several. Errors: *Fault.
func (f *file) addBlock(rows []string) error {
	var text []string
	var start, end int64
	found := false
	flush := func() {
		if found {
			f.addCue(strings.Join(text, "\n"), start, end)
		}
		text = nil
	}
	for i, row := range rows {
		m := arrow.FindStringSubmatch(row)
		if m == nil {
			number := i+1 < len(rows) && arrow.MatchString(rows[i+1]) && isNumber(row)
			if found && !number {
				text = append(text, row)
			}
			continue
		}

		flush()
		start, end, found = cueMS(m[1:5]), cueMS(m[5:9]), true
		if err := checkSpan(len(f.Lines), start, end); err != nil {
			return err
		}
	}

	flush()
	return nil
}

func isNumber(row string) bool {
	_, err := strconv.Atoi(strings.TrimSpace(row))
	return err == nil
}

// cueMS converts hours, minutes, seconds and decimals to milliseconds.
func cueMS(parts []string) int64 {
	number := func(s string) int64 { n, _ := strconv.ParseInt("0"+s, 10, 64); return n }
	decimals := number((parts[3] + "000")[:3])
	return ((number(parts[0])*60+number(parts[1]))*60+number(parts[2]))*1000 + decimals
}

// addCue adds a cue and its words. A cue without text is ignored.
func (f *file) addCue(raw string, start, end int64) {
	line := media.TimedText{Text: stripMarkup(inlineTime.ReplaceAllString(raw, "")), StartMS: start, EndMS: end}
	if line.Text == "" {
		return
	}
	f.Lines = append(f.Lines, line)
	n := len(f.Lines) - 1
	at, from, speaker := start, 0, ""
	for _, m := range inlineTime.FindAllStringSubmatchIndex(raw, -1) {
		var numbers []string
		for g := 1; g <= 4; g++ {
			number := ""
			if m[2*g] >= 0 {
				number = raw[m[2*g]:m[2*g+1]]
			}
			numbers = append(numbers, number)
		}

		if next := cueMS(numbers); next > at && next < end {
			var said []saying
			said, speaker = splitVoices(raw[from:m[0]], speaker)
			f.spread(said, n, at, next)
			at, from = next, m[1]
		}
	}

	said, _ := splitVoices(raw[from:], speaker)
	f.spread(said, n, at, end)
}

// saying is a text with its speaker; the speaker is empty if unknown.
type saying struct{ text, speaker string }

// splitVoices splits a part of a cue at its voice tags. speaker talks at the start of the part.
// splitVoices also returns the speaker at its end.
func splitVoices(raw, speaker string) ([]saying, string) {
	raw = inlineTime.ReplaceAllString(raw, "")
	var list []saying
	from := 0
	for _, m := range voice.FindAllStringSubmatchIndex(raw, -1) {
		list = append(list, saying{stripMarkup(raw[from:m[0]]), speaker})
		from, speaker = m[1], ""
		if m[2] >= 0 {
			speaker = oneLine(html.UnescapeString(raw[m[2]:m[3]]))
		}
	}

	return append(list, saying{stripMarkup(raw[from:]), speaker}), speaker
}

// stripMarkup removes markup, entities and control characters from the text of a cue.
func stripMarkup(raw string) string {
	text := html.UnescapeString(markup.ReplaceAllString(raw, ""))
	var rows []string
	for row := range strings.SplitSeq(text, "\n") {
		if row = oneLine(row); row != "" {
			rows = append(rows, row)
		}
	}

	return strings.Join(rows, "\n")
}

// oneLine returns a text without control characters and with single spaces.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// spread adds the words of texts, which share a span by length.
func (f *file) spread(said []saying, line int, start, end int64) {
	var words []media.Word
	total := int64(0)
	for _, s := range said {
		for _, w := range Split(s.text) {
			words = append(words, media.Word{Text: w, Probability: 1, Speaker: s.speaker})
			total += spokenLength(w)
		}
	}

	at := int64(0)
	for _, w := range words {
		w.StartMS = start + (end-start)*at/total
		at += spokenLength(w.Text)
		w.EndMS = start + (end-start)*at/total
		f.Words = append(f.Words, media.ImportedWord{Word: w, Line: line, Rough: len(words) > 1})
	}
}

// spokenLength is the length of a word as it is spoken: its characters, and one for the border.
func spokenLength(word string) int64 { return int64(utf8.RuneCountInString(word)) + 1 }

// Split returns the words of a text. In scripts without spaces, every character is a word with the
// punctuation after it, as in transcripts of speech models.
func Split(text string) []string {
	var words []string
	for field := range strings.FieldsSeq(text) {
		from := 0
		var last rune
		for at, r := range field {
			isSpaceless := media.Spaceless(r)
			endsSpaceless := media.Spaceless(last) && unicode.IsLetter(r)
			if at > from && (isSpaceless || endsSpaceless) {
				words = append(words, field[from:at])
				from = at
			}

			last = r
		}

		words = append(words, field[from:])
	}

	return words
}
