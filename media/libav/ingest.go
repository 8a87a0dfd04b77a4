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
	"roughcut/media/libav/av"
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
var proxyEffort = av.Effort{Preset: "superfast", CRF: 25, NoBFrames: true}

// ingest is one running Ingest. Separate goroutines read packets, decode video, scale it, encode
// it, and process audio.
type ingest struct {
	engine  *Engine
	ctx     context.Context
	request media.IngestRequest
	info    media.Info
	survey  av.Survey
	heard   []int      // the audio tracks that are heard, as in av.Open
	seen    *av.Source // that inspect has read the start of; nil once a pass has taken it
	source  *av.Source
	seconds float64 // the length that the container claims, 0 if it claims none
	meter   *av.Meter
	packets bool          // the video is measured by its packets, and at most keyframes are decoded
	listed  *av.VideoList // the packets of the video if they need not be read, or nil

	patient   bool         // the goroutines run with tilesNiceness
	software  bool         // no hardware encoder is used
	witnesses av.Witnesses // of the frames that a hardware encoder got

	mux       *av.Muxer   // nil if no proxy is made
	video     *av.Encoder // nil if the proxy has no video
	sprite    *sprite     // nil if neither the sprite sheet nor the motion needs tiles
	audio     *audioIngest
	frames    int64 // length of the video on its grid
	samples   int64 // length of the audio, known once audioDone is closed, or before the start
	audioDone chan struct{}
	readErr   error   // of nextAudio
	uneven    bool    // video frames are not evenly spaced
	keys      []int64 // PTS of the keyframes that a copy can start at

	frameMotion  *frameMotion  // nil unless motion is measured by decoded frames
	packetMotion *packetMotion // nil unless motion is measured by packets
	screen       *screenWatch  // nil unless a screen is to be recognized
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
	ctx, m := av.NewMeter(ctx, progress, e.stall)
	defer m.Close()
	result, err := (&ingest{engine: e, ctx: ctx, request: request, meter: m}).run()
	if err != nil {
		return media.IngestResult{}, av.Because(ctx, err)
	}
	m.Beat(1)
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
		var fault av.HardwareFault
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
	defer in.source.Close()
	in.source.LimitWork(in.meter, in.engine.clock)
	if (in.info.Video != nil) != (in.source.Video != nil) || (in.info.Audio != nil) != (in.source.Audio != nil) {
		in.ignoreUnreadable()
	}
	if len(in.heard) > 1 && in.source.Video != nil {
		in.source.Only(in.source.Video) // mixAudio reads the audio
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
	if result, err = in.finish(whole); err == nil && in.video != nil && in.video.Hardware != nil {
		err = in.witnesses.Check(whole, in.video.Hardware, in.request.ProxyPath, proxyRate(in.info.Video.Rate))
	}
	return result, err
}

// start returns the recording at its start.
func (in *ingest) start(ctx context.Context) (*av.Source, error) {
	s := in.seen
	in.seen = nil
	if s != nil && s.Rewind(ctx) {
		return s, nil
	}
	if s != nil {
		s.Close()
	}
	return av.Open(ctx, in.request.Path, in.heard...)
}

// ignoreUnreadable drops the track without a decodable frame.
func (in *ingest) ignoreUnreadable() {
	if in.info.Video != nil {
		in.source.Only(in.source.Video)
	} else {
		in.source.Only(in.source.Audio)
	}
}

// ListVideo lists the video from the index of the file if the pass needs no data of frames, and
// makes the source skip it.
func (in *ingest) listVideo() error {
	readsMotion := in.request.Motion && !in.leavesTiles()
	if !in.packets || in.sprite != nil || readsMotion {
		return nil
	}
	if in.listed = in.source.ListVideo(in.source.KeptFacts(in.source.Video)); in.listed == nil {
		return nil
	}
	in.source.SkipVideo()
	return in.listed.Each(0, func(p av.ListedPacket) error {
		return in.source.Spend(in.source.Video, p.PTS, p.Size)
	})
}

// inspect reads what the recording contains. It leaves the source to the next pass.
func (in *ingest) inspect() (err error) {
	s, err := av.Open(in.ctx, in.request.Path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	s.Keep()
	if in.survey, err = av.TakeSurvey(s, av.SurveyFrames); err != nil {
		return err
	}
	in.seconds = s.HeaderSeconds()
	if in.info, err = s.Info(in.survey); err != nil {
		return err
	}
	if err = in.chooseTracks(s); err != nil {
		return err
	}
	if err = in.findMicrophones(s); err != nil {
		return err
	}
	if v := in.info.Video; v != nil && v.Still && in.info.Audio == nil {
		return av.ErrStill()
	}
	if v := in.info.Video; v != nil && !v.Still {
		in.packets = (in.request.ProxyPath == "" && in.request.SpritePath == "") ||
			(in.request.SkipProxyIfPlayable && playsHeardTrack(in.info) && playsWithoutProxy(s, in.info, in.survey))
	}

	in.seen = s
	return nil
}

// open opens all output files.
func (in *ingest) open() (err error) {
	if in.request.ProxyPath != "" && !in.packets {
		if in.mux, err = av.CreateMuxer(in.ctx, in.request.ProxyPath, av.MuxerMP4, false, in.meter.Alive); err != nil {
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
		return in.mux.Start()
	}
	return nil
}

func (in *ingest) openProxyVideo() (err error) {
	v := in.info.Video
	if in.mux != nil {
		c := proxyCanvas(v)
		rate := proxyRate(v.Rate)
		settings := av.VideoSettings{Width: c.Width, Height: c.Height, Rate: rate, Effort: proxyEffort,
			Keyframes: max(1, int(rate.Frame(proxyStillKeyframeMS))), Threads: in.engine.threads}
		if hardware := in.engine.hardware(); hardware != nil && !in.software {
			in.video, err = av.NewHardwareEncoder(in.mux, settings, hardware)
		} else {
			in.video, err = av.NewVideoEncoder(in.mux, settings)
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
func proxyCanvas(v *media.VideoInfo) av.Canvas {
	scale := min(1, float64(proxyShort)/float64(min(v.Width, v.Height)))
	side := func(n int) int { return max(2, int(math.Round(float64(n)*scale/2))*2) }
	return av.Canvas{Width: side(v.Width), Height: side(v.Height), Fit: media.Letterbox}
}

// proxyStep returns how many frames of a recording have one frame in its proxy.
func proxyStep(rate media.Rate) int64 {
	return max(1, int64(math.Ceil(rate.Float()/media.MaxTimelineRate.Float())))
}

// proxyRate returns the frame rate of a proxy.
func proxyRate(rate media.Rate) media.Rate {
	return media.SnapRate(rate.Num, rate.Den*proxyStep(rate))
}

// flow runs the goroutines until the recording ends.
func (in *ingest) flow(group *errgroup.Group) error {
	videoPackets, audioPackets := newPacketQueue(128), newPacketQueue(256)
	decoded, converted := make(chan timedFrame, 2), make(chan timedFrame, 2)

	start := func(step func() error) {
		if in.patient {
			step = withNiceness(tilesNiceness, step)
		}
		group.Go(av.Safely(step))
	}
	nextAudio := audioPackets.next
	mixes := len(in.heard) > 1
	if in.source.Skipped != nil || (mixes && in.info.Video == nil) {
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

	in.screen = newScreenWatch(in)
	switch {
	case in.packets:
		close(decoded)
		close(converted)
		if in.request.Motion && !in.leavesTiles() {
			in.packetMotion = newPacketMotion(in.source.Video)
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

	switch {
	case in.info.Audio == nil:
		close(in.audioDone)
	case mixes:
		start(in.mixAudio)
	default:
		start(func() error { return in.decodeAudio(nextAudio) })
	}

	err := group.Wait()
	discardFrames(decoded)
	discardFrames(converted)
	videoPackets.discard()
	audioPackets.discard()
	return err
}

// readPackets demuxes the recording.
func (in *ingest) readPackets(video, audio *packetQueue) error {
	isClean := in.source.CleanKeyframes()
	for {
		t, err := in.source.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		to := audio
		p := in.source.Packet.Clone()
		if t == in.source.Video {
			to = video
			if p.Flags().Has(astiav.PacketFlagKey) && p.Pts() != av.NoPTS && isClean(av.PacketData(p), p.Size()) {
				in.keys = append(in.keys, p.Pts())
			}
		}

		if err := to.send(in.ctx, p); err != nil {
			return err
		}
		if in.seconds == 0 {
			in.meter.Beat(min(0.98, in.source.Position()))
		}
	}
}

// nextAudio reads the next packet of a recording whose video is skipped.
func (in *ingest) nextAudio() (p *astiav.Packet, ok bool) {
	if _, in.readErr = in.source.Next(); in.readErr != nil {
		return nil, false
	}
	return in.source.Packet.Clone(), true
}

// decodeAudio decodes the audio and passes on samples as they become final. next returns the
// packets, which decodeAudio frees.
func (in *ingest) decodeAudio(next func() (p *astiav.Packet, ok bool)) error {
	t := in.source.Audio
	d, err := av.NewDecoder(in.source, t, 1)
	if err != nil {
		return err
	}
	defer d.Close()
	track := av.NewAudioTimeline(t, in.survey.Origin.Audio)
	defer track.Close()
	track.Begin()
	track.Listen()
	if in.info.Audio.Microphones {
		track.MixEqually()
	}

	frame := astiav.AllocFrame()
	defer frame.Free()
	for p, ok := next(); ok; p, ok = next() {
		d.Send(p)
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
	d.Send(nil)
	if err := in.receiveAudio(d, track, frame); err != nil {
		return err
	}
	if err := track.Finish(); err != nil {
		return err
	}
	in.audio.unheard, err = track.Unheard(func(microphone int, seconds []int64) (bool, error) {
		return in.hasVoice(microphone, seconds, false)
	})
	if err != nil {
		return err
	}
	if err := in.consumeAudio(track, true); err != nil {
		return err
	}
	in.samples = in.audio.at
	close(in.audioDone)
	return in.finishAudio()
}

// receiveAudio receives all frames that the decoder has ready.
func (in *ingest) receiveAudio(d *av.Decoder, track *av.AudioTimeline, frame *astiav.Frame) error {
	for {
		ok, err := d.Receive(frame)
		if !ok || err != nil {
			return nil // needs more input, or the end
		}
		err = track.Push(frame)
		frame.Unref()
		if err != nil {
			return err
		}
		if err := in.consumeAudio(track, false); err != nil {
			return err
		}
		in.meter.Alive()
	}
}

// consumeAudio processes the final samples of a timeline in whole parts, and with end also the
// rest. One frame can make hours of them final: the silence of a gap.
func (in *ingest) consumeAudio(track *av.AudioTimeline, end bool) error {
	for in.audio.at < track.Ready() {
		if err := context.Cause(in.ctx); err != nil {
			return err
		}
		part := in.audio.parts[0]
		if n := track.Ready() - in.audio.at; n < part.Len() {
			if !end {
				return nil
			}
			part = part.Cut(0, n)
		}

		track.Read(in.audio.at, part)
		track.Discard(in.audio.at + part.Len())
		if err := in.processAudio(part); err != nil {
			return err
		}
	}

	return nil
}

// processAudio processes the next part of the audio, and reports the progress.
func (in *ingest) processAudio(part av.Stereo) error {
	if err := in.audio.process(part); err != nil {
		return err
	}
	if (in.info.Video == nil || in.listed != nil) && in.seconds > 0 {
		in.meter.Beat(min(0.98, float64(in.audio.at)/media.SampleRate/in.seconds))
	}
	in.meter.Alive()
	return nil
}

// close frees everything that open opened. It removes the files of a failed ingest.
func (in *ingest) close(failed bool) {
	in.witnesses.Close()
	if in.video != nil {
		in.video.Close()
	}
	if in.audio != nil {
		in.audio.close(failed)
	}
	if in.sprite != nil {
		in.sprite.scaler.Close()
	}
	in.screen.close()
	if failed {
		if in.mux != nil {
			in.mux.Abort()
		}
		if in.request.SpritePath != "" {
			os.Remove(in.request.SpritePath)
		}
	}
}

// finish completes the files and returns the result.
func (in *ingest) finish(ctx context.Context) (result media.IngestResult, err error) {
	if in.mux != nil {
		if _, err := in.mux.Finish(ctx); err != nil {
			return result, err
		}
	}

	result.Info, result.TilesLeft = in.info, in.leavesTiles()
	if v := in.info.Video; v != nil {
		result.Info.DurationMS = v.Rate.MS(in.frames)
		result.Keyframes = in.keyframes()
		result.Motion, result.Screen = in.motion(result.Info.DurationMS), in.screen.result()
		v.VariableRate = v.VariableRate || in.uneven
	} else {
		result.Info.DurationMS = (in.samples*1000 + media.SampleRate/2) / media.SampleRate
	}

	if in.audio != nil {
		result.Peaks = in.audio.peaks.until(result.Info.DurationMS)
		result.Energies = in.audio.energies(result.Info.DurationMS)
		in.audio.describe(result.Info.Audio)
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
	t, v := in.source.Video, in.info.Video
	if !canCopyVideo(in.source) {
		return nil
	}
	grid := av.NewGrid(t, in.survey.Origin, v.Rate)
	for _, pts := range in.keys {
		if frame := grid.Index(pts); frame >= 0 && frame < in.frames {
			times = append(times, v.Rate.MS(frame))
		}
	}

	slices.Sort(times)
	return slices.Compact(times)
}
