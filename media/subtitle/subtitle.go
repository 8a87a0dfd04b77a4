// Package subtitle reads subtitles and transcripts that other programs wrote: SubRip, WebVTT, and
// the JSON of Whisper, WhisperX and Roughcut. It owns the limits of such files and the words that
// refuse the others. It neither writes these formats nor knows audio.
package subtitle

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"roughcut/media"
)

// Limits of a file.
const (
	MaxBytes = 16 << 20
	MaxLines = 100_000
	maxWords = 1_000_000
	maxRunes = 2_000             // of one line
	maxMS    = 24 * 3600 * 1_000 // no recording is longer
)

// file is a file while it is read.
type file struct {
	media.ImportedTranscript
	spoken   bool  // descriptions of sounds are left out
	sounds   tally // descriptions that were left out
	badTimes tally // rows that are no times of cues
	timeless tally // texts that belong to no cue
}

// Fault is the reason why a file cannot be read. Its text is for the person who chose the file.
type Fault struct{ text string }

func (f *Fault) Error() string { return f.text }

func faultf(format string, values ...any) error { return &Fault{fmt.Sprintf(format, values...)} }

// ReadCaptions reads a file whose text is to be shown. Its content decides the format. Errors:
// *Fault.
func ReadCaptions(data []byte) (media.ImportedTranscript, error) { return (&file{}).read(data) }

// ReadTranscript reads a file whose words are to be found in a recording. It leaves out what nobody
// says: descriptions of sounds, such as "[Music]". Errors: *Fault.
func ReadTranscript(data []byte) (media.ImportedTranscript, error) {
	return (&file{spoken: true}).read(data)
}

func (f *file) read(data []byte) (media.ImportedTranscript, error) {
	text, err := decodeText(data)
	if err != nil {
		return media.ImportedTranscript{}, err
	}
	switch trimmed := strings.TrimSpace(text); {
	case trimmed == "":
		err = faultf("The file is empty. Choose a file with text.")
	case isJSON(trimmed):
		err = f.readJSON([]byte(trimmed))
	case otherFormat(trimmed) != "":
		err = faultf("The file is in the format %s, which Roughcut cannot read. Choose a SubRip, WebVTT, Whisper or "+
			"WhisperX file, or convert it to SubRip.", otherFormat(trimmed))
	case isVTT(trimmed):
		err = f.readCues(trimmed, true)
	default:
		err = f.readCues(trimmed, false)
	}

	if err == nil {
		err = f.normalize()
	}
	if err == nil && f.spoken && !f.Exact {
		f.endWhereOthersStart()
	}
	f.warn("%s describes a sound. It is not read as spoken.",
		"%d descriptions of sounds, such as %s, are not read as spoken.", f.sounds)
	return f.ImportedTranscript, err
}

// isJSON reports whether a text starts like JSON with timed text.
func isJSON(text string) bool {
	starts := map[byte]string{'{': `"}`, '[': `{[]`}
	rest := strings.TrimLeftFunc(text[1:], unicode.IsSpace)
	return starts[text[0]] != "" && (rest == "" || strings.ContainsRune(starts[text[0]], rune(rest[0])))
}

// otherFormats are how files of other formats start.
var otherFormats = []struct{ name, start string }{
	{"SubStation Alpha (.ass, .ssa)", "[script info]"},
	{"SubViewer", "[information]"},
	{"TTML", "<?xml"},
	{"TTML", "<tt"},
	{"SAMI", "<sami"},
	{"MicroDVD", "{0}"},
	{"MicroDVD", "{1}"},
	{"Scenarist", "scenarist_scc"},
}

// otherFormat returns the name of a format that Roughcut cannot read, or an empty text.
func otherFormat(text string) string {
	const longest = 20
	start := strings.ToLower(text[:min(len(text), longest)])
	for _, format := range otherFormats {
		if strings.HasPrefix(start, format.start) {
			return format.name
		}
	}

	return ""
}

// decodeText returns the text of a file with line feeds as line ends. Errors: *Fault.
func decodeText(data []byte) (string, error) {
	if len(data) > MaxBytes {
		return "", faultf("The file is larger than %d MB. Choose a subtitle or transcript file.", MaxBytes>>20)
	}
	if text, ok := decodeUTF16(data); ok {
		data = []byte(text)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return "", faultf("The file is not UTF-8 text. Save it with the encoding UTF-8 and choose it again.")
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", faultf("The file is not text. Choose a subtitle or transcript file.")
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\r", "\n"), nil
}

// decodeUTF16 returns the text of a file that starts with the byte order mark of UTF-16.
func decodeUTF16(data []byte) (text string, ok bool) {
	if len(data) < 2 || len(data)%2 != 0 {
		return "", false
	}
	low := 0
	switch {
	case data[0] == 0xfe && data[1] == 0xff:
		low = 1
	case data[0] != 0xff || data[1] != 0xfe:
		return "", false
	}

	units := make([]uint16, 0, len(data)/2)
	for i := 2; i < len(data); i += 2 {
		units = append(units, uint16(data[i+low])|uint16(data[i+1-low])<<8)
	}
	return string(utf16.Decode(units)), true
}

// normalize sorts the lines and refuses files past the limits, and files without text. Errors:
// *Fault.
func (f *file) normalize() error {
	switch {
	case len(f.Lines) > 0:
	case f.badTimes.count > 0:
		return faultf("The time %s cannot be read. Correct it and import the file again.", f.badTimes.first)
	case f.sounds.count > 0:
		return faultf("The file has no spoken words, only descriptions such as %s.", f.sounds.first)
	default:
		return faultf("The file contains no timed text. Choose a SubRip, WebVTT, Whisper or WhisperX file.")
	}

	if len(f.Lines) > MaxLines || len(f.Words) > maxWords {
		return faultf("The file has more than %d lines. Split it.", MaxLines)
	}
	for i, line := range f.Lines {
		if err := checkSpan(i, line.StartMS, line.EndMS); err != nil {
			return err
		}
		if utf8.RuneCountInString(line.Text) > maxRunes {
			return faultf("Line %d is longer than %d characters. Split it.", i+1, maxRunes)
		}
	}

	for _, w := range f.Words {
		if utf8.RuneCountInString(w.Speaker) > media.MaxSpeakerRunes {
			return faultf("A speaker in line %d has a name of more than %d characters. Shorten it.",
				w.Line+1, media.MaxSpeakerRunes)
		}
	}

	order := make([]int, len(f.Lines)) // of the lines, by start
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.Lines[a].StartMS, f.Lines[b].StartMS) })
	lines, place := make([]media.TimedText, len(order)), make([]int, len(order))
	for to, from := range order {
		lines[to], place[from] = f.Lines[from], to
	}
	f.Lines = lines
	for i := range f.Words {
		f.Words[i].Line = place[f.Words[i].Line]
	}
	slices.SortStableFunc(f.Words, func(a, b media.ImportedWord) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.StartMS, b.StartMS))
	})
	return nil
}

// unknownMS is how long a line without an end lasts if no line follows it.
const unknownMS = 3_000

// mendSpans gives the spans that end before they start room up to the start of the next one, and
// returns their indexes. One wrong time must not cost a person the whole file.
func mendSpans(spans []*media.Span) (mended []int) {
	var starts []int64
	for i, s := range spans {
		if s.EndMS <= s.StartMS {
			mended = append(mended, i)
		}
	}

	if len(mended) > 0 {
		for _, s := range spans {
			starts = append(starts, s.StartMS)
		}
		slices.Sort(starts)
	}

	for _, i := range mended {
		s := spans[i]
		s.EndMS = s.StartMS + unknownMS
		if next, _ := slices.BinarySearch(starts, s.StartMS+1); next < len(starts) {
			s.EndMS = starts[next]
		}
	}

	return mended
}

// warnMended warns of lines that mendSpans has changed.
func (f *file) warnMended(lines tally) {
	f.warn("Line %s ends before it starts. It lasts until the next line. Check its times.",
		"%d lines end before they start, the first is line %s. Each lasts until the next line. Check their times.",
		lines)
}

// tally counts the places of a fault, and keeps the first.
type tally struct {
	count int
	first string
}

func (t *tally) add(place string) {
	t.count++
	t.first = cmp.Or(t.first, place)
}

// warn adds a warning with the place of a fault, or one with the number of places and the first.
func (f *file) warn(one, many string, at tally) {
	switch {
	case at.count == 1:
		f.Warnings = append(f.Warnings, fmt.Sprintf(one, at.first))
	case at.count > 1:
		f.Warnings = append(f.Warnings, fmt.Sprintf(many, at.count, at.first))
	}
}

// checkSpan refuses times that no recording has. number is the index of the line. Errors: *Fault.
func checkSpan(number int, start, end int64) error {
	switch {
	case start < 0:
		return faultf("Line %d starts before 0. Correct its times.", number+1)
	case end <= start:
		return faultf("Line %d ends before it starts. Correct its times.", number+1)
	case end > maxMS:
		return faultf("Line %d ends after %d hours. Correct its times.", number+1, maxMS/3_600_000)
	}

	return nil
}
