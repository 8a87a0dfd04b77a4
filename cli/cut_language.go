package cli

import (
	"fmt"
	"slices"

	"roughcut/media"
	"roughcut/media/whisper"
	"roughcut/pipeline"
)

// checkLanguage refuses a language that the speech model does not know. Without a model, and for
// imported transcripts, any language of speech models will do.
func (c *cutJob) checkLanguage() error {
	if _, err := media.SpeechLanguage(c.language); err != nil {
		return usageError{fmt.Errorf("--language: %w", err)}
	}
	if c.language == "" || c.model == "" || !slices.Contains(c.imported, nil) {
		return nil
	}
	info, err := whisper.CheckModel(c.model)
	if err != nil || info.Knows(c.language) {
		return nil //nolint:nilerr // the analysis reports the error
	}

	if !info.Multilingual {
		return usageError{fmt.Errorf(
			"the speech model %s understands only English, not --language %s. Use --model with a multilingual model, "+
				"such as base: roughcut models download base",
			info.Name, c.language,
		)}
	}

	return usageError{fmt.Errorf(
		"the speech model %s does not know --language %s. Use --model with another model", info.Name, c.language,
	)}
}

// languageNote returns what to know about a language that was not requested, or "".
func languageNote(found pipeline.Analysis) string {
	switch found.Doubt {
	case media.LanguageUnsure:
		return fmt.Sprintf(
			"The language seems to be %q, but the speech model is unsure. Use --language for another.", found.Language,
		)
	case media.LanguageAssumed:
		return fmt.Sprintf(
			"The speech model %s understands only English. For others, use --model with a multilingual model.",
			found.Model,
		)
	}

	return ""
}
