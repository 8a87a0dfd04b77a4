//go:build linux

package sandbox

import (
	"context"
	"fmt"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/pipeline/detect"
)

// Hear implements pipeline.Ears.
func (e *Engine) Hear(
	ctx context.Context,
	path string,
	durationMS int64,
	progress func(float64),
) (evidence detect.Evidence, err error) {
	f := newFiles()
	if err := f.all([]*string{&path}, nil); err != nil {
		return evidence, err
	}
	err = e.call(callHear, f, speechLimits(0, f.bytes), progress).run(ctx, hearCall{path, durationMS}, &evidence)
	return evidence, err
}

// Speech transcribes each recording in a child. Each child loads the model, which takes about a
// second for each gigabyte.
type Speech struct {
	Engine *Engine
	// Find returns the path of the model, "" without one, and its name.
	Find    func() (path, name string, err error)
	Threads func() int // of a transcription; nil for one for each CPU
}

// Open implements pipeline.Speech.
func (s Speech) Open() (pipeline.Model, error) {
	path, name, err := s.Find()
	if err != nil || path == "" {
		return nil, err
	}
	m := model{engine: s.Engine, path: path, name: name}
	if s.Threads != nil {
		m.threads = s.Threads()
	}
	return m, nil
}

// model is a speech model that children load.
type model struct {
	engine     *Engine
	path, name string
	threads    int // 0 for one for each CPU
}

// Name implements pipeline.Model.
func (m model) Name() string { return m.name }

// Close implements pipeline.Model.
func (m model) Close() error { return nil }

// Transcribe implements pipeline.Model.
func (m model) Transcribe(
	ctx context.Context,
	path string,
	r pipeline.SpeechRequest,
	progress func(float64),
) (text media.Transcript, err error) {
	f := newFiles()
	body := transcribeCall{
		Model: m.path, Path: path, Language: r.Language, Voice: r.Voice, Hints: r.Hints != nil, Threads: m.threads,
	}
	if err := f.all([]*string{&body.Model}, nil); err != nil {
		return text, err
	}
	modelBytes := f.bytes
	if err := f.all([]*string{&body.Path}, nil); err != nil {
		return text, err
	}
	c := m.engine.call(callTranscribe, f, speechLimits(modelBytes, f.bytes-modelBytes), progress)
	c.hints = r.Hints
	if err = c.run(ctx, body, &text); err != nil {
		return text, fmt.Errorf("speech model %s: %w", m.name, err)
	}
	return text, nil
}
