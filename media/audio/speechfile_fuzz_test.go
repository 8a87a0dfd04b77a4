package audio

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A speech file reads as audio of its size, or is refused.
func FuzzSpeechFile(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed.s16")
	for _, silence := range []int64{0, 100, 100_000} {
		w, err := CreateSpeech(path)
		if err != nil {
			f.Fatal(err)
		}
		if err := w.Write([]byte{1, 2, 3, 4}); err != nil {
			f.Fatal(err)
		}
		w.Silence(silence)
		if err := w.Write(bytes.Repeat([]byte{5}, 100)); err != nil {
			f.Fatal(err)
		}
		if err := w.Finish(1 << 20); err != nil {
			f.Fatal(err)
		}
		w.Close()
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, int64(0))
		f.Add(data[:len(data)-3], int64(7))
	}
	f.Fuzz(func(t *testing.T, data []byte, at int64) {
		path := filepath.Join(t.TempDir(), "speech.s16")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		speech, err := OpenSpeech(path)
		if err != nil {
			return
		}
		defer speech.Close()
		if speech.Size() < 0 || speech.Size() > max(mostSpeechBytes, int64(len(data))) {
			t.Errorf("the size is %d", speech.Size())
		}
		for _, from := range []int64{0, at, speech.Size() - 10} {
			part := make([]byte, 1000)
			n, err := speech.ReadAt(part, from)
			if want := min(1000, speech.Size()-from); (from >= 0 && int64(n) != max(0, want)) ||
				(err == nil && n < len(part)) || (err != nil && !errors.Is(err, io.EOF) && from >= 0) {
				t.Errorf("read %d bytes at %d of %d, %v", n, from, speech.Size(), err)
			}
		}
	})
}
