package libav

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// Engine probes, ingests and renders. It holds only its options and is safe for concurrent use.
type Engine struct {
	threads  int
	stall    time.Duration
	cache    *ChunkCache // nil: nothing is cached
	encoder  func() media.EncoderChoice
	known    []av.HardwareEncoder
	clock    *av.CPUClock
	facesCPU time.Duration // processor time of a search for faces
}

// Option changes how an Engine works.
type Option func(*Engine)

// WithThreads limits the threads that each decoder and encoder of one call may use. The default is
// one per processor.
func WithThreads(n int) Option { return func(e *Engine) { e.threads = n } }

// WithChunkCache caches the encoded chunks of inputs that have an ID, and reuses them.
func WithChunkCache(c *ChunkCache) Option { return func(e *Engine) { e.cache = c } }

// WithEncoder lets proxies, and exports that are encoded in full, use the hardware encoder that
// choice returns. The engine calls choice when it first needs it, from any goroutine.
func WithEncoder(choice func() media.EncoderChoice) Option {
	return func(e *Engine) { e.encoder = choice }
}

// New returns an Engine. For the whole process, it turns off libav's own logging and limits the
// heaps of the C allocator.
func New(options ...Option) *Engine {
	astiav.SetLogLevel(astiav.LogLevelQuiet)
	av.LimitHeaps()
	e := &Engine{
		threads:  runtime.NumCPU(),
		stall:    60 * time.Second,
		known:    av.KnownEncoders(),
		clock:    av.NewCPUClock(av.ProcessTime),
		facesCPU: facesCPU,
	}
	for _, option := range options {
		option(e)
	}
	return e
}

// decodeThreads returns the number of threads of a video decoder that runs next to an encoder. It
// is lower because each thread costs memory for the frames in flight, and encoding takes several
// times as long as decoding.
func (e *Engine) decodeThreads() int { return max(1, e.threads/2) }

// Probe inspects a recording and decodes only its first frames: see av.Probe.
func (e *Engine) Probe(ctx context.Context, path string) (media.Info, error) {
	return av.Probe(ctx, path)
}

// Missing returns the required components that the linked libav lacks: see av.Missing.
func (e *Engine) Missing() []string { return av.Missing() }

// ChooseEncoder tests the hardware encoders that a setting allows: see av.ChooseEncoder.
func (e *Engine) ChooseEncoder(wanted string) media.EncoderChoice {
	return av.ChooseEncoder(e.known, wanted)
}

// hardware returns the hardware encoder in use, or nil if software encodes.
func (e *Engine) hardware() *av.HardwareEncoder {
	if e.encoder == nil {
		return nil
	}
	choice := e.encoder()
	i := slices.IndexFunc(e.known, func(h av.HardwareEncoder) bool { return h.Name == choice.Name })
	if i < 0 {
		return nil
	}
	return &e.known[i]
}

// encoderFault returns why the hardware encoder that the settings name is not in use, if so.
func (e *Engine) encoderFault() string {
	if e.encoder == nil {
		return ""
	}
	return e.encoder().Fault()
}
