package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"roughcut/cli"
	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/pipeline"
)

// transcribed returns the words that the test speech model hears with a vocabulary.
func (c *card) transcribed(s mediatest.Speech, terms []string) []media.Word {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), "speech")
	if err := os.WriteFile(path, s.Raw, 0o600); err != nil {
		c.t.Fatal(err)
	}
	tracks := []pipeline.SpeechTrack{{ClipUUID: "talk", Path: path, DurationMS: s.DurationMS}}
	found, err := pipeline.MeasureVoice(c.t.Context(), tracks, "en", func(string, int) {})
	if err != nil {
		c.t.Fatal(err)
	}
	found.Vocabulary = pipeline.Vocabulary{Project: terms}
	err = found.Transcribe(context.Background(), cli.Speech{Choice: mediatest.Model(c.t)}, tracks, func(string, int) {})
	if err != nil {
		c.t.Fatal(err)
	}
	return found.Clips[0].Evidence.Words
}

// unspoken are words that the test speech model knows and that no generated talk contains.
var unspoken = []string{
	"orange", "pizza", "beach", "guitar", "kitchen", "ocean", "flower", "garden", "tripod", "weather",
	"market", "horse", "bread", "chair", "map", "light", "them", "has", "your", "was",
}

// scoreVocabulary compares transcripts without a vocabulary, with the words that the model mishears
// at least once, and with other words.
func (c *card) scoreVocabulary() {
	c.t.Helper()
	spoken, terms, before, after, errorsBefore, errorsAfter, errorsOther := 0, 0, 0, 0, 0, 0, 0
	for seed := range uint64(4) {
		script, _ := mediatest.Script(mediatest.RandomTalk(100+seed, 24), media.SpeechSampleRate, -45, 1000)
		speech := mediatest.Speak(c.t, script)
		plain := mediatest.CompareWords(speech.Words, c.transcribed(speech, nil))
		vocabulary := missedTerms(speech.Words, plain)
		biased := mediatest.CompareWords(speech.Words, c.transcribed(speech, vocabulary))
		terms += len(vocabulary)
		for i, w := range speech.Words {
			if slices.Contains(vocabulary, w.Text) {
				spoken++
				before += heardAs(plain, i)
				after += heardAs(biased, i)
			}
		}
		errorsBefore, errorsAfter = errorsBefore+plain.Errors, errorsAfter+biased.Errors
		errorsOther += mediatest.CompareWords(speech.Words, c.transcribed(speech, unspoken)).Errors
	}
	c.add(
		fmt.Sprintf("vocabulary of %d misheard words: heard, of %d", terms, spoken),
		fmt.Sprintf("%d without, %d with it", before, after), "15 % more", 100*after >= 115*before,
	)
	c.add(
		"vocabulary: errors of all words", fmt.Sprintf("%d without, %d with it", errorsBefore, errorsAfter),
		"fewer", errorsAfter < errorsBefore,
	)
	c.add(
		fmt.Sprintf("vocabulary of %d other words: errors of all words", len(unspoken)),
		fmt.Sprintf("%d without, %d with it", errorsBefore, errorsOther),
		"10 % more", 10*errorsOther <= 11*errorsBefore,
	)
}

// missedTerms returns the distinct words that a transcript lacks at least once.
func missedTerms(spoken []media.Word, diff mediatest.TranscriptDiff) (terms []string) {
	for i, w := range spoken {
		if heardAs(diff, i) == 0 && !slices.Contains(terms, w.Text) {
			terms = append(terms, w.Text)
		}
	}
	return terms
}

// heardAs returns 1 if a spoken word is in the transcript.
func heardAs(diff mediatest.TranscriptDiff, spoken int) int {
	if slices.ContainsFunc(diff.Pairs, func(p [2]int) bool { return p[0] == spoken }) {
		return 1
	}
	return 0
}
