//go:build linux

package sandbox

import (
	"context"
	"time"

	"roughcut/media"
)

// silence is the time without progress after which a child is stopped. A window of half a minute of
// speech takes a few minutes with the largest model on a slow processor.
const silence = 15 * time.Minute

// prerenderSilence is silence for pre-renders, which report no progress.
const prerenderSilence = 24 * time.Hour

// Engine runs each call of a media engine in a child. It is safe for concurrent use.
type Engine struct{ options Options }

// New returns an engine.
func New(o Options) *Engine { return &Engine{o} }

// call returns a call with its files.
func (e *Engine) call(name string, files *files, limits Limits, progress func(float64)) *call {
	return &call{
		options:  e.options,
		request:  request{Call: name, Limits: limits},
		files:    files,
		progress: progress,
		silence:  silence,
	}
}

// Probe implements pipeline.Ingester.
func (e *Engine) Probe(ctx context.Context, path string) (info media.Info, err error) {
	f := newFiles()
	if err := f.read(&path); err != nil {
		f.close()
		return info, err
	}
	err = e.call(callProbe, f, readLimits(f.bytes), nil).run(ctx, probeCall{path}, &info)
	return info, err
}

// Ingest implements pipeline.Ingester.
func (e *Engine) Ingest(
	ctx context.Context,
	r media.IngestRequest,
	progress func(float64),
) (media.IngestResult, error) {
	f := newFiles()
	if err := f.all([]*string{&r.Path}, []*string{&r.ProxyPath, &r.SpritePath, &r.SpeechPath}); err != nil {
		return media.IngestResult{}, err
	}
	var out ingestReply
	if err := e.call(callIngest, f, readLimits(f.bytes), progress).run(ctx, r, &out); err != nil {
		return media.IngestResult{}, err
	}
	return out.unpack(), nil
}

// Asset implements pipeline.AssetEditor.
func (e *Engine) Asset(
	ctx context.Context,
	r media.AssetRequest,
	progress func(float64),
) (asset media.Asset, err error) {
	f := newFiles()
	if err := f.all([]*string{&r.Path}, []*string{&r.PosterPath, &r.ProxyPath}); err != nil {
		return asset, err
	}
	err = e.call(callAsset, f, readLimits(f.bytes), progress).run(ctx, r, &asset)
	return asset, err
}

// Trim implements pipeline.AssetEditor.
func (e *Engine) Trim(
	ctx context.Context,
	r media.TrimRequest,
	progress func(float64),
) (asset media.Asset, err error) {
	f := newFiles()
	if err := f.all([]*string{&r.Path}, []*string{&r.OutPath}); err != nil {
		return asset, err
	}
	limits := readLimits(f.bytes)
	err = e.call(callTrim, f, limits, progress).run(ctx, r, &asset)
	return asset, err
}

// RoomTone implements MediaEngine.
func (e *Engine) RoomTone(ctx context.Context, r media.RoomToneRequest) (samples []int16, err error) {
	f := newFiles()
	f.readOptional(&r.EnergiesPath)
	if err := f.all([]*string{&r.Path}, nil); err != nil {
		return nil, err
	}
	err = e.call(callRoomTone, f, readLimits(f.bytes), nil).run(ctx, r, &samples)
	return samples, err
}

// all calls read for files to read and write for files to write. If it fails, it closes the files.
func (f *files) all(read, write []*string) error {
	for _, path := range read {
		if err := f.read(path); err != nil {
			f.close()
			return err
		}
	}
	for _, path := range write {
		if err := f.write(path); err != nil {
			f.close()
			return err
		}
	}
	return nil
}
