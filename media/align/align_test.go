package align

import (
	"fmt"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
)

// recording is a recording with sound in some spans.
func recording(durationMS int64, spans ...media.Span) audio.VoiceActivity {
	return audio.VoiceActivity{DurationMS: durationMS, Spans: spans}
}

// rough are the words of lines without times of their own.
func rough(lines ...media.TimedText) media.ImportedTranscript {
	in := media.ImportedTranscript{Language: "en", Lines: lines}
	for n, line := range lines {
		texts := strings.Fields(line.Text)
		length := (line.EndMS - line.StartMS) / int64(len(texts))
		for i, text := range texts {
			start := line.StartMS + length*int64(i)
			in.Words = append(in.Words, media.ImportedWord{
				Word: media.Word{Text: text, StartMS: start, EndMS: start + length, Probability: 1},
				Line: n, Rough: true,
			})
		}
	}
	return in
}

func shown(m media.Transcript) string {
	var out []string
	for _, w := range m.Words {
		out = append(out, fmt.Sprintf("%s@%d-%d", w.Text, w.StartMS, w.EndMS))
	}
	return strings.Join(out, " ")
}

// Words take the times of the same recognized words, or of the recognized words in their place.
func TestGuidedWordsTakeTheTimesThatTheModelHeard(t *testing.T) {
	in := rough(media.TimedText{Text: "Hello, everyone and welcome", StartMS: 500, EndMS: 4500})
	heard := []media.Word{
		{Text: "oh", StartMS: 300, EndMS: 600}, {Text: "hello", StartMS: 1000, EndMS: 1300},
		{Text: "Everyone", StartMS: 1310, EndMS: 1800}, {Text: "in", StartMS: 3000, EndMS: 3200},
		{Text: "welcome.", StartMS: 3250, EndMS: 3900},
	}
	v := recording(6000, media.Span{StartMS: 1000, EndMS: 1800}, media.Span{StartMS: 3000, EndMS: 3900})
	const want = "Hello,@1000-1300 everyone@1310-1800 and@3000-3200 welcome@3250-3900"
	if got := shown(Guided(in, heard, v)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A line does not take the words of its neighbors.
func TestGuidedLinesKeepTheirWords(t *testing.T) {
	in := rough(
		media.TimedText{Text: "we took the", StartMS: 500, EndMS: 1800},
		media.TimedText{Text: "the road", StartMS: 1800, EndMS: 3000},
	)
	heard := []media.Word{
		{Text: "we", StartMS: 600, EndMS: 800}, {Text: "took", StartMS: 800, EndMS: 1200},
		{Text: "the", StartMS: 1900, EndMS: 2100}, {Text: "road", StartMS: 2100, EndMS: 2900},
	}
	v := recording(4000, media.Span{StartMS: 600, EndMS: 1700}, media.Span{StartMS: 1900, EndMS: 2900})
	const want = "we@600-800 took@800-1200 the@1200-1700 the@1900-2100 road@2100-2900"
	if got := shown(Guided(in, heard, v)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Words that the model omitted get their part of the sound that it gave to the word before them.
func TestOmittedWordsShareTheSoundOfTheirNeighbor(t *testing.T) {
	in := rough(media.TimedText{Text: "fix the office for three hours", StartMS: 900, EndMS: 3100})
	heard := []media.Word{
		{Text: "fix", StartMS: 1000, EndMS: 1300}, {Text: "the", StartMS: 1300, EndMS: 1450},
		{Text: "office", StartMS: 1450, EndMS: 3000},
	}
	got := Guided(in, heard, recording(5000, media.Span{StartMS: 1000, EndMS: 3000})).Words
	if len(got) != 6 || got[0].EndMS != 1300 || got[2].StartMS != 1450 || got[5].EndMS != 3000 {
		t.Fatalf("got %v, want six words, with the times of the model around the omitted ones", got)
	}
	for _, w := range got[2:] {
		if length := w.EndMS - w.StartMS; length < 200 || length > 600 {
			t.Errorf("%q takes %d ms of the 1550 ms of four words", w.Text, length)
		}
	}
}

// The model heard two words in the wrong order. The longer one keeps its time.
func TestLongWordsKeepTheirPairs(t *testing.T) {
	in := rough(media.TimedText{Text: "at the airport um", StartMS: 900, EndMS: 2600})
	heard := []media.Word{
		{Text: "at", StartMS: 1000, EndMS: 1200}, {Text: "airport", StartMS: 1350, EndMS: 1800},
		{Text: "the", StartMS: 1800, EndMS: 1900}, {Text: "um", StartMS: 2200, EndMS: 2500},
	}
	v := recording(4000, media.Span{StartMS: 1000, EndMS: 1900}, media.Span{StartMS: 2200, EndMS: 2500})
	const want = "at@1000-1200 the@1200-1350 airport@1350-1800 um@2200-2500"
	if got := shown(Guided(in, heard, v)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// No word is lost, also in a recording without sound, and none overlaps another.
func TestAlignedTranscriptsKeepEveryWord(t *testing.T) {
	in := rough(media.TimedText{Text: "one two three four five six", StartMS: 0, EndMS: 3000})
	for name, v := range map[string]audio.VoiceActivity{
		"silence":    recording(5000),
		"one sound":  recording(5000, media.Span{StartMS: 1000, EndMS: 1400}),
		"elsewhere":  recording(9000, media.Span{StartMS: 7000, EndMS: 8000}),
		"ends early": recording(2000, media.Span{StartMS: 0, EndMS: 2000}),
	} {
		for kind, m := range map[string]media.Transcript{"snapped": Transcript(in, v), "guided": Guided(in, nil, v)} {
			var texts []string
			last := int64(0)
			for _, w := range m.Words {
				texts = append(texts, w.Text)
				if w.StartMS < last || w.EndMS <= w.StartMS || w.EndMS > v.DurationMS {
					t.Errorf("%s, %s: %s", name, kind, shown(m))
				}
				last = w.EndMS
			}
			want := in.Lines[0].Text
			if name == "ends early" {
				want = "one two three four" // the rest is past the end
			}
			if got := strings.Join(texts, " "); got != want {
				t.Errorf("%s, %s: %s", name, kind, shown(m))
			}
		}
	}
}

// A transcript of Roughcut keeps its times, wherever the sound is.
func TestExactTranscriptsKeepTheirTimes(t *testing.T) {
	in := rough(media.TimedText{Text: "one two", StartMS: 100, EndMS: 900})
	in.Exact = true
	m := Transcript(in, recording(2000, media.Span{StartMS: 1500, EndMS: 1900}))
	if got := shown(m); got != "one@100-500 two@500-900" || len(m.Segments) != 1 {
		t.Errorf("%s, segments %+v", got, m.Segments)
	}
}
