package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// renderPlan plans an export. Errors: a FileFault if the settings do not suit the clips.
func renderPlan(in store.ExportInput) (media.RenderPlan, error) {
	settings := planSettings(in)
	var err error
	if settings.Voice, err = voiceOf(in); err != nil {
		return media.RenderPlan{}, err
	}
	plan, err := media.NewRenderPlan(in.Clips, in.Cuts, settings)
	if err != nil {
		return plan, asFileFault(err)
	}
	return plan, nil
}

// voiceOf returns the spans of project time with speech, if speech lowers an asset. It takes them
// from the words of the transcript. Without words, it finds speech by level.
func voiceOf(in store.ExportInput) (spans []media.Span, err error) {
	if !slices.ContainsFunc(in.Assets, func(a media.PlacedAsset) bool { return a.DuckUnderVoice }) {
		return nil, nil
	}
	for _, w := range in.Transcript.Words {
		spans = append(spans, media.Span{StartMS: w.StartMS, EndMS: w.EndMS})
	}
	if len(spans) > 0 {
		return media.MergeSpans(spans), nil
	}
	start := int64(0)
	for _, c := range in.Clips {
		if c.PeaksPath != "" {
			peaks, err := os.ReadFile(c.PeaksPath)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("reading a waveform: %w", err)
			}
			for _, s := range audio.VoiceOfPeaks(peaks) {
				spans = append(spans, media.Span{StartMS: start + s.StartMS, EndMS: start + s.EndMS})
			}
		}

		start += c.Info.DurationMS
	}

	return spans, nil
}

// planSettings returns the settings of an export's render plan.
func planSettings(in store.ExportInput) media.RenderSettings {
	s := in.Settings
	short, _ := media.ShortSide(s.Resolution) // the store accepts only known names
	settings := media.RenderSettings{
		ShortSide:     short,
		Format:        s.Format,
		AspectRatio:   s.AspectRatio,
		Background:    s.LetterboxBackground,
		Fit:           media.Fit(s.Fit),
		FlipH:         s.FlipH,
		FlipV:         s.FlipV,
		VolumePercent: s.Audio.MainVolumePercent,
		Watermark:     in.Export.WatermarkRequired,
		Assets:        in.Assets,
		Muted:         in.Muted,
		Range:         in.Range,
		Chapters:      in.Chapters,
		KeepCodec:     s.VideoCodec == media.CodecSource,
		KeepLocation:  s.KeepLocation,
		PunchIn:       s.PunchIn.Plan(),

		DropOtherTracks: s.DropOtherTracks,

		AudioClips: media.AudioClips{Waveform: s.AudioClips.Waveform, Color: s.AudioClips.Color, Cover: in.Cover},
		Audio: media.AudioSettings{
			Denoise: s.Audio.NoiseReduction, NoiseFloorDB: s.Audio.NoiseFloor, Censor: s.AudioCensorship,
			Normalize: s.Audio.Normalize, TargetLUFS: s.Audio.TargetLUFS,
			BothEars: s.Audio.BothEars, KeepChannels: s.Audio.KeepChannels,
		},
	}
	if s.AudioCensorship != media.CensorNone {
		settings.Audio.Censored = detect.ProfaneSpans(
			in.Transcript.Words,
			in.Transcript.Language,
			detect.WordChoice(in.Transcript.Censored),
		)
	}

	if s.Captions.Enabled {
		color, _ := media.ParseColor(s.Captions.Color) // the store accepts only valid colors
		settings.Captions = &media.CaptionTrack{
			Lines: in.Transcript.Captions,
			Words: in.Transcript.Words,
			Options: media.CaptionOptions{
				StyleName: s.Captions.Style,
				FontSize:  s.Captions.FontSize,
				Position:  s.Captions.Position,
				Color:     color,
				Font:      s.Captions.Font,
			},
		}
	}

	return settings
}

// planFault is the error of a render plan that the user's choices make impossible.
type planFault struct{ error }

func (f planFault) FileFault() string { return f.Error() }
func (f planFault) Unwrap() error     { return f.error }

func asFileFault(err error) error { return planFault{err} }
