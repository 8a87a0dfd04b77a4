package libav

import (
	"context"
	"errors"
	"os"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
)

// Encoder settings of an export.
const (
	exportPreset  = "veryfast"
	exportCRF     = 20
	exportBitRate = 192_000
	exportGOP     = 2 // seconds

	// The heads of what is copied from footage with a keyframe each few seconds are few and short:
	// they may be larger, and take a sixth less time.
	headsPreset = "superfast"
	headsGap    = 2.5 // seconds between two keyframes, on average

	// Few frames of HEVC are encoded beside those that are copied. Slower presets take up to twice
	// the time; what this one leaves out of the judgement of what eyes see, a better quality makes
	// up for.
	exportHEVCPreset = "ultrafast"
	exportHEVCCRF    = 18
)

// render is one running Render.
type render struct {
	engine  *Engine
	ctx     context.Context
	plan    media.RenderPlan
	origins []origin
	movie   *movie
	meter   *meter
	tally   *tally // nil where nobody asks how far it has come

	parts   []stretch          // of the picture, in order
	encoded []media.Segment    // what is encoded of it; Start counts encoded frames only
	places  []int64            // the output frame at which each of them begins
	inputs  []coded            // how the inputs that are copied from are coded
	config  avcConfig          // their parameter sets, where they are H.264
	hevc    bool               // the export is HEVC, as they all are
	format  astiav.PixelFormat // of its pictures
	preset  string             // of the encoder
	crf     int
	sets    *hevcConfig // the parameter sets of the first of them, then
	inBand  bool        // packets bring their parameter sets, as more than one kind are in use
	safe    bool        // nothing is copied or taken from the kept chunks
	made    media.RenderResult

	track  int           // of the picture
	video  *encoder      // nil when everything is copied, and when the plan is of sound only
	audio  *soundEncoder // nil when the plan has no sound, and when that is copied
	copied *copiedSound  // nil when the sound is encoded
	kept   keptSound     // where it is kept when it is encoded

	noiseDB float64             // level of the background, where it is to be brought down
	loud    []media.SampleRange // of the output: where an asset lowers the main sound
}

// Render writes the edited video of a plan to outPath as MP4: H.264, or HEVC where the plan keeps
// the codec of footage that is all HEVC, and AAC where any input has sound. The output has exactly
// plan.Frames() frames. A plan of sound only becomes an M4A. progress, which may be nil, is called
// with 0 to 1, never less than before, from one goroutine at a time. When it fails, nothing is left
// at outPath. Errors: *MediaError for what is wrong with an input; what writing failed with, such
// as syscall.ENOSPC; the cause of ctx.
func (e *Engine) Render(
	ctx context.Context,
	plan media.RenderPlan,
	outPath string,
	progress func(fraction float64),
) (media.RenderResult, error) {
	if plan.Frames() == 0 {
		return media.RenderResult{}, media.ErrNothingLeft
	}
	if plan.AudioOnly() && !plan.HasAudio() {
		return media.RenderResult{}, errNoSound()
	}
	ctx, m := newMeter(ctx, progress, e.stall)
	defer m.close()
	rendered, err := e.renderChecked(ctx, m, plan, outPath)
	if err != nil {
		return media.RenderResult{}, because(ctx, err)
	}
	if e.chunks != nil {
		_ = e.chunks.trim() // another render, or the next start, tries again
	}
	m.beat(1)
	return rendered, nil
}

// render writes and checks an export; with safe every picture is encoded anew.
func (e *Engine) render(
	ctx context.Context,
	m *meter,
	plan media.RenderPlan,
	outPath string,
	safe bool,
) (media.RenderResult, error) {
	r := &render{engine: e, ctx: ctx, plan: plan, meter: m, safe: safe}
	r.made = media.RenderResult{
		Frames:     plan.Frames(),
		DurationMS: plan.DurationMS(),
		Width:      plan.Width,
		Height:     plan.Height,
	}
	if err := r.locate(); err != nil {
		return media.RenderResult{}, err
	}
	defer r.closeInputs()
	if whole, err := r.copyWhole(outPath); err != nil {
		return media.RenderResult{}, err
	} else if !whole {
		if err := r.write(outPath); err != nil || plan.AudioOnly() {
			return r.made, err
		}
	}
	if err := r.verify(outPath); err != nil {
		return media.RenderResult{}, errors.Join(err, os.Remove(outPath))
	}
	return r.made, nil
}

// write decides what is copied and what is encoded, and writes the export.
func (r *render) write(outPath string) (err error) {
	if r.plan.AudioOnly() {
		r.made.Frames = 0
	} else if err := r.choose(); err != nil {
		return err
	} else if r.made.Codec = "h264"; r.hevc {
		r.made.Codec = "hevc"
	}
	r.findKeptSound()
	r.tally = r.newTally()
	r.made.SizeBytes, err = r.run(outPath)
	return err
}

// progress says how many frames are written.
func (r *render) progress(frames int64) {
	if r.tally != nil {
		r.tally.wrote(float64(frames) / float64(r.plan.Frames()))
	}
}

// newTally returns the tally of the render, once it is decided what is encoded.
func (r *render) newTally() *tally {
	passes, tracks := 0, 0
	if r.plan.HasAudio() {
		tracks++
		if r.plan.Audio.Denoise > 0 && !r.kept.there {
			passes++
		}
		if r.plan.Audio.Normalize && !r.kept.there {
			passes += usualTries
		}
	}
	if !r.plan.AudioOnly() {
		tracks++
	}
	return newTally(r.meter, passes, float64(r.made.Encoded)/float64(r.plan.Frames()), tracks)
}

// locate finds clip time 0 of every input that is shown.
func (r *render) locate() error {
	r.origins = make([]origin, len(r.plan.Inputs))
	shown := make([]bool, len(r.plan.Inputs))
	for _, s := range r.plan.Segments {
		shown[s.Input] = true
	}
	for i, in := range r.plan.Inputs {
		if shown[i] && (in.HasVideo || in.HasAudio) {
			v, err := r.engine.locate(r.ctx, in.Path)
			if err != nil {
				return err
			}
			r.origins[i] = v.origin
		}
	}
	return nil
}

func (r *render) run(outPath string) (size int64, err error) {
	whole := r.ctx
	group, ctx := errgroup.WithContext(whole)
	r.ctx = ctx
	format := media.DefaultExportFormat().Muxer
	if r.plan.AudioOnly() {
		format = formatM4A
	}
	if r.movie, err = createMovie(ctx, outPath, format, true, r.meter.alive); err != nil {
		return 0, err
	}
	defer func() {
		r.ctx = whole
		r.closeEncoders()
		if err != nil {
			r.movie.abort()
		}
	}()
	if err = r.openEncoders(); err != nil {
		return 0, err
	}
	drop := func() {}
	switch {
	case r.plan.AudioOnly():
	case r.video == nil:
		group.Go(func() error { return r.encodePictures(nil) })
	default:
		var titled <-chan shot
		titled, drop = r.draw(group.Go)
		group.Go(func() error { return r.encodePictures(titled) })
	}
	if r.audio != nil {
		group.Go(r.writeSound)
	}
	if r.copied != nil {
		group.Go(r.copySound)
	}
	err = group.Wait()
	drop()
	if err != nil {
		return 0, err
	}
	return r.movie.finish(whole)
}

// draw starts the steps that make the pictures of what is encoded. drop frees, once they have
// ended, what nobody received.
func (r *render) draw(start func(step func() error)) (titled <-chan shot, drop func()) {
	shown := make(chan shot, 2)
	last, all := shown, []<-chan shot{shown}
	start(func() error { defer close(shown); return r.showSegments(shown) })
	next := func(step func(from <-chan shot, to chan<- shot) error) {
		from, to := last, make(chan shot, 2)
		start(func() error { defer close(to); return step(from, to) })
		last, all = to, append(all, to)
	}
	next(r.paint)
	// Each step has some pictures in flight, so there are no more than it takes.
	if len(r.plan.Overlays) > 0 {
		next(r.overlay)
	}
	if len(r.plan.Captions) > 0 || r.plan.Watermark {
		next(r.title)
	}
	return last, func() {
		for _, c := range all {
			discard(c)
		}
	}
}

func (r *render) openEncoders() (err error) {
	switch {
	case r.plan.AudioOnly():
	case r.needsEncoder():
		err = r.openVideoEncoder()
	default:
		err = r.addCopiedTrack()
	}
	if err != nil {
		return err
	}
	if r.plan.HasAudio() {
		if err = r.openSoundTrack(); err != nil {
			return err
		}
	}
	if !r.plan.AudioOnly() {
		r.keepFront()
	}
	return r.movie.start()
}

// keepFront has room kept for the index of an export whose size what is copied tells.
func (r *render) keepFront() {
	sounds := r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)/aacFrame + 4
	if r.copied != nil {
		sounds = int64(r.copied.last)
	}
	copied := int64(0)
	for _, p := range r.parts {
		if in := r.inputs[p.Input]; p.Copy {
			copied += in.packets.source.size * p.Frames() / int64(len(in.Frames))
		}
	}
	r.movie.keepFront(r.plan.Frames(), sounds, copied)
}

func (r *render) openSoundTrack() (err error) {
	if r.copied, err = r.findCopiedSound(); err != nil {
		return err
	}
	if r.copied != nil {
		r.copied.track, err = r.movie.addCopy(r.copied.packets.track)
		return err
	}
	r.audio, err = newSoundEncoder(r.movie, exportBitRate)
	return err
}

// openVideoEncoder opens the encoder of the picture. Where packets are copied beside its own, the
// track names the parameter sets of both.
func (r *render) openVideoEncoder() (err error) {
	rate := r.plan.Rate
	settings := videoSettings{width: r.plan.Width, height: r.plan.Height, rate: rate, preset: r.preset,
		crf: r.crf, keyframes: max(1, int(rate.Frame(exportGOP*1000))), threads: r.engine.threads,
		parameterSet: r.parameterSet(), format: r.format}
	if r.hevc {
		settings.delay = r.deepest()
		r.video, err = newHEVCEncoder(r.movie, settings)
	} else {
		r.video, err = newVideoEncoder(r.movie, settings)
	}
	if err != nil {
		return err
	}
	r.track = r.video.track
	if r.movie == nil || r.config.sps == nil && !r.hevc {
		return nil
	}
	return r.describe(r.video)
}

func (r *render) closeEncoders() {
	if r.video != nil {
		r.video.close()
	}
	if r.audio != nil {
		r.audio.close()
	}
	if r.copied != nil {
		r.copied.close()
	}
}

// encodePictures encodes the pieces that are encoded, each as a chunk that needs nothing before it,
// and writes all pieces.
func (r *render) encodePictures(painted <-chan shot) error {
	a := r.newAssembler()
	if err := a.ready(); err != nil {
		return err
	}
	if r.video != nil {
		r.video.put = a.take
		if err := r.encodePieces(painted, a); err != nil {
			return err
		}
		if err := r.video.drain(); err != nil {
			return err
		}
	}
	return a.finish()
}

func (r *render) encodePieces(painted <-chan shot, a *assembler) error {
	at, next := int64(0), 0
	for s := range painted {
		for range s.count {
			if err := context.Cause(r.ctx); err != nil {
				s.frame.Free()
				return err
			}
			s.frame.SetPictureType(astiav.PictureTypeNone)
			if next < len(r.encoded) && at == r.encoded[next].Start {
				s.frame.SetPictureType(astiav.PictureTypeI)
				next++
			}
			s.frame.SetPts(at)
			if err := r.video.encode(s.frame); err != nil {
				s.frame.Free()
				return err
			}
			at++
			r.progress(a.at)
		}
		s.frame.Free()
	}
	return context.Cause(r.ctx)
}
