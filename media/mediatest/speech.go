package mediatest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
)

// Speech is a synthesized voice recording without video.
type Speech struct {
	Raw        []byte // signed 16-bit little endian at media.SpeechSampleRate, as ingest writes it
	Words      []media.Word
	DurationMS int64
}

// Speak synthesizes a script of testdata/say.sh with the rate media.SpeechSampleRate, or returns it
// from the cache.
func Speak(t testing.TB, script string) Speech {
	t.Helper()
	sum := sha256.Sum256(bytes.Join([][]byte{[]byte(script), sayScript}, nil))
	folder := filepath.Join(CacheDir(t), fmt.Sprintf("speech-%x", sum[:10]))
	if _, err := os.Stat(folder); err != nil {
		work, err := os.MkdirTemp(filepath.Dir(folder), "making-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(work)
		runSayScript(t, work, script)
		if err := os.Rename(work, folder); err != nil {
			if _, other := os.Stat(folder); other != nil { // another test may have finished first
				t.Fatal(err)
			}
		}
	}

	wav, err := os.ReadFile(filepath.Join(folder, "speech.wav"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(wav, []byte("data"))
	if at < 0 || len(wav) < at+8 {
		t.Fatalf("%s is not a WAV file", folder)
	}
	size := int(binary.LittleEndian.Uint32(wav[at+4:]))
	truth := readTruth(t, folder)
	speech := Speech{Raw: wav[at+8 : at+8+size], DurationMS: truth.DurationMS}
	for _, w := range truth.words() {
		speech.Words = append(
			speech.Words,
			media.Word{Text: w.Text, StartMS: w.StartMS, EndMS: w.EndMS, Probability: 1},
		)
	}

	return speech
}

// Model returns the path of the small speech model that is trained for this voice.
func Model(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		path := filepath.Join(folder, "media/mediatest/testdata/ggml-test-speech-q8_0.bin")
		if _, err := os.Stat(path); err == nil {
			return path
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("no parent of the working directory contains the test speech model")
		}
		folder = parent
	}
}

// truth is the output of say.sh: the true times of the synthesized speech.
type truth struct {
	DurationMS int64 `json:"duration_ms"`
	Utterances []struct{ Words []Word }
}

func (s truth) words() (all []Word) {
	for _, u := range s.Utterances {
		all = append(all, u.Words...)
	}
	return all
}

// runSayScript runs say.sh, which writes speech.wav and speech.json to a folder.
func runSayScript(t testing.TB, folder, script string) {
	t.Helper()
	Needs(t, "espeak-ng", "sox", "python3")
	tool, text := filepath.Join(folder, "say.sh"), filepath.Join(folder, "script.txt")
	for path, data := range map[string][]byte{tool: sayScript, text: []byte(script)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	runCommand(t, nil, "bash", tool, text, filepath.Join(folder, "speech.wav"), filepath.Join(folder, "speech.json"))
	os.Remove(tool)
}

func readTruth(t testing.TB, folder string) (s truth) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "speech.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}
