package pipeline

import (
	"context"

	"roughcut/media"
	"roughcut/media/audio"
)

// Engine reads and writes media. progress gets a growing fraction from 0 to 1; calls come from any
// goroutine, but never concurrently. Errors that a file causes implement FileFault.
type Engine interface {
	Ingester
	Renderer
	AssetEditor
}

// Ingester reads recordings.
type Ingester interface {
	// Probe reads the format of a file without decoding it.
	Probe(ctx context.Context, path string) (media.Info, error)
	// Ingest decodes a recording once and writes the files that the request names.
	Ingest(ctx context.Context, request media.IngestRequest, progress func(float64)) (media.IngestResult, error)
	// Tiles makes at a low priority what an Ingest with TilesLaterMS left. Errors:
	// media.ErrNeedsProxy.
	Tiles(ctx context.Context, request media.TilesRequest, progress func(float64)) (media.TilesResult, error)
}

// Renderer writes edited videos.
type Renderer interface {
	// Render writes the edited video to a new file, and removes the file if it fails.
	Render(ctx context.Context, plan media.RenderPlan, path string, progress func(float64)) (media.RenderResult, error)
	// Still returns one output frame of the plan as an image. Errors: media.ErrNothingLeft past the
	// end.
	Still(ctx context.Context, plan media.RenderPlan, frame int64, kind media.StillKind) ([]byte, error)
	// Faces returns the main face of a recording at some times.
	Faces(ctx context.Context, request media.FacesRequest) ([]media.Face, error)
	// Prerender encodes at the lowest priority the chunks that a Render of the plan would encode.
	// Chunks that are complete when ctx ends stay in the cache.
	Prerender(ctx context.Context, plan media.RenderPlan) error
	// CountFrames finds how a Render of the plan would make its frames. It encodes nothing.
	CountFrames(ctx context.Context, request media.CountRequest) (media.FrameCounts, error)
}

// AssetEditor reads and edits the files of the asset library.
type AssetEditor interface {
	// Asset reads the properties of an image, video or audio file and writes the files that the
	// request names. progress may be nil.
	Asset(ctx context.Context, request media.AssetRequest, progress func(float64)) (media.Asset, error)
	// Trim writes a part of an asset to a new file, removes the file if it fails, and returns the
	// properties of the part. progress may be nil.
	Trim(ctx context.Context, request media.TrimRequest, progress func(float64)) (media.Asset, error)
}

// Speech loads speech models.
type Speech interface {
	// Open loads the speech model. It returns (nil, nil) if none is installed: the analysis then
	// detects silences and repeats by sound only.
	Open() (Model, error)
}

// Model is a loaded speech model. The caller of Open closes it.
type Model interface {
	Name() string
	// Transcribe transcribes a file of raw signed 16-bit mono audio at 16 kHz.
	Transcribe(
		ctx context.Context,
		path string,
		request SpeechRequest,
		progress func(float64),
	) (media.Transcript, error)
	Close() error
}

// SpeechRequest describes a recording to transcribe.
type SpeechRequest struct {
	Language string              // ISO 639-1 code, with or without region; empty to detect it
	Voice    audio.VoiceActivity // of the recording
	// Hints returns the hints for a language, an ISO 639-1 code. The model asks when it knows the
	// language.
	Hints func(language string) media.SpeechHints
}

// FileFault is an error that a user's file causes. Its text tells the user what to do.
type FileFault interface {
	error
	FileFault() string
}
