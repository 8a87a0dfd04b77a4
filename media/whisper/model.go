// Package whisper transcribes speech to words with times. whisper.cpp runs a ggml Whisper model
// inside this process, and only this package imports its binding.
//
// CheckModel validates a model file before C code reads it. Transcribe reads the audio in windows
// of at most half a minute, so memory does not grow with the recording. It snaps the words to the
// audio that contains them.
package whisper

import (
	"fmt"
	"sync"

	binding "github.com/ggerganov/whisper.cpp/bindings/go"
)

// Model is a loaded speech model. It transcribes one recording at a time; other callers wait. Close
// frees its memory.
type Model struct {
	info    ModelInfo
	threads int
	// chunks that whisper.cpp may begin for each second of audio, after the first minSteps
	stepsPerSecond float64

	mu  sync.Mutex
	ctx *binding.Context // owned; nil once closed
	ids map[string]int32 // text tokens; nil until a bias needs them
}

// A sound model transcribes audio in chunks of up to 30 s and continues after the last sentence of
// each. One with damaged weights can advance by 20 ms at a time, which would take hours.
const (
	minSteps       = 10
	stepsPerSecond = 2
)

// Open validates and loads a model. A transcription uses the given number of threads, or Threads if
// it is 0. With graphics, the processor that Graphics names computes, or the CPU
// if the model does not load there. Loading takes about a second for each gigabyte. The error
// describes the fault of the file.
func Open(path string, threads int, graphics bool) (*Model, error) {
	info, err := CheckModel(path)
	if err != nil {
		return nil, err
	}
	if threads <= 0 {
		threads = Threads()
	}
	ctx, err := loadContext(path, graphics)
	if err != nil {
		return nil, fmt.Errorf("speech model %s: %w", path, err)
	}
	return &Model{info: info, threads: threads, stepsPerSecond: stepsPerSecond, ctx: ctx}, nil
}

// Info returns the result of CheckModel.
func (m *Model) Info() ModelInfo { return m.info }

// Name returns the file name of the model without "ggml-" and the extension.
func (m *Model) Name() string { return m.info.Name }

// Close waits for the current transcription and frees the model. Closing twice is harmless.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ctx != nil {
		m.ctx.Whisper_free()
		m.ctx = nil
	}

	return nil
}
