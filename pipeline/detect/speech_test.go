package detect_test

import (
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// spoken is a synthesized recording with its script.
type spoken struct {
	raw        []byte // in the format of ingests
	words      []media.Word
	roles      []mediatest.Role // of the words
	durationMS int64
}

// speak synthesizes a talk over white noise of floorDB dBFS; 0 means no noise.
func speak(t testing.TB, talk string, floorDB, endMS int) spoken {
	t.Helper()
	script, roles := mediatest.Script(talk, media.SpeechSampleRate, floorDB, endMS)
	speech := mediatest.Speak(t, script)
	return spoken{raw: speech.Raw, words: speech.Words, roles: roles, durationMS: speech.DurationMS}
}
