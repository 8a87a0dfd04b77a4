package estimate_test

import (
	"math"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/estimate"
)

// phoneClip is a ten-minute 1080p recording of 120 MB with a keyframe a second.
func phoneClip() (media.RenderClip, estimate.Source) {
	recording := media.RenderClip{Path: "clip.mp4", Info: media.Info{
		Format:     "mov",
		DurationMS: 600_000,
		Video: &media.VideoInfo{
			Codec: "h264", Width: 1920, Height: 1080, Rate: media.Rate{Num: 30, Den: 1}, BitRate: 1_500_000,
		},
		Audio: &media.AudioInfo{Codec: "aac", SampleRate: 48000, Channels: 2, BitRate: 100_000},
	}}
	source := estimate.Source{Name: "talk.mp4", SizeBytes: 120_000_000}
	for ms := int64(0); ms < 600_000; ms += 1000 {
		source.Keyframes = append(source.Keyframes, ms)
	}
	return recording, source
}

func estimateOf(
	t *testing.T,
	resolution, aspect string,
	settings media.RenderSettings,
	change func(*estimate.Input),
) estimate.Result {
	t.Helper()
	return estimateInputOf(t, resolution, aspect, settings, change).Estimate()
}

func estimateInputOf(
	t *testing.T,
	resolution, aspect string,
	settings media.RenderSettings,
	change func(*estimate.Input),
) estimate.Input {
	t.Helper()
	recording, source := phoneClip()
	in := estimate.Input{
		Resolution: resolution,
		Aspect:     aspect,
		Clips:      []media.RenderClip{recording},
		Sources:    []estimate.Source{source},
	}
	if change != nil {
		change(&in)
	}
	settings.ShortSide, _ = media.ShortSide(resolution)
	settings.AspectRatio, settings.VolumePercent = aspect, 100
	cuts := []media.Span{{StartMS: 60_500, EndMS: 160_500}, {StartMS: 300_200, EndMS: 400_200}}
	var err error
	if in.Plan, err = media.NewRenderPlan(in.Clips, cuts, settings); err != nil {
		t.Fatal(err)
	}
	return in
}

// addAudioClip adds a recording of 20 s without video.
func addAudioClip(in *estimate.Input) {
	recording, source := phoneClip()
	recording.Info.Video, recording.Info.DurationMS, source.Name = nil, 20_000, "memo.wav"
	in.Clips, in.Sources = append(in.Clips, recording), append(in.Sources, source)
}

// An estimate says what a render copies and encodes, and why it encodes most of the video.
func TestEstimateNamesMethodAndReason(t *testing.T) {
	all := media.RenderSettings{}
	waveform := media.RenderSettings{AudioClips: media.AudioClips{Waveform: true, Color: "#ffffff"}}
	for _, c := range []struct {
		name, resolution, aspect string
		settings                 media.RenderSettings
		change                   func(*estimate.Input)
		because                  string // empty if most frames are copied
	}{
		{"as recorded", "source", "source", all, nil, ""},
		{"the same size, chosen", "1080p", "16:9", all, nil, ""},
		{"another resolution", "720p", "source", all, nil, "720p is chosen and the recording is 1080p"},
		{"another shape", "1080p", "9:16", all, nil, "9:16 is chosen and the recording is 1920×1080"},
		{"flipped", "source", "source", media.RenderSettings{FlipH: true}, nil, "flipped"},
		{"watermark", "source", "source", media.RenderSettings{Watermark: true}, nil, "watermark"},
		{"VP9", "source", "source", all, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Codec = "vp9"
		}, "the recording is VP9"},
		{"Huffyuv", "source", "source", all, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Codec = "huffyuv"
		}, "the recording is Huffyuv"},
		{"HEVC as H.264", "source", "source", all, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Codec = "hevc"
		}, "H.264 is chosen"},
		{"HEVC kept", "source", "source", media.RenderSettings{KeepCodec: true}, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Codec, in.Sources[0].Keyframes = "hevc", nil
		}, ""},
		{"HDR", "source", "source", all, func(in *estimate.Input) { in.Clips[0].Info.Video.HDR = true }, "HDR"},
		{"HDR kept", "source", "source", media.RenderSettings{KeepCodec: true}, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Codec, in.Sources[0].Keyframes = "hevc", nil
			in.Clips[0].Info.Video.HDR, in.Clips[0].Info.Video.Converted = true, true
		}, ""},
		{"interlaced", "source", "source", all, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Interlaced = true
		}, "the recording is interlaced"},
		{"BT.601", "source", "source", all, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Converted = true
		}, ""},
		{"BT.601 with captions", "source", "source", media.RenderSettings{Captions: &media.CaptionTrack{
			Lines: []media.CaptionLine{{Text: "Hello", StartMS: 1000, EndMS: 3000}},
		}}, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Converted = true
		}, "the colors of the recording are not BT.709"},
		{"BT.601 next to BT.709", "source", "source", all, func(in *estimate.Input) {
			recording, source := phoneClip()
			recording.Info.DurationMS = 100_000
			in.Clips, in.Sources = append(in.Clips, recording), append(in.Sources, source)
			in.Clips[0].Info.Video.Converted = true
		}, "the colors of the recordings differ"},
		{"BT.601 and a waveform", "source", "source", waveform, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Converted = true
			addAudioClip(in)
		}, "memo.wav has no video"},
		{"rotated and a waveform", "source", "source", waveform, func(in *estimate.Input) {
			in.Clips[0].Info.Video.RotationDeg = 90
			addAudioClip(in)
		}, "talk.mp4 is stored rotated, and a waveform is drawn for memo.wav"},
		{"HDR and audio", "source", "source", media.RenderSettings{KeepCodec: true}, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Codec, in.Sources[0].Keyframes = "hevc", nil
			in.Clips[0].Info.Video.HDR, in.Clips[0].Info.Video.Converted = true, true
			addAudioClip(in)
		}, "talk.mp4 is HDR, and memo.wav has no video"},
		{"240 fps", "source", "source", all, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Rate = media.Rate{Num: 240, Den: 1}
		}, ""},
		{"300 fps", "source", "source", all, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Rate = media.Rate{Num: 300, Den: 1}
		}, "talk.mp4 has 300 frames per second, and exports have at most 240"},
		{"rotated", "source", "source", all, func(in *estimate.Input) {
			in.Clips[0].Info.Video.RotationDeg = 90
		}, ""},
		{"no keyframes", "source", "source", all, func(in *estimate.Input) {
			in.Sources[0].Keyframes = nil
		}, "cannot be copied"},
		{"far keyframes", "source", "source", all, func(in *estimate.Input) {
			in.Sources[0].Keyframes = []int64{0, 500_000}
		}, "far apart"},
		{"larger second clip", "source", "source", all, func(in *estimate.Input) {
			recording, source := phoneClip()
			video := *recording.Info.Video
			video.Width, video.Height = 3840, 2160
			recording.Info.Video, recording.Info.DurationMS = &video, 3_000_000
			source.Name = "wide.mp4"
			in.Clips, in.Sources = append(in.Clips, recording), append(in.Sources, source)
		}, "wide.mp4 is 3840×2160 and the first clip is 1920×1080"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := estimateOf(t, c.resolution, c.aspect, c.settings, c.change)
			if (c.because == "" && (e.EncodedBecause != "" || 10*e.Copied < 9*e.Frames)) ||
				!strings.Contains(e.EncodedBecause, c.because) || (c.because != "" && e.EncodedBecause == "") {
				t.Errorf("got %+v, want the reason %q", e, c.because)
			}
		})
	}
}

// An estimate says why HEVC cannot be kept: what the person chose before what the packets lack.
func TestEstimateSaysWhyHEVCIsNotKept(t *testing.T) {
	because := func(resolution, packets string) estimate.Result {
		t.Helper()
		return estimateOf(t, resolution, "source", media.RenderSettings{KeepCodec: true}, func(in *estimate.Input) {
			in.Clips[0].Info.Video.Codec, in.Sources[0].Keyframes = "hevc", nil
			counts := []media.InputCounts{{Refused: packets != "", Encoded: 12_000}}
			in.Counts = &media.FrameCounts{H264Because: packets, Inputs: counts}
		})
	}
	if e := because("source", ""); e.H264Because != "" || e.Warnings() != nil {
		t.Errorf("HEVC that is kept: %+v", e)
	}
	const change = "its parameter sets change"
	if e := because("source", change); e.H264Because != change || e.EncodedBecause != change {
		t.Errorf("changing parameter sets: %q, encoded because %q", e.H264Because, e.EncodedBecause)
	}
	uneven := estimateOf(t, "source", "source", media.RenderSettings{KeepCodec: true}, func(in *estimate.Input) {
		in.Clips[0].Info.Video.Codec, in.Clips[0].Info.Video.VariableRate = "hevc", true
		in.Counts = &media.FrameCounts{
			H264Because: "its parameter sets change", Inputs: make([]media.InputCounts, 1),
		}
	})
	if uneven.H264Because != "its parameter sets change" {
		t.Errorf("a variable rate: %q", uneven.H264Because)
	}
	want := "The video will be H.264, because the recording cannot stay HEVC: " +
		"720p is chosen and the recording is 1080p."
	if e := because("720p", "its size differs"); len(e.Warnings()) != 1 || e.Warnings()[0] != want {
		t.Errorf("another size: %q, want %q", e.Warnings(), want)
	}
}

func within(got, want, share float64) bool { return math.Abs(got-want) <= share*want }

// Copied frames have the size of their packets in the recording, which is known to the byte or from
// its bit rate. Encoded frames have a size that earlier renders of the kind tell, or a range.
func TestEstimatedSizes(t *testing.T) {
	const seconds, frames = 400.0, 12_000
	of := func(resolution string, change func(*estimate.Input)) estimate.Result {
		t.Helper()
		return estimateOf(t, resolution, "source", media.RenderSettings{}, change)
	}
	audio := seconds * 192_000 / 8
	if e := of("source", nil); !within(float64(e.SizeBytes), seconds*1_500_000/8+audio, 0.03) ||
		e.Basis != estimate.BasisIndex || e.LowBytes != e.HighBytes {
		t.Errorf("a copy: %+v", e)
	}
	counted := of("source", func(in *estimate.Input) {
		in.Counts = &media.FrameCounts{
			Encoder: "x264",
			Inputs: []media.InputCounts{{
				Copied: 11_000, CopiedBytes: 30_000_000, Reused: 900, ReusedBytes: 4_000_000, Encoded: 100,
			}},
		}
	})
	if want := 34_000_000 + audio + 100*1_500_000/8/30; counted.Basis != estimate.BasisIndex ||
		!within(float64(counted.SizeBytes), want, 0.03) || counted.Copied != 11_000 || counted.Reused != 900 {
		t.Errorf("counted frames: %+v, want about %.0f bytes", counted, want)
	}
	screen := func(in *estimate.Input) {
		in.Clips[0].Info.AudioTracks = []media.AudioTrack{
			{Codec: "aac", Channels: 2, Played: true}, {Codec: "aac", Channels: 2}, {Codec: "aac", Channels: 1},
		}
	}
	if e := of("source", screen); !within(float64(e.SizeBytes), seconds*1_500_000/8+2.5*audio, 0.03) {
		t.Errorf("a copy with two other audio tracks: %+v", e)
	}
	guess := of("720p", nil)
	if guess.Basis != estimate.BasisGuess || guess.LowBytes >= guess.SizeBytes || guess.HighBytes <= guess.SizeBytes {
		t.Errorf("a first encode: %+v", guess)
	}
	noisy := of("720p", func(in *estimate.Input) { in.Clips[0].Info.Video.BitRate = 50_000_000 })
	if want := audio + frames*1280*720*0.0987/8; !within(float64(noisy.SizeBytes), want, 0.02) {
		t.Errorf("an encode of a camera with a high bit rate: %d bytes, want %.0f", noisy.SizeBytes, want)
	}
	// The video streams of exports had 80 bytes a frame without and 255 with bars.
	bars := of("1080p", func(in *estimate.Input) { in.Clips[0].Info.Video = nil })
	least, most := audio+frames*80, audio+frames*255
	if size := float64(bars.SizeBytes); size < least || size > most {
		t.Errorf("a recording without video: %+v, want %.0f to %.0f bytes", bars, least, most)
	}
	learned := of("720p", func(in *estimate.Input) {
		in.Rates = []media.RenderRates{{Kind: "copy", Size: 9}, {Kind: "x264", Size: 1.5}, {Kind: "x264", Size: 7}}
	})
	recorded := seconds * 1_500_000 / 8 * math.Pow(4.0/9, 0.75)
	if want := audio + 1.5*recorded; learned.Basis != estimate.BasisLearned || learned.LowBytes != learned.HighBytes ||
		!within(float64(learned.SizeBytes), want, 0.02) {
		t.Errorf("an encode after another one: %+v, want about %.0f bytes", learned, want)
	}
	barred := estimateOf(t, "1080p", "9:16", media.RenderSettings{}, nil)
	cropped := estimateOf(t, "1080p", "9:16", media.RenderSettings{Fit: media.Crop}, nil)
	if cropped.SizeBytes <= barred.SizeBytes {
		t.Errorf("footage that fills the frame has %d bytes, with bars it has %d", cropped.SizeBytes, barred.SizeBytes)
	}
}

// What a render measures predicts a render of the same kind, and of no other kind.
func TestRenderTeachesItsKind(t *testing.T) {
	frame := 1_500_000.0 / 8 / 30 // bytes
	for _, c := range []struct {
		name   string
		format string
		made   media.RenderResult
	}{
		{"encode", "", media.RenderResult{
			Frames: 12_000, Encoded: 12_000, Encoder: "x264", EncodedBytes: int64(12_000 * frame * 0.6),
			SizeBytes: int64(12_000*frame*0.6) + 9_600_000, TookMS: 400_000,
		}},
		{"copy", "", media.RenderResult{
			Frames: 12_000, Copied: 11_000, Encoded: 1000, Encoder: "x264", EncodedBytes: int64(1000 * frame * 2),
			SizeBytes: int64(13_000*frame) + 9_600_000, TookMS: 9000,
		}},
		{"audio", "flac", media.RenderResult{SizeBytes: 30_000_000, TookMS: 3000}},
	} {
		predict := func(aspect string, rates ...media.RenderRates) estimate.Result {
			t.Helper()
			settings := media.RenderSettings{Format: c.format}
			return estimateOf(t, "1080p", aspect, settings, func(in *estimate.Input) {
				in.Rates = rates
				in.Counts = &media.FrameCounts{Encoder: c.made.Encoder, Inputs: []media.InputCounts{{
					Copied: c.made.Copied, CopiedBytes: int64(float64(c.made.Copied) * frame), Encoded: c.made.Encoded,
				}}}
			})
		}
		rates := estimateInputOf(t, "1080p", "16:9", media.RenderSettings{Format: c.format}, nil).Measure(c.made)
		e := predict("16:9", media.RenderRates{Kind: "other", Time: 50, Size: 50}, rates)
		if !within(float64(e.TookMS), float64(c.made.TookMS), 0.02) ||
			!within(float64(e.SizeBytes), float64(c.made.SizeBytes), 0.03) {
			t.Errorf("%s: %+v after %+v, which measured %+v", c.name, e, c.made, rates)
		}
		if first := predict("16:9"); e.Basis == estimate.BasisGuess || first.Basis == estimate.BasisLearned ||
			(first.Basis == estimate.BasisGuess) != (first.LowBytes < first.HighBytes) {
			t.Errorf("%s: the basis is %s, before the first one %s", c.name, e.Basis, first.Basis)
		}
	}
}

// A machine learns from every render. One that other programs slowed down changes little, and one
// that was too short nothing.
func TestMachineLearnsRates(t *testing.T) {
	rates := estimate.Learn(media.RenderRates{}, media.RenderRates{Kind: "x264", Time: 4, Size: 0.5})
	if want := (media.RenderRates{Kind: "x264", Time: 4, Size: 0.5}); rates != want {
		t.Errorf("after the first render %+v, want %+v", rates, want)
	}
	rates = estimate.Learn(rates, media.RenderRates{Kind: "x264", Time: 2, Size: 0.7})
	if !within(rates.Time, 3, 1e-9) || !within(rates.Size, 0.6, 1e-9) {
		t.Errorf("after the second render %+v", rates)
	}
	busy := estimate.Learn(rates, media.RenderRates{Kind: "x264", Time: 300})
	if busy.Time > 4.5 || busy.Size != rates.Size {
		t.Errorf("after a render on a busy machine %+v", busy)
	}
	if short := estimate.Learn(rates, media.RenderRates{Kind: "x264"}); short != rates {
		t.Errorf("after a short render %+v", short)
	}
}
