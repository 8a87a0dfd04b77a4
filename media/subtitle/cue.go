package subtitle

import (
	"html"
	"regexp"
	"slices"
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
	// A row in the place of the times of a cue that is not one.
	badTime = regexp.MustCompile(`^\s*-?\d+:\S*\s*-->`)
	// The time of a word within a cue of WebVTT.
	inlineTime = regexp.MustCompile(`<` + cueTime + `>`)
	// An override block of SubStation, such as a position. SubRip has them too.
	override = regexp.MustCompile(`\{\\[^{}]*\}`)
	// Markup: tags, voices and classes of WebVTT, and override blocks.
	markup = regexp.MustCompile(`</?[A-Za-z][^<>]*>|` + override.String())
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

// cue is a cue on its way to a line.
type cue struct {
	number int      // in the file, from 1
	shown  []string // rows of markup that the cue before has too
	rows   []string // rows of markup, not empty
	media.Span
	isFlash  bool // too short to be read
	isMended bool // the file says that it ends before it starts
}

// readCues reads SubRip, or WebVTT. Errors: *Fault.
func (f *file) readCues(text string, vtt bool) error {
	var cues []cue
	for _, rows := range blocks(text, vtt) {
		cues = f.appendCues(cues, rows)
		if len(cues) > maxCues {
			return faultf("The file has more than %d lines. Split it.", MaxLines)
		}
	}

	nameBrackets(cues)
	spans := make([]*media.Span, len(cues))
	for i := range cues {
		cues[i].rows = f.spokenRows(cues[i].rows)
		cues[i].number, cues[i].isFlash = i+1, cues[i].Duration() >= 0 && cues[i].Duration() <= flashMS
		spans[i] = &cues[i].Span
	}

	for _, i := range mendSpans(spans) {
		cues[i].isMended = true
	}

	for i, c := range cues {
		if err := checkSpan(i, c.StartMS, c.EndMS); err != nil {
			return err
		}
	}

	cues = unrolled(cues)
	var mended tally
	for _, c := range cues {
		if c.isMended {
			mended.add(strconv.Itoa(c.number))
		}
	}

	f.warnMended(mended)
	f.warn("The time %s cannot be read. Its line was left out. Correct it and import the file again.",
		"%d times cannot be read, the first is %s. Their lines were left out. Correct them and import again.",
		f.badTimes)
	f.warn("The text %s follows an empty row and has no time. It was left out. Remove the empty row before it.",
		"%d texts follow an empty row and have no time, the first is %s. They were left out. Remove the empty rows "+
			"before them.", f.timeless)
	nameSpeakers(cues)
	for _, c := range cues {
		f.addCue(c)
	}

	return nil
}

// maxCues limits the cues of a file. A file of rolling captions has several for each line.
const maxCues = 4 * MaxLines

func isComment(row string) bool {
	return slices.ContainsFunc([]string{"NOTE", "STYLE", "REGION"}, func(name string) bool {
		return row == name || strings.HasPrefix(row, name+" ") || strings.HasPrefix(row, name+"\t")
	})
}

// blocks returns the rows of a text, in blocks that may hold cues. A cue of WebVTT ends at an empty
// row. SubRip has one block, because programs write texts with empty rows.
func blocks(text string, vtt bool) (list [][]string) {
	if !vtt {
		return [][]string{strings.Split(text, "\n")}
	}
	for block := range strings.SplitSeq(text, "\n\n") {
		rows := strings.Split(strings.Trim(block, "\n"), "\n")
		if !isVTT(rows[0]) && !isComment(rows[0]) {
			list = append(list, rows)
		}
	}

	return list
}

// appendCues appends the cues of a block. Some programs leave out the empty row between two cues.
// Others put an empty row before the text: a block of WebVTT without a time belongs to the cue
// before it if that has no text. The text after a time that cannot be read is left out.
func (f *file) appendCues(cues []cue, rows []string) []cue {
	found := false
	if len(cues) > 0 && !slices.ContainsFunc(rows, arrow.MatchString) {
		found = len(cues[len(cues)-1].rows) == 0
		if text := stripMarkup(strings.Join(rows, "\n")); !found && text != "" && !isNumber(text) &&
			!slices.ContainsFunc(rows, badTime.MatchString) {
			f.timeless.add(quoted(oneLine(text)))
		}
	}

	hasTime := false // a row since the last empty one is the time of a cue
	for i, row := range rows {
		m := arrow.FindStringSubmatch(row)
		isText := hasTime && !isNumber(rows[i-1])
		switch {
		case row == "":
			hasTime = false
		case m != nil:
			cues = append(cues, cue{Span: media.Span{StartMS: cueMS(m[1:5]), EndMS: cueMS(m[5:9])}})
			found, hasTime = true, true
		case !isText && badTime.MatchString(row):
			f.badTimes.add(quoted(strings.TrimSpace(row)))
			found, hasTime = false, true
		case found && !isCueNumber(rows, i):
			cues[len(cues)-1].add(row)
		}
	}

	return cues
}

// isCueNumber reports whether a row is the number of a cue: its time follows, maybe after empty
// rows if one is before the number as well. The last number of a damaged file has no time.
func isCueNumber(rows []string, i int) bool {
	if !isNumber(rows[i]) {
		return false
	}
	rest := rows[i+1:]
	if i > 0 && rows[i-1] == "" {
		for len(rest) > 0 && rest[0] == "" {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return true
		}
	}

	return len(rest) > 0 && (arrow.MatchString(rest[0]) || badTime.MatchString(rest[0]))
}

// add adds a row without its override blocks, which would hide a name at its start. A row of tags
// alone belongs to the row next to it.
func (c *cue) add(row string) {
	row = override.ReplaceAllString(row, "")
	n := len(c.rows)
	switch {
	case strings.TrimSpace(row) == "":
	case n > 0 && (rowText(row) == "" || rowText(c.rows[n-1]) == ""):
		c.rows[n-1] += row
	default:
		c.rows = append(c.rows, row)
	}
}

// rowText returns the text of a row of markup.
func rowText(row string) string { return stripMarkup(inlineTime.ReplaceAllString(row, "")) }

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
func (f *file) addCue(c cue) {
	raw := strings.Join(c.rows, "\n")
	line := media.TimedText{Text: rowText(raw), StartMS: c.StartMS, EndMS: c.EndMS}
	if line.Text == "" {
		return
	}
	f.Lines = append(f.Lines, line)
	n := len(f.Lines) - 1
	at, from := c.StartMS, 0
	_, speaker := splitVoices(strings.Join(c.shown, "\n"), "")
	for _, m := range inlineTime.FindAllStringSubmatchIndex(raw, -1) {
		if next := inlineMS(raw, m); next > at && next < c.EndMS {
			var said []saying
			said, speaker = splitVoices(raw[from:m[0]], speaker)
			f.spread(said, n, at, next)
			if strings.HasSuffix(raw[from:m[0]], " ") || strings.HasPrefix(raw[m[1]:], " ") {
				f.divide(n, media.Spaceless)
			}
			at, from = next, m[1]
		}
	}

	said, _ := splitVoices(raw[from:], speaker)
	f.spread(said, n, at, c.EndMS)
	f.divide(n, media.Phrased)
}

// divide puts a space after the last word of a line if the word ends with a character of a kind.
func (f *file) divide(line int, kind func(rune) bool) {
	if n := len(f.Words) - 1; n >= 0 && f.Words[n].Line == line {
		if last, _ := utf8.DecodeLastRuneInString(f.Words[n].Text); kind(last) {
			f.Words[n].Text += " "
		}
	}
}

// inlineMS returns the time of a match of inlineTime in raw.
func inlineMS(raw string, match []int) int64 {
	numbers := make([]string, 4)
	for g := range numbers {
		if from := match[2*g+2]; from >= 0 {
			numbers[g] = raw[from:match[2*g+3]]
		}
	}

	return cueMS(numbers)
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
		for row := range strings.SplitSeq(s.text, "\n") {
			for _, w := range joinMarks(media.SplitWords(row)) {
				words = append(words, media.Word{Text: w, Probability: 1, Speaker: s.speaker})
				total += spokenLength(w)
			}
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

// weight is the length of a word as it is spoken: its characters, and one for the border.
func spokenLength(word string) int64 {
	return int64(utf8.RuneCountInString(strings.TrimSpace(word))) + 1
}
