package subtitle

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"roughcut/media"
)

// lines returns the lines of a transcript as text with their times.
func lines(m media.ImportedTranscript) string {
	var out []string
	for _, l := range m.Lines {
		out = append(out, fmt.Sprintf("%d-%d %s", l.StartMS, l.EndMS, l.Text))
	}
	return strings.Join(out, " | ")
}

func words(m media.ImportedTranscript) string {
	var out []string
	for _, w := range m.Words {
		rough := ""
		if w.Rough {
			rough = "~"
		}
		out = append(out, fmt.Sprintf("%s%s@%d-%d", rough, w.Text, w.StartMS, w.EndMS))
	}
	return strings.Join(out, " ")
}

func inUTF16(text string, big bool) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

const srt = "1\n00:00:01,000 --> 00:00:02,500\nHello <i>there</i>,\nfriend\n\n2\n00:01:02,030 --> 00:01:03,000\nBye\n"

func TestSubtitlesOfEveryKindAreRead(t *testing.T) {
	const want = "1000-2500 Hello there,\nfriend | 62030-63000 Bye"
	for name, data := range map[string][]byte{
		"SubRip":             []byte(srt),
		"Windows line ends":  []byte(strings.ReplaceAll(srt, "\n", "\r\n")),
		"old Mac line ends":  []byte(strings.ReplaceAll(srt, "\n", "\r")),
		"byte order mark":    []byte("\ufeff" + srt),
		"UTF-16":             inUTF16(srt, false),
		"UTF-16, big endian": inUTF16(srt, true),
		"no empty row":       []byte(strings.Replace(srt, "friend\n\n2", "friend\n2", 1)),
		"no numbers":         []byte(strings.NewReplacer("1\n00:00", "00:00", "2\n00:01", "00:01").Replace(srt)),
		"points":             []byte(strings.NewReplacer("01,000", "01.000", "02,500", "02.5").Replace(srt)),
		"out of order": []byte("00:01:02,030 --> 00:01:03,000\nBye\n\n" +
			"00:00:01,000 --> 00:00:02,500\nHello there,\nfriend\n"),
		"WebVTT": []byte("WEBVTT - talk\n\nSTYLE\n::cue { color: red }\n\nNOTE a --> b\n\nintro\n" +
			"00:01.000 --> 00:02.500 align:start\n<v Ada>Hello <c.loud>there</c>,\nfriend\n\n" +
			"01:02.030 --> 01:03.000\n{\\an8}Bye\n"),
		"Whisper": []byte(`{"text": "x", "language": "en", "segments": [
			{"start": 1.0, "end": 2.5, "text": " Hello there,\nfriend"}, {"start": 62.03, "end": 63, "text": "Bye"}]}`),
		"a text that is no string": []byte(`{"text": ["x"], "segments": [
			{"start": 1.0, "end": 2.5, "text": "Hello there,\nfriend"}, {"start": 62.03, "end": 63, "text": "Bye"}]}`),
		"segments alone": []byte(`[{"start": 1.0, "end": 2.5, "text": "Hello there,\nfriend"},
			{"start": 62.03, "end": 63, "text": "Bye"}]`),
		"whisper.cpp": []byte(`{"result": {"language": "en"}, "transcription": [
			{"offsets": {"from": 1000, "to": 2500}, "text": " Hello there,\nfriend"},
			{"offsets": {"from": 62030, "to": 63000}, "text": " Bye"}]}`),
	} {
		m, err := ReadTranscript(data)
		if got := lines(m); err != nil || got != want {
			t.Errorf("%s: %v\n got %q\nwant %q", name, err, got, want)
		}
		if len(m.Words) != 4 || m.Words[3].Text != "Bye" || m.Words[3].Line != 1 || m.Exact {
			t.Errorf("%s: words %s", name, words(m))
		}
	}
}

// Words share the time of their line by length; times of their own stay.
func TestTimesOfWords(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"by length": {"00:00:01,000 --> 00:00:02,000\nI disagree", "~I@1000-1181 ~disagree@1181-2000"},
		"spaceless": {"00:00:00,000 --> 00:00:01,000\n你好。再见", "~你@0-222 ~好。@222-555 ~再@555-777 ~见@777-1000"},
		"inline": {"WEBVTT\n\n00:01.000 --> 00:03.000\nHello <00:01.500>my <00:02.000>friends",
			"Hello@1000-1500 my@1500-2000 friends@2000-3000"},
		"WhisperX": {`{"segments": [{"start": 1, "end": 3, "text": "In 1984 we", "words": [
			{"word": "In", "start": 1, "end": 1.2, "score": 0.9}, {"word": "1984"},
			{"word": "we", "start": 2, "end": 3, "score": 0.5}]}], "language": "en"}`,
			"In@1000-1200 1984@1200-2000 we@2000-3000"},
	} {
		m, err := ReadTranscript([]byte(c.text))
		if got := words(m); err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
}

// Voices of WebVTT, and the speakers of segments and words in JSON, become the speakers of words.
func TestSpeakersAreRead(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"voices": {
			"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada L.>Hello <i>there</i></v> friend\n\n" +
				"00:03.000 --> 00:04.000\nBye\n\n00:05.000 --> 00:06.000\n<v.loud Bo &amp; Cy>Me <00:05.500>too",
			"Hello=Ada L. there=Ada L. friend= Bye= Me=Bo & Cy too=Bo & Cy",
		},
		"two voices in a cue": {
			"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Hello <v Bo>Hi\n<v Ada>Well", "Hello=Ada Hi=Bo Well=Ada",
		},
		"WhisperX": {
			`{"segments": [{"start": 1, "end": 3, "text": "In 1984 we", "speaker": "SPEAKER_00", "words": [
				{"word": "In", "start": 1, "end": 1.2, "speaker": "SPEAKER_00"}, {"word": "1984"},
				{"word": "we", "start": 2, "end": 3, "speaker": "SPEAKER_01"}]}]}`,
			"In=SPEAKER_00 1984=SPEAKER_00 we=SPEAKER_01",
		},
		"segments alone": {
			`[{"start": 1, "end": 2, "text": "Hello there", "speaker": "Ada"},
				{"start": 3, "end": 4, "text": "Hi", "speaker": null}]`,
			"Hello=Ada there=Ada Hi=",
		},
		"numbers": {`[{"start": 1, "end": 2, "text": "Hello", "speaker": 0}]`, "Hello=0"},
		"whisper.cpp": {
			`{"transcription": [{"offsets": {"from": 0, "to": 900}, "text": " Hello", "speaker": "1"}]}`, "Hello=1",
		},
		"words alone": {
			`{"words": [{"text": "Hello", "start_ms": 0, "end_ms": 400, "speaker": " Ada\n L. "}]}`, "Hello=Ada L.",
		},
	} {
		m, err := ReadTranscript([]byte(c.text))
		var got []string
		for _, w := range m.Words {
			got = append(got, w.Text+"="+w.Speaker)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, strings.Join(got, " "), c.want)
		}
	}
}

// The API of Whisper names the language, and its words lack the punctuation of the text. Their
// times are not exact.
func TestAnswersOfTheAPIOfWhisper(t *testing.T) {
	const said = `"words": [{"word": "So", "start": 0, "end": 0.4}, {"word": "Ümit's", "start": 0.5, "end": 0.9},
		{"word": "twenty", "start": 1, "end": 1.2}, {"word": "five", "start": 1.2, "end": 1.4},
		{"word": "Or", "start": 1.5, "end": 2}]`
	for name, c := range map[string]struct{ data, language, lines string }{
		"words": {
			`{"task": "transcribe", "language": "german", "text": "So, Ümit's twenty-five! Or?", ` + said + `}`,
			"de", "0-2000 So, Ümit's twenty five Or?",
		},
		"segments": {
			`{"language": "haitian creole", "text": "x", "segments": [{"start": 0, "end": 0.95, "text": " So, Ümit's"},
				{"start": 0.95, "end": 2, "text": " twenty-five! Or?"}], ` + said + `}`,
			"ht", "0-950 So, Ümit's | 950-2000 twenty-five! Or?",
		},
		"unknown": {
			`{"language": "klingon", "text": "So, Ümit's twenty-five! Or?", ` + said + `}`,
			"", "0-2000 So, Ümit's twenty five Or?",
		},
	} {
		m, err := ReadTranscript([]byte(c.data))
		const want = "So,@0-400 Ümit's@500-900 twenty@1000-1200 five@1200-1400 Or?@1500-2000"
		if got := words(m); err != nil || got != want || m.Language != c.language || m.Exact || lines(m) != c.lines {
			t.Errorf("%s: %v, language %q, exact %t\n got %s | %s\nwant %s | %s",
				name, err, m.Language, m.Exact, got, lines(m), want, c.lines)
		}
	}
}

// The transcript that Roughcut exports comes back with every word, time and probability.
func TestOurOwnTranscriptLosesNothing(t *testing.T) {
	own := media.Transcript{
		Language: "de",
		Words: []media.Word{
			{Text: "Grüß", StartMS: 103, EndMS: 407, Probability: 0.97, Speaker: "Änne"},
			{Text: "Gott.", StartMS: 411, EndMS: 900, Probability: 0.313, Speaker: "Bo <x> & Co"},
			{Text: "Ja", StartMS: 1400, EndMS: 1600, Probability: 1},
		},
		Segments: []media.TimedText{
			{Text: "Grüß Gott.", StartMS: 100, EndMS: 950}, {Text: "Ja", StartMS: 1390, EndMS: 1700},
		},
	}
	packed, err := json.Marshal(struct {
		Generator string `json:"generator"`
		media.Transcript
	}{Generator, own})
	if err != nil {
		t.Fatal(err)
	}
	m, err := ReadTranscript(packed)
	if err != nil || !m.Exact || m.Language != "de" || !reflect.DeepEqual(m.Lines, own.Segments) {
		t.Fatalf("%+v, %v", m, err)
	}
	for i, w := range m.Words {
		if w.Word != own.Words[i] || w.Rough {
			t.Errorf("word %d is %+v, want %+v", i, w, own.Words[i])
		}
	}
}

func TestHostileFilesAreRefusedInWords(t *testing.T) {
	cue := func(times, text string) []byte { return []byte("1\n" + times + "\n" + text + "\n") }
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":          {[]byte(" \n"), "empty"},
		"no cues":        {[]byte("Dear diary,\n\ntoday nothing happened."), "no timed text"},
		"days":           {cue("00:00:03,000 --> 9999:00:01,000", "x"), "24 hours"},
		"Latin-1":        {cue("00:00:01,000 --> 00:00:02,000", "caf\xe9"), "UTF-8"},
		"odd UTF-16":     {append(inUTF16(srt, false), 'x'), "UTF-8"},
		"binary":         {[]byte("PK\x03\x04\x00\x00"), "not text"},
		"too large":      {make([]byte, MaxBytes+1), "larger than"},
		"too many lines": {[]byte(strings.Repeat("00:00:01,000 --> 00:00:02,000\nx\n\n", MaxLines+2)), "more than"},
		"a long line":    {cue("00:00:01,000 --> 00:00:02,000", strings.Repeat("x", maxRunes+1)), "longer than"},
		"a long speaker": {cue("00:00:01,000 --> 00:00:02,000", "<v "+strings.Repeat("x", 101)+">hi"), "100"},
		"a speaker list": {[]byte(`[{"text": "x", "start": 0, "end": 1, "speaker": []}]`), "not a transcript"},
		"broken JSON":    {[]byte(`{"segments": [`), "not a transcript"},
		"deep JSON":      {[]byte(strings.Repeat("[", 100_000)), "not a transcript"},
		"wrong type":     {[]byte(`{"segments": [{"start": "soon"}]}`), "not a transcript"},
		"no times":       {[]byte(`{"segments": [{"text": "x"}]}`), "no times"},
		"negative":       {[]byte(`{"segments": [{"text": "x", "start": -1, "end": 1}]}`), "before 0"},
		"infinite":       {[]byte(`{"segments": [{"text": "x", "start": 0, "end": 1e300}]}`), "no times"},
		"words backward": {[]byte(`{"words": [{"text": "x", "start_ms": 5, "end_ms": 1}]}`), "ends before"},
		"a bad time": {
			cue("00:00:01,000 --> 00:xx:02,000", "x"), "The time “00:00:01,000 --> 00:xx:02,000” cannot be read.",
		},
		"SubStation":       {[]byte("[Script Info]\nTitle: x\n\n[Events]\n"), "SubStation Alpha (.ass, .ssa), which"},
		"TTML":             {[]byte("<?xml version=\"1.0\"?>\n<tt></tt>"), "format TTML"},
		"MicroDVD":         {[]byte("{1}{25}so today"), "Choose a SubRip, WebVTT, Whisper or WhisperX file"},
		"lyrics":           {[]byte("[00:01.00]so today\n[00:02.00]we look"), "Choose a SubRip, WebVTT, Whisper"},
		"JSON of others":   {[]byte(`{"name": "roughcut", "version": 3}`), "no timed text"},
		"a cue of markup":  {cue("00:00:01,000 --> 00:00:02,000", "<i></i>"), "no timed text"},
		"millions of tags": {cue("00:00:01,000 --> 00:00:02,000", strings.Repeat("<i>", 1_000_000)), "no timed text"},
	} {
		_, err := ReadTranscript(c.data)
		var fault *Fault
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A line that ends before it starts lasts until the next line, and the file has a warning.
func TestALineThatEndsBeforeItStartsIsMended(t *testing.T) {
	const one = "Line 2 ends before it starts. It lasts until the next line. Check its times."
	for name, c := range map[string]struct {
		data []byte
		want string
		warn string
	}{
		"backward": {
			cues(false, "0 1000 so", "3000 2000 today",
				"5000 6000 we"), "0-1000 so | 3000-5000 today | 5000-6000 we", one,
		},
		"without a length": {
			cues(true, "0 1000 so", "3000 3000 today",
				"5000 6000 we"), "0-1000 so | 3000-5000 today | 5000-6000 we", one,
		},
		"the last": {cues(false, "0 1000 so", "3000 2000 today"), "0-1000 so | 3000-6000 today", one},
		"several": {
			cues(false, "0 1000 so", "3000 2000 today", "3000 2000 we", "5000 4000 look", "8000 9000 on"),
			"0-1000 so | 3000-5000 today | 3000-5000 we | 5000-8000 look | 8000-9000 on",
			"3 lines end before they start, the first is line 2. Each lasts until the next line. Check their times.",
		},
		"JSON": {
			[]byte(`[{"text": "so", "start": 0, "end": 1}, {"text": "today", "start": 3, "end": 2},
				{"text": "we", "start": 5, "end": 5}]`), "0-1000 so | 3000-5000 today | 5000-5001 we", one,
		},
		"a flash of rolling captions": {
			cues(true, "0 2000 so", "2000 2000 so", "2000 4000 so|today", "4000 4000 today", "4000 6000 today|we"),
			"0-2000 so | 2000-4000 today | 4000-6000 we", "",
		},
	} {
		m, err := ReadTranscript(c.data)
		if got := lines(m); err != nil || got != c.want || strings.Join(m.Warnings, " ") != c.warn {
			t.Errorf("%s: %v, warnings %q\n got %q\nwant %q", name, err, m.Warnings, got, c.want)
		}
	}
}

// A line whose time cannot be read is left out with its text, and the file has a warning.
func TestUnreadableTimesAreNamed(t *testing.T) {
	at := func(times ...string) []byte {
		file := "1\n00:00:00,000 --> 00:00:01,000\nso\n"
		for i, time := range times {
			file += fmt.Sprintf("%d\n%s\ntoday\nwe\n", i+2, time)
		}
		return []byte(file + "\n9\n00:00:05,000 --> 00:00:06,000\n1:30 --> 2:x\nlook")
	}
	for _, c := range []struct {
		times []string
		warn  string
	}{
		{
			[]string{"00:00:0x,000 --> 00:00:03,000"},
			"The time “00:00:0x,000 --> 00:00:03,000” cannot be read. Its line was left out.",
		},
		{[]string{"-00:00:01,000 --> 00:00:03,000"}, "The time “-00:00:01,000 --> 00:00:03,000” cannot be read."},
		{
			[]string{"00:00:01,000 --> soon", "2:3 --> 4:"},
			"2 times cannot be read, the first is “00:00:01,000 --> soon”.",
		},
	} {
		m, err := ReadTranscript(at(c.times...))
		const want = "0-1000 so | 5000-6000 1:30 --> 2:x\nlook"
		got, warned := lines(m), strings.Join(m.Warnings, " ")
		if err != nil || got != want || !strings.HasPrefix(warned, c.warn) {
			t.Errorf("%v: %v, warnings %q\n got %q\nwant %q", c.times, err, m.Warnings, got, want)
		}
	}
}

// Programs write SubRip with empty rows in a text. A cue of WebVTT ends there, and a warning names
// the rest.
func TestTextAfterAnEmptyRowIsNotLostInSilence(t *testing.T) {
	const file = "1\n00:00:00,000 --> 00:00:01,000\nso\n\ntoday\n\n\n<i>we</i>\n7\n\n" +
		"2\n\n00:00:02,000 --> 00:00:03,000\n \nlook\n\n3\n00:00:04,000 --> 00:00:05,000\n\n" +
		"4\n00:00:06,000 --> 00:00:07,000\nat\n\n8\nit\n\n5\n00:00:0x,000 --> 00:00:09,000\nlost\n\nas well\n\n6\n"
	const unread = "The time “00:00:0x,000 --> 00:00:09,000” cannot be read. Its line was left out. Correct it and " +
		"import the file again."
	for data, want := range map[string][]string{
		file: {"0-1000 so\ntoday\nwe\n7 | 2000-3000 look | 6000-7000 at\n8\nit", unread},
		"WEBVTT\n\nNOTE a\n\n1\n00:00.000 --> 00:01.000\nso\n\ntoday\nwe\n\nSTYLE\n\n2\n\n" +
			"00:02.000 --> 00:03.000\n\nlook": {
			"0-1000 so | 2000-3000 look",
			"The text “today we” follows an empty row and has no time. It was left out. Remove the empty row " +
				"before it.",
		},
		"WEBVTT\n\n00:00.000 --> 00:01.000\nso\n\ntoday\n\n00:02.000 --> 00:03.000\nlook\n\nwell": {
			"0-1000 so | 2000-3000 look", "2 texts follow an empty row and have no time, the first is “today”. " +
				"They were left out. Remove the empty rows before them.",
		},
	} {
		m, err := ReadTranscript([]byte(data))
		if got := []string{lines(m), strings.Join(m.Warnings, " ")}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%v\n got %q\nwant %q", err, got, want)
		}
	}
}

// Lines of WebVTT have the speaker of their voice tag. Lines without a voice tag have no speaker.
func TestCaptionLinesHaveTheirSpeakers(t *testing.T) {
	const text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada Lovelace>Hello there\n\n" +
		"00:03.000 --> 00:05.000\n<v Bo>yes</v> <v Ada Lovelace>and welcome to the show\n\n" +
		"00:06.000 --> 00:07.000\nno one\n"
	file, err := ReadTranscript([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []media.CaptionLine{
		{Text: "Hello there", StartMS: 1000, EndMS: 2000, Speaker: "Ada Lovelace"},
		{Text: "yes and welcome to the show", StartMS: 3000, EndMS: 5000, Speaker: "Ada Lovelace"},
		{Text: "no one", StartMS: 6000, EndMS: 7000},
	}
	if got := file.CaptionLines(); !slices.Equal(got, want) {
		t.Errorf("lines %+v, want %+v", got, want)
	}
}
