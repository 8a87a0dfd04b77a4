package libav

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"slices"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
)

// Encoder settings of a proxy.
const (
	proxyBitRate = 128_000
	proxyShort   = 540 // pixels; maximum of the short side

	// Milliseconds between two keyframes. A frame that stays for longer than proxyMovingMS has few,
	// because each of them costs as much as the frame itself.
	proxyKeyframeMS      = 500
	proxyMovingMS        = 2000
	proxyStillKeyframeMS = 10_000
)

// A browser shows a frame of a proxy sooner if no later frame must be decoded before it.
var proxyEffort = effort{preset: "superfast", crf: 25, noBFrames: true}

// ingest is one running Ingest. Separate goroutines read packets, decode video, scale it, encode
// it, and process audio.
type ingest struct {
	engine  *Engine
	ctx     context.Context
	request media.IngestRequest
	info    media.Info
	survey  survey
	seen    *source // that inspect has read the start of; nil once a pass has taken it
	source  *source
	seconds float64 // the length that the container claims, 0 if it claims none
	meter   *meter
	packets bool       // the video is measured by its packets, and at most keyframes are decoded
	listed  *videoList // the packets of the video if they need not be read, or nil

	patient   bool      // the goroutines run with tilesNiceness
	software  bool      // no hardware encoder is used
	witnesses witnesses // of the frames that a hardware encoder got

	mux       *muxer   // nil if no proxy is made
	video     *encoder // nil if the proxy has no video
	sprite    *sprite  // nil if neither the sprite sheet nor the motion needs tiles
	audio     *audioIngest
	frames    int64 // length of the video on its grid
	samples   int64 // length of the audio, known once audioDone is closed, or before the start
	audioDone chan struct{}
	readErr   error   // of nextAudio
	uneven    bool    // video frames are not evenly spaced
	keys      []int64 // PTS of the keyframes that a copy can start at

	frameMotion  *frameMotion  // nil unless motion is measured by decoded frames
	packetMotion *packetMotion // nil unless motion is measured by packets
}

// Ingest reads a recording once from start to end and writes the files that the request names.
// Without audio it writes no speech file and returns no peaks. Without video it writes no sprite
// sheet, and the proxy holds only audio. It decodes the video only for products that show it.
//
// Info.DurationMS of the result is the measured length, so a truncated recording counts up to its
// end. If audio continues for more than a second after the last frame, that frame is held. progress
// may be nil. It is called with 0 to 1, never with less than before, from one goroutine at a time.
// On failure no file is left. Errors: as Render.
func (e *Engine) Ingest(
	ctx context.Context,
	request media.IngestRequest,
	progress func(fraction float64),
) (media.IngestResult, error) {
	ctx, m := newMeter(ctx, progress, e.stall)
	defer m.close()
	result, err := (&ingest{engine: e, ctx: ctx, request: request, meter: m}).run()
	if err != nil {
		return media.IngestResult{}, because(ctx, err)
	}
	m.beat(1)
	return result, nil
}

// run inspects the recording. It ingests again if the first pass finds that the video must be
// decoded after all, and if the hardware encoder fails.
func (in *ingest) run() (media.IngestResult, error) {
	if err := in.inspect(); err != nil {
		return media.IngestResult{}, err
	}
	for {
		pass := *in
		in.seen = nil
		result, err := pass.pass()
		var fault hardwareFault
		switch {
		case in.packets && errors.Is(err, errNeedsFrames):
			in.packets = false
		case !in.software && in.ctx.Err() == nil && errors.As(err, &fault):
			in.software = true
		default:
			return result, err
		}

		in.request.Speech = nil // it has got a part of the audio
	}
}

// pass reads the recording from start to end.
func (in *ingest) pass() (result media.IngestResult, err error) {
	in.audioDone = make(chan struct{})
	whole := in.ctx
	group, ctx := errgroup.WithContext(whole)
	in.ctx = ctx
	if in.source, err = in.start(ctx); err != nil {
		return result, err
	}
	defer in.source.close()
	in.source.limitWork(in.meter, in.engine.clock)
	if (in.info.Video != nil) != (in.source.video != nil) || (in.info.Audio != nil) != (in.source.audio != nil) {
		in.ignoreUnreadable()
	}
	defer func() { in.close(err != nil) }()
	if err = in.open(); err != nil {
		return result, err
	}
	if err = in.listVideo(); err != nil {
		return result, err
	}
	if err = in.flow(group); err != nil {
		return result, err
	}
	if result, err = in.finish(whole); err == nil && in.video != nil && in.video.hardware != nil {
		err = in.witnesses.check(whole, in.video.hardware, in.request.ProxyPath, in.info.Video.Rate)
	}
	return result, err
}

// start returns the recording at its start.
func (in *ingest) start(ctx context.Context) (*source, error) {
	s := in.seen
	in.seen = nil
	if s != nil && s.rewind(ctx) {
		return s, nil
	}
	if s != nil {
		s.close()
	}
	return openUntrusted(ctx, in.request.Path)
}

// ignoreUnreadable drops the track of which no frame could be decoded.
func (in *ingest) ignoreUnreadable() {
	if in.info.Video != nil {
		in.source.only(in.source.video)
	} else {
		in.source.only(in.source.audio)
	}
}

// listVideo lists the video from the index of the file if the pass needs no data of frames, and
// makes the source skip it.
func (in *ingest) listVideo() error {
	if !in.packets || in.sprite != nil || (in.request.Motion && !in.leavesTiles()) {
		return nil
	}
	if in.listed = in.source.listVideo(in.source.keptFacts(in.source.video)); in.listed == nil {
		return nil
	}
	in.source.skipVideo()
	return in.listed.each(0, func(p listedPacket) error {
		return in.source.spend(in.source.video, p.pts, p.size)
	})
}

// inspect reads what the recording contains. It leaves the source to the next pass.
func (in *ingest) inspect() (err error) {
	s, err := openUntrusted(in.ctx, in.request.Path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	s.keep()
	if in.survey, err = takeSurvey(s, surveyFrames); err != nil {
		return err
	}
	in.seconds = s.headerSeconds()
	if in.info, err = s.info(in.survey); err != nil {
		return err
	}
	if v := in.info.Video; v != nil && v.Still && in.info.Audio == nil {
		return errStill()
	}
	if v := in.info.Video; v != nil && !v.Still {
		in.packets = (in.request.ProxyPath == "" && in.request.SpritePath == "") ||
			(in.request.SkipProxyIfPlayable && s.playsWithoutProxy(in.info, in.survey))
	}

	in.seen = s
	return nil
}

// open opens all output files.
func (in *ingest) open() (err error) {
	if in.request.ProxyPath != "" && !in.packets {
		if in.mux, err = createMuxer(in.ctx, in.request.ProxyPath, muxerMP4, false, in.meter.alive); err != nil {
			return err
		}
	}

	if in.info.Video != nil {
		if err := in.openProxyVideo(); err != nil {
			return err
		}
	}

	if in.info.Audio != nil {
		if in.audio, err = newAudioIngest(in.mux, in.request, in.info.Video != nil); err != nil {
			return err
		}
	}

	if in.mux != nil {
		return in.mux.start()
	}
	return nil
}

func (in *ingest) openProxyVideo() (err error) {
	v := in.info.Video
	if in.mux != nil {
		c := proxyCanvas(v)
		settings := videoSettings{width: c.width, height: c.height, rate: v.Rate, effort: proxyEffort,
			keyframes: max(1, int(v.Rate.Frame(proxyStillKeyframeMS))), threads: in.engine.threads}
		if hardware := in.engine.hardware(); hardware != nil && !in.software {
			in.video, err = newHardwareEncoder(in.mux, settings, hardware)
		} else {
			in.video, err = newVideoEncoder(in.mux, settings)
		}

		if err != nil {
			return err
		}
	}

	if !in.leavesTiles() && (in.request.SpritePath != "" || (in.packets && in.request.Motion)) {
		in.sprite = newSprite(v, in.info.DurationMS)
	}
	return nil
}

// leavesTiles reports whether the sprite sheet and the motion are left to Tiles.
func (in *ingest) leavesTiles() bool {
	from := in.request.TilesLaterMS
	return in.packets && from > 0 && in.info.DurationMS >= from
}

// proxyCanvas returns the size of a proxy: the aspect ratio of the video, short side at most
// proxyShort.
func proxyCanvas(v *media.VideoInfo) canvas {
	scale := min(1, float64(proxyShort)/float64(min(v.Width, v.Height)))
	side := func(n int) int { return max(2, int(math.Round(float64(n)*scale/2))*2) }
	return canvas{width: side(v.Width), height: side(v.Height), fit: media.Letterbox}
}

// flow runs the goroutines until the recording ends.
func (in *ingest) flow(group *errgroup.Group) error {
	videoPackets, audioPackets := newPacketQueue(128), newPacketQueue(256)
	decoded, converted := make(chan timedFrame, 2), make(chan timedFrame, 2)

	start := func(step func() error) {
		if in.patient {
			step = withNiceness(tilesNiceness, step)
		}
		group.Go(safely(step))
	}
	nextAudio := audioPackets.next
	if in.source.skipped != nil {
		// Without video, the goroutine that decodes the audio also reads it.
		videoPackets.close()
		audioPackets.close()
		nextAudio = in.nextAudio
	} else {
		start(func() error {
			defer videoPackets.close()
			defer audioPackets.close()
			return in.readPackets(videoPackets, audioPackets)
		})
	}

	switch {
	case in.packets:
		close(decoded)
		close(converted)
		if in.request.Motion && !in.leavesTiles() {
			in.packetMotion = newPacketMotion(in.source.video)
		}
		start(func() error { return in.scanPackets(videoPackets) })
	case in.info.Video != nil:
		if in.request.Motion {
			in.frameMotion = &frameMotion{rate: in.info.Video.Rate}
		}
		start(func() error { defer close(decoded); return in.decodeVideo(videoPackets, decoded) })
		start(func() error { defer close(converted); return in.convertFrames(decoded, converted) })
		start(func() error { return in.encodeVideo(converted) })
	default:
		close(decoded)
		close(converted)
	}

	if in.info.Audio != nil {
		start(func() error { return in.decodeAudio(nextAudio) })
	} else {
		close(in.audioDone)
	}

	err := group.Wait()
	discard(decoded)
	discard(converted)
	videoPackets.discard()
	audioPackets.discard()
	return err
}

// readPackets demuxes the recording.
func (in *ingest) readPackets(video, audio *packetQueue) error {
	isClean := in.source.cleanKeyframes()
	for {
		t, err := in.source.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		to := audio
		p := in.source.packet.Clone()
		if t == in.source.video {
			to = video
			if p.Flags().Has(astiav.PacketFlagKey) && p.Pts() != noPTS && isClean(packetData(p), p.Size()) {
				in.keys = append(in.keys, p.Pts())
			}
		}

		if err := to.send(in.ctx, p); err != nil {
			return err
		}
		if in.seconds == 0 {
			in.meter.beat(min(0.98, in.source.position()))
		}
	}
}

// nextAudio reads the next packet of a recording whose video is skipped.
func (in *ingest) nextAudio() (p *astiav.Packet, ok bool) {
	if _, in.readErr = in.source.next(); in.readErr != nil {
		return nil, false
	}
	return in.source.packet.Clone(), true
}

// decodeAudio decodes the audio and passes on samples as they become final. next returns the
// packets, which decodeAudio frees.
func (in *ingest) decodeAudio(next func() (p *astiav.Packet, ok bool)) error {
	t := in.source.audio
	d, err := newDecoder(in.source, t, 1)
	if err != nil {
		return err
	}
	defer d.close()
	track := newAudioTimeline(t, in.survey.origin.audio)
	defer track.close()
	track.begin()

	frame := astiav.AllocFrame()
	defer frame.Free()
	for p, ok := next(); ok; p, ok = next() {
		d.send(p)
		p.Free()
		if err := in.receiveAudio(d, track, frame); err != nil {
			return err
		}
	}

	if in.readErr != nil && !errors.Is(in.readErr, io.EOF) {
		return in.readErr
	}
	if err := context.Cause(in.ctx); err != nil {
		return err
	}
	d.send(nil)
	if err := in.receiveAudio(d, track, frame); err != nil {
		return err
	}
	if err := track.finish(); err != nil {
		return err
	}
	if err := in.audio.consume(in.ctx, track, true); err != nil {
		return err
	}
	in.samples = in.audio.at
	close(in.audioDone)
	return in.audio.finish()
}

// receiveAudio receives all frames that the decoder has ready.
func (in *ingest) receiveAudio(d *decoder, track *audioTimeline, frame *astiav.Frame) error {
	for {
		ok, err := d.receive(frame)
		if !ok || err != nil {
			return nil // needs more input, or the end
		}
		err = track.push(frame)
		frame.Unref()
		if err != nil {
			return err
		}
		if err := in.audio.consume(in.ctx, track, false); err != nil {
			return err
		}
		if (in.info.Video == nil || in.listed != nil) && in.seconds > 0 {
			in.meter.beat(min(0.98, float64(in.audio.at)/media.SampleRate/in.seconds))
		}
		in.meter.alive()
	}
}

// close frees everything that open opened. It removes the files of a failed ingest.
func (in *ingest) close(failed bool) {
	in.witnesses.close()
	if in.video != nil {
		in.video.close()
	}
	if in.audio != nil {
		in.audio.close(failed)
	}
	if in.sprite != nil {
		in.sprite.scaler.close()
	}
	if failed {
		if in.mux != nil {
			in.mux.abort()
		}
		if in.request.SpritePath != "" {
			os.Remove(in.request.SpritePath)
		}
	}
}

// finish completes the files and returns the result.
func (in *ingest) finish(ctx context.Context) (result media.IngestResult, err error) {
	if in.mux != nil {
		if _, err := in.mux.finish(ctx); err != nil {
			return result, err
		}
	}

	result.Info, result.TilesLeft = in.info, in.leavesTiles()
	if v := in.info.Video; v != nil {
		result.Info.DurationMS = v.Rate.MS(in.frames)
		result.Keyframes = in.keyframes()
		result.Motion = in.motion(result.Info.DurationMS)
		v.VariableRate = v.VariableRate || in.uneven
	} else {
		result.Info.DurationMS = (in.samples*1000 + media.SampleRate/2) / media.SampleRate
	}

	if in.audio != nil {
		result.Peaks = in.audio.peaks.until(result.Info.DurationMS)
		result.Energies = in.audio.energies(result.Info.DurationMS)
		if err := in.audio.complete(result.Info.DurationMS); err != nil {
			return result, err
		}
		result.SpeechSent = in.audio.speech != nil && in.audio.speech.sender.done
	}

	if in.request.SpritePath != "" && in.sprite != nil {
		if result.Sprite, err = in.sprite.write(in.request.SpritePath, result.Info.DurationMS); err != nil {
			return result, err
		}
	}

	return result, nil
}

// motion returns how much the video moves, nil if that is not measured.
func (in *ingest) motion(durationMS int64) []byte {
	switch {
	case in.frameMotion != nil:
		return in.frameMotion.motion(durationMS)
	case in.packetMotion != nil:
		motion := in.packetMotion.motion(durationMS)
		if motion == nil {
			return in.sprite.motion(durationMS)
		}
		in.sprite.confirm(motion, in.packetMotion.keySeconds(durationMS))
		return motion
	}

	return nil
}

// keyframes returns when the frames that a copy can start at are shown, in milliseconds of clip
// time.
func (in *ingest) keyframes() (times []int64) {
	t, v := in.source.video, in.info.Video
	if !canCopyVideo(in.source) {
		return nil
	}
	grid := newGrid(t, in.survey.origin, v.Rate)
	for _, pts := range in.keys {
		if frame := grid.index(pts); frame >= 0 && frame < in.frames {
			times = append(times, v.Rate.MS(frame))
		}
	}

	slices.Sort(times)
	return slices.Compact(times)
}
