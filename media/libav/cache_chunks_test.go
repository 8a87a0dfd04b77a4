package libav

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// keeping returns an engine with its own cache.
func keeping(t testing.TB, budget int64) (*Engine, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "chunks")
	return New(WithChunkCache(NewChunkCache(dir, budget))), dir
}

// named gives the only input of a plan an ID.
func named(plan media.RenderPlan) media.RenderPlan {
	plan.Inputs = slices.Clone(plan.Inputs)
	plan.Inputs[0].ID = "footage"
	return plan
}

func renderWith(t testing.TB, e *Engine, plan media.RenderPlan) (string, media.RenderResult) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.mp4")
	rendered, err := e.Render(context.Background(), plan, out, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rendered.Copied+rendered.Encoded+rendered.Reused != plan.Frames() {
		t.Errorf("%+v does not add up to %d frames", rendered, plan.Frames())
	}
	return out, rendered
}

// chunkFiles returns the cached video chunks.
func chunkFiles(t testing.TB, dir string) []string { return keptFiles(t, dir, videoSuffix) }

// keptFiles returns the files of a cache whose names end in end.
func keptFiles(t testing.TB, dir, end string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"+end))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func chunkTalk(t testing.TB) mediatest.TalkFixture {
	return mediatest.Talk(
		t,
		mediatest.TalkOptions{
			Hiss:         true,
			Width:        320,
			Height:       180,
			Seconds:      16,
			VideoOptions: tagged,
			GOP:          48,
			BFrames:      3,
		},
	)
}

// A second export encodes nothing, and one after a change encodes only what the change affects.
// Both show the same as a first export.
func TestSecondExportEncodesOnlyChanges(t *testing.T) {
	talk := chunkTalk(t)
	for name, settings := range map[string]media.RenderSettings{
		"cuts only": {}, "another size": {ShortSide: 120, AspectRatio: "9:16"},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := keeping(t, 1<<30)
			cuts := everySecond(15500)
			plan := named(makePlan(t, cuts, settings, talk.Path))
			first, made := renderWith(t, e, plan)
			if made.Reused != 0 || made.Encoded == 0 || (made.Copied == 0) != (name == "another size") ||
				(made.EncodedBecause == "") != (made.Copied > 0) {
				t.Errorf("the first: %+v", made)
			}
			again, made := renderWith(t, e, plan)
			if made.Encoded != 0 || made.Reused == 0 {
				t.Errorf("the second: %+v", made)
			}
			if a, b := lumas(t, first, plan.Width, plan.Height), lumas(
				t, again, plan.Width, plan.Height,
			); !slices.Equal(a, b) {
				t.Error("the second shows other frames")
			}
			checkSilentDecoder(t, again)
			checkPackets(t, again, 1<<30)
			changed := named(makePlan(t, slices.Delete(slices.Clone(cuts), 4, 5), settings, talk.Path))
			out, made := renderWith(t, e, changed)
			// Only the frames of the restored cut are encoded, or copied. A few next to a copy are
			// not worth a chunk of their own.
			restored, copies := changed.Frames()-plan.Frames(), name == "cuts only"
			if made.Reused == 0 || (!copies && made.Encoded != restored) || made.Encoded > restored+15 {
				t.Errorf("after a change that restored %d frames: %+v", restored, made)
			}
			if want, got := mediatest.FrameNumbers(t, talk.Path), mediatest.FrameNumbers(
				t,
				out,
			); int64(len(got)) != changed.Frames() || slices.Contains(got, -1) ||
				len(want) == 0 {
				t.Errorf("after a change there are %d frames, want %d", len(got), changed.Frames())
			}
			checkSilentDecoder(t, out)
		})
	}
}

// A cancelled export leaves its finished chunks, and the next export resumes with them.
func TestInterruptedExportResumesWithItsChunks(t *testing.T) {
	e, dir := keeping(t, 1<<30)
	plan := named(makePlan(t, everySecond(15500), media.RenderSettings{ShortSide: 144}, chunkTalk(t).Path))
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stopped")
	out := filepath.Join(t.TempDir(), "out.mp4")
	_, err := e.Render(ctx, plan, out, func(fraction float64) {
		if fraction > 0.5 {
			cancel(stop)
		}
	})
	if !errors.Is(err, stop) {
		t.Fatalf("got %v", err)
	}
	if len(chunkFiles(t, dir)) == 0 {
		t.Fatal("nothing was cached")
	}
	if _, made := renderWith(t, e, plan); made.Reused == 0 {
		t.Errorf("made %+v", made)
	}
}

// A damaged chunk is encoded again, whatever the damage.
func TestDamagedChunkIsEncodedAgain(t *testing.T) {
	for name, damage := range map[string]func(data []byte) []byte{
		"a flipped bit": func(data []byte) []byte { data[len(data)/2] ^= 1; return data },
		"truncated":     func(data []byte) []byte { return data[:len(data)/2] },
		"empty":         func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, dir := keeping(t, 1<<30)
			plan := named(makePlan(t, everySecond(15500), media.RenderSettings{}, chunkTalk(t).Path))
			first, _ := renderWith(t, e, plan)
			want := mediatest.FrameNumbers(t, first)
			file := chunkFiles(t, dir)[0]
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, damage(data), 0o600); err != nil {
				t.Fatal(err)
			}
			out, made := renderWith(t, e, plan)
			if made.Encoded == 0 || made.RepeatedBecause != errBadChunk.Error() {
				t.Errorf("made %+v", made)
			}
			if !slices.Equal(want, mediatest.FrameNumbers(t, out)) {
				t.Error("it shows other frames")
			}
		})
	}
}

// The check of a finished export finds a chunk that decodes well but shows the wrong frames. The
// export is then rendered in safe mode.
func TestExportThatFailsItsCheckIsRenderedAgain(t *testing.T) {
	e, dir := keeping(t, 1<<30)
	talk := mediatest.Talk(
		t,
		mediatest.TalkOptions{
			Hiss:         true,
			Width:        320,
			Height:       180,
			Seconds:      16,
			VideoOptions: tagged,
			GOP:          250,
			BFrames:      3,
		},
	)
	var cuts []media.Span
	for at := int64(1000); at < 15_000; at += 2000 {
		cuts = append(cuts, media.Span{StartMS: at, EndMS: at + 1000})
	}
	plan := named(makePlan(t, cuts, media.RenderSettings{}, talk.Path))
	first, _ := renderWith(t, e, plan)
	byLength := map[int][]string{}
	for _, file := range chunkFiles(t, dir) {
		packets, err := e.cache.read(file)
		if err != nil {
			t.Fatal(err)
		}
		byLength[len(packets)] = append(byLength[len(packets)], file)
	}
	swapped := 0
	for _, files := range byLength {
		for ; len(files) > 1; files = files[2:] {
			one, err := e.cache.read(files[0])
			other, err2 := e.cache.read(files[1])
			if err = errors.Join(
				err,
				err2,
				e.cache.write(files[0], other),
				e.cache.write(files[1], one),
			); err != nil {
				t.Fatal(err)
			}
			swapped += 2
		}
	}
	if swapped < 4 {
		t.Fatalf("only %d chunks were swapped", swapped)
	}
	out, made := renderWith(t, e, plan)
	if made.RepeatedBecause == "" || made.Copied+made.Reused > 0 {
		t.Errorf("made %+v", made)
	}
	t.Log(made.RepeatedBecause)
	if !slices.Equal(mediatest.FrameNumbers(t, first), mediatest.FrameNumbers(t, out)) {
		t.Error("it shows other frames")
	}
}

// Chunks stay within their budget. The least recently used are deleted first.
func TestChunksStayWithinTheirBudget(t *testing.T) {
	e, dir := keeping(t, 1<<30)
	talk := chunkTalk(t)
	old := named(makePlan(t, everySecond(15500), media.RenderSettings{ShortSide: 144}, talk.Path))
	recent := named(makePlan(t, everySecond(15500), media.RenderSettings{ShortSide: 144, FlipH: true}, talk.Path))
	renderWith(t, e, old)
	past := time.Now().Add(-time.Hour)
	total := int64(0)
	for _, file := range keptFiles(t, dir, "") {
		if err := os.Chtimes(file, past, past); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	e.cache.budget = total * 3 / 2
	renderWith(t, e, recent)
	left := int64(0)
	for _, file := range keptFiles(t, dir, "") {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		left += info.Size()
	}
	if left > e.cache.budget || left == 0 {
		t.Errorf("%d bytes are cached with a budget of %d", left, e.cache.budget)
	}
	if _, made := renderWith(t, e, recent); made.Encoded != 0 {
		t.Errorf("the newer export made again: %+v", made)
	}
	if _, made := renderWith(t, e, old); made.Encoded == 0 {
		t.Errorf("the older export made again: %+v", made)
	}
}
