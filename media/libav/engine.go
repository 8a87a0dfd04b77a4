package libav

import (
	"runtime"
	"time"

	"github.com/asticode/go-astiav"
)

// Engine probes, ingests and renders. It holds nothing but its options: one Engine may be used by
// many goroutines at once.
type Engine struct {
	threads int
	stall   time.Duration
	cache   *ChunkCache // nil: nothing is kept
}

// Option changes how an Engine works.
type Option func(*Engine)

// WithThreads bounds the threads that each decoder and encoder of one call may use; the default is
// one per processor.
func WithThreads(n int) Option { return func(e *Engine) { e.threads = n } }

// WithChunkCache keeps the encoded pieces of inputs that have an ID, and uses them again.
func WithChunkCache(c *ChunkCache) Option { return func(e *Engine) { e.cache = c } }

// New returns an Engine. For the whole process, it turns off libav's own logging and limits the heaps
// of the C allocator.
func New(options ...Option) *Engine {
	astiav.SetLogLevel(astiav.LogLevelQuiet)
	limitHeaps()
	e := &Engine{threads: runtime.NumCPU(), stall: 60 * time.Second}
	for _, option := range options {
		option(e)
	}
	return e
}

// Version returns the versions of the libav libraries that are linked, for logs and health reports.
func (e *Engine) Version() string { return nativeVersion() }

// decodeThreads is how many threads a picture decoder gets beside an encoder, which needs several
// times as much: each costs memory for the pictures that it has in flight.
func (e *Engine) decodeThreads() int { return max(1, e.threads/2) }
