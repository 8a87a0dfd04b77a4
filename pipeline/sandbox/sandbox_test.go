//go:build linux

package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/libav"
	"roughcut/media/mediatest"
	"roughcut/pipeline"
)

// TestMain lets the test binary be the child. ENGINE_TEST names an engine that misbehaves.
// The child of "end" and "hang" starts a process before it gives up system calls.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "grandchild" {
		_, _ = unix.Ppoll(nil, nil, nil) // until it is killed
		os.Exit(1)
	}
	if len(os.Args) == 2 && os.Args[1] == Name {
		what, marker, _ := strings.Cut(os.Getenv("ENGINE_TEST"), " ")
		if marker != "" && (what == "end" || what == "hang") {
			grandchild := exec.Command("/proc/self/exe", "grandchild", marker)
			grandchild.Stdin, grandchild.Stdout, grandchild.Stderr = os.Stdin, os.Stdout, os.Stdout
			if err := grandchild.Start(); err != nil {
				os.Stderr.WriteString(err.Error())
				os.Exit(1)
			}
		}
		err := Serve(Local{
			Media: childEngine, Speech: childSpeech, Encoder: childEncoder, Graphics: childGraphics,
		})
		if err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func childEngine(c ChunkCache, encoder media.EncoderChoice) MediaEngine {
	engine := localEngine(c.Dir)
	if fault := os.Getenv("ENGINE_TEST"); fault != "" {
		return faultyEngine{engine, fault, encoder}
	}
	return engine
}

// localEngine returns an engine of this process with a chunk cache in dir, if it is not empty. With
// one thread, x264 always writes the same bytes.
func localEngine(dir string) *libav.Engine {
	if dir == "" {
		return libav.New(libav.WithThreads(1))
	}
	return libav.New(libav.WithThreads(1), libav.WithChunkCache(libav.NewChunkCache(dir, 1<<30)))
}

// options returns options with a chunk cache in dir, if it is not empty.
func options(dir string, env ...string) Options {
	o := Options{Executable: "/proc/self/exe", Environment: env}
	if dir != "" {
		o.Chunks = ChunkCache{Dir: dir, BudgetBytes: 1 << 30}
		o.TrimChunks = libav.NewChunkCache(dir, 1<<30).Trim
	}
	return o
}

func talk(t testing.TB) mediatest.TalkFixture {
	t.Helper()
	o := mediatest.TalkOptions{Hiss: true, Width: 320, Height: 180, Seconds: 4, GOP: 60, BFrames: 2}
	return mediatest.Talk(t, o)
}

// contents returns the names and checksums of all files under a folder.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		name, _ := filepath.Rel(dir, path)
		all[name] = strconv.Itoa(len(data)) + " " + hex.EncodeToString(sum[:8])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// journey runs every call of an engine on a recording, and returns all results and files. The
// recording has an ID, so that chunks are cached.
func journey(t *testing.T, engine MediaEngine, path, dir string) (results []any) {
	t.Helper()
	ctx := t.Context()
	keep := func(result any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, result)
	}
	keep(engine.Probe(ctx, path))
	last := -1.0
	var ears pipeline.Ears = pipeline.LocalEars{Engine: engine}
	if isolated, ok := engine.(*Engine); ok {
		ears = isolated
	}
	ingested, heard, err := ears.IngestAndHear(ctx, media.IngestRequest{
		Path: path, ProxyPath: filepath.Join(dir, "proxy.mp4"), SpritePath: filepath.Join(dir, "sprite.jpg"),
		SpeechPath: filepath.Join(dir, "speech.s16"), Motion: true,
	}, func(fraction float64) {
		if fraction < last || fraction > 1 {
			t.Errorf("progress went from %v to %v", last, fraction)
		}
		last = fraction
	})
	keep(ingested, err)
	if last != 1 {
		t.Errorf("the ingest ended at a progress of %v", last)
	}
	keep(engine.Tiles(ctx, media.TilesRequest{
		Path: path, SpritePath: filepath.Join(dir, "tiles.jpg"), DurationMS: ingested.Info.DurationMS,
	}, nil))
	energies := filepath.Join(dir, "energies")
	if err := os.WriteFile(energies, audio.PackEnergies(ingested.Energies), 0o600); err != nil {
		t.Fatal(err)
	}
	evidence, err := ears.Hear(ctx, filepath.Join(dir, "speech.s16"), ingested.Info.DurationMS, nil)
	keep(evidence, err)
	if diff := cmp.Diff(&evidence, heard); diff != "" {
		t.Errorf("the ingest heard something else than its speech file has:\n%s", diff)
	}
	keep(engine.Asset(ctx, media.AssetRequest{
		Path: path, PosterPath: filepath.Join(dir, "poster.jpg"), ProxyPath: filepath.Join(dir, "asset.mp4"),
	}, nil))
	keep(engine.Trim(ctx, media.TrimRequest{
		Path: path, OutPath: filepath.Join(dir, "trim.mp4"), StartMS: 1000, EndMS: 3000,
		Cuts: []media.Span{{StartMS: 1500, EndMS: 2000}},
	}, nil))
	keep(engine.RoomTone(ctx, media.RoomToneRequest{
		Path: path, EnergiesPath: energies, Muted: media.Span{StartMS: 500, EndMS: 1500}.Samples(),
	}))
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{{Path: path, ID: "clip", Info: ingested.Info, EnergiesPath: energies}},
		[]media.Span{{StartMS: 1300, EndMS: 1900}},
		media.RenderSettings{
			AspectRatio: media.AsRecorded, VolumePercent: 100, Audio: media.AudioSettings{Normalize: true},
			Captions: &media.CaptionTrack{Lines: []media.CaptionLine{{Text: "Hello", StartMS: 3000, EndMS: 3500}}},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	keep(engine.Still(ctx, plan, 20, media.StillPNG))
	keep(engine.Faces(ctx, media.FacesRequest{Path: path, Info: ingested.Info}))
	keep(nil, engine.Prerender(ctx, plan))
	keep(engine.Render(ctx, plan, filepath.Join(dir, "export.mp4"), nil))
	keep(engine.Render(ctx, plan, filepath.Join(dir, "again.mp4"), nil))
	return results
}

// perturb is the variable that makes the C library fill new memory. Encoding reads memory before it
// is written: the same frames can give other bytes in one process.
const perturb = "MALLOC_PERTURB_"

func TestIsolatedEngineWritesTheSameBytes(t *testing.T) {
	t.Parallel()
	path := talk(t).Path
	if os.Getenv(perturb) == "" {
		again := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run", "^"+t.Name()+"$")
		again.Env = append(os.Environ(), perturb+"=255")
		if output, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
		return
	}
	local, isolated := t.TempDir(), t.TempDir()
	want := journey(t, localEngine(filepath.Join(local, "chunks")), path, local)
	got := journey(t, New(options(filepath.Join(isolated, "chunks"), perturb+"=255")), path, isolated)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results differ:\n%s", diff)
	}
	files := contents(t, local)
	if diff := cmp.Diff(files, contents(t, isolated)); diff != "" {
		t.Errorf("files differ:\n%s", diff)
	}
	if len(files) < 10 {
		t.Errorf("only %d files were written: %v", len(files), files)
	}
}

// A child, which may not set times of files, marks the chunks that it reads as recently used.
func TestChildMarksChunksAsUsed(t *testing.T) {
	t.Parallel()
	path, dir := talk(t).Path, t.TempDir()
	engine := New(options(dir))
	info, err := engine.Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{{Path: path, ID: "clip", Info: info}}, []media.Span{{StartMS: 1300, EndMS: 1900}},
		media.RenderSettings{
			AspectRatio: media.AsRecorded, VolumePercent: 100, Audio: media.AudioSettings{Normalize: true},
			Captions: &media.CaptionTrack{Lines: []media.CaptionLine{{Text: "Hello", StartMS: 500, EndMS: 900}}},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Unix(1, 0)
	for round := range 2 {
		result, err := engine.Render(t.Context(), plan, filepath.Join(t.TempDir(), "export.mp4"), nil)
		if err != nil || result.Reused == 0 != (round == 0) {
			t.Fatalf("export %d reuses %d frames, %v", round, result.Reused, err)
		}
		chunks, err := filepath.Glob(filepath.Join(dir, "clip", "*"))
		if err != nil || len(chunks) == 0 {
			t.Fatalf("found no chunks: %v", err)
		}
		for _, chunk := range chunks {
			if info, err := os.Stat(chunk); err != nil || info.ModTime().Equal(old) {
				t.Errorf("%s is not marked: %v", filepath.Base(chunk), err)
			}
			if err := os.Chtimes(chunk, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A call waits while the children that run take all memory.
func TestCallsWaitForMemory(t *testing.T) {
	path := talk(t).Path
	for _, c := range []struct {
		name   string
		memory int64
		want   error
	}{
		{"one at a time", 1, context.DeadlineExceeded},
		{"two at a time", 2 * usualRead, nil},
		{"no bound", 0, nil},
	} {
		o := options("")
		o.MemoryBytes = c.memory
		engine := New(o)
		var second error
		ask := sync.OnceFunc(func() {
			ctx, cancel := t.Context(), context.CancelFunc(func() {})
			if c.want != nil {
				ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
			}
			defer cancel()
			_, second = engine.Probe(ctx, path)
		})
		dir := t.TempDir()
		_, err := engine.Ingest(t.Context(), media.IngestRequest{
			Path: path, ProxyPath: filepath.Join(dir, "proxy.mp4"), SpritePath: filepath.Join(dir, "sprite.jpg"),
			SpeechPath: filepath.Join(dir, "speech.s16"),
		}, func(float64) { ask() })
		if err != nil || !errors.Is(second, c.want) {
			t.Errorf("%s: the first call ends with %v, the one beside it with %v", c.name, err, second)
		}
	}
}
