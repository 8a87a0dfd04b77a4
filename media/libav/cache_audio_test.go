package libav

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// audioFiles returns the cached audio files by path.
func audioFiles(t testing.TB, dir string) map[string]os.FileInfo {
	t.Helper()
	files := map[string]os.FileInfo{}
	for _, path := range keptFiles(t, dir, audioSuffix) {
		if info, err := os.Stat(path); err == nil { // a render may delete it in between
			files[path] = info
		}
	}
	return files
}

// sameFiles reports that no file was added, removed or written again.
func sameFiles(a, b map[string]os.FileInfo) bool {
	for path, info := range a {
		if b[path] == nil || !os.SameFile(info, b[path]) {
			return false
		}
	}
	return len(a) == len(b)
}

func bytesOf(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The audio of a second export matches the first byte for byte, and matches an export without a
// cache. This holds with and without video, in one file and in many, plain and with all processing.
func TestCachedAudioMatchesFirstExport(t *testing.T) {
	long := mediatest.Talk(
		t,
		mediatest.TalkOptions{
			NoVideo:   true,
			Container: "m4a",
			Script:    mediatest.ThreeMinuteScript(),
			Seconds:   150,
			Hiss:      true,
		},
	).Path
	for name, c := range map[string]struct {
		path     string
		settings media.RenderSettings
		parts    int
	}{
		"cuts": {chunkTalk(t).Path, media.RenderSettings{AspectRatio: "source"}, 1},
		"much done to it": {
			chunkTalk(t).Path,
			media.RenderSettings{
				VolumePercent: 70,
				Audio:         media.AudioSettings{Denoise: true, NoiseFloorDB: -20, Normalize: true, TargetLUFS: -16},
			},
			1,
		},
		"minutes of audio": {long, media.RenderSettings{AudioOnly: true}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := named(makePlan(t, somePauses, c.settings, c.path))
			engine, dir := keeping(t, 1<<30)
			out := func(e *Engine) []byte {
				path := filepath.Join(t.TempDir(), "out.mp4")
				if made, err := e.Render(context.Background(), plan, path, nil); err != nil ||
					made.RepeatedBecause != "" {
					t.Fatal(made, err)
				}
				return bytesOf(t, path)
			}
			first := out(engine)
			cached := audioFiles(t, dir)
			if len(cached) != c.parts {
				t.Fatalf("%d audio files are cached, want %d", len(cached), c.parts)
			}
			second := out(engine)
			if !sameFiles(cached, audioFiles(t, dir)) {
				t.Error("the second export encoded its audio again")
			}
			if !bytes.Equal(first, second) || !bytes.Equal(first, out(New())) {
				t.Error("the exports differ")
			}
		})
	}
}

// A change of the audible audio misses the cache. Any other change reuses the cached audio.
func TestChangedAudioMissesCache(t *testing.T) {
	talk, music := chunkTalk(t), mediatest.Talk(
		t,
		mediatest.TalkOptions{NoVideo: true, Container: "m4a", Seconds: 6, Hiss: true},
	)
	info, err := New().Probe(context.Background(), music.Path)
	if err != nil {
		t.Fatal(err)
	}
	placed := func(id string, volume int) []media.PlacedAsset {
		a := media.PlacedAsset{Path: music.Path, ID: id, Info: info, Span: media.Span{StartMS: 3000, EndMS: 5000}}
		a.VisualMode, a.AudioMode, a.VolumePercent = media.VisualNone, media.AudioMix, volume
		return []media.PlacedAsset{a}
	}
	engine, dir := keeping(t, 1<<30)
	render := func(cuts []media.Span, s media.RenderSettings) {
		t.Helper()
		renderWith(t, engine, named(makePlan(t, cuts, s, talk.Path)))
	}
	render(somePauses, media.RenderSettings{AspectRatio: "source"})
	count := 1
	for _, c := range []struct {
		name     string
		cuts     []media.Span
		settings media.RenderSettings
		same     bool
	}{
		{"the same", somePauses, media.RenderSettings{AspectRatio: "source"}, true},
		{"another frame size", somePauses, media.RenderSettings{ShortSide: 120, FlipH: true}, true},
		{"softer", somePauses, media.RenderSettings{VolumePercent: 99}, false},
		{"another cut", somePauses[1:], media.RenderSettings{}, false},
		{
			"a cut of another length", append([]media.Span{{StartMS: 1300, EndMS: 2934}}, somePauses[1:]...),
			media.RenderSettings{}, false,
		},
		{
			"less noise", somePauses,
			media.RenderSettings{Audio: media.AudioSettings{Denoise: true, NoiseFloorDB: -20}}, false,
		},
		{
			"still less noise", somePauses,
			media.RenderSettings{Audio: media.AudioSettings{Denoise: true, NoiseFloorDB: -21}}, false,
		},
		{
			"a loudness", somePauses,
			media.RenderSettings{Audio: media.AudioSettings{Normalize: true, TargetLUFS: -14}}, false,
		},
		{
			"another loudness", somePauses,
			media.RenderSettings{Audio: media.AudioSettings{Normalize: true, TargetLUFS: -16}}, false,
		},
		{
			"a word silenced", somePauses,
			media.RenderSettings{
				Audio: media.AudioSettings{
					Censor: media.CensorMute, Censored: []media.Span{{StartMS: 500, EndMS: 900}},
				},
			},
			false,
		},
		{
			"a bleep", somePauses,
			media.RenderSettings{
				Audio: media.AudioSettings{
					Censor: media.CensorBleep, Censored: []media.Span{{StartMS: 500, EndMS: 900}},
				},
			},
			false,
		},
		{"music", somePauses, media.RenderSettings{Assets: placed("music", 50)}, false},
		{"the same music", somePauses, media.RenderSettings{Assets: placed("music", 50)}, true},
		{"softer music", somePauses, media.RenderSettings{Assets: placed("music", 40)}, false},
		{"other music", somePauses, media.RenderSettings{Assets: placed("other", 50)}, false},
		{"music without a name", somePauses, media.RenderSettings{Assets: placed("", 50)}, true},
	} {
		render(c.cuts, c.settings)
		if !c.same {
			count++
		}
		if got := len(audioFiles(t, dir)); got != count {
			t.Fatalf("%s: %d versions of the audio are cached, want %d", c.name, got, count)
		}
	}
}

// A damaged audio file is detected and the export is made without it. The next export restores the
// cache.
func TestDamagedCachedAudioIsEncodedAgain(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, e *Engine, path string){
		"a flipped bit": func(t *testing.T, _ *Engine, path string) {
			data := bytesOf(t, path)
			data[len(data)/2] ^= 1
			rewrite(t, path, data)
		},
		"truncated": func(t *testing.T, _ *Engine, path string) { rewrite(t, path, bytesOf(t, path)[:100]) },
		"empty":     func(t *testing.T, _ *Engine, path string) { rewrite(t, path, nil) },
		"of another export": func(t *testing.T, e *Engine, path string) {
			renderWith(
				t, e,
				named(makePlan(t, somePauses[1:], media.RenderSettings{AspectRatio: "source"}, chunkTalk(t).Path)),
			)
			for other := range audioFiles(t, filepath.Dir(filepath.Dir(path))) {
				if other != path {
					rewrite(t, path, bytesOf(t, other))
				}
			}
		},
		"a packet missing": func(t *testing.T, e *Engine, path string) {
			packets, err := e.cache.read(path)
			if err == nil {
				err = e.cache.write(path, packets[:len(packets)/2:len(packets)/2])
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine, dir := keeping(t, 1<<30)
			plan := named(makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, chunkTalk(t).Path))
			first, _ := renderWith(t, engine, plan)
			for path := range audioFiles(t, dir) {
				damage(t, engine, path)
			}
			second, made := renderWith(t, engine, plan)
			if made.RepeatedBecause != errBadChunk.Error() {
				t.Errorf("made %+v", made)
			}
			if !slices.Equal(mediatest.PCM(t, first, media.SampleRate), mediatest.PCM(t, second, media.SampleRate)) {
				t.Error("the audio differs")
			}
			if _, made := renderWith(t, engine, plan); made.RepeatedBecause != "" || made.Encoded > 0 {
				t.Errorf("the next: %+v", made)
			}
		})
	}
}

func rewrite(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A pre-render caches the audio along with the heads, and the export reuses it. Audio that an
// export copies is not cached.
func TestPrerenderedAudioIsReused(t *testing.T) {
	engine, dir := keeping(t, 1<<30)
	whole := named(makePlan(t, nil, media.RenderSettings{AspectRatio: "source"}, chunkTalk(t).Path))
	if err := engine.Prerender(context.Background(), whole); err != nil || len(audioFiles(t, dir)) > 0 {
		t.Fatalf("an export that copies its audio cached %d audio files, %v", len(audioFiles(t, dir)), err)
	}
	plan := named(makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, chunkTalk(t).Path))
	if err := engine.Prerender(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
	cached := audioFiles(t, dir)
	if len(cached) != 1 {
		t.Fatalf("%d audio files are cached", len(cached))
	}
	out, _ := renderWith(t, engine, plan)
	if !sameFiles(cached, audioFiles(t, dir)) {
		t.Error("the export encoded its audio")
	}
	plain, _ := renderWith(t, New(), plan)
	if !slices.Equal(mediatest.PCM(t, out, media.SampleRate), mediatest.PCM(t, plain, media.SampleRate)) {
		t.Error("the audio differs")
	}
}

// An export that is cancelled while it encodes audio leaves no audio in the cache.
func TestStoppedAudioEncodeLeavesNoFiles(t *testing.T) {
	long := mediatest.Talk(
		t,
		mediatest.TalkOptions{
			NoVideo:   true,
			Container: "m4a",
			Script:    mediatest.ThreeMinuteScript(),
			Seconds:   150,
			Hiss:      true,
		},
	).Path
	engine, dir := keeping(t, 1<<30)
	plan := named(makePlan(t, somePauses, media.RenderSettings{AudioOnly: true}, long))
	ctx, cancel := context.WithCancelCause(context.Background())
	stop, seen := errors.New("stopped"), 0
	_, err := engine.Render(ctx, plan, filepath.Join(t.TempDir(), "out.m4a"), func(fraction float64) {
		if fraction > 0.8 {
			seen = max(seen, len(audioFiles(t, dir)))
			cancel(stop)
		}
	})
	if !errors.Is(err, stop) || seen == 0 {
		t.Fatalf("%v after %d parts", err, seen)
	}
	if files := keptFiles(t, dir, ""); len(files) > 0 {
		t.Errorf("it left %v", files)
	}
}

// A pre-render that is cancelled while it encodes audio leaves no audio in the cache, but all video
// chunks, which come first.
func TestStoppedPrerenderKeepsChunksButNoAudio(t *testing.T) {
	talk := chunkTalk(t).Path
	paths := make([]string, 12)
	for i := range paths {
		paths[i] = talk
	}
	plan := makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, paths...)
	for i := range plan.Inputs {
		plan.Inputs[i].ID = fmt.Sprintf("recording %d", i)
	}
	engine, dir := keeping(t, 1<<30)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error)
	go func() { ended <- engine.Prerender(ctx, plan) }()
	for len(audioFiles(t, dir)) == 0 && ctx.Err() == nil {
		select {
		case err := <-ended:
			t.Fatalf("it ended before any audio was cached: %v", err)
		default:
			runtime.Gosched()
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if audio, chunks := len(audioFiles(t, dir)), len(chunkFiles(t, dir)); audio > 0 || chunks == 0 {
		t.Errorf("%d audio files and %d chunks are left", audio, chunks)
	}
}

// Audio counts against the budget. Audio beyond one export's share is not cached, and the least
// recently used files are deleted first.
func TestCachedAudioStaysWithinBudget(t *testing.T) {
	plan := named(makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, chunkTalk(t).Path))
	engine, dir := keeping(t, 1<<20)
	if err := engine.Prerender(context.Background(), plan); err != nil || len(audioFiles(t, dir)) > 0 {
		t.Errorf("audio beyond the share: %d files are cached, %v", len(audioFiles(t, dir)), err)
	}
	engine, dir = keeping(t, 1<<30)
	renderWith(t, engine, plan)
	past := time.Now().Add(-time.Hour)
	for path := range audioFiles(t, dir) {
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
	}
	total := int64(0)
	for _, path := range keptFiles(t, dir, "") {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	engine.cache.budget = total - 1
	if err := engine.cache.Trim(); err != nil {
		t.Fatal(err)
	}
	if audio, chunks := len(audioFiles(t, dir)), len(keptFiles(t, dir, videoSuffix)); audio > 0 || chunks == 0 {
		t.Errorf("%d audio files and %d video chunks are left", audio, chunks)
	}
	engine.cache.budget = 1 << 30
	if _, made := renderWith(t, engine, plan); made.RepeatedBecause != "" || len(audioFiles(t, dir)) == 0 {
		t.Errorf("the next: %+v, with %d audio files", made, len(audioFiles(t, dir)))
	}
}

// The audio of each recording is cached in its folder and deleted with it. The export then encodes
// all of it again.
func TestCachedAudioIsDeletedWithItsRecording(t *testing.T) {
	talk := chunkTalk(t).Path
	plan := makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, talk, talk)
	plan.Inputs[0].ID, plan.Inputs[1].ID = "one", "two"
	engine, dir := keeping(t, 1<<30)
	first, _ := renderWith(t, engine, plan)
	cached := audioFiles(t, dir)
	for _, id := range []string{"one", "two"} {
		if files, err := filepath.Glob(filepath.Join(dir, id, "*"+audioSuffix)); err != nil || len(files) != 1 {
			t.Fatalf("cached for recording %s: %v", id, files)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "two")); err != nil {
		t.Fatal(err)
	}
	second, made := renderWith(t, engine, plan)
	if made.RepeatedBecause != "" || sameFiles(cached, audioFiles(t, dir)) {
		t.Errorf("the next: %+v", made)
	}
	if !slices.Equal(mediatest.PCM(t, first, media.SampleRate), mediatest.PCM(t, second, media.SampleRate)) {
		t.Error("the audio differs")
	}
}
