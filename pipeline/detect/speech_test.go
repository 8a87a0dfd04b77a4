package detect_test

import (
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// spoken is a synthesised recording with what is truly said in it.
type spoken struct {
	raw        []byte // as ingest writes it
	words      []media.Word
	roles      []mediatest.Role // of the words
	durationMS int64
}

// speak renders a talk over white noise of floorDB dBFS; 0 means none.
func speak(t testing.TB, talk string, floorDB, endMS int) spoken {
	t.Helper()
	script, roles := mediatest.Script(talk, media.SpeechSampleRate, floorDB, endMS)
	speech := mediatest.Speak(t, script)
	return spoken{raw: speech.Raw, words: speech.Words, roles: roles, durationMS: speech.DurationMS}
}
