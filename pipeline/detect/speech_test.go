package detect_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
)

const (
	sayScript = "../../media/mediatest/testdata/say.sh"
	testModel = "../../media/mediatest/testdata/ggml-test-speech-q8_0.bin"
)

// spoken is a synthesised recording with what is truly said in it.
type spoken struct {
	raw        []byte // as ingest writes it
	words      []media.Word
	abandoned  []bool // for each word, whether it belongs to a scripted false start
	durationMS int64
}

// utterance is a pause and what is said after it. Words that begin with "~" are a false start.
type utterance struct {
	pauseMS int64
	text    string
}

// speak renders a talk over white noise of floorDB dBFS; 0 means none.
func speak(t testing.TB, talk []utterance, floorDB, endMS int) spoken {
	t.Helper()
	var script strings.Builder
	script.WriteString("rate 16000\n")
	if floorDB != 0 {
		fmt.Fprintf(&script, "floor %d\n", floorDB)
	}
	var abandoned []bool
	for i, u := range talk {
		fmt.Fprintf(&script, "pause %d\nsay en-us %d %s\n", u.pauseMS, 150+5*(i%4), strings.ReplaceAll(u.text, "~", ""))
		for _, w := range strings.Fields(u.text) {
			abandoned = append(abandoned, strings.HasPrefix(w, "~"))
		}
	}
	fmt.Fprintf(&script, "pause %d\n", endMS)
	s := rendered(t, script.String())
	s.abandoned = abandoned
	return s
}

// rendered runs say.sh. Results are kept in the user's cache under the hash of all that they depend on.
func rendered(t testing.TB, script string) spoken {
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
	return read(t, folder)
}

// render makes the files in a folder of its own and moves it into place, so that tests that run side by side agree.
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
	if err := os.Rename(temp, folder); err != nil {
		if _, made := os.Stat(filepath.Join(folder, "clip.json")); made != nil {
			t.Fatal(err)
		}
	}
}

func read(t testing.TB, folder string) spoken {
	t.Helper()
	wav, err := os.ReadFile(filepath.Join(folder, "clip.wav"))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(wav), "data")
	size := binary.LittleEndian.Uint32(wav[at+4:])
	s := spoken{raw: wav[at+8 : at+8+int(size)]}
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
