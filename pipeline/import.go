package pipeline

import (
	"context"

	"roughcut/store"
)

// importers is the number of concurrent downloads. They wait for the network and need little CPU,
// so they do not occupy workers. The store gives each user only some of them.
const importers = 8

// Importer downloads recordings from the network.
type Importer interface {
	// Fetch downloads the recording at an address to a new file, and removes the file if it fails.
	// It regularly passes the number of bytes so far to allow, and stops with the error that allow
	// returns.
	Fetch(ctx context.Context, address, path string, allow func(bytes int64) error, progress func(float64)) error
	// CheckDuration returns an error if a recording of this duration is too long to import.
	CheckDuration(durationMS int64) error
}

// importClip downloads the recording of a clip. The next job ingests it.
func (p *Pool) importClip(ctx context.Context, job store.Job) error {
	if err := p.Events.Publish(job.ProjectUUID, ClipProcessing, clipEvent{job.Subject}); err != nil {
		return err
	}
	report := p.reportStep(job, stepDownload)
	report(0) // announces the step even if the size stays unknown
	return p.fetch(ctx, job, report)
}

// importAsset downloads the file of an asset. The next job reads its properties. Clients poll
// assets, so importAsset publishes no progress events.
func (p *Pool) importAsset(ctx context.Context, job store.Job) error {
	return p.fetch(ctx, job, func(float64) {})
}

// fetch downloads and checks the file of an import job.
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
