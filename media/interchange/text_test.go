package interchange_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
	"roughcut/media/subtitle"
)

// Special characters in captions do not break subtitle files.
func TestSubtitleFilesEscapeCaptions(t *testing.T) {
	captions := []media.Caption{
		{Text: "one & two", StartMS: 0, EndMS: 1005},
		{Text: "a <i>b</i> --> c\nsecond row", StartMS: 3_723_004, EndMS: 3_724_000},
	}
	var srt, vtt, txt bytes.Buffer
	interchange.WriteSRT(&srt, captions)
	interchange.WriteVTT(&vtt, captions, false)
	interchange.WriteText(&txt, captions)
	for name, c := range map[string]struct{ got, want string }{
		"srt": {
			srt.String(),
			"1\n00:00:00,000 --> 00:00:01,005\none & two\n\n" +
				"2\n01:02:03,004 --> 01:02:04,000\na <i>b</i> → c\nsecond row\n\n",
		},
		"vtt": {
			vtt.String(),
			"WEBVTT\n\n00:00:00.000 --> 00:00:01.005\none &amp; two\n\n" +
				"01:02:03.004 --> 01:02:04.000\na &lt;i&gt;b&lt;/i&gt; --&gt; c\nsecond row\n\n",
		},
		"txt": {txt.String(), "one & two\na <i>b</i> --> c second row\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s = %q, want %q", name, c.got, c.want)
		}
	}
}

func TestChaptersAreLinesOfADescription(t *testing.T) {
	var out bytes.Buffer
	interchange.WriteChapters(&out, nil)
	interchange.WriteChapters(&out, []media.Chapter{
		{Title: "Intro"}, {StartMS: 960, Title: "Start"}, {StartMS: 3_725_000, Title: "End"},
	})
	if got, want := out.String(), "0:00 Intro\n0:01 Start\n1:02:05 End\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// spoken returns a project of 10 s with a cut from 2 s to 5 s, and words before, in and after it.
func textOf() interchange.Project {
	words := []media.Word{
		{Text: "one", StartMS: 500, EndMS: 900, Probability: 0.5}, {Text: "two", StartMS: 1000, EndMS: 1400},
		{Text: "gone", StartMS: 3000, EndMS: 3500}, {Text: "three", StartMS: 6000, EndMS: 6400},
	}
	return interchange.Project{
		Name: "Talk", VolumePercent: 100,
		Recordings: []interchange.Recording{
			{UUID: "c", Name: "talk.mp4", Info: video(media.Rate{Num: 25, Den: 1}, 250)},
		},
		Edits: []interchange.Edit{
			{UUID: "e", Kind: media.EditFiller, Reason: "filler", StartMS: 2000, EndMS: 5000, Active: true},
		},
		Transcript: media.Transcript{Language: "en", Words: words, Segments: []media.TimedText{
			{Text: "one two gone", StartMS: 500, EndMS: 3600}, {Text: "three", StartMS: 6000, EndMS: 6400},
		}},
		Captions: []media.CaptionLine{
			{Text: "one two", StartMS: 500, EndMS: 1400}, {Text: "gone three", StartMS: 3000, EndMS: 6400},
		},
		Chapters: []media.Chapter{{StartMS: 0, Title: "Start"}, {StartMS: 5500, Title: "Next"}},
	}
}

// Texts have the times of the edited video or of the recordings.
func TestTextsHaveTheTimesOfTheTimeline(t *testing.T) {
	for format, want := range map[string][2]string{
		"srt": {
			"1\n00:00:00,500 --> 00:00:01,400\none two\n\n2\n00:00:02,000 --> 00:00:03,400\nthree\n\n",
			"1\n00:00:00,500 --> 00:00:01,400\none two\n\n2\n00:00:03,000 --> 00:00:06,400\ngone three\n\n",
		},
		"vtt": {
			"WEBVTT\n\n00:00:00.500 --> 00:00:01.400\none <00:00:01.000>two\n\n" +
				"00:00:02.000 --> 00:00:03.400\n<00:00:03.000>three\n\n",
			"WEBVTT\n\n00:00:00.500 --> 00:00:01.400\none <00:00:01.000>two\n\n" +
				"00:00:03.000 --> 00:00:06.400\ngone <00:00:06.000>three\n\n",
		},
		"txt":       {"one two\nthree\n", "one two\ngone three\n"},
		"txt-times": {"[00:00:00] one two\n[00:00:02] three\n", "[00:00:00] one two\n[00:00:03] gone three\n"},
		"audacity":  {"2.000000\t2.000000\tFiller: filler\n", "2.000000\t5.000000\tFiller: filler\n"},
		"audacity-words": {
			"0.500000\t0.900000\tone\n1.000000\t1.400000\ttwo\n3.000000\t3.400000\tthree\n",
			"0.500000\t0.900000\tone\n1.000000\t1.400000\ttwo\n3.000000\t3.500000\tgone\n6.000000\t6.400000\tthree\n",
		},
		"chapters": {"0:00 Start\n0:03 Next\n", "0:00 Start\n0:06 Next\n"},
		"csv":      {"0,2,Segment 1\n5,10,Segment 2\n", "0,2,Segment 1\n5,10,Segment 2\n"},
	} {
		for i, whole := range []bool{false, true} {
			line := timelineOf(t, textOf(), place, whole)
			if got := written(t, format, line, interchange.Options{}); got != want[i] {
				t.Errorf("%s, whole %v: got %q, want %q", format, whole, got, want[i])
			}
		}
	}
}

// The transcript has the shape of Whisper's JSON, and nothing of it is lost.
func TestTranscriptIsWhisperJSON(t *testing.T) {
	p := textOf()
	type word struct {
		Word                    string
		Start, End, Probability float64
	}
	read := func(whole bool) (doc struct {
		Text, Language string
		Segments       []struct {
			Text       string
			Start, End float64
			Words      []word
		}
	}) {
		t.Helper()
		text := written(t, "json", timelineOf(t, p, place, whole), interchange.Options{})
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	doc := read(true)
	if doc.Text != "one two gone three" || doc.Language != "en" || len(doc.Segments) != 2 ||
		len(doc.Segments[0].Words) != 3 || doc.Segments[0].Words[0] != (word{" one", 0.5, 0.9, 0.5}) ||
		doc.Segments[1].Start != 6 || doc.Segments[0].End != 3.6 {
		t.Errorf("all footage: %+v", doc)
	}
	doc = read(false)
	if doc.Text != "one two three" || len(doc.Segments[0].Words) != 2 || doc.Segments[1].Words[0].Start != 3 ||
		doc.Segments[0].Text != "one two" || doc.Segments[0].End != 2 {
		t.Errorf("edited: %+v", doc)
	}
}

// conversation returns the project of spoken with two speakers. The word "gone" has no speaker.
func conversation() interchange.Project {
	p := textOf()
	for i, speaker := range []string{"Ada & <A>", "Bo", "", "Bo"} {
		p.Transcript.Words[i].Speaker = speaker
	}
	return p
}

func TestTextsNameTheSpeakers(t *testing.T) {
	for format, want := range map[string]string{
		"srt": "1\n00:00:00,500 --> 00:00:01,400\none two\n\n2\n00:00:02,000 --> 00:00:03,400\nthree\n\n",
		"vtt": "WEBVTT\n\n00:00:00.500 --> 00:00:01.400\n<v Ada &amp; &lt;A&gt;>one <00:00:01.000><v Bo>two\n\n" +
			"00:00:02.000 --> 00:00:03.400\n<00:00:03.000><v Bo>three\n\n",
		"txt":       "Ada & <A>: one two\nBo: three\n",
		"txt-times": "[00:00:00] Ada & <A>: one two\n[00:00:02] Bo: three\n",
	} {
		if got := written(t, format, timelineOf(t, conversation(), place, false), interchange.Options{}); got != want {
			t.Errorf("%s: got %q, want %q", format, got, want)
		}
	}
	var vtt bytes.Buffer
	interchange.WriteVTT(&vtt, []media.Caption{{Text: "edited", EndMS: 900, Speaker: "Bo"}}, true)
	if got, want := vtt.String(), "WEBVTT\n\n00:00:00.000 --> 00:00:00.900\n<v Bo>edited\n\n"; got != want {
		t.Errorf("a caption without words is %q, want %q", got, want)
	}
}

// A phrase of two speakers is divided where the speaker changes, and its text with it.
func TestSegmentsHaveOneSpeaker(t *testing.T) {
	p := conversation()
	for text, want := range map[string][]string{
		p.Transcript.Segments[0].Text: {"one|Ada & <A>", "two|Bo", "gone|"},
		"one,\ntwo – gone!":           {"one,|Ada & <A>", "two –|Bo", "gone!|"},
		"another text":                {"one|Ada & <A>", "two|Bo", "gone|"},
	} {
		p.Transcript.Segments[0].Text = text
		var doc struct {
			Text     string
			Segments []struct {
				ID            int
				Start, End    float64
				Text, Speaker string
				Words         []struct {
					Start, End float64
					Speaker    string
				}
			}
		}
		file := written(t, "json", timelineOf(t, p, place, true), interchange.Options{})
		if err := json.Unmarshal([]byte(file), &doc); err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, s := range doc.Segments {
			got = append(got, s.Text+"|"+s.Speaker)
			isInside := len(s.Words) == 1 && s.Start <= s.Words[0].Start && s.End >= s.Words[0].End
			if s.ID != i || !isInside || s.Words[0].Speaker != s.Speaker {
				t.Errorf("%q: segment %d is %+v", text, i, s)
			}
		}

		if want = append(want, "three|Bo"); !slices.Equal(got, want) {
			t.Errorf("%q: segments %q, want %q", text, got, want)
		}
		if first, last := doc.Segments[0], doc.Segments[2]; first.Start != 0.5 || last.End != 3.6 {
			t.Errorf("%q: the phrase lasts from %v to %v s, want from 0.5 to 3.6 s", text, first.Start, last.End)
		}
	}
}

// The JSON and the WebVTT of a conversation come back with the speaker of each word.
func TestSpeakersComeBack(t *testing.T) {
	p := conversation()
	line := timelineOf(t, p, place, true)
	for _, format := range []string{"json", "vtt"} {
		m, err := subtitle.ReadCaptions([]byte(written(t, format, line, interchange.Options{})))
		if err != nil || len(m.Words) != len(p.Transcript.Words) {
			t.Fatalf("%s: %+v, %v", format, m, err)
		}
		for i, w := range m.Words {
			if said := p.Transcript.Words[i]; w.Text != said.Text || w.Speaker != said.Speaker {
				t.Errorf("%s: %q is said by %q, want %q", format, w.Text, w.Speaker, said.Speaker)
			}
		}
	}
}
