package whisper

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
)

const (
	sayScript = "../mediatest/testdata/say.sh"
	testModel = "../mediatest/testdata/ggml-test-speech-q8_0.bin"
)

// spoken is a synthesised recording with what is truly said in it.
type spoken struct {
	pcm        []int16
	words      []media.Word
	durationMS int64
}

// raw returns the recording as ingest writes it.
func (s spoken) raw() []byte {
	out := make([]byte, 0, 2*len(s.pcm))
	for _, x := range s.pcm {
		out = binary.LittleEndian.AppendUint16(out, uint16(x))
	}
	return out
}

// speak renders a script for say.sh. Results are kept in the user's cache under the hash of all that they depend on.
func speak(t testing.TB, script string) spoken {
	t.Helper()
	tool, err := os.ReadFile(sayScript)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(string(tool) + "\x00" + script))
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "roughcut-test", "speech-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(folder); err != nil {
		render(t, script, folder)
	}
	return readSpoken(t, folder)
}

func render(t testing.TB, script, folder string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	temp, err := os.MkdirTemp(filepath.Dir(folder), "making-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(temp)
	in := filepath.Join(temp, "script.txt")
	if err := os.WriteFile(in, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("bash", sayScript, in, filepath.Join(temp, "clip.wav"), filepath.Join(temp, "clip.json")).CombinedOutput(); err != nil {
		t.Fatalf("say.sh: %v\n%s", err, out)
	}
	if err := os.Rename(temp, folder); err != nil && !os.IsExist(err) {
		if _, made := os.Stat(filepath.Join(folder, "clip.json")); made != nil {
			t.Fatal(err)
		}
	}
}

func readSpoken(t testing.TB, folder string) spoken {
	t.Helper()
	wav, err := os.ReadFile(filepath.Join(folder, "clip.wav"))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(wav), "data")
	var s spoken
	for i := at + 8; i+1 < len(wav); i += 2 {
		s.pcm = append(s.pcm, int16(binary.LittleEndian.Uint16(wav[i:])))
	}
	var truth struct {
		DurationMS int64 `json:"duration_ms"`
		Utterances []struct {
			Words []struct {
				Word    string `json:"word"`
				StartMS int64  `json:"start_ms"`
				EndMS   int64  `json:"end_ms"`
			} `json:"words"`
		} `json:"utterances"`
	}
	data, err := os.ReadFile(filepath.Join(folder, "clip.json"))
	if err == nil {
		err = json.Unmarshal(data, &truth)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.durationMS = truth.DurationMS
	for _, u := range truth.Utterances {
		for _, w := range u.Words {
			s.words = append(s.words, media.Word{Text: w.Word, StartMS: w.StartMS, EndMS: w.EndMS, Probability: 1})
		}
	}
	return s
}
