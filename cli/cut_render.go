package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// renderSettings returns the settings of the render plan. Values without a flag are the defaults of
// exports.
func (c *cutJob) renderSettings(r cutReport) media.RenderSettings {
	said := r.Transcript
	short, _ := media.ShortSide(c.resolution) // check accepts only known names
	defaults := store.DefaultExportSettings()
	format, _ := media.ExportFormatOf(filepath.Ext(c.output)) // a dry run has no output
	s := media.RenderSettings{
		Format:        format.Name,
		ShortSide:     short,
		AspectRatio:   c.aspect,
		KeepCodec:     c.codec == media.CodecSource,
		VolumePercent: defaults.Audio.MainVolumePercent,
		Muted:         r.spans(store.ActionMute),
		Audio: media.AudioSettings{
			Denoise:      c.denoise,
			NoiseFloorDB: defaults.Audio.NoiseFloor,
			Normalize:    c.normalize,
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
		Options: media.CaptionOptions{StyleName: c.captions, Position: defaults.Captions.Position, Color: color},
	}
	silenced := append(r.spans(store.ActionCut), r.spans(store.ActionMute)...)
	for _, line := range detect.CaptionLines(said.Words, words, silenced...) {
		shown := media.CaptionLine{Text: line.Text, StartMS: line.StartMS, EndMS: line.EndMS}
		s.Captions.Lines = append(s.Captions.Lines, shown)
	}
	return s
}

// render writes the video.
func (c *cutJob) render(ctx context.Context, plan media.RenderPlan) error {
	progress := showProgress(c.status, "Rendering")
	defer progress.end()
	return writeOutput(c.output, func(temp *os.File) error {
		var err error
		c.rendered, err = c.engine.Render(ctx, plan, temp.Name(), progress.set)
		return err
	})
}

// writeOutput calls write with a new file next to path, which it renames to path afterwards. The
// umask sets its permissions, as those of any new file.
func writeOutput(path string, write func(temp *os.File) error) error {
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	temp, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return reason(err)
	}
	defer os.Remove(name)
	if err := errors.Join(write(temp), temp.Close()); err != nil {
		return err
	}
	return os.Rename(name, path)
}
