package media

import (
	"fmt"
	"slices"
	"strings"
)

// Doubts about the language of a transcript.
const (
	// LanguageUnsure means that the speech model detected the language with little certainty.
	LanguageUnsure = "unsure"
	// LanguageAssumed means that the speech model knows one language only and cannot detect others.
	LanguageAssumed = "assumed"
	// LanguageUnsupported means that the speech model does not know the requested language, and the
	// transcript has no words.
	LanguageUnsupported = "unsupported"
)

// speechLanguages are the codes of the languages of Whisper models.
var speechLanguages = strings.Fields(`
	af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id
	is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd
	si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh`)

// otherCodes are other codes of these languages.
var otherCodes = map[string]string{"cmn": "zh", "fil": "tl", "iw": "he", "jv": "jw", "nb": "no"}

// SpeechLanguages returns the codes of the languages of speech models, sorted.
func SpeechLanguages() []string { return slices.Clone(speechLanguages) }

// SpeechLanguage returns the code of SpeechLanguages for a language tag: "pt" for "pt-BR". An empty
// tag, for detection, gives "". The error names the known languages.
func SpeechLanguage(tag string) (string, error) {
	if tag == "" {
		return "", nil
	}
	code := BaseLanguage(tag)
	if other, ok := otherCodes[code]; ok {
		code = other
	}
	if slices.Contains(speechLanguages, code) {
		return code, nil
	}
	return "", fmt.Errorf(
		"%q is not a language of speech models. Use one of these codes: %s",
		tag, strings.Join(speechLanguages, ", "),
	)
}

// BaseLanguage returns the primary subtag of a language tag in lower case: "pt-BR" and "pt_BR" give
// "pt". An empty tag gives "".
func BaseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	return base
}
