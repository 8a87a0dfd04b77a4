package subtitle

import (
	"strings"
	"testing"
)

func saidBy(t *testing.T, data []byte) string {
	t.Helper()
	m, err := ReadTranscript(data)
	if err != nil {
		t.Error(err)
	}
	var said []string
	for _, w := range m.Words {
		said = append(said, w.Text+"="+w.Speaker)
	}
	return strings.Join(said, " ")
}

// A name in brackets that comes back before spoken text is the speaker.
func TestNamesInBracketsAreSpeakers(t *testing.T) {
	for name, c := range map[string]struct {
		list []string
		want string
	}{
		"most cues": {
			[]string{"0 2000 [Ann Example] so", "2000 3000 [Bob] yes", "3000 4000 [Ann Example] we",
				"4000 5000 [Music] on"},
			"so=Ann Example yes=Bob we=Ann Example on=",
		},
		"few cues": {
			[]string{"0 2000 [Ann] so", "2000 3000 we", "3000 4000 [sighs] look", "4000 5000 at", "5000 6000 [Ann] it",
				"6000 7000 (Carol) then"}, "so=Ann we= look= at= it=Ann then=",
		},
		"round brackets": {
			[]string{"0 2000 (Ann) so", "2000 3000 {\\an8}(Bob) we", "3000 4000 (Ann) look", "4000 5000 (applause) at"},
			"so=Ann we=Bob look=Ann at=",
		},
		"rows": {
			[]string{"0 2000 - [Ann] so|- [Bob] yes", "2000 3000 &gt;&gt; [Ann]|we", "3000 4000 <i>[Bob]</i> look"},
			"so=Ann yes=Bob we=Ann look=Bob",
		},
		"numbers": {
			[]string{"0 2000 [SPEAKER_00] so", "2000 3000 [speaker 1] we", "3000 4000 [SPEAKER_00] look"},
			"so=SPEAKER_00 we=speaker 1 look=SPEAKER_00",
		},
		"other scripts": {
			[]string{"0 2000 ［田中］はい", "2000 3000 [Łukasz] so", "3000 4000 ［田中］[拍手] いえ"},
			"は=田中 い=田中 so=Łukasz い=田中 え=田中",
		},
		"rolling": {
			[]string{"0 2000 [Ann] so", "2000 2010 [Ann] so", "2010 4000 [Ann] so|today", "4000 4010 today",
				"4010 6000 today|[Bob] yes", "6000 6010 [Bob] yes", "6010 7000 [Bob] yes|[Ann] no"},
			"so=Ann today=Ann yes=Bob no=Ann",
		},
	} {
		for _, vtt := range []bool{false, true} {
			if got := saidBy(t, cues(vtt, c.list...)); got != c.want {
				t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
			}
		}
	}
}

// Descriptions of sounds stay descriptions before spoken text, however often they come back.
func TestSoundsInBracketsAreNoSpeakers(t *testing.T) {
	for _, sound := range []string{
		"[Laughter]", "[LAUGHS]", "[Sighs]", "[Ann Laughing]", "(Humming)", "(Phone Rings)", "[MUSIC PLAYING]",
		"[laughing softly]", "[a bell]", "[Lachen]", "[Rires]", "[Risas]", "[Смех]", "［笑い声］", "[掌声]", "[박수]",
		"[موسيقى]", "[Indistinct Chatter]", "[No Audio]", "[Speaks Spanish]", "[Door Slams]",
	} {
		data := cues(false, "0 2000 "+sound+" so", "2000 3000 "+sound+" we", "3000 4000 "+sound+" look")
		if got := saidBy(t, data); got != "so= we= look=" {
			t.Errorf("%s: %s", sound, got)
		}
	}

	for name, list := range map[string][]string{
		"once":      {"0 2000 [Ann] so", "2000 3000 we", "3000 4000 look"},
		"each once": {"0 2000 [Crunching] so", "2000 3000 [Zapping] we"},
		"mostly alone": {"0 2000 [Beatbox] so", "2000 2500 [Beatbox]", "2500 3000 [Beatbox] we",
			"3000 4000 look|[Beatbox]"},
		"a word in small letters": {"0 2000 [Mark] so", "2000 2500 [Mark] we", "2500 3000 look", "3000 4000 [mark]",
			"4000 5000 [mark]"},
		"a remark": {"0 2000 [Note] so", "2000 2500 [Part 2] we", "2500 3000 [Note] look"},
		"growing": {"0 2000 [Beatbox] so", "2000 2500 [Beatbox] so we", "2500 3000 [Beatbox] so we look",
			"4000 5000 x", "5000 6000 y", "6000 7000 z"},
	} {
		m, err := ReadTranscript(cues(false, list...))
		for _, w := range m.Words {
			if err != nil || w.Speaker != "" || strings.Contains(w.Text, "[") {
				t.Errorf("%s: %v, %q is said by %q", name, err, w.Text, w.Speaker)
			}
		}
	}
}

// The mark of a change of speaker is not a word. Captions keep it.
func TestMarksOfANewSpeakerAreNotSpoken(t *testing.T) {
	for name, data := range map[string][]byte{
		"cues": cues(true, "0 2000 >> so today|&gt;&gt;&gt; we", "2000 3000 <i>≫look</i>", "3000 4000 >>|at"),
		"JSON": []byte(`[{"text": ">> so today we", "start": 0, "end": 2}, {"text": ">> look at", "start": 2, "end": 4,
			"words": [{"word": " >>", "start": 2, "end": 2.1}, {"word": " look", "start": 2.1, "end": 3},
				{"word": " at", "start": 3, "end": 4}]}]`),
	} {
		if got := saidBy(t, data); got != "so= today= we= look= at=" {
			t.Errorf("%s: %s", name, got)
		}
	}

	m, err := ReadCaptions(cues(true, "0 2000 >> so"))
	if err != nil || lines(m) != "0-2000 >> so" {
		t.Errorf("%v, captions %s", err, lines(m))
	}
}
