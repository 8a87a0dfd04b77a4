package pipeline

import (
	"context"

	"roughcut/media"
)

// Engine reads and writes media. Progress is called with a growing fraction 0-1, from any
// goroutine, never two at once. Errors that the file caused implement FileFault.
type Engine interface {
	// Probe reads what a file holds without decoding it.
	Probe(ctx context.Context, path string) (media.Info, error)
	// Ingest decodes a recording once and leaves the files that the request names.
	Ingest(ctx context.Context, request media.IngestRequest, progress func(float64)) (media.IngestResult, error)
	// Render writes the edited video to a path that does not exist yet, and leaves nothing there
	// when it fails.
	Render(ctx context.Context, plan media.RenderPlan, path string, progress func(float64)) (media.RenderResult, error)
	// Prerender does ahead, at the lowest priority, what a Render of the plan would have to encode.
	// The pictures that are done when ctx ends stay.
	Prerender(ctx context.Context, plan media.RenderPlan) error
	// Asset finds out what an image, video or sound is, and leaves the files that the request
	// names. progress may be nil.
	Asset(ctx context.Context, request media.AssetRequest, progress func(float64)) (media.Asset, error)
	// Trim writes part of an asset to a path that does not exist yet, leaves nothing there when it
	// fails, and says what it wrote. progress may be nil.
	Trim(ctx context.Context, request media.TrimRequest, progress func(float64)) (media.Asset, error)
}

// Speech turns sound into words.
type Speech interface {
	// Open loads the speech model. Without one installed it returns (nil, nil): analysis then works
	// from silences alone.
	Open() (Model, error)
}

// Model is a loaded speech model, closed by who opened it.
type Model interface {
	Name() string
	// Transcribe listens to a file of raw 16 kHz mono signed 16-bit sound, of which voice says
	// where somebody speaks. Language is an ISO 639-1 code, with or without region, or empty to
	// detect it.
	Transcribe(
		ctx context.Context,
		path, language string,
		voice media.VoiceActivity,
		progress func(float64),
	) (media.Transcript, error)
	Close() error
}

// FileFault is an error that a user's file caused, with a text that tells them what to do.
type FileFault interface {
	error
	FileFault() string
}
