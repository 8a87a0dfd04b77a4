// Package whisper turns speech into words with times, with a ggml Whisper model run inside this
// process by whisper.cpp. It is the only importer of the whisper binding. Models are checked before
// C sees them; the sound is read in pieces of at most half a minute, so that memory does not grow
// with the recording; words are snapped to the sound that they were spoken with.
package whisper

import (
	"fmt"
	"runtime"
	"sync"

	binding "github.com/ggerganov/whisper.cpp/bindings/go"
)

// Model is a loaded speech model. It transcribes one recording at a time; further callers wait.
// Close frees its memory.
type Model struct {
	info    ModelInfo
	threads int

	mu  sync.Mutex
	ctx *binding.Context // owned; nil once closed
}

// Open checks and loads a model. threads is the number of threads that a transcription uses, 0
// means one for each CPU. Loading takes about a second for each gigabyte. An error says what is
// wrong with the file.
func Open(path string, threads int) (*Model, error) {
	info, err := CheckModel(path)
	if err != nil {
		return nil, err
	}
	if threads <= 0 {
		threads = runtime.NumCPU()
	}
	ctx, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("speech model %s: %w", path, err)
	}
	return &Model{info: info, threads: threads, ctx: ctx}, nil
}

// Info returns what CheckModel found in the model's file.
func (m *Model) Info() ModelInfo { return m.info }

// Name returns the model's name: that of its file, without "ggml-" and the ending.
func (m *Model) Name() string { return m.info.Name }

// Close waits for a transcription that runs, then frees the model. Closing twice is harmless.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ctx != nil {
		m.ctx.Whisper_free()
		m.ctx = nil
	}
	return nil
}
