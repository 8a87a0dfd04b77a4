package pipeline

import (
	"context"
	"os"

	"roughcut/media"
	"roughcut/store"
)

type clipEvent struct {
	ClipUUID string `json:"clip_uuid"`
}

type clipReady struct {
	ClipUUID   string `json:"clip_uuid"`
	DurationMS int64  `json:"duration_ms"`
}

type clipFailed struct {
	ClipUUID string `json:"clip_uuid"`
	Error    string `json:"error"`
}

// clipProgress is an addition to the interface's events, so that a page can show how far an import
// or an ingest is.
type clipProgress struct {
	ClipUUID string `json:"clip_uuid"`
	Step     string `json:"step"`
	Progress int    `json:"progress"`
}

// The steps of a clip. Only an import has the first.
const (
	stepDownload = "download"
	stepIngest   = "ingest"
)

// clip makes of a recording that is here what the editor and the analysis need.
func (p *Pool) clip(ctx context.Context, job store.Job) error {
	in, err := p.Store.ClipInput(job)
	if err != nil {
		return err
	}
	if err := p.Events.Publish(job.ProjectUUID, ClipProcessing, clipEvent{job.Subject}); err != nil {
		return err
	}
	result := store.ClipResult{}
	defer func() { removeAll(result.ProxyTemp, result.SpriteTemp, result.SpeechTemp) }()
	for _, temp := range []struct {
		path   *string
		suffix string
	}{{&result.ProxyTemp, ".mp4"}, {&result.SpriteTemp, ".jpg"}, {&result.SpeechTemp, ".s16"}} {
		if *temp.path, err = p.Store.TempPath(temp.suffix); err != nil {
			return err
		}
	}
	pace := pacer{now: p.Now}
	result.Ingested, err = p.Engine.Ingest(ctx, media.IngestRequest{
		Path:                in.OriginalPath,
		ProxyPath:           result.ProxyTemp,
		SpritePath:          result.SpriteTemp,
		SpeechPath:          result.SpeechTemp,
		SkipProxyIfPlayable: true,
	}, func(fraction float64) {
		if percent := int(100 * fraction); pace.ready(stepIngest, percent) {
			// Progress is news, not state: losing one report loses nothing.
			_ = p.Events.Report(
				job.ProjectUUID,
				ClipProcessing,
				clipProgress{ClipUUID: job.Subject, Step: stepIngest, Progress: percent},
			)
		}
	})
	if gone := in.CheckLinkedFiles(); gone != nil {
		return gone // which says more than that a file could not be read
	}
	if err != nil {
		return err
	}
	if in.Clip.Source == store.SourceImport {
		// What was probed is what a header claimed; this is what was decoded.
		if err := p.Importer.CheckDuration(result.Ingested.Info.DurationMS); err != nil {
			return err
		}
	}
	dropMissing(&result.ProxyTemp, &result.SpriteTemp, &result.SpeechTemp)
	clip, err := p.Store.FinishClip(job, result)
	if err != nil {
		return err
	}
	return p.Events.Publish(job.ProjectUUID, ClipReady, clipReady{clip.UUID, result.Ingested.Info.DurationMS})
}

// dropMissing empties the paths at which an ingest left nothing, such as the sound of a silent
// video.
func dropMissing(paths ...*string) {
	for _, path := range paths {
		if info, err := os.Stat(*path); err != nil || info.Size() == 0 {
			removeAll(*path)
			*path = ""
		}
	}
}

// removeAll removes temporary files that are still there; those that were moved to their place are
// not.
func removeAll(paths ...string) {
	for _, path := range paths {
		if path != "" {
			_ = os.Remove(path) // the start sweeps what could not be removed
		}
	}
}
