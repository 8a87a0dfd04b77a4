package whisper

import (
	"strings"
	"unicode"

	"roughcut/media"
)

const (
	// maxPromptTokens limits a prompt. whisper.cpp keeps up to 224 tokens, half of the model's text
	// context, and drops the front of longer prompts. Long prompts make models omit words, so the
	// limit is lower.
	maxPromptTokens = 80
	// promptContext is the text context of a run with a prompt. whisper.cpp keeps a token less.
	promptContext = maxPromptTokens + 2
	// promptFillers is how many fillers end a prompt. Models transcribe in the style of the prompt,
	// and a list of names alone would make them leave out fillers.
	promptFillers = 2
)

// prompt returns the text that the model treats as preceding the audio: the terms that fit, then
// fillers. It is empty without terms. A term that does not fit is left out. The caller must hold
// m.mu.
func (m *Model) prompt(h media.SpeechHints) string {
	style := ""
	for _, filler := range h.Fillers[:min(promptFillers, len(h.Fillers))] {
		style += " " + filler + ","
	}
	used := m.tokens("." + style)
	var list []string
	seen := map[string]bool{}
	for _, term := range h.Terms {
		term = plain(term)
		if term == "" || seen[term] {
			continue
		}
		seen[term] = true
		if size := m.tokens(" " + term + ","); used+size <= maxPromptTokens {
			used += size
			list = append(list, term)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " " + strings.Join(list, ", ") + "." + style
}

// plain returns a text on one line, without control characters and invalid bytes.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}
