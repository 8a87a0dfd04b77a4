package pipeline

import (
	"context"
	"errors"

	"roughcut/media"
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
	if in, err = p.withFaces(ctx, in); err != nil {
		return err
	}
	plan, err := renderPlan(in)
	if err != nil {
		return err
	}
	temp, err := p.Store.TempPath(plan.Format.Extension)
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
	p.measure(in, plan, &rendered)
	if err := report("finalize", 99); err != nil {
		return err
	}
	export, err := p.Store.FinishExport(job, temp, rendered)
	if err != nil {
		return err
	}
	return p.Events.Publish(job.ProjectUUID, ExportComplete, exportComplete{export.UUID, export.StorageKey})
}

// Still returns the frame of the recordings at a time of the project, as PNG or JPEG. Nothing is
// cut; everything else is as in an export. Errors: a FileFault if the settings do not suit the
// clips or if no frame is there.
func (p *Pool) Still(ctx context.Context, in store.ExportInput, atMS int64, kind media.StillKind) ([]byte, error) {
	if err := in.CheckLinkedFiles(); err != nil {
		return nil, err
	}
	in, err := p.withFaces(ctx, in)
	if err != nil {
		return nil, err
	}
	in.Settings.Format, in.Range = media.DefaultExportFormat().Name, media.Span{}
	plan, err := media.NewRenderPlan(in.Clips, nil, planSettings(in))
	if err != nil {
		return nil, asFileFault(err)
	}
	data, err := p.Engine.Still(ctx, plan, plan.Rate.Frame(atMS), kind)
	if errors.Is(err, media.ErrNothingLeft) {
		return nil, asFileFault(errors.New("the recording has no frame at this time; choose an earlier one"))
	}
	return data, err
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
