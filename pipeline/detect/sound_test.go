package detect

import (
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
)

// withSounds returns the evidence of two words with a pause of 2 s that has sounds.
func withSounds(sounds ...audio.Sound) Evidence {
	e := evidenceOf("hello [2000] there")
	e.Voice.Sounds = sounds
	return e
}

func sound(kind string, startMS, endMS int64) audio.Sound {
	return audio.Sound{Span: media.Span{StartMS: startMS, EndMS: endMS}, Kind: kind, LevelDB: -45}
}

func TestKindsOfSilenceFollowTheSettings(t *testing.T) {
	breath, hum := sound(audio.SoundBreath, 1600, 2100), sound(audio.SoundBackground, 900, 1500)
	keys, faint := sound(audio.SoundNoise, 700, 1200), sound(audio.SoundFaint, 900, 1500)
	for name, c := range map[string]struct {
		sound   audio.Sound
		options media.CutOptions
		want    string
	}{
		"a breath": {breath, media.CutOptions{}, "326-2074 Pause of 2.0 s after “hello”, with a breath"},
		"a shortened breath": {
			breath, media.CutOptions{Breaths: media.ChoiceShorten},
			"326-1824 Pause of 1.8 s after “hello”, with a breath",
		},
		"a kept breath": {
			breath, media.CutOptions{Breaths: media.ChoiceKeep}, "326-1474 Pause of 1.4 s after “hello”",
		},
		"background": {hum, media.CutOptions{}, "326-2074 Pause of 2.0 s after “hello”, over background sound"},
		"kept background": {
			hum, media.CutOptions{Background: media.ChoiceKeep},
			"326-774 Pause of 0.7 s after “hello”\n1626-2074 Pause of 0.7 s after “hello”",
		},
		"music of an earlier version": {
			sound("music", 900, 1500), media.CutOptions{},
			"326-2074 Pause of 2.0 s after “hello”, over background sound",
		},
		"kept music of an earlier version": {
			sound("music", 900, 1500), media.CutOptions{Background: media.ChoiceKeep},
			"326-774 Pause of 0.7 s after “hello”\n1626-2074 Pause of 0.7 s after “hello”",
		},
		"noise": {
			keys, media.CutOptions{Background: media.ChoiceKeep}, "326-2074 Pause of 2.0 s after “hello”, with noise",
		},
		"faint speech": {
			faint, media.CutOptions{}, "326-774 Pause of 0.7 s after “hello”\n1626-2074 Pause of 0.7 s after “hello”",
		},
		"removed faint speech": {
			faint, media.CutOptions{FaintSpeech: media.ChoiceRemove},
			"326-2074 Pause of 2.0 s after “hello”, with very quiet speech",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.PacingLevel = 50
			edits := Edits(withSounds(c.sound), Settings{CutOptions: c.options})
			if got := only(media.EditSilence, edits); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestLoudSoundWithoutWordsStays(t *testing.T) {
	loud := sound(audio.SoundNoise, 900, 1500)
	e := withSounds(loud)
	e.Voice.Spans = slices.Insert(e.Voice.Spans, 1, loud.Span)
	for i := 90; i < 150; i++ {
		e.Voice.Levels[i] = 155
	}
	for name, words := range map[string][]media.Word{"with a transcript": e.Words, "without a transcript": nil} {
		t.Run(name, func(t *testing.T) {
			e := e
			e.Words = words
			got := only(media.EditSilence, Edits(e, paced(50)))
			want := "900-1500 Sound without speech for 0.6 s, as loud as speech: it stays (inactive)"
			if !strings.Contains(got, want) || strings.Count(got, "\n") != 2 {
				t.Errorf("got\n%s\nwant the pauses around it and\n%s", got, want)
			}
		})
	}
	e.Words = slices.Insert(slices.Clone(e.Words), 1, media.Word{Text: "ha", StartMS: 1000, EndMS: 1300})
	if got := only(media.EditSilence, Edits(e, paced(50))); strings.Contains(got, "as loud as speech") {
		t.Errorf("a word is proposed as sound without words: %s", got)
	}
}

func TestDemonstrationsAreKeptOnRequest(t *testing.T) {
	e := evidenceOf("look [14000] there")
	e.Motion = slices.Repeat([]byte{200}, 15)
	if got := only(media.EditSilence, Edits(e, paced(50))); strings.Contains(got, "inactive") {
		t.Errorf("a demonstration is kept without the setting: %s", got)
	}
	keep := media.CutOptions{PacingLevel: 50, KeepDemonstrations: true}
	got := only(media.EditSilence, Edits(e, Settings{CutOptions: keep}))
	if got != "326-14074 Pause of 14 s after “look”: something moves here for 14 s (inactive)" {
		t.Errorf("got %s", got)
	}
	for _, x := range Edits(e, Settings{CutOptions: media.CutOptions{PacingLevel: 50, KeepDemonstrations: true}}) {
		if x.Type == media.EditSilence && x.Confidence >= activeFrom {
			t.Errorf("the cut of a demonstration that is kept has a confidence of %v", x.Confidence)
		}
	}
}

// A speech model may hear the words of faint speech that the user removes.
func TestWordsOfFaintSpeechAreRemovedOnRequest(t *testing.T) {
	e := withSounds(sound(audio.SoundFaint, 900, 1500))
	e.Words = slices.Insert(slices.Clone(e.Words), 1, media.Word{Text: "psst", StartMS: 950, EndMS: 1450})
	got := only(media.EditSilence, Edits(e, paced(50)))
	if strings.Contains(got, "too quiet") || strings.Count(got, "Pause") != 2 {
		t.Errorf("kept faint speech: %s", got)
	}
	got = only(media.EditSilence, Edits(e, english(media.CutOptions{PacingLevel: 50, FaintSpeech: media.ChoiceRemove})))
	if got != "326-2074 Pause of 2.0 s after “hello”, with very quiet speech" {
		t.Errorf("removed faint speech: %s", got)
	}
}

func TestLongDurationsReadAsPeopleSayThem(t *testing.T) {
	for ms, want := range map[int64]string{
		940: "0.9 s", 9_940: "9.9 s", 9_960: "10 s", 59_400: "59 s", 60_000: "1 min", 1_204_600: "20 min 5 s",
	} {
		if got := seconds(ms); got != want {
			t.Errorf("%d ms is %q, want %q", ms, got, want)
		}
	}
}

func TestKeyframesThatCopyNothingDoNotMoveCuts(t *testing.T) {
	e := evidenceOf("one [2000] two [2000] three")
	e.Keyframes = []int64{0, 2010, 6000}
	if got := only(media.EditSilence, Edits(e, paced(50))); !strings.HasPrefix(got, "326-2074 ") {
		t.Errorf("a cut moves to a keyframe before a GOP that is cut again: %s", got)
	}
	e.Keyframes = []int64{0, 2010, 2300}
	if got := only(media.EditSilence, Edits(e, paced(50))); !strings.HasPrefix(got, "263-2010 ") {
		t.Errorf("a cut does not move to a keyframe before a whole GOP: %s", got)
	}
	exact := Settings{CutOptions: media.CutOptions{PacingLevel: 50, ExactEdges: true}}
	if got := only(media.EditSilence, Edits(e, exact)); !strings.HasPrefix(got, "326-2074 ") {
		t.Errorf("an exact cut moves to a keyframe: %s", got)
	}
}

// Takes are compared with the endings that noise hides. Without them, repeats of short sentences
// were missed.
func TestTakesHaveHiddenEndings(t *testing.T) {
	ms := func(from, to int64) media.Span { return media.Span{StartMS: from, EndMS: to} }
	got := withoutSounds(audio.VoiceActivity{
		DurationMS: 5000,
		Spans:      []media.Span{ms(500, 1200), ms(2000, 3000), ms(3500, 4000)},
		Hidden:     []media.Span{ms(1200, 1280), ms(3000, 3110)},
		Sounds:     []audio.Sound{{Span: ms(3500, 3800)}},
	})
	if want := []media.Span{ms(500, 1280), ms(2000, 3110), ms(3800, 4000)}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A lasting sound as loud as speech stays with the quieter sound that touches it. Sound after a
// pause, and speech that is too quiet to hear, belong to other sounds.
func TestLoudSoundsGrow(t *testing.T) {
	begins, loud := sound(audio.SoundNoise, 800, 980), sound(audio.SoundNoise, 1000, 3000)
	fades := sound(audio.SoundBackground, 3020, 3900)
	far, faint := sound(audio.SoundNoise, 4200, 4400), sound(audio.SoundFaint, 500, 790)
	v := audio.VoiceActivity{
		DurationMS: 6000, Spans: []media.Span{loud.Span}, Sounds: []audio.Sound{faint, begins, loud, fades, far},
	}
	growSounds(&v)
	whole := media.Span{StartMS: 800, EndMS: 3900}
	if len(v.Sounds) != 3 || v.Sounds[1].Span != whole || !slices.Equal(v.Spans, []media.Span{whole}) {
		t.Errorf("sounds %+v, voice %v", v.Sounds, v.Spans)
	}
	short := audio.VoiceActivity{
		Spans:  []media.Span{{StartMS: 1000, EndMS: 1500}},
		Sounds: []audio.Sound{begins, sound(audio.SoundNoise, 1000, 1500)},
	}
	if growSounds(&short); len(short.Sounds) != 2 {
		t.Errorf("a short sound grew: %+v", short.Sounds)
	}
}
