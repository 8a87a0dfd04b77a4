package cli

import (
	"context"
	"fmt"
	"runtime"
	"sync"

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

// checkInProcess tells what engines in the server process mean for a server with accounts.
func checkInProcess(s settings, advice string) []finding {
	if s.owner() {
		return passed("engines", "jobs run in the server process")
	}
	return warning("engines",
		"Jobs run in the server process. A crash of a decoder ends the server, and a hole in one reaches the files "+
			"of all users.",
		advice)
}

// mediaEngine is the engine of a server.
type mediaEngine interface {
	pipeline.Engine
	RoomTone(ctx context.Context, request media.RoomToneRequest) ([]int16, error)
}

// engines are the engines of a server.
type engines struct {
	media mediaEngine
	// encoder returns the video encoder. The first call tests hardware encoders.
	encoder func() media.EncoderChoice
	ears    pipeline.Ears
	speech  pipeline.Speech
}

// newEngines returns the engines of a server with the model that speech finds. There is a chunk
// cache unless CHUNK_CACHE_MB is 0.
func newEngines(s settings, data *store.Store, speech Speech) engines {
	open := localEngines
	if s.isolated() {
		open = isolatedEngines
	}
	e := open(s, data, speech)
	e.speech = timedSpeech{e.speech}
	return e
}

// localEngines returns engines in this process.
func localEngines(s settings, data *store.Store, speech Speech) engines {
	encoder := s.chooseEncoder()
	engine := chunkEngine(data.ChunkDir(), s.ChunkCacheMB<<20, encoder)
	return engines{engine, encoder, pipeline.LocalEars{Engine: engine}, speech}
}

// chooseEncoder returns a function that tests the hardware encoders in this process when it is
// first called, and returns the one to use.
func (s settings) chooseEncoder() func() media.EncoderChoice {
	return sync.OnceValue(func() media.EncoderChoice { return libav.New().ChooseEncoder(s.Encoder) })
}

// chunkEngine returns an engine in this process with a chunk cache of at most budget bytes. If
// budget is 0, the engine has no chunk cache.
func chunkEngine(dir string, budget int64, encoder func() media.EncoderChoice) *libav.Engine {
	options := []libav.Option{libav.WithEncoder(encoder)}
	if budget > 0 {
		options = append(options, libav.WithChunkCache(libav.NewChunkCache(dir, budget)))
	}
	return libav.New(options...)
}
