package whisper

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// BenchmarkAgainstCommandLine compares Transcribe, which omits pauses, with the command line of
// whisper.cpp, built as its readme says: same model, threads and search, and no text of earlier
// windows. More than a third of the recording is pauses. The model has the sizes of Whisper's base.
// The test model itself would not tell what a user waits for: its encoder is so small that it
// spends most of its time on the 51,864 tokens of the vocabulary.
func BenchmarkAgainstCommandLine(b *testing.B) {
	commandLine := os.Getenv("ROUGHCUT_WHISPER_CLI")
	if commandLine == "" {
		b.Skip("make bench builds the command line of whisper.cpp")
	}
	model := baseSized(b)
	script, _ := mediatest.Script(mediatest.RandomTalk(3, 36), media.SpeechSampleRate, -60, 1000)
	s := speak(b, script)
	raw := s.raw()
	dir := b.TempDir()
	wav := filepath.Join(dir, "talk.wav")
	if err := os.WriteFile(wav, append(waveHeader(len(raw)), raw...), 0o600); err != nil {
		b.Fatal(err)
	}
	voiced := int64(0)
	for _, w := range s.words {
		voiced += w.EndMS - w.StartMS
	}
	b.Logf(
		"%.1f min, %.0f %% pauses",
		float64(s.durationMS)/60_000,
		100-100*float64(voiced)/float64(s.durationMS),
	)
	command := []string{
		commandLine, "-m", model, "-f", wav, "-t", "2", "-l", "en", "-mc", "0", "-sns",
		"-otxt", "-of", filepath.Join(dir, "talk"),
	}
	mediatest.LogPeer(b, "speech", command)
	for b.Loop() {
		var got media.Transcript
		mediatest.Goal{
			What:  "transcribe with a model of base's sizes, against whisper-cli",
			Want:  0.80,
			Limit: "0.63",
		}.Against(
			b,
			func() mediatest.Cost {
				return mediatest.MeasureFunc(b, func() error {
					m, err := Open(model, 2, false)
					if err != nil {
						return err
					}
					defer m.Close()
					got, err = m.Transcribe(
						context.Background(),
						bytes.NewReader(raw),
						int64(len(raw)),
						Options{Language: "en"},
						nil,
					)
					return err
				})
			},
			func() mediatest.Cost { return mediatest.MeasureCommands(b, command) },
		)
		text, err := os.ReadFile(filepath.Join(dir, "talk.txt"))
		if err != nil {
			b.Fatal(err)
		}
		var theirs []media.Word
		for _, word := range strings.Fields(string(text)) {
			theirs = append(theirs, media.Word{Text: word})
		}
		errors := mediatest.CompareWords(s.words, theirs).Errors
		if errors*100 > 12*len(s.words) {
			b.Fatalf("whisper-cli makes %d errors in %d words, so the model is another one", errors, len(s.words))
		}
		b.Logf(
			"of %d words, we mishear or omit %d, whisper-cli %d",
			len(s.words), mediatest.CompareWords(s.words, got.Words).Errors, errors,
		)
	}
}

// waveHeader returns the header of a WAV file of n bytes of mono speech.
func waveHeader(n int) []byte {
	h := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(36+n))
	h = append(h, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...)
	h = binary.LittleEndian.AppendUint32(h, media.SpeechSampleRate)
	h = binary.LittleEndian.AppendUint32(h, 2*media.SpeechSampleRate)
	h = append(h, "\x02\x00\x10\x00data"...)
	return binary.LittleEndian.AppendUint32(h, uint32(n))
}
