package pipeline_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
)

// A choice of audio tracks makes the audio of a clip again, without its sprite sheet. An analysis
// that starts before waits for it.
func TestChosenTracksAreIngested(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var mu sync.Mutex
	var requests []media.IngestRequest
	w.engine.ingest = func(
		ctx context.Context, r media.IngestRequest, progress func(float64),
	) (media.IngestResult, error) {
		mu.Lock()
		requests = append(requests, r)
		mu.Unlock()
		result, err := ingestWell(ctx, r, progress)
		result.Info.AudioTracks = []media.AudioTrack{
			{Stream: 1, Channels: 2, Codec: "aac"}, {Stream: 2, Channels: 2, Codec: "aac", Played: true},
		}
		if r.Screen {
			result.Screen = &r.Screen
		}
		return result, err
	}
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	clip := w.upload()
	w.until(events, pipeline.ClipReady)
	if _, err := w.store.ChooseTracks(w.user.UUID, clip.UUID, []int{0, 1}); err != nil {
		t.Fatal(err)
	}
	w.until(events, pipeline.ClipReady)
	if got := w.clip(clip.UUID); got.TracksLeft || !slices.Equal(got.Info.HeardTracks(), []int{0, 1}) ||
		got.Screen == nil || !*got.Screen {
		t.Errorf("the clip is %+v", got)
	}
	mu.Lock()
	defer mu.Unlock()
	first, again := requests[0], requests[1]
	if first.Tracks != nil || !first.Motion || !first.Screen {
		t.Errorf("the first ingest is %+v", first)
	}
	if !slices.Equal(again.Tracks, []int{0, 1}) || again.SpritePath != "" || again.Motion || again.Screen ||
		again.SpeechPath == "" {
		t.Errorf("the second ingest is %+v", again)
	}
}
