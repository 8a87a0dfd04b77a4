package whisper

import (
	"encoding/binary"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// recording is a synthesized recording with its true words.
type recording struct {
	pcm        []int16
	words      []media.Word
	durationMS int64
}

// raw returns the recording as ingest writes it.
func (s recording) raw() []byte {
	out := make([]byte, 0, 2*len(s.pcm))
	for _, x := range s.pcm {
		out = binary.LittleEndian.AppendUint16(out, uint16(x))
	}
	return out
}

// speak synthesizes a script for say.sh.
func speak(t testing.TB, script string) recording {
	t.Helper()
	speech := mediatest.Speak(t, script)
	s := recording{words: speech.Words, durationMS: speech.DurationMS}
	for i := 0; i+1 < len(speech.Raw); i += 2 {
		s.pcm = append(s.pcm, int16(binary.LittleEndian.Uint16(speech.Raw[i:])))
	}
	return s
}
