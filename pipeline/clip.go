package pipeline

import (
	"context"
	"os"
	"slices"

	"roughcut/media"
	"roughcut/pipeline/detect"
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

// clipProgress is the payload of repeated CLIP_PROCESSING events, with the progress of the import
// or ingest in percent.
type clipProgress struct {
	ClipUUID string `json:"clip_uuid"`
	Step     string `json:"step"`
	Progress int    `json:"progress"`
}

// Steps of a clip. Only imports have the download step.
const (
	stepDownload = "download"
	stepIngest   = "ingest"
)

// clip ingests a recording: it makes the proxy, sprite sheet, waveform and speech audio. A
// long recording without a proxy becomes ready before it has a sprite sheet: see tiles.
func (p *Pool) clip(ctx context.Context, job store.Job) error {
	in, err := p.Store.ClipInput(job)
	if err != nil {
		return err
	}
	if err := p.Events.Publish(job.ProjectUUID, ClipProcessing, clipEvent{job.Subject}); err != nil {
		return err
	}
	if in.Clip.NeedsTracks() && !in.Clip.TracksLeft {
		return p.listTracks(ctx, job, in)
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

	var heard *detect.Evidence
	request := ingestRequest(in, result)
	result.Ingested, heard, err = p.Ears.IngestAndHear(ctx, request, p.reportStep(job, stepIngest))
	if gone := in.CheckLinkedFiles(); gone != nil {
		return gone // more specific than the error of the ingest
	}
	if err != nil {
		return err
	}
	if in.Clip.Source == store.SourceImport {
		// The import checked the duration in the header; this is the decoded one.
		if err := p.Importer.CheckDuration(result.Ingested.Info.DurationMS); err != nil {
			return err
		}
	}

	dropMissing(&result.ProxyTemp, &result.SpriteTemp, &result.SpeechTemp)
	clip, err := p.Store.FinishClip(job, result)
	if err != nil {
		return err
	}
	p.heard.add(clip.ClipFileID, heard)
	return p.Events.Publish(job.ProjectUUID, ClipReady, clipReady{clip.UUID, result.Ingested.Info.DurationMS})
}

// reportStep returns a function that reports the progress of a step of a clip.
func (p *Pool) reportStep(job store.Job, step string) func(fraction float64) {
	pace := pacer{now: p.Now}
	return func(fraction float64) {
		if percent := int(100 * fraction); pace.ready(step, percent) {
			// A lost progress event does no harm.
			now := clipProgress{job.Subject, step, percent}
			_ = p.Events.Report(job.ProjectUUID, ClipProcessing, now)
		}
	}
}

// ingestRequest returns the request that reads a clip into the files of a result. A clip that was
// ready keeps its tracks; after another choice of tracks, only its audio is made again.
func ingestRequest(in store.ClipInput, result store.ClipResult) media.IngestRequest {
	request := media.IngestRequest{
		Path:                in.OriginalPath,
		ProxyPath:           result.ProxyTemp,
		SpritePath:          result.SpriteTemp,
		SpeechPath:          result.SpeechTemp,
		SkipProxyIfPlayable: true,
		Motion:              true,
		Screen:              true,
		TilesLaterMS:        tilesLater(in.Clip),
	}
	if in.Clip.Status == store.ClipReady {
		request.Tracks = in.Clip.Info.HeardTracks()
	}
	if in.Clip.TracksLeft {
		request.SpritePath, request.Motion, request.Screen = "", false, false
		request.Listen = !knowsSpeech(in.Clip.Info)
	}

	return request
}

// listTracks lists the audio tracks of a clip that an earlier version has read, and hears which
// have speech. Nothing that the clip plays changes.
func (p *Pool) listTracks(ctx context.Context, job store.Job, in store.ClipInput) error {
	info, err := p.Engine.Probe(ctx, in.OriginalPath)
	if err != nil {
		return err
	}
	if info.Audio != nil {
		if info, err = p.hearTracks(ctx, in, info); err != nil {
			return err
		}
	}

	if err := p.Store.FinishTracks(job, info); err != nil {
		return err
	}
	return p.Events.Publish(job.ProjectUUID, ClipReady, clipReady{in.Clip.UUID, in.Clip.Info.DurationMS})
}

// hearTracks listens to the audio tracks of a clip and returns what is known about its recording
// then. probed is what its headers say.
func (p *Pool) hearTracks(ctx context.Context, in store.ClipInput, probed media.Info) (media.Info, error) {
	speech, err := p.Store.TempPath(".s16")
	if err != nil {
		return media.Info{}, err
	}
	defer removeAll(speech)
	request := media.IngestRequest{Path: in.OriginalPath, SpeechPath: speech, SkipLevels: true, Listen: true}
	known := in.Clip.Info
	switch {
	case known.Audio == nil: // no track is heard
	case len(known.AudioTracks) > 0:
		request.Tracks = known.HeardTracks()
	default:
		request.Tracks = probed.HeardTracks()
	}

	ingested, err := p.Engine.Ingest(ctx, request, func(float64) {})
	return ingested.Info, err
}

// knowsSpeech reports whether it is known which audio tracks have speech.
func knowsSpeech(info media.Info) bool {
	return !slices.ContainsFunc(info.AudioTracks, func(t media.AudioTrack) bool {
		return t.Speech == nil && !t.Undecodable
	})
}

// dropMissing removes empty files and clears the paths of missing ones, such as the speech audio of
// a silent video.
func dropMissing(paths ...*string) {
	for _, path := range paths {
		if info, err := os.Stat(*path); err != nil || info.Size() == 0 {
			removeAll(*path)
			*path = ""
		}
	}
}

// removeAll removes temporary files. Files that the store has moved into place are no longer there.
func removeAll(paths ...string) {
	for _, path := range paths {
		if path != "" {
			_ = os.Remove(path) // the next start removes leftover files
		}
	}
}
