package media

import (
	"strings"
	"testing"
)

func TestSpeechLanguageIgnoresTheRegion(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"": "", "en": "en", "pt-BR": "pt", "PT_br": "pt", "zh-Hant-TW": "zh", "nb-NO": "no", "jv": "jw", "yue": "yue",
	} {
		if got, err := SpeechLanguage(tag); got != want || err != nil {
			t.Errorf("SpeechLanguage(%q) is %q, %v; want %q", tag, got, err, want)
		}
	}

	for _, tag := range []string{"xx", "xx-BR", "eng", "-"} {
		_, err := SpeechLanguage(tag)
		if err == nil || !strings.Contains(err.Error(), `"`+tag+`" is`) ||
			!strings.Contains(err.Error(), " de, el, en, ") {
			t.Errorf("SpeechLanguage(%q) has the error %v, want the known languages", tag, err)
		}
	}
}
