package pipeline

import (
	"context"

	"roughcut/store"
)

// importers is how many recordings are fetched at the same time. They wait for the network and need no processor, so they do not
// take the place of other work.
const importers = 4

// Importer brings recordings in from the network.
type Importer interface {
	// Fetch writes what is at an address to a path that does not exist yet, and leaves nothing there when it fails. It asks allow
	// now and then whether so many bytes in all may be taken, and ends with its error.
	Fetch(ctx context.Context, address, path string, allow func(bytes int64) error, progress func(float64)) error
	// Check says whether a recording of this length may be imported.
	Check(durationMS int64) error
}

// importClip fetches the recording of a clip; making it ready is the next job.
func (p *Pool) importClip(ctx context.Context, job store.Job) error {
	in, err := p.Store.ImportInput(job)
	if err != nil {
		return err
	}
	if err := p.Events.Publish(job.ProjectUUID, ClipProcessing, clipEvent{job.Subject}); err != nil {
		return err
	}
	temp, err := p.Store.TempPath(".import")
	if err != nil {
		return err
	}
	defer removeAll(temp)
	pace := pacer{now: p.Now}
	err = p.Importer.Fetch(ctx, in.Address, temp, func(bytes int64) error { return p.Store.AllowImport(job, bytes) }, func(fraction float64) {
		if percent := int(100 * fraction); pace.ready(stepDownload, percent) {
			_ = p.Events.Publish(job.ProjectUUID, ClipProcessing, clipProgress{ClipUUID: job.Subject, Step: stepDownload, Progress: percent}) // news, not state
		}
	})
	if err != nil {
		return err
	}
	info, err := p.Engine.Probe(ctx, temp)
	if err != nil {
		return err
	}
	if err := p.Importer.Check(info.DurationMS); err != nil {
		return err
	}
	return p.Store.FinishImport(job, temp)
}
