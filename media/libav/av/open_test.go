package av

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media/mediatest"
)

// A track has the same packets when libav sees only that track of the recording.
func TestOpenTrackReadsTheSamePackets(t *testing.T) {
	t.Parallel()
	faststart := []string{"-movflags", "+faststart"}
	begun := []string{"-ss", "1.3", "-movflags", "negative_cts_offsets"}
	fragments := []string{"-movflags", "frag_keyframe+empty_moov"}
	for name, c := range map[string]struct {
		options mediatest.TalkOptions
		hides   bool
	}{
		"B-frames":     {mediatest.TalkOptions{BFrames: 3}, true},
		"front":        {mediatest.TalkOptions{BFrames: 3, OutputOptions: faststart}, true},
		"MOV":          {mediatest.TalkOptions{Container: "mov"}, true},
		"late video":   {mediatest.TalkOptions{VideoStartMS: 300}, true},
		"late audio":   {mediatest.TalkOptions{AudioStartMS: 300}, true},
		"begun before": {mediatest.TalkOptions{OutputOptions: begun}, true},
		"variable":     {mediatest.TalkOptions{Variable: true}, true},
		"fragments":    {mediatest.TalkOptions{OutputOptions: fragments}, false},
		"Matroska":     {mediatest.TalkOptions{Container: "mkv"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.options.Seconds, c.options.GOP = 6, 30
			path := mediatest.Talk(t, c.options).Path
			for _, kind := range []astiav.MediaType{astiav.MediaTypeVideo, astiav.MediaTypeAudio} {
				one, track, err := openTrack(context.Background(), path, kind, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer one.Close()
				whole, err := Open(context.Background(), path)
				if err != nil {
					t.Fatal(err)
				}
				defer whole.Close()
				same := whole.Video
				if kind == astiav.MediaTypeAudio {
					same = whole.Audio
				}
				whole.Only(same)
				if hidden := one.Format.NbStreams() < whole.Format.NbStreams(); hidden != c.hides {
					t.Errorf("%v: libav sees %d of %d tracks", kind, one.Format.NbStreams(), whole.Format.NbStreams())
				}
				if track.Base != same.Base || track.Name != same.Name ||
					!bytes.Equal(track.Params.ExtraData(), same.Params.ExtraData()) {
					t.Errorf("%v: another track", kind)
				}
				packets := 0
				for ; ; packets++ {
					_, err := one.Next()
					_, wholeErr := whole.Next()
					if errors.Is(err, io.EOF) && errors.Is(wholeErr, io.EOF) {
						break
					}
					if err != nil || wholeErr != nil {
						t.Fatalf("%v: packet %d: %v, of the whole recording: %v", kind, packets, err, wholeErr)
					}
					got, want := one.Packet, whole.Packet
					if FactsOf(got) != FactsOf(want) || got.Dts() != want.Dts() ||
						!bytes.Equal(got.Data(), want.Data()) {
						t.Fatalf("%v: packet %d is %+v, want %+v", kind, packets, FactsOf(got), FactsOf(want))
					}
				}
				if packets < 100 {
					t.Errorf("%v: only %d packets", kind, packets)
				}
			}
		})
	}
}

// A recording without the asked track is refused as before.
func TestOpenTrackThatIsMissing(t *testing.T) {
	t.Parallel()
	silent := mediatest.Talk(t, mediatest.TalkOptions{Seconds: 2, NoAudio: true}).Path
	_, _, err := openTrack(context.Background(), silent, astiav.MediaTypeAudio, nil)
	if err == nil || err.Error() != ErrChanged().Error() {
		t.Errorf("the audio of a silent recording: %v", err)
	}
	none := filepath.Join(t.TempDir(), "no.mp4")
	if _, _, err := openTrack(context.Background(), none, astiav.MediaTypeAudio, nil); err == nil {
		t.Error("a missing file opens")
	}
}
