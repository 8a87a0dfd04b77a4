package cli

import (
	"context"
	"fmt"
	"runtime"

	"roughcut/media"
	"roughcut/media/libav"
	"roughcut/pipeline"
	"roughcut/store"
)

// Values of ENGINE_ISOLATION.
const (
	isolationNone    = "in-process"
	isolationProcess = "process"
)

// isolated reports whether jobs run in child processes. By default they do so on Linux, if several
// people use the server.
func (s settings) isolated() bool {
	if s.EngineIsolation == "" {
		return runtime.GOOS == "linux" && !s.owner()
	}
	return s.EngineIsolation == isolationProcess
}

// refuseIsolation refuses an isolation that the system does not have.
func (s settings) refuseIsolation() error {
	if s.EngineIsolation == isolationProcess && runtime.GOOS != "linux" {
		return usageError{fmt.Errorf("ENGINE_ISOLATION=%s needs Linux; set it to %s", isolationProcess, isolationNone)}
	}
	return nil
}

// mediaEngine is the engine of a server.
type mediaEngine interface {
	pipeline.Engine
	RoomTone(ctx context.Context, request media.RoomToneRequest) ([]int16, error)
}

// engines are the engines of a server.
type engines struct {
	media  mediaEngine
	hear   pipeline.Hear
	speech pipeline.Speech
}

// newEngines returns the engines of a server with the model that speech finds. There is a chunk
// cache unless CHUNK_CACHE_MB is 0.
func newEngines(s settings, data *store.Store, speech Speech) engines {
	if s.isolated() {
		return isolatedEngines(s, data, speech)
	}
	return localEngines(s, data, speech)
}

// localEngines returns engines in this process.
func localEngines(s settings, data *store.Store, speech Speech) engines {
	return engines{chunkEngine(data.ChunkDir(), s.ChunkCacheMB<<20), pipeline.HearFile, speech}
}

// chunkEngine returns an engine in this process with a chunk cache of at most budget bytes, and
// without one if budget is 0.
func chunkEngine(dir string, budget int64) *libav.Engine {
	if budget == 0 {
		return libav.New()
	}
	return libav.New(libav.WithChunkCache(libav.NewChunkCache(dir, budget)))
}
