package interchange

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"roughcut/media"
)

// textWriterOf returns the writer of a text format, nil for an unknown name.
func textWriterOf(name string) writer {
	switch name {
	case "audacity-words":
		return writeWordLabels
	case "srt":
		return func(w *bufio.Writer, t Timeline, _ Options) error { WriteSRT(w, t.Captions); return nil }
	case "vtt":
		return func(w *bufio.Writer, t Timeline, _ Options) error { WriteVTT(w, t.Captions, true); return nil }
	case "txt":
		return func(w *bufio.Writer, t Timeline, _ Options) error { WriteText(w, t.Captions); return nil }
	case "txt-times":
		return writeTimedText
	case "json":
		return writeTranscript
	case "chapters":
		return func(w *bufio.Writer, t Timeline, _ Options) error { WriteChapters(w, t.Chapters); return nil }
	}

	return nil
}

// WriteSRT writes captions as a SubRip file to a writer that keeps its first error.
func WriteSRT(w io.Writer, captions []media.Caption) {
	for i, c := range captions {
		start, end := subtitleTime(c.StartMS, ","), subtitleTime(c.EndMS, ",")
		text := strings.ReplaceAll(c.Text, "-->", "→")
		fmt.Fprintf(w, "%d\n%s --> %s\n%s\n\n", i+1, start, end, text)
	}
}

// markupEscape escapes text for WebVTT.
var markupEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// WriteVTT writes captions as a WebVTT file: with a voice for each speaker, and the start of each
// word where words are known and wanted. w keeps its first error.
func WriteVTT(w io.Writer, captions []media.Caption, words bool) {
	fmt.Fprint(w, "WEBVTT\n\n")
	for _, c := range captions {
		fmt.Fprintf(w, "%s --> %s\n", subtitleTime(c.StartMS, "."), subtitleTime(c.EndMS, "."))
		parts := c.Words
		if len(parts) == 0 {
			parts = []media.Word{{Text: c.Text, StartMS: c.StartMS, Speaker: c.Speaker}}
		}
		last, speaker := c.StartMS, ""
		for _, part := range parts {
			if words && part.StartMS > last && part.StartMS < c.EndMS { // times must rise within the caption
				fmt.Fprintf(w, "<%s>", subtitleTime(part.StartMS, "."))
				last = part.StartMS
			}

			fmt.Fprint(w, voiceTag(speaker, part.Speaker), markupEscape.Replace(part.Text))
			speaker = part.Speaker
		}

		fmt.Fprint(w, "\n\n")
	}
}

// voiceTag returns the tag of WebVTT between the words of two speakers.
func voiceTag(before, after string) string {
	switch {
	case before == after:
		return ""
	case after == "":
		return "</v>"
	}

	return "<v " + markupEscape.Replace(after) + ">"
}

// WriteText writes captions as plain text without times, one caption a line. The first line of each
// speaker's turn starts with the name. w keeps its first error.
func WriteText(w io.Writer, captions []media.Caption) {
	speaker := ""
	for _, c := range captions {
		fmt.Fprintln(w, spokenLine(c, &speaker))
	}
}

// spokenLine returns the text of a caption on one line. If another speaker than the one before
// talks, the line starts with the name.
func spokenLine(c media.Caption, speaker *string) string {
	text := media.JoinRows(c.Text)
	if c.Speaker != *speaker && c.Speaker != "" {
		text = c.Speaker + ": " + text
	}
	*speaker = c.Speaker
	return text
}

// writeTimedText writes each caption as a line that starts with its time.
func writeTimedText(w *bufio.Writer, t Timeline, _ Options) error {
	speaker := ""
	for _, c := range t.Captions {
		at := c.StartMS / 1000
		fmt.Fprintf(w, "[%02d:%02d:%02d] %s\n", at/3600, at/60%60, at%60, spokenLine(c, &speaker))
	}

	return nil
}

// WriteChapters writes chapters as lines of a video description, as YouTube reads them: "1:05
// Name". w keeps its first error.
func WriteChapters(w io.Writer, chapters []media.Chapter) {
	for _, c := range chapters {
		s := (c.StartMS + 500) / 1000 // the footage starts at the frame next to a round time
		if s >= 3600 {
			fmt.Fprintf(w, "%d:%02d:%02d %s\n", s/3600, s/60%60, s%60, c.Title)
		} else {
			fmt.Fprintf(w, "%d:%02d %s\n", s/60, s%60, c.Title)
		}
	}
}

// WriteChaptersVTT writes chapters of a video of a length as a WebVTT chapters track. w keeps its
// first error.
func WriteChaptersVTT(w io.Writer, chapters []media.Chapter, durationMS int64) {
	cues := make([]media.Caption, len(chapters))
	for i, c := range chapters {
		cues[i] = media.Caption{Text: c.Title, StartMS: c.StartMS, EndMS: durationMS}
		if i+1 < len(chapters) {
			cues[i].EndMS = chapters[i+1].StartMS
		}
	}

	WriteVTT(w, cues, false)
}

// subtitleTime returns a time as 00:00:00,000 with the given decimal point.
func subtitleTime(ms int64, point string) string {
	return fmt.Sprintf("%02d:%02d:%02d%s%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, point, ms%1000)
}

// clockTime returns a frame as 00:00:00.000.
func (t Timeline) clockTime(frame int64) string { return subtitleTime(t.Rate.MS(frame), ".") }

// whisperText is a transcript in the JSON of Whisper, with speakers like WhisperX. Times are
// seconds.
type whisperText struct {
	Text     string           `json:"text"`
	Segments []whisperSegment `json:"segments"`
	Language string           `json:"language,omitempty"`
}

type whisperSegment struct {
	ID      int           `json:"id"`
	Start   float64       `json:"start"`
	End     float64       `json:"end"`
	Text    string        `json:"text"`
	Speaker string        `json:"speaker,omitempty"`
	Words   []whisperWord `json:"words"`
}

type whisperWord struct {
	Word        string  `json:"word"`
	Start       float64 `json:"start"`
	End         float64 `json:"end"`
	Probability float64 `json:"probability"`
	Speaker     string  `json:"speaker,omitempty"`
}

// writeTranscript writes the words and phrases. A word belongs to the phrase that its middle is in,
// otherwise to the next one. Without phrases there is one for all words. A phrase of several
// speakers becomes several.
func writeTranscript(w *bufio.Writer, t Timeline, _ Options) error {
	out := whisperText{Language: t.Language, Segments: []whisperSegment{}}
	phrases := t.Phrases
	if len(phrases) == 0 && len(t.Words) > 0 {
		last := t.Words[len(t.Words)-1]
		phrases = []media.TimedText{{Text: textOf(t.Words), StartMS: t.Words[0].StartMS, EndMS: last.EndMS}}
	}

	words := t.Words
	text, before := make([]string, 0, len(phrases)), ""
	for i, p := range phrases {
		n := 0
		last := i == len(phrases)-1
		for n < len(words) && (last || words[n].StartMS+words[n].EndMS < 2*p.EndMS) {
			n++
		}
		for _, turn := range turns(p, words[:n]) {
			segment := whisperSegment{
				ID: len(out.Segments), Start: inSeconds(turn.StartMS), End: inSeconds(turn.EndMS), Text: turn.Text,
				Speaker: turn.speaker, Words: make([]whisperWord, 0, len(turn.words)),
			}
			for _, word := range turn.words {
				spoken := strings.TrimSpace(word.Text)
				if !media.WrittenTogether(before, spoken) {
					spoken = " " + spoken
				}
				before = word.Text
				segment.Words = append(segment.Words, whisperWord{
					spoken, inSeconds(word.StartMS), inSeconds(word.EndMS), word.Probability, word.Speaker,
				})
			}

			text = append(text, turn.Text)
			out.Segments = append(out.Segments, segment)
		}

		words = words[n:]
	}

	out.Text = media.JoinWords(text)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(out)
}

// turn is the part of a phrase that one speaker says.
type turn struct {
	media.TimedText
	speaker string
	words   []media.Word
}

// turns divides a phrase with its words where the speaker changes.
func turns(p media.TimedText, words []media.Word) (list []turn) {
	parts, isWritten := media.SplitAmongWords(p.Text, words)
	for from := 0; from < len(words); {
		speaker, to := words[from].Speaker, from+1
		for to < len(words) && words[to].Speaker == speaker {
			to++
		}
		said := words[from:to]
		part := turn{speaker: speaker, words: said}
		part.Text, part.StartMS, part.EndMS = textOf(said), said[0].StartMS, said[len(said)-1].EndMS
		if isWritten {
			written := ""
			for _, w := range parts[from:to] {
				written += w.Text
			}
			part.Text = strings.TrimSpace(written)
		}

		list, from = append(list, part), to
	}

	if len(list) < 2 {
		whole := turn{TimedText: p, words: words}
		if len(words) > 0 {
			whole.speaker = words[0].Speaker
		}
		return []turn{whole}
	}

	list[0].StartMS = min(p.StartMS, list[0].StartMS)
	last := &list[len(list)-1]
	last.EndMS = max(p.EndMS, last.EndMS)
	return list
}

// textOf returns the text of words.
func textOf(words []media.Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return media.JoinWords(texts)
}

func inSeconds(ms int64) float64 { return float64(ms) / 1000 }
