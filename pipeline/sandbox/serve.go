//go:build linux

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"roughcut/media"
	"roughcut/pipeline"
)

// Local makes the engines of this process.
type Local struct {
	Media  func(ChunkCache, media.EncoderChoice) MediaEngine
	Speech func(modelPath string, threads int, graphics bool) (pipeline.Model, error)
	// Encoder tests the hardware encoders that a setting allows: see libav.Engine.ChooseEncoder.
	Encoder func(wanted string) media.EncoderChoice
	// Graphics returns the name of the graphics processor that transcribes, or "" if the CPU
	// transcribes.
	Graphics func() string
}

// MediaEngine is the engine of a server.
type MediaEngine interface {
	pipeline.Engine
	// RoomTone returns a loop of room tone: see libav.Engine.
	RoomTone(ctx context.Context, request media.RoomToneRequest) ([]int16, error)
}

// Serve answers the one call of the parent process with the engines of this process. It gives up
// all system calls that engines do not need before it reads the request. It returns an error if it
// cannot do that, or cannot talk to its parent.
func Serve(local Local) error {
	if err := filterCalls(os.Getenv(devicesVariable) != ""); err != nil {
		return err
	}
	s := &service{local: local, input: json.NewDecoder(os.Stdin), replies: os.NewFile(repliesFD, "replies")}
	if err := s.input.Decode(&s.request); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if err := s.request.Limits.apply(); err != nil {
		return fmt.Errorf("setting limits: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.answers = make(chan media.SpeechHints)
	go s.listen(cancel)
	result, err := s.answer(ctx)
	if err != nil {
		return s.send(reply{Error: packError(err)})
	}
	text, err := json.Marshal(result)
	if err != nil {
		return s.send(reply{Error: packError(fmt.Errorf("encoding the result: %w", err))})
	}
	return s.send(reply{Result: text})
}

// apply sets the limits of this process, for ever.
func (l Limits) apply() error {
	signal.Ignore(syscall.SIGXFSZ) // writes fail instead
	set := func(resource int, limit int64) error {
		if limit == 0 {
			return nil
		}
		return unix.Setrlimit(resource, &unix.Rlimit{Cur: uint64(limit), Max: uint64(limit)})
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return err
	}
	if err := set(unix.RLIMIT_DATA, l.MemoryBytes); err != nil {
		return err
	}
	if err := set(unix.RLIMIT_FSIZE, l.FileBytes); err != nil {
		return err
	}
	return set(unix.RLIMIT_CPU, int64(l.CPU.Seconds()))
}

// service is the one call of this process.
type service struct {
	local   Local
	request request
	input   *json.Decoder
	answers chan media.SpeechHints
	mu      sync.Mutex
	replies io.Writer
}

// listen receives the answers of the parent until it closes the input, and then cancels the call.
func (s *service) listen(cancel func()) {
	defer cancel()
	defer close(s.answers)
	for {
		var hints media.SpeechHints
		if s.input.Decode(&hints) != nil {
			return
		}
		s.answers <- hints
	}
}

func (s *service) send(r reply) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encoding a reply: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.replies.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("sending a reply: %w", err)
	}
	return nil
}

// progress reports a progress. If the parent is gone, the call ends anyway.
func (s *service) progress(fraction float64) { _ = s.send(reply{Progress: &fraction}) }

// hints asks the parent for the hints of a language.
func (s *service) hints(language string) media.SpeechHints {
	if s.send(reply{HintsFor: &language}) != nil {
		return media.SpeechHints{}
	}
	return <-s.answers
}

// answer runs the call.
func (s *service) answer(ctx context.Context) (any, error) {
	engine := s.local.Media(s.request.Chunks, s.request.Encoder)
	switch s.request.Call {
	case callProbe:
		return withRequest(s, func(c probeCall) (any, error) { return engine.Probe(ctx, c.Path) })
	case callIngest:
		return withRequest(s, func(c ingestCall) (any, error) { return s.ingest(ctx, engine, c) })
	case callTiles:
		return withRequest(s, func(r media.TilesRequest) (any, error) { return engine.Tiles(ctx, r, s.progress) })
	case callRender:
		return withRequest(s, func(c renderCall) (any, error) { return engine.Render(ctx, c.Plan, c.Path, s.progress) })
	case callCount:
		return withRequest(s, func(r media.CountRequest) (any, error) { return engine.CountFrames(ctx, r) })
	case callStill:
		return withRequest(s, func(c stillCall) (any, error) { return engine.Still(ctx, c.Plan, c.Frame, c.Kind) })
	case callFaces:
		return withRequest(s, func(r media.FacesRequest) (any, error) { return engine.Faces(ctx, r) })
	case callPrerender:
		return withRequest(s, func(plan media.RenderPlan) (any, error) { return nil, engine.Prerender(ctx, plan) })
	case callAsset:
		return withRequest(s, func(r media.AssetRequest) (any, error) { return engine.Asset(ctx, r, s.progress) })
	case callTrim:
		return withRequest(s, func(r media.TrimRequest) (any, error) { return engine.Trim(ctx, r, s.progress) })
	case callRoomTone:
		return withRequest(s, func(r media.RoomToneRequest) (any, error) { return engine.RoomTone(ctx, r) })
	case callEncoder:
		return withRequest(s, func(c encoderCall) (any, error) { return s.local.Encoder(c.Wanted), nil })
	case callGraphics:
		return s.local.Graphics(), nil
	case callHear:
		return withRequest(s, func(c hearCall) (any, error) {
			return pipeline.LocalEars{}.Hear(ctx, c.Path, c.DurationMS, s.progress)
		})
	case callTranscribe:
		return withRequest(s, func(c transcribeCall) (any, error) { return s.transcribe(ctx, c) })
	}

	return nil, fmt.Errorf("unknown call %q", s.request.Call)
}

// withRequest decodes the body of the request and passes it to a function.
func withRequest[T any](s *service, do func(T) (any, error)) (any, error) {
	var body T
	if err := json.Unmarshal(s.request.Body, &body); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	return do(body)
}

func (s *service) ingest(ctx context.Context, engine MediaEngine, c ingestCall) (any, error) {
	if !c.Hear {
		result, err := engine.Ingest(ctx, c.Request, s.progress)
		return packIngest(result, nil), err
	}

	result, heard, err := pipeline.LocalEars{Engine: engine}.IngestAndHear(ctx, c.Request, s.progress)
	return packIngest(result, heard), err
}

func (s *service) transcribe(ctx context.Context, c transcribeCall) (result any, err error) {
	model, err := s.local.Speech(c.Model, c.Threads, c.Graphics)
	if err != nil {
		return nil, fmt.Errorf("loading the speech model: %w", err)
	}
	defer func() { err = errors.Join(err, model.Close()) }()
	r := pipeline.SpeechRequest{Language: c.Language, Voice: c.Voice}
	if c.Hints {
		r.Hints = s.hints
	}
	return model.Transcribe(ctx, c.Path, r, s.progress)
}
