package libav

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// Sources of audio tracks, for tracksFile.
const (
	voiceTrack  = "" // the voice of the talk
	silentTrack = "anullsrc=r=48000:cl=stereo"
	musicTrack  = "aevalsrc='0.1*(sin(220*2*PI*t)+sin(277*2*PI*t)+sin(330*2*PI*t))*(0.6+0.4*sin(4*PI*t))'" +
		":s=48000:c=mono,aformat=channel_layouts=stereo"
)

// trackOf is an audio track of a test file.
type trackOf struct {
	source  string // one of the above, or another filter of libavfilter
	codec   string // AAC if empty; the voice is then copied
	damaged bool
	intact  int // packets before the damage
	title   string
}

// tracksTalk is the talk whose voice and video tracksFile uses. Its video is small, because these
// tests are about audio.
func tracksTalk(t testing.TB) mediatest.TalkFixture {
	t.Helper()
	return mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, RateNum: 10, GOP: 20})
}

// tracksFile writes the video of a talk with other audio tracks, of which the first is the default
// one, as screen recorders do.
func tracksFile(t testing.TB, extension string, tracks ...trackOf) string {
	t.Helper()
	talk := tracksTalk(t)
	path := filepath.Join(t.TempDir(), "screen."+extension)
	args, output := []string{"-i", talk.Path}, []string{"-map", "0:v", "-c:v", "copy", "-aac_coder", "fast"}
	inputs := 1
	for i, track := range tracks {
		input, codec := "0:a", cmp.Or(track.codec, "copy")
		if track.source != voiceTrack {
			args = append(args, "-f", "lavfi", "-t", fmt.Sprintf("%.3f", talk.Seconds), "-i", track.source)
			input = fmt.Sprintf("%d:a", inputs)
			inputs++
			codec = cmp.Or(track.codec, "aac")
		}
		output = append(output, "-map", input, fmt.Sprintf("-c:a:%d", i), codec)
		if track.title != "" {
			output = append(output, fmt.Sprintf("-metadata:s:a:%d", i), "title="+track.title)
		}
		if track.damaged {
			output = append(output, fmt.Sprintf("-bsf:a:%d", i), fmt.Sprintf("noise=amount=gte(n\\,%d)", track.intact))
		}
	}
	mediatest.FFmpeg(t, append(append(args, output...), "-disposition:a:0", "default", path)...)
	return path
}

// speechDB returns the level of a speech file in dBFS.
func speechDB(samples []float32) float64 {
	sum := 1e-12
	for _, v := range samples {
		sum += float64(v) * float64(v)
	}
	return 10 * math.Log10(sum/float64(max(1, len(samples))))
}

// An ingest hears the first audio track with speech, and skips those that do not decode.
func TestIngestHearsTheTrackWithSpeech(t *testing.T) {
	t.Parallel()
	talk := tracksTalk(t)
	alone := speechSamples(t, ingestFile(t, talk.Path).SpeechPath)
	for _, c := range []struct {
		name, extension string
		tracks          []trackOf
		heard           int
	}{
		{"silence first", "mkv", []trackOf{{source: silentTrack}, {source: voiceTrack}}, 2},
		{"silence first in MP4", "mp4", []trackOf{{source: silentTrack}, {source: voiceTrack}}, 2},
		{"music first", "mov", []trackOf{{source: musicTrack}, {source: voiceTrack}}, 2},
		{"music and silence first", "mkv", []trackOf{
			{source: musicTrack}, {source: silentTrack}, {source: voiceTrack},
		}, 3},
		{"voice first", "mkv", []trackOf{{source: voiceTrack}, {source: voiceTrack}}, 1},
		{"no voice", "mkv", []trackOf{{source: musicTrack}, {source: silentTrack}}, 1},
		{"silence and music", "mkv", []trackOf{{source: silentTrack}, {source: musicTrack}}, 2},
		{"unknown codec first", "mkv", []trackOf{{source: musicTrack, codec: "adpcm_ms"}, {source: voiceTrack}}, 2},
		{"damaged AC-3 first", "mkv", []trackOf{
			{source: voiceTrack, codec: "ac3", damaged: true}, {source: voiceTrack},
		}, 2},
		{"AC-3 first that is damaged after its start", "mkv", []trackOf{
			{source: voiceTrack, codec: "ac3", damaged: true, intact: 3}, {source: voiceTrack},
		}, 2},
		{"damaged AC-3 and music first", "mkv", []trackOf{
			{source: voiceTrack, codec: "ac3", damaged: true}, {source: musicTrack}, {source: voiceTrack},
		}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := ingestFile(t, tracksFile(t, c.extension, c.tracks...))
			if heard := got.Info.HeardTracks(); !slices.Equal(heard, []int{c.heard - 1}) {
				t.Fatalf("tracks %v are heard, want %d: %+v", heard, c.heard, got.Info.AudioTracks)
			}
			// Beside no voice, tones that begin suddenly may pass for one.
			isKnown := c.tracks[c.heard-1].source == voiceTrack
			for i, track := range got.Info.AudioTracks {
				unreadable := c.tracks[i].damaged || c.tracks[i].codec == "adpcm_ms"
				if track.Undecodable != unreadable {
					t.Errorf("track %d: undecodable is %v", i+1, track.Undecodable)
				}
				speaks := c.tracks[i].source == voiceTrack
				if !unreadable && (track.Speech == nil || (isKnown && *track.Speech != speaks)) {
					t.Errorf("track %d: speech is %v, want %v", i+1, track.Speech, speaks)
				}
			}

			if !isKnown {
				return
			}
			file := speechSamples(t, got.SpeechPath)
			if level, want := speechDB(file), speechDB(alone); math.Abs(level-want) > 0.5 {
				t.Errorf("the speech file has %.1f dB, want %.1f", level, want)
			}
			proxy := audioOf(t, got.ProxyPath, int64(talk.Seconds)).Left
			if level := speechDB(proxy); math.Abs(level-speechDB(alone)) > 1 {
				t.Errorf("the proxy has %.1f dB, want %.1f", level, speechDB(alone))
			}
		})
	}
}

// A track with one phrase has speech, but a track with more of it is heard.
func TestIngestNamesTheSpeechOfATrackWithOnePhrase(t *testing.T) {
	t.Parallel()
	phrase, talk := phraseSamples(t), tracksTalk(t)
	alone := writeWAV(t, 1, int(talk.Seconds), func(_, i int) float64 {
		if i -= 8 * media.SampleRate; i < 0 || i >= len(phrase) {
			return 0
		}
		return float64(phrase[i])
	})
	path := filepath.Join(t.TempDir(), "screen.mkv")
	mediatest.FFmpeg(t, "-i", talk.Path, "-i", alone, "-map", "0:v", "-map", "1:a", "-map", "0:a",
		"-c:v", "copy", "-c:a:0", "flac", "-c:a:1", "copy", "-disposition:a:0", "default", path)
	got := ingestFile(t, path).Info
	if heard := got.HeardTracks(); !slices.Equal(heard, []int{1}) {
		t.Fatalf("tracks %v are heard", heard)
	}
	for i, track := range got.AudioTracks {
		if track.Speech == nil || !*track.Speech {
			t.Errorf("track %d has no speech", i+1)
		}
	}
}

// An ingest lists the only audio track, too.
func TestIngestListsTheOnlyTrack(t *testing.T) {
	t.Parallel()
	for source, speaks := range map[string]bool{voiceTrack: true, silentTrack: false} {
		path := tracksFile(t, "mkv", trackOf{source: source, title: "Desk"})
		tracks := ingestFile(t, path).Info.AudioTracks
		if len(tracks) != 1 || tracks[0].Speech == nil {
			t.Fatalf("the tracks are %+v", tracks)
		}
		if only := tracks[0]; *only.Speech != speaks || only.Title != "Desk" || !only.Played {
			t.Errorf("the track is %+v, speech %v, want %v", only, *only.Speech, speaks)
		}
	}
}

// An ingest with a choice of tracks can listen to all tracks. The choice stays.
func TestIngestListensBesideAChoice(t *testing.T) {
	t.Parallel()
	path := tracksFile(t, "mkv", trackOf{source: silentTrack}, trackOf{source: voiceTrack})
	for _, listen := range []bool{false, true} {
		request := media.IngestRequest{
			Path: path, SpeechPath: filepath.Join(t.TempDir(), "speech"), SkipLevels: true,
			Tracks: []int{0}, Listen: listen,
		}
		got, err := New().Ingest(t.Context(), request, nil)
		if err != nil {
			t.Fatal(err)
		}
		tracks := got.Info.AudioTracks
		if !tracks[0].Played || tracks[1].Played {
			t.Errorf("the tracks %+v are heard", got.Info.HeardTracks())
		}
		if knows := tracks[0].Speech != nil && tracks[1].Speech != nil; knows != listen {
			t.Errorf("listen %v: the speech of the tracks is known: %v", listen, knows)
		}
		if listen && (*tracks[0].Speech || !*tracks[1].Speech) {
			t.Errorf("the tracks have speech: %v and %v", *tracks[0].Speech, *tracks[1].Speech)
		}
	}
}

// A recording whose audio tracks all lack a decoder is refused.
func TestIngestRefusesARecordingWithoutReadableAudio(t *testing.T) {
	t.Parallel()
	path := tracksFile(t, "mkv", trackOf{source: musicTrack, codec: "adpcm_ms"}, trackOf{codec: "adpcm_ms"})
	_, err := New().Probe(context.Background(), path)
	if err == nil || !strings.Contains(err.Error(), "adpcm_ms") {
		t.Errorf("got %v", err)
	}
}

// The choice of tracks holds for the products of an ingest and for an export: one track alone, or
// several at equal levels. Clip time does not depend on it.
func TestChosenTracksAreHeard(t *testing.T) {
	t.Parallel()
	tone := func(hz int) string { return fmt.Sprintf("sine=frequency=%d:sample_rate=48000:duration=30", hz) }
	for _, extension := range []string{"mkv", "mp4"} {
		path := tracksFile(t, extension,
			trackOf{source: tone(400)}, trackOf{source: tone(700)}, trackOf{source: tone(1100), codec: "ac3"})
		for _, tracks := range [][]int{{1}, {2}, {0, 2}, {0, 1, 2}} {
			t.Run(fmt.Sprint(extension, tracks), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				request := media.IngestRequest{
					Path: path, SpeechPath: filepath.Join(dir, "speech"), ProxyPath: filepath.Join(dir, "proxy.mp4"),
					Tracks: tracks,
				}
				got, err := New().Ingest(context.Background(), request, nil)
				if err != nil {
					t.Fatal(err)
				}
				if heard := got.Info.HeardTracks(); !slices.Equal(heard, tracks) {
					t.Errorf("tracks %v are heard", heard)
				}
				plan, err := media.NewRenderPlan(
					[]media.RenderClip{{Path: path, Info: got.Info}}, []media.Span{{StartMS: 2000, EndMS: 2200}},
					media.RenderSettings{VolumePercent: 100, AudioOnly: true, Format: "wav"},
				)
				if err != nil {
					t.Fatal(err)
				}
				out, _ := renderPlan(t, plan)
				file := speechSamples(t, request.SpeechPath)
				tripled := make([]float32, 0, 3*len(file))
				for _, v := range file {
					tripled = append(tripled, v, v, v)
				}

				for name, samples := range map[string][]float32{
					"the speech file": tripled, "the proxy": audioOf(t, request.ProxyPath, 3).Left,
					"the export": audioOf(t, out, 3).Left,
				} {
					for i, hz := range []float64{400, 700, 1100} {
						level, want := levelAt(samples, 48000, hz), 0.0
						if slices.Contains(tracks, i) {
							want = 1. / 8 // of the filter sine
						}
						if math.Abs(level-want) > 0.01 {
							t.Errorf("%s has %.3f of track %d, want %.3f", name, level, i+1, want)
						}
					}
				}
			})
		}
	}
}

// An export copies the audio packets of the chosen track, and those of no other.
func TestExportCopiesTheChosenTrack(t *testing.T) {
	t.Parallel()
	path := tracksFile(t, "mp4", trackOf{source: musicTrack}, trackOf{source: voiceTrack})
	info, err := New().Probe(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, heard := range [][]int{{1}, {0, 1}} {
		if err := info.Hear(heard); err != nil {
			t.Fatal(err)
		}
		plan, err := media.NewRenderPlan(
			[]media.RenderClip{{Path: path, Info: info}}, nil,
			media.RenderSettings{VolumePercent: 100, AspectRatio: media.AsRecorded},
		)
		if err != nil {
			t.Fatal(err)
		}
		out, rendered := renderPlan(t, plan)
		if rendered.Copied != plan.Frames() {
			t.Errorf("%d of %d frames are copied", rendered.Copied, plan.Frames())
		}
		want := mediatest.PCM(t, tracksTalk(t).Path, 16000)
		level := speechDB(mediatest.PCM(t, out, 16000))
		if mixed := level > speechDB(want)+1; mixed != (len(heard) > 1) {
			t.Errorf("with the tracks %v, the export has %.1f dB; the voice has %.1f", heard, level, speechDB(want))
		}
	}
}

// A reader of one audio track of an MP4 holds the index of no other one.
func TestOneTrackIsReadAlone(t *testing.T) {
	t.Parallel()
	for extension, streams := range map[string]int{"mp4": 1, "mkv": 4} {
		path := smallFile(t, extension, 2, toneTrack(400), toneTrack(700), toneTrack(1100))
		for number := range 3 {
			packets, err := av.OpenPackets(t.Context(), path, astiav.MediaTypeAudio, number)
			if err != nil {
				t.Fatal(err)
			}
			defer packets.Close()
			if got := packets.Source.Format.NbStreams(); got != streams {
				t.Errorf("track %d of the %s is read with %d tracks", number+1, extension, got)
			}
			reader, err := av.OpenAudio(t.Context(), path, 0, number)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			heard := av.NewStereo(media.SampleRate)
			if err := reader.Read(media.SampleRate/2, heard); err != nil {
				t.Fatal(err)
			}
			if level := levelAt(heard.Left, 0, []float64{400, 700, 1100}[number]); math.Abs(level-0.1) > 0.01 {
				t.Errorf("track %d of the %s has the level %.3f", number+1, extension, level)
			}
		}
		if _, err := av.OpenAudio(t.Context(), path, 0, 3); err == nil {
			t.Errorf("a fourth track of the %s opens", extension)
		}
	}
}

// A choice that the file cannot fulfill is an error.
func TestImpossibleTracksAreRefused(t *testing.T) {
	t.Parallel()
	path := tracksFile(t, "mkv", trackOf{source: musicTrack, codec: "adpcm_ms"}, trackOf{source: voiceTrack})
	for want, tracks := range map[string][]int{"cannot be decoded": {0}, "does not exist": {7}} {
		_, err := New().Ingest(context.Background(), media.IngestRequest{Path: path, Tracks: tracks}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("tracks %v: %v", tracks, err)
		}
		if _, err := av.Open(context.Background(), path, tracks...); err == nil {
			t.Errorf("tracks %v can be opened", tracks)
		}
	}
}
