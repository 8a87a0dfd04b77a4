package libav

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
	"roughcut/media/bitstream"
	"roughcut/media/libav/av"
)

// Encoder settings of an export.
const (
	exportBitRate = 192_000
	exportGOP     = 2 // seconds

	// Copied footage with a keyframe every few seconds has few and short heads that are encoded.
	// They have an effort of their own.
	headsGap    = 2.5 // average seconds between two keyframes
	headsCopied = 0.9 // share of the frames that a copy without cuts copies
)

var (
	exportEffort = av.Effort{Preset: "veryfast", CRF: 20}

	// Heads may be larger, and then take half the time. For a preset without a macroblock tree,
	// x264 lowers the quantizer that a CRF stands for by 5.4. So heads look better than with
	// exportEffort although their CRF is higher. B-frames would delay the whole export.
	headsEffort = av.Effort{Preset: "superfast", CRF: 22, NoBFrames: true}

	// Only a few HEVC frames are encoded next to the copied ones. Slower presets take up to twice
	// the time. This preset drops the perceptual optimizations; a better CRF makes up for that.
	hevcEffort = av.Effort{Preset: "ultrafast", CRF: 18}
)

// render is one running Render.
type render struct {
	engine  *Engine
	ctx     context.Context
	plan    media.RenderPlan
	origins []av.Origin
	heard   [][]int // the audio tracks of each input that are heard, as in av.Open
	tags    av.Tags // of the recording that the export starts with
	isFloat bool    // a recording has audio in floating point
	mux     *av.Muxer
	meter   *av.Meter
	tally   *tally // nil if progress is not reported

	chunks  []chunk               // of the video, in order
	encoded []media.Segment       // the re-encoded segments; Start counts re-encoded frames only
	places  []int64               // the first output frame of each re-encoded segment
	inputs  []copySource          // the inputs whose packets are copied
	config  bitstream.AVCConfig   // H.264 parameter sets of inputs
	hevc    bool                  // the export is HEVC, and so are all its inputs
	format  astiav.PixelFormat    // of the frames
	effort  av.Effort             // of the encoder
	sets    *bitstream.HEVCConfig // HEVC parameter sets of inputs
	ownIDs  *bitstream.HEVCIDs    // of the encoder's HEVC parameter sets, nil if they stay
	attempt
	turned  av.Orientation     // of all recordings, if the export stores frames as they do and players turn them
	colors  av.FrameColors     // of the frames
	refused int                // the input that cannot stay HEVC, if the result says why
	shown   bitstream.Display  // that HDR frames were mastered on
	first   map[int]firstFrame // of the inputs that were read
	result  media.RenderResult

	track       int              // of the video
	video       *av.Encoder      // nil if every frame is copied, or for an audio-only plan
	witnesses   av.Witnesses     // of the frames that a hardware encoder got
	audio       *av.AudioEncoder // nil if the plan has no audio, or if the audio is copied
	copied      *copiedAudio     // nil if the audio is encoded
	cachedAudio cachedAudio      // where the audio is cached if it is encoded
	others      []*render        // of the further audio tracks; each has one audio track alone

	known  []media.PacketIndex // of the inputs, if their packets must not be read
	uneven []bool              // which of these inputs must be read if the index of the file lists them

	loudest   float64             // sample of the mix, if it was measured
	noiseDB   float64             // background noise level, if noise reduction is on
	levels    []float64           // of the bars of the waveform
	loudSpans []media.SampleRange // of the output: where an asset ducks the main audio
	muted     []mutedPart         // of the main audio, in output order
}

// Render writes the edited video of a plan to outPath in the format of the plan. The video is
// H.264, or HEVC if the plan keeps the codec and all its footage is HEVC. There is an audio track
// if any input has audio. The output has exactly plan.Frames() frames. An audio-only plan has no
// video.
//
// progress may be nil. It is called with 0 to 1, never with less than before, from one goroutine at
// a time. On failure nothing is left at outPath. Errors: *av.MediaError for a fault of an input;
// the error of writing, such as syscall.ENOSPC; the cause of ctx.
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
		return media.RenderResult{}, av.ErrNoAudio()
	}
	ctx, m := av.NewMeter(ctx, progress, e.stall)
	defer m.Close()
	e.limitRender(m, plan)
	rendered, err := e.renderChecked(ctx, m, plan, outPath)
	if err != nil {
		return media.RenderResult{}, av.Because(ctx, err)
	}
	if e.cache != nil {
		_ = e.cache.Trim() // another render, or the next start, tries again
	}
	m.Beat(1)
	return rendered, nil
}

// limitRender limits the CPU time of a render.
func (e *Engine) limitRender(m *av.Meter, plan media.RenderPlan) {
	paths := map[string]bool{}
	for _, in := range plan.Inputs {
		paths[in.Path] = true
	}
	for _, o := range plan.Overlays {
		paths[o.Path] = true
	}
	for _, a := range plan.Audio.Assets {
		paths[a.Path] = true
	}
	var bytes int64
	for path := range paths {
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
	}

	limit := media.RenderCPU(plan, plan.Frames(), bytes)
	m.LimitCPU(e.clock, limit, av.Errorf(
		"this video took more than %d minutes of processor time; "+
			"a recording may be damaged, convert it to H.264 and upload it again",
		int(limit.Minutes()),
	))
}

// attempt is how a render makes an export.
type attempt struct {
	safe     bool // nothing is copied or taken from the cache
	software bool // no hardware encoder is used
}

// render writes and checks an export.
func (e *Engine) render(
	ctx context.Context,
	m *av.Meter,
	plan media.RenderPlan,
	outPath string,
	try attempt,
) (media.RenderResult, error) {
	r := &render{engine: e, ctx: ctx, plan: plan, meter: m, attempt: try}
	defer r.witnesses.Close()
	r.result = media.RenderResult{
		Frames:     plan.Frames(),
		DurationMS: plan.DurationMS(),
		Width:      plan.Width,
		Height:     plan.Height,
	}
	if err := r.locate(); err != nil {
		return media.RenderResult{}, err
	}
	defer r.closeInputs()
	if whole, err := r.tryCopyWhole(outPath); err != nil {
		return media.RenderResult{}, err
	} else if !whole {
		if err := r.write(outPath); err != nil || plan.AudioOnly() {
			return r.result, err
		}
	}

	if err := r.verify(outPath); err != nil {
		return media.RenderResult{}, errors.Join(err, os.Remove(outPath))
	}
	return r.result, nil
}

// write decides which chunks to copy and which to re-encode, and writes the export.
func (r *render) write(outPath string) (err error) {
	if r.plan.AudioOnly() {
		r.result.Frames = 0
	} else if err := r.planChunks(); err != nil {
		return err
	} else {
		r.describeResult()
	}

	r.findCachedAudio()
	r.tally = r.newTally()
	r.result.SizeBytes, err = r.writeFile(outPath)
	return err
}

// describeResult sets the codec of the export and the encoder of its encoded frames.
func (r *render) describeResult() {
	if r.result.Codec = "h264"; r.hevc {
		r.result.Codec = "hevc"
	}
	if r.result.Encoded == 0 {
		return
	}
	h := r.hardware()
	if r.result.Encoder = av.EncoderTitle(h, r.hevc); h == nil && r.encodesAll() {
		r.result.SoftwareBecause = r.engine.encoderFault()
	}
}

// encodesAll reports whether all frames of the export are encoded now, as H.264.
func (r *render) encodesAll() bool {
	return !r.hevc && r.result.Encoded > 0 && r.result.Copied == 0 && r.result.Reused == 0
}

// hardware returns the hardware encoder that encodes the export, nil for software. Frames next to
// copied or cached ones need the software encoder, whose parameter sets are known to agree.
func (r *render) hardware() *av.HardwareEncoder {
	if r.safe || r.software || !r.encodesAll() {
		return nil
	}
	return r.engine.hardware()
}

// progress reports how many frames are written.
func (r *render) progress(frames int64) {
	if r.tally != nil {
		r.tally.videoDone(float64(frames) / float64(r.plan.Frames()))
	}
}

// newTally returns the progress tally of the render. Call it after planChunks.
func (r *render) newTally() *tally {
	passes, tracks := 0, len(r.plan.OtherTracks)
	if r.plan.HasAudio() {
		tracks++
		if r.plan.Audio.Denoise > 0 && !r.cachedAudio.complete {
			passes++
		}
		switch {
		case r.cachedAudio.complete:
		case r.plan.Audio.Normalize:
			passes += usualTries
		case r.isFloat:
			passes++
		}
	}

	if !r.plan.AudioOnly() {
		tracks++
	}
	return newTally(r.meter, passes, float64(r.result.Encoded)/float64(r.plan.Frames()), tracks)
}

// locate finds clip time 0 of every input in use, and the orientation of their frames.
func (r *render) locate() error {
	r.origins, r.heard = make([]av.Origin, len(r.plan.Inputs)), make([][]int, len(r.plan.Inputs))
	var turns []av.Orientation
	shown := make([]bool, len(r.plan.Inputs))
	for _, s := range r.plan.Segments {
		shown[s.Input] = true
	}
	for i, in := range r.plan.Inputs {
		if shown[i] && (in.HasVideo || in.HasAudio) {
			v, err := av.Locate(r.ctx, in.Path, in.Tracks...)
			if err != nil {
				return err
			}
			if in.Aligned && v.HasVideo {
				v.StartAt(r.plan.Rate, in.First)
			}
			r.origins[i], r.heard[i] = v.Origin, v.Heard
			r.isFloat = r.isFloat || (v.IsFloat && in.HasAudio)
			if i == r.plan.Segments[0].Input {
				r.setTags(v)
			}

			if in.HasVideo {
				turns = append(turns, v.Turn)
			}
		}
	}

	r.chooseOrientation(turns)
	return nil
}

// setTags sets the tags of the recording that the export starts with.
func (r *render) setTags(v av.Survey) {
	if r.tags = v.Tags; !r.plan.KeepLocation {
		r.tags.Location = ""
	}
	if len(v.Heard) > 1 {
		r.tags.AudioTitle = "" // a mix
	}
}

// chooseOrientation decides whether the export stores frames in the orientation of the recordings,
// so that frames of a phone that was held upright can be copied. All recordings must have one
// orientation, and nothing may be drawn on the frames.
func (r *render) chooseOrientation(turns []av.Orientation) {
	alike := len(turns) > 0 && !turns[0].Mirror &&
		!slices.ContainsFunc(turns, func(t av.Orientation) bool { return t != turns[0] })
	if alike && !r.safe && !r.plan.FlipH && !r.plan.FlipV && !r.plan.Draws() {
		r.turned = turns[0]
	}
}

// turn returns how a frame of an orientation must be turned for the canvas.
func (r *render) turn(t av.Orientation) av.Orientation {
	if t == r.turned {
		return av.Orientation{}
	}
	return t
}

func (r *render) writeFile(outPath string) (size int64, err error) {
	whole := r.ctx
	group, ctx := errgroup.WithContext(whole)
	r.ctx = ctx
	if r.mux, err = av.CreateMuxer(ctx, outPath, r.plan.Format.Muxer, true, r.meter.Alive); err != nil {
		return 0, err
	}
	defer func() {
		r.ctx = whole
		r.closeEncoders()
		if err != nil {
			r.mux.Abort()
		}
	}()

	if err = r.openEncoders(); err != nil {
		return 0, err
	}
	for _, in := range r.inputs {
		if in.packets != nil {
			in.packets.Release()
		}
	}

	drop := func() {}
	switch {
	case r.plan.AudioOnly():
	case r.video == nil:
		group.Go(av.Safely(func() error { return r.writeVideo(nil) }))
	default:
		var frames <-chan timedFrame
		frames, drop = r.startPipeline(func(step func() error) { group.Go(av.Safely(step)) })
		group.Go(av.Safely(func() error { return r.writeVideo(frames) }))
	}

	for _, track := range r.audioTracks() {
		group.Go(av.Safely(track.writeAudioTrack))
	}
	err = group.Wait()
	drop()
	if err != nil {
		return 0, err
	}
	return r.mux.Finish(whole)
}

// startPipeline starts the steps that make the re-encoded frames. A step that fails cancels r.ctx
// with its error before it closes its channel, so that the receiver does not take the closed
// channel for the end of the video. drop frees the frames left in the channels. Call it once the
// steps have ended.
func (r *render) startPipeline(start func(step func() error)) (frames <-chan timedFrame, drop func()) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	r.ctx = ctx
	run := func(to chan timedFrame, step func() error) {
		start(func() error {
			defer close(to)
			err := av.Safely(step)()
			if err != nil {
				cancel(err)
			}
			return err
		})
	}

	decoded := make(chan timedFrame, 2)
	last, all := decoded, []<-chan timedFrame{decoded}
	run(decoded, func() error { return r.decodeSegments(decoded) })
	next := func(step func(from <-chan timedFrame, to chan<- timedFrame) error) {
		from, to := last, make(chan timedFrame, 2)
		run(to, func() error { return step(from, to) })
		last, all = to, append(all, to)
	}
	next(r.convertFrames)
	// Each step holds some frames in flight, so only the needed steps run.
	if r.plan.Views().Any() {
		next(r.viewFrames)
	}
	if r.plan.Waveform.Shown || r.plan.Cover != nil {
		next(r.fillAudioClips)
	}
	if len(r.plan.Overlays) > 0 {
		next(r.overlay)
	}
	if len(r.plan.Captions) > 0 || r.plan.Watermark {
		next(r.drawText)
	}

	return last, func() {
		cancel(nil)
		for _, c := range all {
			discardFrames(c)
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
		if err = r.openAudioTrack(); err != nil {
			return err
		}
	}

	if err = r.openOtherTracks(); err != nil {
		return err
	}

	if r.plan.AudioOnly() {
		err = r.mux.SetTimeReference(r.plan.TimeReference, r.tags.Created)
	} else {
		err = r.mux.SetTimecode(r.track, r.plan)
	}

	if err != nil {
		return err
	}

	if err = r.writeTags(); err != nil {
		return err
	}
	if err = r.mux.AddChapters(r.plan.Chapters, r.plan.DurationMS()); err != nil {
		return err
	}
	if !r.plan.AudioOnly() {
		r.reserveIndex()
	}
	return r.mux.Start()
}

// writeTags states the tags of the recording and of its audio tracks.
func (r *render) writeTags() error {
	video, others := r.track, []int(nil)
	if r.plan.AudioOnly() {
		video = -1
	}
	for _, other := range r.others {
		others = append(others, other.audioTrack())
	}

	if err := r.mux.SetTags(r.tags, video, r.audioTrack()); err != nil {
		return err
	}
	return r.tagAudioTracks(r.audioTrack(), others...)
}

// ReserveIndex reserves space for the index of an export, estimating its size from the copied
// inputs.
func (r *render) reserveIndex() {
	audioPackets := r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)/av.AACFrame + 4
	if r.copied != nil {
		audioPackets = int64(r.copied.last)
	}
	audioPackets *= int64(1 + len(r.others))
	copied := int64(0)
	for _, p := range r.chunks {
		if in := r.inputs[p.Input]; p.Copy {
			copied += in.packets.Source.Size * p.Frames() / int64(len(in.Frames))
		}
	}

	r.mux.ReserveIndex(r.plan.Frames(), audioPackets, copied)
}

func (r *render) openAudioTrack() (err error) {
	if r.copied, err = r.findCopiedAudio(); err != nil {
		return err
	}
	if r.copied != nil {
		r.copied.track, err = r.mux.AddCopy(r.copied.packets.Track)
		return err
	}

	if r.plan.Channels > 0 {
		return r.openChannelsEncoder()
	}
	r.audio, err = r.newAudioEncoder(r.mux)
	return err
}

// newAudioEncoder opens the encoder of audio in mono or stereo.
func (r *render) newAudioEncoder(m *av.Muxer) (*av.AudioEncoder, error) {
	if r.plan.Mono {
		return av.NewLayoutEncoder(m, r.plan.Format.AudioEncoder, astiav.ChannelLayoutMono, exportBitRate/2)
	}
	return av.NewAudioEncoder(m, r.plan.Format.AudioEncoder, exportBitRate)
}

// openVideoEncoder opens the video encoder. If packets are copied too, the track gets the parameter
// sets of both.
func (r *render) openVideoEncoder() (err error) {
	rate := r.plan.Rate
	frame := r.canvas()
	settings := av.VideoSettings{Width: frame.Width, Height: frame.Height, Rate: rate, Effort: r.effort,
		Keyframes: max(1, int(rate.Frame(exportGOP*1000))), Threads: r.engine.threads,
		ParameterSet: r.parameterSet(), Format: r.format, Colors: r.colors}
	switch hardware := r.hardware(); {
	case hardware != nil:
		r.video, err = av.NewHardwareEncoder(r.mux, settings, hardware)
	case r.hevc:
		settings.Delay = r.reorderDelay()
		r.video, err = av.NewHEVCEncoder(r.mux, settings)
	default:
		r.video, err = av.NewVideoEncoder(r.mux, settings)
	}

	if err != nil {
		return err
	}
	r.track = r.video.Track
	if err := r.describeOrientation(); err != nil {
		return err
	}
	if r.mux == nil {
		return nil
	}
	if err := av.StateDisplay(r.mux.Stream(r.track), r.shown); err != nil {
		return err
	}
	if r.config.SPS == nil && !r.hevc {
		return nil
	}
	return r.writeDecoderConfig(r.video)
}

func (r *render) closeEncoders() {
	if r.video != nil {
		r.video.Close()
	}
	r.closeAudio()
}

// writeVideo writes all chunks. It encodes the chunks that are re-encoded as closed GOPs.
func (r *render) writeVideo(frames <-chan timedFrame) error {
	a := r.newAssembler()
	if err := a.writeReady(); err != nil {
		return err
	}
	if r.video != nil {
		r.video.Put = a.add
		if err := r.encodeChunks(frames, a); err != nil {
			return err
		}
		if err := r.video.Drain(); err != nil {
			return err
		}
	}

	return a.finish()
}

func (r *render) encodeChunks(frames <-chan timedFrame, a *assembler) error {
	at, next := int64(0), 0
	for s := range frames {
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
			err := r.video.Encode(s.frame)
			if err == nil && r.video.Hardware != nil {
				err = r.witnesses.Add(at, s.frame)
			}
			if err != nil {
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
