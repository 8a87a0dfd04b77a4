package pipeline

import (
	"context"
	"errors"

	"roughcut/media"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

type exportEvent struct {
	ExportUUID string `json:"export_uuid"`
}

type exportProgress struct {
	ExportUUID string `json:"export_uuid"`
	Step       string `json:"step"`
	Progress   int    `json:"progress"`
}

type exportComplete struct {
	ExportUUID string `json:"export_uuid"`
	StorageKey string `json:"storage_key"`
}

type exportFailed struct {
	ExportUUID string `json:"export_uuid"`
	Error      string `json:"error"`
}

// export renders the edits and settings that CreateExport has stored. It does not read the current
// tier, draft or edits.
func (p *Pool) export(ctx context.Context, job store.Job) error {
	if err := p.Store.StartExport(job); err != nil {
		return err
	}
	if err := p.Events.Publish(job.ProjectUUID, ExportStarted, exportEvent{job.Subject}); err != nil {
		return err
	}
	in, err := p.Store.ExportInput(job)
	if err != nil {
		return err
	}
	pace := pacer{now: p.Now}
	report := func(step string, percent int) error {
		if !pace.ready(step, percent) {
			return nil
		}
		if err := p.Store.ExportProgress(job, step, percent); err != nil {
			return err
		}
		return p.Events.Report(job.ProjectUUID, ExportProgress, exportProgress{job.Subject, step, percent})
	}
	if err := report("prepare", 0); err != nil {
		return err
	}
	if err := in.CheckLinkedFiles(); err != nil {
		return err
	}
	plan, err := media.NewRenderPlan(in.Clips, in.Cuts, planSettings(in))
	if err != nil {
		return asFileFault(err)
	}
	temp, err := p.Store.TempPath(media.DefaultExportFormat().Extension)
	if err != nil {
		return err
	}
	defer removeAll(temp)
	started := p.Now()
	rendered, err := p.Engine.Render(ctx, plan, temp, func(fraction float64) {
		_ = report("render", 1+int(97*fraction)) // FinishExport refuses a stale job
	})
	rendered.TookMS = p.Now().Sub(started).Milliseconds()
	if gone := in.CheckLinkedFiles(); gone != nil {
		return gone // more specific than the error of the render
	}
	if err != nil {
		return err
	}
	if err := errors.Join(p.rendered.add(plan), report("finalize", 99)); err != nil {
		return err
	}
	export, err := p.Store.FinishExport(job, temp, rendered)
	if err != nil {
		return err
	}
	return p.Events.Publish(job.ProjectUUID, ExportComplete, exportComplete{export.UUID, export.StorageKey})
}

// planSettings returns the settings of an export's render plan.
func planSettings(in store.ExportInput) media.RenderSettings {
	s := in.Settings
	short, _ := media.ShortSide(s.Resolution) // the store accepts only known names
	settings := media.RenderSettings{
		ShortSide:     short,
		AspectRatio:   s.AspectRatio,
		Background:    s.LetterboxBackground,
		Fit:           media.Fit(s.Fit),
		FlipH:         s.FlipH,
		FlipV:         s.FlipV,
		VolumePercent: s.Audio.MainVolumePercent,
		Watermark:     in.Export.WatermarkRequired,
		Assets:        in.Assets,
		Muted:         in.Muted,
		Chapters:      in.Chapters,
		KeepCodec:     s.VideoCodec == media.CodecSource,
		PunchIn: media.PunchIn{
			Scale: float64(s.PunchIn.ScalePercent) / 100, Ease: s.PunchIn.Ease, X: s.PunchIn.X, Y: s.PunchIn.Y,
		},
		Audio: media.AudioSettings{
			Denoise: s.Audio.NoiseReduction, NoiseFloorDB: s.Audio.NoiseFloor, Censor: s.AudioCensorship,
			Normalize: s.Audio.Normalize, TargetLUFS: s.Audio.TargetLUFS,
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

// abandon publishes the cancellation of a job. The store has already recorded it.
func (p *Pool) abandon(job store.Job) error {
	switch job.Kind {
	case store.JobAnalysis:
		return p.Events.Publish(job.ProjectUUID, AnalysisFailed, analysisFailed{job.Subject, "Cancelled."})
	case store.JobExport:
		return p.Events.Publish(job.ProjectUUID, ExportFailed, exportFailed{job.Subject, "Cancelled."})
	}
	return nil
}

// planFault is the error of a render plan that the user's choices make impossible.
type planFault struct{ error }

func (f planFault) FileFault() string { return f.Error() }
func (f planFault) Unwrap() error     { return f.error }

func asFileFault(err error) error { return planFault{err} }
