package whisper

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

func TestCheckModelReadsTheHeader(t *testing.T) {
	info, err := CheckModel(mediatest.Model(t))
	if err != nil {
		t.Fatal(err)
	}
	want := ModelInfo{
		Name:         "test-speech-q8_0",
		SizeBytes:    info.SizeBytes,
		Languages:    1,
		AudioLayers:  3,
		TextLayers:   3,
		Width:        128,
		Quantization: "q8_0",
	}
	if info != want || info.SizeBytes < 10_000_000 {
		t.Errorf("got %+v", info)
	}
}

func TestCheckModelRejectsInvalidFiles(t *testing.T) {
	good, err := os.ReadFile(mediatest.Model(t))
	if err != nil {
		t.Fatal(err)
	}
	changed := func(at int, value uint32) []byte {
		out := bytes.Clone(good)
		binary.LittleEndian.PutUint32(out[at:], value)
		return out
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty file":         {nil, "not a ggml file"},
		"web page":           {[]byte("<!doctype html><p>404</p>" + strings.Repeat(" ", 100)), "not a ggml file"},
		"wrong dimensions":   {changed(12, 0), "does not contain a Whisper model"},
		"huge dimensions":    {changed(12, 1<<30), "does not contain a Whisper model"},
		"too many layers":    {changed(20, 1<<20), "does not contain a Whisper model"},
		"unknown format":     {changed(44, 777), "format number 777"},
		"huge filter bank":   {changed(52, 1<<30), "filter bank"},
		"half a download":    {good[:len(good)/2], "download it again"},
		"last byte missing":  {good[:len(good)-1], "download it again"},
		"last table missing": {good[:len(good)-1000], "download it again"},
		"header only":        {good[:48], "download it again"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ggml-broken.bin")
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(path, 1, false); err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want one with the path and %q", err, c.want)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.bin"), 1, false); err == nil ||
		!strings.Contains(err.Error(), "put a ggml Whisper model there") {
		t.Errorf("missing model: error %v", err)
	}
	if _, err := Open(t.TempDir(), 1, false); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("folder as model: error %v", err)
	}
}

// A cancelled transcription starts no further window, and the model can be used again.
func TestTranscribeStopsWhenCancelled(t *testing.T) {
	m, s := openModel(t), speak(t, talk)
	raw := bytes.Repeat(s.raw(), 6)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	further := 0
	_, err := m.Transcribe(ctx, bytes.NewReader(raw), int64(len(raw)), Options{}, func(f float64) {
		if ctx.Err() != nil {
			further++
		}
		if f > 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || further > 0 {
		t.Errorf("cancelled after the first window: error %v, %d further windows", err, further)
	}
	raw = s.raw()
	got, err := m.Transcribe(t.Context(), bytes.NewReader(raw), int64(len(raw)), Options{}, nil)
	if err != nil || len(got.Words) < 80 {
		t.Errorf("after a cancellation: %d words, error %v", len(got.Words), err)
	}
}

// A cancellation takes effect within a window. Other programs may delay it, so the best of five
// tries counts: without the abort flag, each of them takes the rest of the window.
func TestTimingCancelledTranscription(t *testing.T) {
	mediatest.NeedsTiming(t)
	m, s := openModel(t), speak(t, talk)
	raw := bytes.Repeat(s.raw(), 6)
	best := math.Inf(1)
	for range 5 {
		best = min(best, cancelInSecondWindow(t, m, raw))
		if best <= 0.5 {
			break
		}
	}
	if best > 0.5 {
		t.Errorf("Transcribe stopped after %.2f of the time of a window, want at most 0.5", best)
	}
}

// cancelInSecondWindow cancels a transcription 20 ms after its first window. It returns the time
// until Transcribe returned, as a share of the time that the first window took.
func cancelInSecondWindow(t *testing.T, m *Model, raw []byte) float64 {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var cancelled time.Time
	started, window := time.Now(), time.Duration(0)
	_, err := m.Transcribe(ctx, bytes.NewReader(raw), int64(len(raw)), Options{}, func(f float64) {
		if f > 0 && cancelled.IsZero() {
			time.AfterFunc(20*time.Millisecond, cancel)
			cancelled = time.Now()
			window = cancelled.Sub(started)
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want context.Canceled", err)
	}
	return float64(time.Since(cancelled)) / float64(window)
}

// A model that advances by too little ends the transcription with an error, and can be used again.
func TestTranscribeEndsWithoutProgress(t *testing.T) {
	m, s := openModel(t), speak(t, "rate 16000\nsay en-us 160 hello and welcome\n")
	raw := s.raw()
	m.stepsPerSecond = -1000 // no chunk at all
	_, err := m.Transcribe(t.Context(), bytes.NewReader(raw), int64(len(raw)), Options{}, nil)
	if err == nil || !strings.Contains(err.Error(), "makes no progress") {
		t.Errorf("error %v", err)
	}
	m.stepsPerSecond = stepsPerSecond
	got, err := m.Transcribe(t.Context(), bytes.NewReader(raw), int64(len(raw)), Options{}, nil)
	if err != nil || len(got.Words) == 0 {
		t.Errorf("afterwards: %d words, error %v", len(got.Words), err)
	}
}

func TestTranscribeWithoutSpeech(t *testing.T) {
	m := openModel(t)
	for name, samples := range map[string]int{
		"empty":                  0,
		"one sample":             1,
		"a tenth of a second":    1600,
		"ten seconds of silence": 160_000,
	} {
		t.Run(name, func(t *testing.T) {
			last := -1.0
			got, err := m.Transcribe(
				context.Background(),
				bytes.NewReader(make([]byte, 2*samples)),
				int64(2*samples),
				Options{},
				func(f float64) { last = f },
			)
			if err != nil || len(got.Words) != 0 || len(got.Segments) != 0 || last != 1 {
				t.Errorf("got %+v, error %v, progress %v", got, err, last)
			}
		})
	}
	s := speak(t, "rate 16000\nnoise 4000 -40\n")
	raw := s.raw()
	got, err := m.Transcribe(context.Background(), bytes.NewReader(raw), int64(len(raw)), Options{}, nil)
	if err != nil || len(got.Words) != 0 {
		t.Errorf("noise: got words %+v, error %v", got.Words, err)
	}
}

func TestTranscribeShortClip(t *testing.T) {
	m, s := openModel(t), speak(t, "rate 16000\nsay en-us 160 hello\n")
	raw := s.raw()
	got, err := m.Transcribe(
		context.Background(),
		bytes.NewReader(raw),
		int64(len(raw)),
		Options{Language: "en-US"},
		nil,
	)
	if err != nil || len(got.Words) != 1 || got.Words[0].Text != "hello." || got.Language != "en" {
		t.Fatalf("got %+v, error %v", got, err)
	}
	if w := got.Words[0]; w.StartMS < 0 || w.EndMS > int64(len(s.pcm))*1000/media.SpeechSampleRate+1 {
		t.Errorf("the word is at %d-%d ms", w.StartMS, w.EndMS)
	}
}

func TestOneTranscriptionAtATime(t *testing.T) {
	m, s := openModel(t), speak(t, "rate 16000\npause 300\nsay en-us 160 hello and welcome to my channel\npause 300\n")
	raw := s.raw()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			got, err := m.Transcribe(context.Background(), bytes.NewReader(raw), int64(len(raw)), Options{}, nil)
			if err != nil || len(got.Words) != 6 {
				t.Errorf("got %d words, error %v", len(got.Words), err)
			}
		})
	}
	group.Wait()
	if err := errors.Join(m.Close(), m.Close()); err != nil {
		t.Error(err)
	}
	_, err := m.Transcribe(context.Background(), bytes.NewReader(raw), int64(len(raw)), Options{}, nil)
	if !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: error %v, want ErrClosed", err)
	}
}

func TestLongRecordingIsReadInWindows(t *testing.T) {
	m, s := openModel(t), speak(t, talk)
	raw := bytes.Repeat(s.raw(), 8)
	r := &recordingReader{data: raw}
	got, err := m.Transcribe(context.Background(), r, int64(len(raw)), Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.largest > 40*2*media.SpeechSampleRate {
		t.Errorf("one read has %d bytes, want at most 40 s of audio", r.largest)
	}
	if len(got.Words) < 8*75 {
		t.Errorf("%d words in eight talks, want at least %d", len(got.Words), 8*75)
	}
	for i, w := range got.Words {
		if (i > 0 && w.StartMS < got.Words[i-1].EndMS) || w.EndMS <= w.StartMS {
			before := got.Words[max(i-1, 0)].EndMS
			t.Errorf("word %d is at %d-%d ms, the word before ends at %d", i, w.StartMS, w.EndMS, before)
		}
	}
}

// recordingReader records the size of the largest read.
type recordingReader struct {
	data    []byte
	largest int
}

func (p *recordingReader) ReadAt(b []byte, at int64) (int, error) {
	p.largest = max(p.largest, len(b))
	return bytes.NewReader(p.data).ReadAt(b, at)
}
