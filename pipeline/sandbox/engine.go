//go:build linux

package sandbox

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"roughcut/media"
	"roughcut/pipeline/detect"
)

// silence is how long a child may make no progress before it is stopped. A window of half a minute
// of speech takes a few minutes with the largest model on a slow processor.
const silence = 15 * time.Minute

// prerenderSilence is silence for pre-renders, which report no progress.
const prerenderSilence = 24 * time.Hour

// encoderSilence bounds the self-tests of all hardware encoders.
const encoderSilence = 2 * time.Minute

// Engine runs each call of a media engine in a child. It is safe for concurrent use.
type Engine struct {
	options Options
	memory  *semaphore.Weighted
	encoder func() media.EncoderChoice
}

// New returns an engine.
func New(o Options) *Engine {
	e := &Engine{options: o}
	if o.MemoryBytes > 0 {
		e.memory = semaphore.NewWeighted(o.MemoryBytes)
	}
	e.encoder = sync.OnceValue(e.chooseEncoder)
	return e
}

// Encoder returns the video encoder of proxies and exports. The first call tests hardware encoders.
func (e *Engine) Encoder() media.EncoderChoice { return e.encoder() }

// chooseEncoder tests hardware encoders in a child with the walls of an export, so that a driver
// that needs more is not chosen.
func (e *Engine) chooseEncoder() (choice media.EncoderChoice) {
	if e.options.Encoder == "" || e.options.Encoder == media.EncoderSoftware {
		return media.EncoderChoice{Wanted: media.EncoderSoftware, Name: media.EncoderSoftware}
	}
	c := e.call(callEncoder, newFiles(), readLimits(0), nil)
	c.devices, c.silence = true, encoderSilence
	if err := c.run(context.Background(), encoderCall{e.options.Encoder}, &choice); err != nil {
		return media.EncoderChoice{
			Wanted: e.options.Encoder, Name: media.EncoderSoftware,
			Tests: []media.EncoderTest{{Name: e.options.Encoder, Fault: "the self-test crashed: " + err.Error()}},
		}
	}

	return choice
}

// encode runs a call that may use a hardware encoder: do makes it with the encoder, runs it, and
// reports whether its child crashed. If a driver crashes or hangs the child, the call is repeated
// with the software encoder, and software says why.
func (e *Engine) encode(do func(media.EncoderChoice) (crashed bool, err error)) (software string, err error) {
	choice := e.Encoder()
	crashed, err := do(choice)
	if !crashed || !choice.Hardware() {
		return "", err
	}
	software = fmt.Sprintf("the encoder %s crashed: %v", choice.Name, err)
	_, err = do(media.EncoderChoice{Wanted: choice.Wanted, Name: media.EncoderSoftware})
	return software, err
}

// call returns a call with its files.
func (e *Engine) call(name string, files *files, limits Limits, progress func(float64)) *call {
	return &call{
		options:  e.options,
		memory:   e.memory,
		usual:    usualRead,
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
	out, err := e.ingest(ctx, ingestCall{Request: r}, progress)
	return out.unpack(), err
}

// IngestAndHear implements pipeline.Ears.
func (e *Engine) IngestAndHear(
	ctx context.Context,
	r media.IngestRequest,
	progress func(float64),
) (media.IngestResult, *detect.Evidence, error) {
	out, err := e.ingest(ctx, ingestCall{Request: r, Hear: true}, progress)
	return out.unpack(), out.Evidence, err
}

// ingest runs an ingest. Its result is empty if it fails.
func (e *Engine) ingest(ctx context.Context, i ingestCall, progress func(float64)) (out ingestReply, err error) {
	progress = monotonic(progress)
	do := func(encoder media.EncoderChoice) (crashed bool, err error) {
		f, body := newFiles(), i
		r := &body.Request
		paths := []*string{&r.ProxyPath, &r.SpritePath, &r.SpeechPath}
		if err := f.all([]*string{&r.Path}, paths); err != nil {
			return false, err
		}
		c := e.call(callIngest, f, readLimits(f.bytes), progress)
		c.allowEncoder(encoder)
		out = ingestReply{}
		err = c.run(ctx, body, &out)
		return c.crashed, err
	}
	if i.Request.ProxyPath == "" {
		_, err = do(media.EncoderChoice{})
	} else {
		_, err = e.encode(do)
	}

	if err != nil {
		return ingestReply{}, err
	}
	return out, nil
}

// Tiles implements pipeline.Ingester.
func (e *Engine) Tiles(
	ctx context.Context,
	r media.TilesRequest,
	progress func(float64),
) (tiles media.TilesResult, err error) {
	f := newFiles()
	if err := f.all([]*string{&r.Path}, []*string{&r.SpritePath}); err != nil {
		return tiles, err
	}
	err = e.call(callTiles, f, readLimits(f.bytes), progress).run(ctx, r, &tiles)
	return tiles, err
}

// allowEncoder lets the child use a video encoder.
func (c *call) allowEncoder(encoder media.EncoderChoice) {
	c.request.Encoder, c.devices = encoder, encoder.Hardware()
}

// monotonic returns a progress function that ignores steps back, such as the start of a repeated
// call.
func monotonic(progress func(float64)) func(float64) {
	last := -1.0
	return func(fraction float64) {
		if fraction > last && progress != nil {
			last = fraction
			progress(fraction)
		}
	}
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

// Faces implements pipeline.Renderer.
func (e *Engine) Faces(ctx context.Context, r media.FacesRequest) (faces []media.Face, err error) {
	f := newFiles()
	if err := f.all([]*string{&r.Path}, nil); err != nil {
		return nil, err
	}
	err = e.call(callFaces, f, readLimits(f.bytes), nil).run(ctx, r, &faces)
	return faces, err
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
