package cli

import (
	"context"
	"path/filepath"
	"slices"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// renderSettings returns the settings of the render plan. Values without a flag are the defaults of
// exports.
func (c *cutJob) renderSettings(r cutReport) media.RenderSettings {
	said := r.Transcript
	short, _ := media.ShortSide(c.resolution) // validate accepts only known names
	defaults := store.DefaultExportSettings()
	format, _ := media.ExportFormatOf(filepath.Ext(c.output)) // a dry run has no output
	s := media.RenderSettings{
		Format:       format.Name,
		ShortSide:    short,
		AspectRatio:  c.aspect,
		KeepCodec:    c.codec == media.CodecSource,
		KeepLocation: c.keepLocation,

		DropOtherTracks: c.dropTracks,

		VolumePercent: defaults.Audio.MainVolumePercent,
		Muted:         r.spans(store.ActionMute),
		Audio: media.AudioSettings{
			Denoise:      c.denoise,
			NoiseFloorDB: defaults.Audio.NoiseFloor,
			Normalize:    c.normalize,
			BothEars:     c.bothEars,
			KeepChannels: c.channels,
			TargetLUFS:   defaults.Audio.TargetLUFS,
			Censor:       c.censor,
		},
	}
	if c.censor != media.CensorNone {
		s.Audio.Censored = detect.ProfaneSpans(said.Words, said.Language, detect.WordChoice{})
	}
	if c.captions == "" {
		return s
	}
	words := pipeline.CaptionWordsMedium
	if c.aspect == "9:16" {
		words = pipeline.CaptionWordsShort // a portrait frame holds less text
	}
	color, _ := media.ParseColor(defaults.Captions.Color) // the default is valid
	s.Captions = &media.CaptionTrack{
		Words:   said.Words,
		Options: media.CaptionOptions{StyleName: c.captions, Color: color},
	}
	silenced := slices.Concat(
		r.spans(store.ActionCut), r.spans(store.ActionMute), c.span.Outside(r.DurationMS),
	)
	for _, line := range detect.CaptionLines(said.Words, words, silenced...) {
		shown := media.CaptionLine{Text: line.Text, StartMS: line.StartMS, EndMS: line.EndMS}
		s.Captions.Lines = append(s.Captions.Lines, shown)
	}

	return s
}

// render writes the video.
func (c *cutJob) render(ctx context.Context, plan media.RenderPlan) (err error) {
	progress := showProgress(c.status, "Rendering")
	defer progress.end()
	file := c.claims[c.output]
	if c.rendered, err = c.engine.Render(ctx, plan, file.Temp(), progress.set); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return outputError(c.output, err)
	}
	return c.send()
}
