package whisper

import (
	"fmt"

	"roughcut/media"

	binding "github.com/ggerganov/whisper.cpp/bindings/go"
)

// certain is the least probability of a detected language without doubt. faster-whisper uses the
// same value (language_detection_threshold).
const certain = 0.5

// Knows reports whether the model knows the language of a tag.
func (i ModelInfo) Knows(tag string) bool {
	code, err := media.SpeechLanguage(tag)
	if err != nil {
		return false
	}
	for id := range max(1, i.Languages) {
		if binding.Whisper_lang_str(id) == code {
			return true
		}
	}

	return false
}

// language returns the language code to pass to the model, or "" if the model is to detect the
// language, and a doubt of media.Transcript.
func (i ModelInfo) language(asked string) (code, doubt string) {
	switch {
	case asked == "" && i.Multilingual:
		return "", ""
	case asked == "":
		return "en", media.LanguageAssumed
	case !i.Knows(asked):
		return "", media.LanguageUnsupported
	}

	code, _ = media.SpeechLanguage(asked)
	return code, ""
}

// detectLanguage detects the language of samples. The caller must hold m.mu.
func (m *Model) detectLanguage(samples []float32) (code, doubt string, err error) {
	if err := m.ctx.Whisper_pcm_to_mel(samples, m.threads); err != nil {
		return "", "", fmt.Errorf("speech model %s: detecting the language: %w", m.info.Name, err)
	}
	probabilities, err := m.ctx.Whisper_lang_auto_detect(0, m.threads)
	if err != nil {
		return "", "", fmt.Errorf("speech model %s: detecting the language: %w", m.info.Name, err)
	}
	id, sure := likeliest(probabilities[:min(m.info.Languages, len(probabilities))])
	if !sure {
		doubt = media.LanguageUnsure
	}
	return binding.Whisper_lang_str(id), doubt, nil
}

// likeliest returns the index of the highest probability, and whether it is certain.
func likeliest(probabilities []float32) (id int, sure bool) {
	for i, p := range probabilities {
		if p > probabilities[id] {
			id = i
		}
	}

	return id, len(probabilities) > 0 && probabilities[id] >= certain
}
