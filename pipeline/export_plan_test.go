package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/store"
)

// An asset that is lowered under the voice is lowered where words are said. Without a transcript,
// it is lowered where a recording is loud.
func TestVoiceThatLowersAssets(t *testing.T) {
	t.Parallel()
	peaks := make([]byte, 4*media.PeaksPerSecond)
	for i := range media.PeaksPerSecond {
		peaks[2*media.PeaksPerSecond+i] = 200
	}
	path := filepath.Join(t.TempDir(), "peaks")
	if err := os.WriteFile(path, peaks, 0o600); err != nil {
		t.Fatal(err)
	}
	in := store.ExportInput{
		Clips: []media.RenderClip{
			{Info: media.Info{DurationMS: 10_000}},
			{Info: media.Info{DurationMS: 4000}, PeaksPath: filepath.Join(t.TempDir(), "gone")},
			{Info: media.Info{DurationMS: 4000}, PeaksPath: path},
		},
		Transcript: store.ExportTranscript{Words: []media.Word{
			{Text: "hello", StartMS: 100, EndMS: 500}, {Text: "there", StartMS: 500, EndMS: 900},
			{Text: "again", StartMS: 3000, EndMS: 3500},
		}},
	}
	voice := func() []media.Span {
		t.Helper()
		found, err := voiceOf(in)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if got := voice(); got != nil {
		t.Errorf("without such an asset, the voice is %v", got)
	}
	in.Assets = []media.PlacedAsset{{}, {Placement: media.Placement{DuckUnderVoice: true}}}
	want := []media.Span{{StartMS: 100, EndMS: 900}, {StartMS: 3000, EndMS: 3500}}
	if got := voice(); !slices.Equal(got, want) {
		t.Errorf("the voice of the words is %v, want %v", got, want)
	}
	in.Transcript.Words = nil
	loud := media.Span{StartMS: 16_000, EndMS: 17_000}
	if got := voice(); len(got) != 1 || got[0].Intersect(loud) != loud || got[0].Duration() > 2000 {
		t.Errorf("the voice of the waveform is %v, want about %v", got, loud)
	}
}

// An export keeps the audio tracks that are not heard unless its settings drop them.
func TestExportsKeepOrDropOtherTracks(t *testing.T) {
	t.Parallel()
	clip := media.RenderClip{Info: media.Info{
		DurationMS: 4000, Audio: &media.AudioInfo{Channels: 2}, AudioTracks: []media.AudioTrack{
			{Channels: 2}, {Channels: 2, Played: true}, {Undecodable: true}, {Channels: 1, Title: "Guest"},
		},
	}}
	in := store.ExportInput{Settings: store.DefaultExportSettings()}
	for drop, want := range map[bool]int{false: 2, true: 0} {
		in.Settings.DropOtherTracks = drop
		plan, err := media.NewRenderPlan([]media.RenderClip{clip}, nil, planSettings(in))
		if err != nil || len(plan.OtherTracks) != want {
			t.Errorf("drop %v: the plan has the tracks %+v, want %d: %v", drop, plan.OtherTracks, want, err)
		}
	}
}
