package libav

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// toneTrack returns a source of a test track: a continuous tone.
func toneTrack(hz int) trackOf {
	return trackOf{source: fmt.Sprintf("aevalsrc='0.1*sin(%d*2*PI*t)':s=48000", hz), title: fmt.Sprint(hz, " Hz")}
}

// beepTimes are when beepTrack beeps, in milliseconds.
var beepTimes = []int64{1250, 2900, 8400, 9750, 14_200, 20_610}

// beepTrack returns a source of a test track: beeps of 60 ms with rising pitch.
func beepTrack() trackOf {
	beeps := "0"
	for _, ms := range beepTimes {
		start := fmt.Sprintf("(t-%.3f)", float64(ms)/1000)
		beeps += fmt.Sprintf("+0.5*between(%s,0,0.06)*sin(2*PI*(600*%s+15000*%s*%s))", start, start, start, start)
	}
	return trackOf{source: "aevalsrc='" + beeps + "':s=48000", title: "Beeps"}
}

// smallFile writes a small video with audio tracks in the languages ger, fra, spa. The first one is
// the default one.
func smallFile(t *testing.T, extension string, seconds int, tracks ...trackOf) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small."+extension)
	length := strconv.Itoa(seconds)
	args := []string{"-f", "lavfi", "-t", length, "-i", "testsrc=size=128x72:rate=25"}
	output := []string{"-map", "0:v", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25"}
	output = append(output, tagged...)
	for i, track := range tracks {
		args = append(args, "-f", "lavfi", "-t", length, "-i", track.source)
		codec := track.codec
		if codec == "" {
			codec = "aac"
		}
		output = append(output, "-map", fmt.Sprintf("%d:a", i+1), fmt.Sprintf("-c:a:%d", i), codec,
			fmt.Sprintf("-metadata:s:a:%d", i), "title="+track.title,
			fmt.Sprintf("-metadata:s:a:%d", i), "handler_name="+track.title,
			fmt.Sprintf("-metadata:s:a:%d", i), "language="+[]string{"ger", "fra", "spa"}[i])
		if track.damaged {
			output = append(output, fmt.Sprintf("-bsf:a:%d", i), "noise=amount=1")
		}
	}
	mediatest.FFmpeg(t, append(append(args, output...), "-disposition:a:0", "default", path)...)
	return path
}

// trackSamples decodes an audio track of a file, by its number from 0, in mono.
func trackSamples(t *testing.T, path string, track int) []float32 {
	t.Helper()
	return mediatest.TrackPCM(t, path, track, media.SampleRate)
}

// audioStream is what ffprobe says about an audio track.
type audioStream struct {
	language, title string
	isDefault       bool
}

// audioStreams lists the audio tracks of a file.
func audioStreams(t *testing.T, path string) (list []audioStream) {
	t.Helper()
	raw, err := mediatest.Command(t, "ffprobe", "-v", "error", "-of", "json", "-show_streams", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Streams []struct {
			CodecType   string `json:"codec_type"`
			Tags        map[string]string
			Disposition map[string]int
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	for _, s := range file.Streams {
		if s.CodecType != "audio" {
			continue
		}
		title := s.Tags["title"]
		if title == "" {
			title = s.Tags["handler_name"]
		}
		list = append(list, audioStream{s.Tags["language"], title, s.Disposition["default"] == 1})
	}

	return list
}

// checkBeeps compares the beeps of an audio track of an export with those of the second track of
// its only recording.
func checkBeeps(t *testing.T, plan media.RenderPlan, out string, track int) {
	t.Helper()
	source, got := trackSamples(t, plan.Inputs[0].Path, 1), trackSamples(t, out, track)
	shift := func(path string) int {
		zero, counted := clipZero(t, path)
		return int(math.Round((zero - counted) * media.SampleRate))
	}
	inSource, inExport := shift(plan.Inputs[0].Path), shift(out)
	checked := 0
	for _, ms := range beepTimes {
		for _, s := range plan.Segments {
			from, at, n := plan.Samples(s)
			start := ms*media.SampleRate/1000 - from
			if start < 0 || start+media.SampleRate/10 > n {
				continue
			}
			checked++
			first := int(at+start) + inExport
			window := got[first : first+media.SampleRate/10]
			lag, fit := mediatest.Lag(source, window, int(from+start)+inSource, media.SampleRate/20)
			if math.Abs(float64(lag)) > media.SampleRate/1000 || fit < 0.9 {
				t.Errorf("the beep at %d ms is %d samples off (fit %.2f)", ms, lag, fit)
			}
		}
	}

	if checked < 4 {
		t.Errorf("only %d beeps are compared", checked)
	}
}

// An export has the audio tracks that are not heard behind the heard one, with the same cuts, their
// language and their title.
func TestExportsKeepOtherTracks(t *testing.T) {
	t.Parallel()
	cuts := []media.Span{{StartMS: 3010, EndMS: 8070}, {StartMS: 11_990, EndMS: 13_500}}
	for _, container := range []string{"mp4", "mkv"} {
		path := smallFile(t, container, 23, toneTrack(400), beepTrack(), toneTrack(900))
		for _, format := range []string{"mp4", "mov", "mkv", "m4a"} {
			t.Run(container+" to "+format, func(t *testing.T) {
				t.Parallel()
				plan := makePlan(t, cuts, media.RenderSettings{Format: format}, path)
				out, _ := renderPlan(t, plan)
				want := []audioStream{{"ger", "400 Hz", true}, {"fra", "Beeps", false}, {"spa", "900 Hz", false}}
				if got := audioStreams(t, out); !slices.Equal(got, want) {
					t.Errorf("the export has the audio tracks %v, want %v", got, want)
				}
				checkBeeps(t, plan, out, 1)
				if level := levelAt(trackSamples(t, out, 2), 5*media.SampleRate, 900); math.Abs(level-0.1) > 0.01 {
					t.Errorf("the third track has the level %.3f, want 0.1", level)
				}
			})
		}
	}
}

// The heard audio alone is in an export that drops the others, in a silent one, and in a format
// with one track.
func TestExportsWithOneTrack(t *testing.T) {
	t.Parallel()
	path := smallFile(t, "mp4", 3, toneTrack(400), toneTrack(900))
	for name, settings := range map[string]media.RenderSettings{
		"dropped": {DropOtherTracks: true}, "dropped after a cut": {DropOtherTracks: true, FlipH: true},
		"mp3": {Format: "mp3"}, "wav": {Format: "wav"}, "flac": {Format: "flac"}, "opus": {Format: "opus"},
	} {
		out, _ := renderPlan(t, makePlan(t, nil, settings, path))
		if got := audioStreams(t, out); len(got) != 1 {
			t.Errorf("%s: the export has the audio tracks %v", name, got)
		}
	}

	plan := makePlan(t, nil, media.RenderSettings{}, path)
	info, err := New().Probe(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	clips := []media.RenderClip{{Path: path, Info: info}}
	silent, err := media.NewRenderPlan(clips, nil, media.RenderSettings{AspectRatio: media.AsRecorded})
	if err != nil || len(silent.OtherTracks) > 0 || len(plan.OtherTracks) != 1 {
		t.Errorf("%d other tracks at volume 0, %d otherwise: %v", len(silent.OtherTracks), len(plan.OtherTracks), err)
	}
}

// An export that is a copy of the recording has copies of all its audio tracks.
func TestWholeCopiesKeepOtherTracks(t *testing.T) {
	t.Parallel()
	path := smallFile(t, "mp4", 23, toneTrack(400), beepTrack())
	for _, format := range []string{"mp4", "mov"} {
		plan := makePlan(t, nil, media.RenderSettings{Format: format}, path)
		if !tryWhole(t, plan) {
			t.Errorf("the recording is not copied to %s", format)
		}
		out, made := renderPlan(t, plan)
		want := []audioStream{{"ger", "400 Hz", true}, {"fra", "Beeps", false}}
		if got := audioStreams(t, out); !slices.Equal(got, want) || made.Copied != plan.Frames() {
			t.Errorf("the %s has the audio tracks %v, want %v; %d frames are copied", format, got, want, made.Copied)
		}
		for track := range 2 {
			if !slices.Equal(trackSamples(t, out, track), trackSamples(t, path, track)) {
				t.Errorf("audio track %d of the %s differs from the recording", track+1, format)
			}
		}
	}

	mixed := smallFile(t, "mp4", 3, toneTrack(400), trackOf{source: toneTrack(900).source, codec: "ac3", title: "AC-3"})
	plan := makePlan(t, nil, media.RenderSettings{}, mixed)
	out, made := renderPlan(t, plan)
	if got := audioStreams(t, out); len(got) != 2 || made.Copied != plan.Frames() || tryWhole(t, plan) {
		t.Errorf("with AC-3, the export has the audio tracks %v, and %d frames are copied", got, made.Copied)
	}
}

// Recordings with unlike numbers of tracks fill the further tracks with silence. A track that does
// not decode is left out.
func TestOtherTracksOfUnlikeRecordings(t *testing.T) {
	t.Parallel()
	three := smallFile(t, "mkv", 4, toneTrack(400), toneTrack(700), toneTrack(1100))
	one := smallFile(t, "mp4", 4, toneTrack(500))
	damaged := smallFile(t, "mkv", 4, toneTrack(600), trackOf{source: silentTrack, codec: "ac3", damaged: true},
		toneTrack(1300))
	// One second of each recording stays in the middle.
	var cuts []media.Span
	for _, start := range []int64{0, 4000, 8000} {
		cuts = append(
			cuts,
			media.Span{StartMS: start, EndMS: start + 1000}, media.Span{StartMS: start + 3000, EndMS: start + 4000},
		)
	}
	for _, format := range []string{"mp4", "mkv"} {
		out, _ := renderPlan(t, makePlan(t, cuts, media.RenderSettings{Format: format}, three, one, damaged))
		want := []audioStream{{"ger", "400 Hz", true}, {"fra", "700 Hz", false}, {"spa", "1100 Hz", false}}
		if got := audioStreams(t, out); !slices.Equal(got, want) {
			t.Errorf("the %s has the audio tracks %v, want %v", format, got, want)
		}
		for track, tones := range [][]float64{{400, 500, 600}, {700, 0, 1300}, {1100, 0, 0}} {
			samples := trackSamples(t, out, track)
			for i, hz := range tones {
				from := (2*i)*media.SampleRate + media.SampleRate/2
				if level := levelAt(samples, from, hz); hz > 0 && math.Abs(level-0.1) > 0.01 {
					t.Errorf("%s: track %d has %.3f of %.0f Hz in recording %d", format, track+1, level, hz, i+1)
				}
				loudest := slices.MaxFunc(samples[from:from+media.SampleRate], func(a, b float32) int {
					return int(math.Copysign(1, math.Abs(float64(a))-math.Abs(float64(b))))
				})
				if hz == 0 && math.Abs(float64(loudest)) > 1e-3 {
					t.Errorf("%s: track %d is not silent in recording %d: %v", format, track+1, i+1, loudest)
				}
			}
		}
	}
}

// Muted and bleeped audio is silent in the further tracks. Noise reduction, the volume and music
// leave them unchanged.
func TestOtherTracksAreRaw(t *testing.T) {
	t.Parallel()
	path := smallFile(t, "mp4", 8, toneTrack(400), toneTrack(900))
	plan := makePlan(t, nil, media.RenderSettings{
		VolumePercent: 20, Muted: []media.Span{{StartMS: 1000, EndMS: 2500}}, FlipH: true,
		Audio: media.AudioSettings{
			Normalize: true, TargetLUFS: -30,
			Censor: media.CensorBleep, Censored: []media.Span{{StartMS: 4500, EndMS: 6000}},
		},
	}, path)
	out, _ := renderPlan(t, plan)
	samples := trackSamples(t, out, 1)
	for ms, want := range map[int]float64{0: 0.1, 1250: 0, 3000: 0.1, 4750: 0, 6500: 0.1} {
		if level := levelAt(samples, ms*media.SampleRate/1000, 900); math.Abs(level-want) > 0.01 {
			t.Errorf("at %d ms, the track has the level %.3f, want %.1f", ms, level, want)
		}
	}
}

// The cache keeps the further tracks of an export like the heard one.
func TestOtherTracksAreCached(t *testing.T) {
	t.Parallel()
	path := smallFile(t, "mkv", 6, toneTrack(400), toneTrack(900))
	plan := makePlan(t, []media.Span{{StartMS: 1000, EndMS: 2000}}, media.RenderSettings{}, path)
	plan.Inputs[0].ID = "recording"
	e := New(WithChunkCache(NewChunkCache(t.TempDir(), 1<<30)))
	for range 2 {
		out := filepath.Join(t.TempDir(), "out.mp4")
		if _, err := e.Render(context.Background(), plan, out, nil); err != nil {
			t.Fatal(err)
		}
		for track, hz := range []float64{400, 900} {
			if level := levelAt(trackSamples(t, out, track), media.SampleRate, hz); math.Abs(level-0.1) > 0.01 {
				t.Errorf("track %d has the level %.3f at %.0f Hz", track+1, level, hz)
			}
		}
	}

	r := &render{engine: e, ctx: context.Background(), plan: plan}
	r.findCachedAudio()
	if err := r.locateOtherTracks(); err != nil || !r.cachedAudio.complete || !r.others[0].cachedAudio.complete {
		t.Errorf("not all tracks are cached: %v", err)
	}
	if slices.Equal(r.cachedAudio.files, r.others[0].cachedAudio.files) {
		t.Error("both tracks have the same cache files")
	}
}
