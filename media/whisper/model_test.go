package whisper

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

func TestCheckModelFindsWhatIsInIt(t *testing.T) {
	info, err := CheckModel(mediatest.Model(t))
	if err != nil {
		t.Fatal(err)
	}
	want := ModelInfo{
		Name:         "test-speech-q8_0",
		SizeBytes:    info.SizeBytes,
		AudioLayers:  3,
		TextLayers:   3,
		Width:        128,
		Quantization: "q8_0",
	}
	if info != want || info.SizeBytes < 10_000_000 {
		t.Errorf("got %+v", info)
	}
}

func TestCheckModelRefusesWhatWouldCrash(t *testing.T) {
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
		"empty file":         {nil, "no ggml file"},
		"text":               {[]byte("<!doctype html><title>404</title>" + strings.Repeat(" ", 100)), "no ggml file"},
		"wrong dimensions":   {changed(12, 0), "does not hold a Whisper model"},
		"huge dimensions":    {changed(12, 1<<30), "does not hold a Whisper model"},
		"too many layers":    {changed(20, 1<<20), "does not hold a Whisper model"},
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
			if _, err := Open(path, 1); err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("got error %v, want one about %q", err, c.want)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.bin"), 1); err == nil ||
		!strings.Contains(err.Error(), "put a ggml Whisper model there") {
		t.Errorf("a missing model gives %v", err)
	}
	if _, err := Open(t.TempDir(), 1); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("a folder gives %v", err)
	}
}

func TestTranscribeStopsWhenCancelled(t *testing.T) {
	m, s := openModel(t), speak(t, talk)
	raw := bytes.Repeat(s.raw(), 6)
	ctx, cancel := context.WithCancel(context.Background())
	var cancelled time.Time
	started, window := time.Now(), time.Duration(0) // how long the model takes for what it hears at once
	_, err := m.Transcribe(ctx, bytes.NewReader(raw), int64(len(raw)), Options{}, func(f float64) {
		if f > 0 && cancelled.IsZero() {
			time.AfterFunc(20*time.Millisecond, cancel) // in the middle of the next run of the model
			cancelled = time.Now()
			window = cancelled.Sub(started)
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if took := time.Since(cancelled); took > window/2 {
		t.Errorf("it took %v to stop, where the model takes %v at a time", took, window)
	}
	raw = s.raw()
	got, err := m.Transcribe(context.Background(), bytes.NewReader(raw), int64(len(raw)), Options{}, nil)
	if err != nil || len(got.Words) < 80 {
		t.Errorf("the model does not work after a cancellation: %d words, error %v", len(got.Words), err)
	}
}

func TestTranscribeWithoutSpeech(t *testing.T) {
	m := openModel(t)
	for name, samples := range map[string]int{"empty": 0, "one sample": 1, "a tenth of a second": 1600, "ten seconds of silence": 160_000} {
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
	if got, err := m.Transcribe(
		context.Background(),
		bytes.NewReader(raw),
		int64(len(raw)),
		Options{},
		nil,
	); err != nil ||
		len(got.Words) != 0 {
		t.Errorf("noise gives %+v, error %v", got.Words, err)
	}
}

func TestTranscribeShortClip(t *testing.T) {
	m, s := openModel(t), speak(t, "rate 16000\nsay en-us 160 hello\n")
	raw := s.raw()
	got, err := m.Transcribe(
		context.Background(),
		bytes.NewReader(raw),
		int64(len(raw)),
		Options{Language: "pt-BR", Prompt: "Um, uh, so I, I mean, and so on and so forth"},
		nil,
	)
	if err != nil || len(got.Words) != 1 || got.Words[0].Text != "hello." || got.Language != "en" {
		t.Fatalf("got %+v, error %v", got, err)
	}
	if w := got.Words[0]; w.StartMS < 0 || w.EndMS > int64(len(s.pcm))*1000/media.SpeechSampleRate+1 {
		t.Errorf("the word lies at %d-%d", w.StartMS, w.EndMS)
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
	if _, err := m.Transcribe(
		context.Background(),
		bytes.NewReader(raw),
		int64(len(raw)),
		Options{},
		nil,
	); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestLongRecordingIsReadInPieces(t *testing.T) {
	m, s := openModel(t), speak(t, talk)
	raw := bytes.Repeat(s.raw(), 8)
	r := &piecewise{data: raw}
	got, err := m.Transcribe(context.Background(), r, int64(len(raw)), Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.largest > 40*2*media.SpeechSampleRate {
		t.Errorf("%d bytes were read at once", r.largest)
	}
	if len(got.Words) < 8*75 {
		t.Errorf("only %d words in eight talks of 90", len(got.Words))
	}
	for i, w := range got.Words {
		if i > 0 && w.StartMS < got.Words[i-1].EndMS || w.EndMS <= w.StartMS {
			t.Errorf(
				"word %d lies at %d-%d after one that ends at %d",
				i,
				w.StartMS,
				w.EndMS,
				got.Words[max(i-1, 0)].EndMS,
			)
		}
	}
}

// piecewise notes the largest read.
type piecewise struct {
	data    []byte
	largest int
}

func (p *piecewise) ReadAt(b []byte, at int64) (int, error) {
	p.largest = max(p.largest, len(b))
	return bytes.NewReader(p.data).ReadAt(b, at)
}
