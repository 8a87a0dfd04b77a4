package pipeline

import (
	"context"

	"roughcut/store"
)

// importers is how many recordings are fetched at the same time. They wait for the network and need
// no processor, so they do not take the place of other work.
const importers = 4

// Importer brings recordings in from the network.
type Importer interface {
	// Fetch writes what is at an address to a path that does not exist yet, and leaves nothing
	// there when it fails. It asks allow now and then whether so many bytes in all may be taken,
	// and ends with its error.
	Fetch(ctx context.Context, address, path string, allow func(bytes int64) error, progress func(float64)) error
	// CheckDuration says whether a recording of this length may be imported.
	CheckDuration(durationMS int64) error
}

// importClip fetches the recording of a clip; making it ready is the next job.
func (p *Pool) importClip(ctx context.Context, job store.Job) error {
	if err := p.Events.Publish(job.ProjectUUID, ClipProcessing, clipEvent{job.Subject}); err != nil {
		return err
	}
	pace := pacer{now: p.Now}
	report := func(fraction float64) {
		if percent := int(100 * fraction); pace.ready(stepDownload, percent) {
			// news, not state
			_ = p.Events.Report(
				job.ProjectUUID,
				ClipProcessing,
				clipProgress{ClipUUID: job.Subject, Step: stepDownload, Progress: percent},
			)
		}
	}
	report(0) // a page shows the step, also where the size is never known
	return p.fetch(ctx, job, report)
}

// importAsset fetches the file of an asset, which is polled; looking at it is the next job.
func (p *Pool) importAsset(ctx context.Context, job store.Job) error {
	return p.fetch(ctx, job, func(float64) {})
}

// fetch brings in what an import job is about.
func (p *Pool) fetch(ctx context.Context, job store.Job, report func(float64)) error {
	address, err := p.Store.ImportURL(job)
	if err != nil {
		return err
	}
	temp, err := p.Store.TempPath(".import")
	if err != nil {
		return err
	}
	defer removeAll(temp)
	allow := func(bytes int64) error { return p.Store.CheckImportSize(job, bytes) }
	if err := p.Importer.Fetch(ctx, address, temp, allow, report); err != nil {
		return err
	}
	info, err := p.Engine.Probe(ctx, temp)
	if err != nil {
		return err
	}
	if err := p.Importer.CheckDuration(info.DurationMS); err != nil {
		return err
	}
	return p.Store.FinishImport(job, temp)
}
