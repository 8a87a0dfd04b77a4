package whisper

import (
	"bytes"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"

	binding "github.com/ggerganov/whisper.cpp/bindings/go"
)

func TestSpeechLanguagesAreThoseOfWhisper(t *testing.T) {
	var codes []string
	for id := range binding.Whisper_lang_max_id() + 1 {
		codes = append(codes, binding.Whisper_lang_str(id))
	}
	slices.Sort(codes)
	if got := media.SpeechLanguages(); !slices.Equal(got, codes) {
		t.Errorf("the languages are %v, want %v", got, codes)
	}
}

// Models before large-v3 know 99 languages, all but Cantonese.
func TestLanguageOfATranscription(t *testing.T) {
	english := ModelInfo{Languages: 1}
	most := ModelInfo{Languages: 99, Multilingual: true}
	all := ModelInfo{Languages: 100, Multilingual: true}
	for _, c := range []struct {
		model             ModelInfo
		asked, code, note string
	}{
		{english, "", "en", media.LanguageAssumed},
		{english, "en-GB", "en", ""},
		{english, "de", "", media.LanguageUnsupported},
		{most, "", "", ""},
		{most, "pt-BR", "pt", ""},
		{most, "yue", "", media.LanguageUnsupported},
		{most, "xx", "", media.LanguageUnsupported},
		{all, "yue", "yue", ""},
	} {
		code, note := c.model.language(c.asked)
		if code != c.code || note != c.note {
			t.Errorf(
				"a model of %d languages, asked for %q, hears %q with the doubt %q; want %q, %q",
				c.model.Languages, c.asked, code, note, c.code, c.note,
			)
		}
	}
}

func TestDetectionIsUnsureBelowOneHalf(t *testing.T) {
	for _, c := range []struct {
		probabilities []float32
		id            int
		sure          bool
	}{
		{[]float32{0.98, 0.01, 0.01}, 0, true},
		{[]float32{0.1, 0.5, 0.4}, 1, true},
		{[]float32{0.3, 0.21, 0.49}, 2, false},
		{[]float32{0.25, 0.25, 0.25, 0.25}, 0, false},
		{nil, 0, false},
	} {
		if id, sure := likeliest(c.probabilities); id != c.id || sure != c.sure {
			t.Errorf("likeliest(%v) is %d, %t; want %d, %t", c.probabilities, id, sure, c.id, c.sure)
		}
	}
}

func TestEnglishModelHearsNoWordsOfOtherLanguages(t *testing.T) {
	m := openModel(t)
	speech := mediatest.Speak(t, "rate 16000\nsay en-us 160 hello and welcome to my channel\npause 500\n")
	raw := bytes.NewReader(speech.Raw)
	for asked, want := range map[string]media.Transcript{
		"":   {Language: "en", Doubt: media.LanguageAssumed},
		"en": {Language: "en"},
		"de": {Doubt: media.LanguageUnsupported},
	} {
		got, err := m.Transcribe(t.Context(), raw, raw.Size(), Options{Language: asked}, nil)
		if err != nil || got.Language != want.Language || got.Doubt != want.Doubt ||
			(len(got.Words) == 0) != (asked == "de") {
			t.Errorf("language %q gives %+v, %v; want %+v", asked, got, err, want)
		}
	}
}
