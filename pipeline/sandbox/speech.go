//go:build linux

package sandbox

import (
	"context"
	"fmt"
	"time"

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

// graphicsSilence is how long a graphics driver may hang before its child is stopped.
const graphicsSilence = time.Minute

// Graphics returns the name of the graphics processor that transcribes, or "" if the CPU
// transcribes. A child with the walls of a transcription searches for the processor. Graphics
// returns an error if a driver crashes or hangs the child.
func (e *Engine) Graphics(ctx context.Context) (name string, err error) {
	c := e.call(callGraphics, newFiles(), speechLimits(0, 0), nil)
	c.devices, c.silence = true, graphicsSilence
	err = c.run(ctx, struct{}{}, &name)
	return name, err
}

// Speech transcribes each recording in a child. Each child loads the model, which takes about a
// second for each gigabyte.
type Speech struct {
	Engine *Engine
	// Find returns the path and the name of the model. The path is "" if no model is installed.
	Find    func() (path, name string, err error)
	Threads func() int // of a transcription; nil for the number that the child finds
	// Graphics reports whether a graphics processor transcribes. It may be nil.
	Graphics func() bool
	// Failed is told why a transcription on a graphics processor failed, before the CPU repeats
	// it. It may be nil.
	Failed func(error)
}

// Open implements pipeline.Speech.
func (s Speech) Open() (pipeline.Model, error) {
	path, name, err := s.Find()
	if err != nil || path == "" {
		return nil, err
	}
	m := model{engine: s.Engine, path: path, name: name, failed: s.Failed}
	if s.Threads != nil {
		m.threads = s.Threads()
	}
	m.graphics = s.Graphics != nil && s.Graphics()
	return m, nil
}

// model is a speech model that children load.
type model struct {
	engine     *Engine
	path, name string
	threads    int // 0 for the number that the child finds
	graphics   bool
	failed     func(error)
}

// Name implements pipeline.Model.
func (m model) Name() string { return m.name }

// Close implements pipeline.Model.
func (m model) Close() error { return nil }

// Transcribe implements pipeline.Model. If the transcription fails on a graphics processor, for
// example because its driver crashes or hangs the child, the CPU repeats it.
func (m model) Transcribe(
	ctx context.Context,
	path string,
	r pipeline.SpeechRequest,
	progress func(float64),
) (media.Transcript, error) {
	progress = monotonic(progress)
	text, err := m.transcribe(ctx, path, r, progress, m.graphics)
	if err != nil && m.graphics && ctx.Err() == nil {
		if m.failed != nil {
			m.failed(err)
		}
		text, err = m.transcribe(ctx, path, r, progress, false)
	}

	if err != nil {
		return media.Transcript{}, fmt.Errorf("speech model %s: %w", m.name, err)
	}
	return text, nil
}

// transcribe runs one child.
func (m model) transcribe(
	ctx context.Context,
	path string,
	r pipeline.SpeechRequest,
	progress func(float64),
	graphics bool,
) (text media.Transcript, err error) {
	f := newFiles()
	body := transcribeCall{
		Model: m.path, Path: path, Language: r.Language, Voice: r.Voice, Hints: r.Hints != nil, Threads: m.threads,
		Graphics: graphics,
	}
	if err := f.all([]*string{&body.Model}, nil); err != nil {
		return text, err
	}
	modelBytes := f.bytes
	if err := f.all([]*string{&body.Path}, nil); err != nil {
		return text, err
	}
	c := m.engine.call(callTranscribe, f, speechLimits(modelBytes, f.bytes-modelBytes), progress)
	c.usual += modelBytes * 3 / 2
	c.hints, c.devices = r.Hints, graphics
	err = c.run(ctx, body, &text)
	return text, err
}
