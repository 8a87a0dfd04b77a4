package detect

import (
	"fmt"
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
)

const (
	shortBreathMS   = 150 // what stays of a breath that is shortened
	loudSoundMS     = 300 // shortest loud sound without voice that is proposed
	loudConfidence  = 0.3 // that the user cuts a sound as loud as speech
	mentionedMS     = 100 // shortest sound in a pause that its reason mentions
	mentionedKindMS = 50  // least lead of a kind over the others
)

// sortSounds divides the sounds of the recording by the settings: noises may be cut with the pause
// around them, and loud sounds are speech unless the user decides otherwise. It returns the spans
// that stay.
func (t *talk) sortSounds() (stay []media.Span) {
	whole := media.Span{EndMS: t.DurationMS}
	for _, s := range t.Voice.Sounds {
		s.Span = s.Intersect(whole)
		switch {
		case s.Duration() <= 0:
		case t.isLoud(s):
			t.loud = append(t.loud, s)
		default:
			kept := t.keptOf(s)
			if kept.Duration() > 0 {
				stay = append(stay, kept)
			}
			if s.EndMS = kept.StartMS; s.Duration() > 0 {
				t.noises = append(t.noises, s)
			}
		}
	}

	return stay
}

// isLoud reports whether a sound is part of the voice activity because it is as loud as speech.
func (t *talk) isLoud(s audio.Sound) bool {
	return s.Kind != audio.SoundFaint && slices.ContainsFunc(t.Voice.Spans, func(v media.Span) bool {
		return v.StartMS < s.EndMS && s.StartMS < v.EndMS
	})
}

// keptOf returns the part of a sound that the settings keep: its end, or an empty span there.
func (t *talk) keptOf(s audio.Sound) media.Span {
	none := media.Span{StartMS: s.EndMS, EndMS: s.EndMS}
	k := t.settings
	switch {
	case s.Kind == audio.SoundBreath && k.Breaths == media.ChoiceKeep,
		isBackground(s) && k.Background == media.ChoiceKeep,
		s.Kind == audio.SoundFaint && k.FaintSpeech != media.ChoiceRemove:
		return s.Span
	case s.Kind == audio.SoundBreath && k.Breaths == media.ChoiceShorten:
		return media.Span{StartMS: max(s.StartMS, s.EndMS-shortBreathMS), EndMS: s.EndMS}
	}

	return none
}

// audibleVoice returns the voice, without faint voice if the settings remove it.
func (t *talk) audibleVoice() []media.Span {
	if t.settings.FaintSpeech != media.ChoiceRemove {
		return t.Voice.Spans
	}
	gone := media.KeptSpans(t.DurationMS, t.Voice.Spans)
	for _, s := range t.Voice.Sounds {
		if s.Kind == audio.SoundFaint {
			gone = append(gone, s.Span)
		}
	}

	return media.KeptSpans(t.DurationMS, media.MergeSpans(gone))
}

// removesFaint reports whether the settings remove a word because it is too quiet to hear.
func (t *talk) removesFaint(word media.Span) bool {
	return t.settings.FaintSpeech == media.ChoiceRemove &&
		slices.ContainsFunc(t.Voice.Sounds, func(s audio.Sound) bool {
			return s.Kind == audio.SoundFaint && 2*s.Intersect(word).Duration() > word.Duration()
		})
}

// isBackground reports whether a sound lasts, such as music under a pause.
func isBackground(s audio.Sound) bool {
	return s.Kind != audio.SoundBreath && s.Kind != audio.SoundNoise && s.Kind != audio.SoundFaint
}

// loudSounds proposes to cut sounds that are as loud as speech but contain no voice. They may be
// laughter, applause or music, so the edits are inactive.
func (t *talk) loudSounds() []Edit {
	var out []Edit
	for _, s := range t.loud {
		if s.Duration() < loudSoundMS || t.hasWord(s.Span) {
			continue
		}
		out = append(out, Edit{
			Type: media.EditSilence, Span: s.Span, Confidence: loudConfidence,
			Reason: fmt.Sprintf("Sound without speech for %s, as loud as speech: it stays", seconds(s.Duration())),
		})
	}

	return out
}

// hasWord reports whether a word overlaps a span.
func (t *talk) hasWord(s media.Span) bool {
	after := func(w media.Word, ms int64) int { return int(w.EndMS - ms - 1) }
	i, _ := slices.BinarySearchFunc(t.Words, s.StartMS, after)
	return i < len(t.Words) && t.Words[i].StartMS < s.EndMS
}

// soundReason names the most frequent sound that a cut removes, or returns an empty text.
func (t *talk) soundReason(cut media.Span) string {
	length := map[string]int64{}
	for _, s := range t.noises {
		if isBackground(s) {
			s.Kind = audio.SoundBackground
		}
		length[s.Kind] += max(s.Intersect(cut).Duration(), 0)
	}

	text, most := "", int64(mentionedMS-1)
	for _, k := range []struct{ kind, text string }{
		{audio.SoundFaint, ", with very quiet speech"},
		{audio.SoundBreath, ", with a breath"},
		{audio.SoundBackground, ", over background sound"},
		{audio.SoundNoise, ", with noise"},
	} {
		if length[k.kind] > most {
			text, most = k.text, length[k.kind]+mentionedKindMS
		}
	}

	return text
}
