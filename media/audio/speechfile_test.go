package audio_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
)

// writeSpeech writes a speech file in portions and returns its path.
func writeSpeech(t *testing.T, pcm []byte, most int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "speech")
	w, err := audio.CreateSpeech(path)
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < len(pcm); from += 3000 {
		if err := w.Write(pcm[from:min(from+3000, len(pcm))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(most); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func readSpeech(t *testing.T, path string) []byte {
	t.Helper()
	f, err := audio.OpenSpeech(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pcm, err := io.ReadAll(f.Reader())
	if err != nil || int64(len(pcm)) != f.Size() {
		t.Fatalf("%d bytes of %d: %v", len(pcm), f.Size(), err)
	}
	return pcm
}

// talkWithGaps returns sound and silences of many lengths. Some samples of the sound contain zero
// bytes.
func talkWithGaps(random *rand.Rand) []byte {
	var pcm []byte
	for range 40 {
		for range random.IntN(3000) {
			pcm = binary.LittleEndian.AppendUint16(pcm, uint16(random.IntN(4)*random.IntN(2)*128))
		}
		pcm = append(pcm, make([]byte, 2*random.IntN(3*4096))...)
	}
	return pcm
}

// A speech file reads as written, at every length and position, in the current format and in the
// format of earlier versions.
func TestSpeechFileReadsAsWritten(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		pcm := talkWithGaps(random)
		most := int64(random.IntN(len(pcm)))
		path := writeSpeech(t, pcm, most)
		want := pcm[:min(2*most, int64(len(pcm)))]
		if !bytes.Equal(readSpeech(t, path), want) {
			t.Fatalf("%d samples of %d read differently", most, len(pcm)/2)
		}
		f, err := audio.OpenSpeech(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			from := random.IntN(len(want) + 1)
			got := bytes.Repeat([]byte{7}, random.IntN(40_000))
			n, err := f.ReadAt(got, int64(from))
			if whole := n == len(got); whole != (err == nil) || (!whole && !errors.Is(err, io.EOF)) {
				t.Fatalf("%d of %d bytes: %v", n, len(got), err)
			}
			if !bytes.Equal(got[:n], want[from:min(from+len(got), len(want))]) {
				t.Fatalf("%d bytes at %d read differently", n, from)
			}
		}
		f.Close()
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(readSpeech(t, path), want) {
			t.Fatal("a file without sections reads differently")
		}
	}
}

// Twelve hours of silence take a few bytes.
func TestSpeechFileStoresNoSilence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "speech")
	w, err := audio.CreateSpeech(path)
	if err != nil {
		t.Fatal(err)
	}
	tone := bytes.Repeat([]byte{0, 64}, 16000)
	const hours = 12 * 3600 * media.SpeechSampleRate
	if err := w.Write(tone); err != nil {
		t.Fatal(err)
	}
	w.Silence(hours)
	if err := w.Write(tone); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(1 << 40); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if info, err := os.Stat(path); err != nil || info.Size() > 2*int64(len(tone))+100 {
		t.Errorf("%d bytes for two seconds of sound", info.Size())
	}
	f, err := audio.OpenSpeech(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Size() != int64(2*len(tone))+2*hours {
		t.Errorf("the audio has %d bytes", f.Size())
	}
}

// A file without samples stays empty, and one with only silence keeps its length.
func TestSpeechFileWithoutSound(t *testing.T) {
	if info, err := os.Stat(writeSpeech(t, nil, 100)); err != nil || info.Size() != 0 {
		t.Errorf("%d bytes for no audio", info.Size())
	}
	silence := make([]byte, 100_000)
	if got := readSpeech(t, writeSpeech(t, silence, 1<<40)); !bytes.Equal(got, silence) {
		t.Errorf("%d bytes of silence", len(got))
	}
}

// Flipped or missing bytes give other audio or an error, and no audio of days.
func TestDamagedSpeechFile(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	path := writeSpeech(t, talkWithGaps(random), 1<<40)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range 400 {
		damaged := bytes.Clone(whole)
		if i%4 == 0 {
			damaged = damaged[:random.IntN(len(damaged))]
		} else {
			damaged[len(damaged)-1-random.IntN(200)] ^= byte(1 << random.IntN(8))
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := audio.OpenSpeech(path)
		if err != nil {
			refused++
			continue
		}
		if hours := f.Size() / (2 * media.SpeechSampleRate * 3600); hours > 24 {
			t.Errorf("a damaged file has %d hours of audio", hours)
		}
		got := make([]byte, 1<<20)
		if _, err := f.ReadAt(got, 0); err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		f.Close()
	}
	if refused < 300 {
		t.Errorf("%d of 400 damaged files were refused", refused)
	}
}
