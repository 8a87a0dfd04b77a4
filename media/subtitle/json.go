package subtitle

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"roughcut/media"
)

// document is the JSON of Whisper, WhisperX, whisper.cpp and Roughcut. Each fills some of the
// fields.
type document struct {
	Language  string          `json:"language"`
	Generator string          `json:"generator"` // of Roughcut
	Text      json.RawMessage `json:"text"`      // a string, of APIs
	Segments  []jsonSegment   `json:"segments"`
	Words     []jsonWord      `json:"words"` // of APIs, outside of the segments
	Result    struct {
		Language string `json:"language"`
	} `json:"result"` // of whisper.cpp
	Transcription []struct {
		Offsets struct{ From, To int64 } `json:"offsets"`
		Text    string                   `json:"text"`
		Speaker speakerName              `json:"speaker"`
	} `json:"transcription"` // of whisper.cpp
}

// jsonSegment is a segment with times in seconds or in milliseconds.
type jsonSegment struct {
	jsonTimes
	Text    string      `json:"text"`
	Speaker speakerName `json:"speaker"`
	Words   []jsonWord  `json:"words"`
}

type jsonWord struct {
	jsonTimes
	Word        string      `json:"word"`
	Text        string      `json:"text"` // of Roughcut's API
	Probability *float64    `json:"probability"`
	Score       *float64    `json:"score"` // of WhisperX
	Speaker     speakerName `json:"speaker"`
}

// speakerName is the name of a speaker. Some programs write its number.
type speakerName string

// UnmarshalJSON reads a string, a number or null.
func (n *speakerName) UnmarshalJSON(data []byte) error {
	var number json.Number
	if json.Unmarshal(data, &number) == nil {
		*n = speakerName(number)
		return nil
	}

	var name string
	if err := json.Unmarshal(data, &name); err != nil {
		return err
	}
	*n = speakerName(oneLine(name))
	return nil
}

type jsonTimes struct {
	Start   *float64 `json:"start"`
	End     *float64 `json:"end"`
	StartMS *int64   `json:"start_ms"`
	EndMS   *int64   `json:"end_ms"`
}

// Generator names Roughcut in the JSON that it writes.
const Generator = "Roughcut"

// readJSON reads a transcript. Errors: *Fault.
func (f *file) readJSON(data []byte) error {
	var d document
	var err error
	if data[0] == '[' {
		err = json.Unmarshal(data, &d.Segments)
	} else {
		err = json.Unmarshal(data, &d)
	}

	if err != nil {
		return faultf("The file is not a transcript of Whisper, WhisperX or Roughcut: %v.", err)
	}
	f.Language = languageOf(d)
	f.Exact = d.Generator == Generator || (len(d.Words) > 0 && d.Words[0].StartMS != nil)
	for _, t := range d.Transcription {
		from, to := t.Offsets.From, t.Offsets.To
		d.Segments = append(d.Segments, jsonSegment{
			Text: t.Text, Speaker: t.Speaker, jsonTimes: jsonTimes{StartMS: &from, EndMS: &to},
		})
	}

	f.mendSegments(d.Segments)
	for i, segment := range d.Segments {
		if err := f.addSegment(i, segment, len(d.Words) > 0); err != nil {
			return err
		}
	}

	if len(d.Words) > 0 && len(d.Words) <= maxWords {
		if !f.Exact {
			d.punctuate()
		}
		err = f.addWords(f.timedWords(d.Words))
	}

	return err
}

// languageOf returns the code of the language that a file states. The API of Whisper states a name.
// A name that it does not have is unknown.
func languageOf(d document) string {
	stated := cmp.Or(d.Language, d.Result.Language)
	base := media.BaseLanguage(stated)
	if len(base) <= longestCode {
		return base
	}
	list := strings.Fields(languageNames)
	if at := slices.Index(list, strings.ReplaceAll(strings.ToLower(stated), " ", "-")); at >= 0 {
		return list[at+1]
	}
	return ""
}

const longestCode = 3 // of ISO 639

// languageNames are the names of languages in English that Whisper has, each with its code.
const languageNames = `
	afrikaans af albanian sq amharic am arabic ar armenian hy assamese as azerbaijani az bashkir ba basque eu
	belarusian be bengali bn bosnian bs breton br bulgarian bg cantonese yue catalan ca chinese zh croatian hr
	czech cs danish da dutch nl english en estonian et faroese fo finnish fi french fr galician gl georgian ka
	german de greek el gujarati gu haitian-creole ht hausa ha hawaiian haw hebrew he hindi hi hungarian hu
	icelandic is indonesian id italian it japanese ja javanese jv kannada kn kazakh kk khmer km korean ko lao lo
	latin la latvian lv lingala ln lithuanian lt luxembourgish lb macedonian mk malagasy mg malay ms malayalam ml
	maltese mt maori mi marathi mr mongolian mn myanmar my nepali ne norwegian no nynorsk nn occitan oc pashto ps
	persian fa polish pl portuguese pt punjabi pa romanian ro russian ru sanskrit sa serbian sr shona sn sindhi sd
	sinhala si slovak sk slovenian sl somali so spanish es sundanese su swahili sw swedish sv tagalog tl tajik tg
	tamil ta tatar tt telugu te thai th tibetan bo turkish tr turkmen tk ukrainian uk urdu ur uzbek uz
	vietnamese vi welsh cy yiddish yi yoruba yo
`

// punctuateReach is how many words of the text punctuate skips to find the next timed word.
const punctuateReach = 8

// punctuate gives the words outside of the segments the punctuation of the text. The API of Whisper
// leaves it out.
func (d document) punctuate() {
	var text string
	if len(d.Segments) == 0 && json.Unmarshal(d.Text, &text) != nil {
		return // another program's text, which is no string
	}
	written := media.SplitWords(stripMarkup(text))
	for _, s := range d.Segments {
		written = append(written, media.SplitWords(stripMarkup(s.Text))...)
	}

	for i, w := range d.Words {
		said := media.FoldWord(w.text())
		for n, word := range written[:min(len(written), punctuateReach)] {
			if said != "" && media.FoldWord(word) == said {
				d.Words[i].Word, written = word, written[n+1:]
				break
			}
		}
	}
}

// span returns the times of a segment or a word. ok is false if one is missing or not finite.
func (t jsonTimes) span() (s media.Span, ok bool) {
	if t.StartMS != nil && t.EndMS != nil {
		return media.Span{StartMS: *t.StartMS, EndMS: *t.EndMS}, true
	}
	if t.Start == nil || t.End == nil || math.Abs(*t.Start) > maxMS || math.Abs(*t.End) > maxMS {
		return s, false
	}
	ms := func(seconds float64) int64 { return int64(math.Round(seconds * 1000)) }
	return media.Span{StartMS: ms(*t.Start), EndMS: ms(*t.End)}, true
}

// mendSegments gives the segments that end before they start room up to the next one. Whisper
// writes segments without a length at the end of a recording; those stay.
func (f *file) mendSegments(segments []jsonSegment) {
	var spans []*media.Span
	var numbers []int
	for i, s := range segments {
		if span, ok := s.span(); ok {
			if span.EndMS == span.StartMS {
				span.EndMS++
			}
			spans, numbers = append(spans, &span), append(numbers, i)
		}
	}

	var mended tally
	for _, i := range mendSpans(spans) {
		n := numbers[i]
		segments[n].jsonTimes = jsonTimes{StartMS: &spans[i].StartMS, EndMS: &spans[i].EndMS}
		if stripMarkup(segments[n].Text) != "" {
			mended.add(strconv.Itoa(n + 1))
		}
	}

	f.warnMended(mended)
}

// addSegment adds a segment, and its words unless they are elsewhere. Errors: *Fault.
func (f *file) addSegment(number int, s jsonSegment, wordsElsewhere bool) error {
	text := stripMarkup(strings.Join(f.spokenRows([]string{s.Text}), "\n"))
	if text == "" {
		return nil
	}
	span, ok := s.span()
	if !ok {
		return faultf("Segment %d has no times. Export the transcript with times.", number+1)
	}
	if span.EndMS == span.StartMS {
		span.EndMS++ // Whisper writes such segments at the end of a recording
	}
	if err := checkSpan(number, span.StartMS, span.EndMS); err != nil {
		return err
	}
	f.Lines = append(f.Lines, media.TimedText{Text: text, StartMS: span.StartMS, EndMS: span.EndMS})
	n := len(f.Lines) - 1
	if wordsElsewhere {
		return nil
	}
	if len(s.Words) == 0 {
		f.spread([]saying{{text, string(s.Speaker)}}, n, span.StartMS, span.EndMS)
		return nil
	}

	s.Words = f.timedWords(s.Words)
	for i := range s.Words {
		s.Words[i].Speaker = cmp.Or(s.Words[i].Speaker, s.Speaker)
	}
	f.addTimed(s.Words, n, span)
	return nil
}

// addTimed adds the words of a segment. Consecutive words without times, such as the numbers of
// WhisperX, share the span between their neighbors by length.
func (f *file) addTimed(words []jsonWord, line int, within media.Span) {
	at := within.StartMS
	for i := 0; i < len(words); {
		span, ok := words[i].span()
		if ok {
			f.addWord(words[i], line, media.Span{StartMS: max(span.StartMS, at), EndMS: span.EndMS})
			at = max(at, span.EndMS)
			i++
			continue
		}

		next, end := i, max(within.EndMS, at+1)
		for ; next < len(words) && !ok; next++ {
			if span, ok = words[next].span(); ok {
				end = max(span.StartMS, at+1)
				break
			}
		}

		var said []saying
		for _, w := range words[i:next] {
			said = append(said, saying{w.text(), string(w.Speaker)})
		}
		f.spread(said, line, at, end)
		at, i = end, next
	}
}

func (w jsonWord) text() string {
	if w.Word != "" {
		return stripMarkup(w.Word)
	}
	return stripMarkup(w.Text)
}

func (f *file) addWord(w jsonWord, line int, span media.Span) {
	word := media.Word{Text: w.text(), StartMS: span.StartMS, EndMS: max(span.EndMS, span.StartMS+1), Probability: 1}
	word.Speaker = string(w.Speaker)
	for _, p := range []*float64{w.Score, w.Probability} {
		if p != nil {
			word.Probability = min(max(*p, 0), 1)
		}
	}

	n := len(f.Words) - 1
	follows := n >= 0 && f.Words[n].Line == line
	switch isMark := !media.IsSpoken(word.Text); {
	case !isMark || f.Exact:
		if isDivided := strings.HasPrefix(cmp.Or(w.Word, w.Text), " "); follows && isDivided {
			f.Words[n].Text = media.SpaceAfter(f.Words[n].Text, word.Text)
		}
		f.Words = append(f.Words, media.ImportedWord{Word: word, Line: line})
	case follows && word.Text != "":
		f.Words[n].Text = strings.TrimSpace(f.Words[n].Text) + " " + word.Text
	}
}

// addWords adds words that are outside of the segments. Errors: *Fault.
func (f *file) addWords(words []jsonWord) error {
	line := 0
	for i, w := range words {
		span, ok := w.span()
		if !ok {
			return faultf("Word %d has no times. Export the transcript with times.", i+1)
		}
		if err := checkSpan(i, span.StartMS, span.EndMS); err != nil {
			return err
		}
		for line+1 < len(f.Lines) && f.Lines[line+1].StartMS <= span.StartMS {
			line++
		}
		f.addWord(w, line, span)
	}

	if len(f.Lines) == 0 {
		f.addLines()
	}
	return nil
}

// lineWords is how many words a line has if a file has words but no segments.
const lineWords = 20

// addLines adds lines for the words of a file without segments.
func (f *file) addLines() {
	for from := 0; from < len(f.Words); from += lineWords {
		words := f.Words[from:min(from+lineWords, len(f.Words))]
		texts := make([]string, len(words))
		for i := range words {
			texts[i], words[i].Line = words[i].Text, len(f.Lines)
		}
		line := media.TimedText{Text: media.JoinWords(texts), StartMS: words[0].StartMS}
		line.EndMS = words[len(words)-1].EndMS
		f.Lines = append(f.Lines, line)
	}
}
