package libav

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
)

// Encoder settings of a proxy.
const (
	proxyPreset  = "superfast"
	proxyCRF     = 25
	proxyBitRate = 128_000
	proxyShort   = 540 // pixels, the most that the short side may have
)

// ingest is one running Ingest: one goroutine reads packets, one decodes pictures, one scales them,
// one encodes them, one does all that concerns sound.
type ingest struct {
	engine  *Engine
	ctx     context.Context
	request media.IngestRequest
	info    media.Info
	survey  survey
	source  *source
	seconds float64 // the length that the container claims, 0 where it claims none
	meter   *meter
	direct  bool // the recording is played as it is

	movie   *movie   // nil when no proxy is wanted
	video   *encoder // nil without a picture in the proxy
	sprite  *sprite  // nil when none is wanted, or without a picture
	listen  *listener
	frames  int64 // length of the picture on its grid
	samples int64 // length of the sound, known once heard is closed
	heard   chan struct{}
	uneven  bool    // pictures were not evenly spaced
	keys    []int64 // time stamps of the keyframes that copying can begin at
}

// Ingest goes over a recording once, from start to end, and makes from it what the request names.
// Without sound there is no speech file and no peaks; without a picture no sprite, and the proxy
// holds only sound. Info.DurationMS of the result is what was really decoded: a recording that is
// cut off is taken as far as it goes. Where sound goes on for more than a second after the last
// picture, that picture stays. progress, which may be nil, is called with 0 to 1, never less than
// before, from one goroutine at a time. When it fails, none of the files is left. Errors: as
// Render.
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

// run looks at the recording, and goes over it once more where a proxy turns out to be needed after
// all.
func (in *ingest) run() (media.IngestResult, error) {
	if err := in.look(); err != nil {
		return media.IngestResult{}, err
	}
	if in.direct {
		first := *in
		result, err := first.pass()
		if !errors.Is(err, errNeedsProxy) {
			return result, err
		}
		in.direct = false
	}
	return in.pass()
}

// pass reads the recording from start to end.
func (in *ingest) pass() (result media.IngestResult, err error) {
	in.heard = make(chan struct{})
	whole := in.ctx
	group, ctx := errgroup.WithContext(whole)
	in.ctx = ctx
	if in.source, err = openUntrusted(ctx, in.request.Path); err != nil {
		return result, err
	}
	defer in.source.close()
	if (in.info.Video != nil) != (in.source.video != nil) || (in.info.Audio != nil) != (in.source.audio != nil) {
		in.ignoreUnreadable()
	}
	defer func() { in.close(err != nil) }()
	if err = in.open(); err != nil {
		return result, err
	}
	if err = in.flow(group); err != nil {
		return result, err
	}
	return in.finish(whole)
}

// ignoreUnreadable leaves out the track of which no frame could be decoded.
func (in *ingest) ignoreUnreadable() {
	if in.info.Video != nil {
		in.source.only(in.source.video)
	} else {
		in.source.only(in.source.audio)
	}
}

// look finds out what the recording holds.
func (in *ingest) look() error {
	s, err := openUntrusted(in.ctx, in.request.Path)
	if err != nil {
		return err
	}
	defer s.close()
	if in.survey, err = in.engine.survey(s, surveyPictures); err != nil {
		return err
	}
	in.seconds = s.headerSeconds()
	if in.info, err = s.info(in.survey); err != nil {
		return err
	}
	in.direct = in.request.SkipProxyIfPlayable && s.plays(in.info, in.survey)
	return nil
}

// open opens everything that is written.
func (in *ingest) open() (err error) {
	if in.request.ProxyPath != "" && !in.direct {
		if in.movie, err = createMovie(in.ctx, in.request.ProxyPath, formatMP4, false, in.meter.alive); err != nil {
			return err
		}
	}
	if in.info.Video != nil {
		if err := in.openPicture(); err != nil {
			return err
		}
	}
	if in.info.Audio != nil {
		if in.listen, err = newListener(in.movie, in.request.SpeechPath); err != nil {
			return err
		}
	}
	if in.movie != nil {
		return in.movie.start()
	}
	return nil
}

func (in *ingest) openPicture() (err error) {
	v := in.info.Video
	if in.movie != nil {
		c := proxyCanvas(v)
		in.video, err = newVideoEncoder(
			in.movie,
			videoSettings{width: c.width, height: c.height, rate: v.Rate, preset: proxyPreset, crf: proxyCRF,
				keyframes: max(1, int(v.Rate.Num/(2*v.Rate.Den))), threads: in.engine.threads},
		)
		if err != nil {
			return err
		}
	}
	if in.request.SpritePath != "" {
		in.sprite = newSprite(v, in.info.DurationMS)
	}
	return nil
}

// proxyCanvas returns the size of a proxy: the picture's own shape, short side at most proxyShort.
func proxyCanvas(v *media.VideoInfo) canvas {
	scale := min(1, float64(proxyShort)/float64(min(v.Width, v.Height)))
	side := func(n int) int { return max(2, int(math.Round(float64(n)*scale/2))*2) }
	return canvas{width: side(v.Width), height: side(v.Height), fit: media.Letterbox}
}

// flow runs the goroutines until the recording ends.
func (in *ingest) flow(group *errgroup.Group) error {
	videoPackets, audioPackets := make(chan *astiav.Packet, 128), make(chan *astiav.Packet, 256)
	shown, painted := make(chan shot, 2), make(chan shot, 2)
	group.Go(func() error {
		defer close(videoPackets)
		defer close(audioPackets)
		return in.readPackets(videoPackets, audioPackets)
	})
	switch {
	case in.direct:
		close(shown)
		close(painted)
		group.Go(func() error { return in.watchKeys(videoPackets) })
	case in.info.Video != nil:
		group.Go(func() error { defer close(shown); return in.decodePictures(videoPackets, shown) })
		group.Go(func() error { defer close(painted); return in.paint(shown, painted) })
		group.Go(func() error { return in.encodePictures(painted) })
	default:
		close(shown)
		close(painted)
	}
	if in.info.Audio != nil {
		group.Go(func() error { return in.decodeSound(audioPackets) })
	} else {
		close(in.heard)
	}
	err := group.Wait()
	discard(shown)
	discard(painted)
	for _, packets := range []chan *astiav.Packet{videoPackets, audioPackets} {
		for p := range packets {
			p.Free()
		}
	}
	return err
}

// readPackets demultiplexes the recording.
func (in *ingest) readPackets(video, audio chan<- *astiav.Packet) error {
	isClean := cleanKeys(in.source.video)
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
			if p.Flags().Has(astiav.PacketFlagKey) && p.Pts() != noPTS && isClean(packetData(p)) {
				in.keys = append(in.keys, p.Pts())
			}
		}
		select {
		case to <- p:
		case <-in.ctx.Done():
			p.Free()
			return context.Cause(in.ctx)
		}
		if in.seconds == 0 {
			in.meter.beat(min(0.98, in.source.position()))
		}
	}
}

// decodeSound decodes the sound and passes it on as it becomes final.
func (in *ingest) decodeSound(packets <-chan *astiav.Packet) error {
	t := in.source.audio
	d, err := newDecoder(in.source, t, 1)
	if err != nil {
		return err
	}
	defer d.close()
	track := newSoundtrack(t, in.survey.origin.audio)
	defer track.close()
	track.begin()
	frame := astiav.AllocFrame()
	defer frame.Free()
	for p := range packets {
		d.send(p)
		p.Free()
		if err := in.hear(d, track, frame); err != nil {
			return err
		}
	}
	if err := context.Cause(in.ctx); err != nil {
		return err
	}
	d.send(nil)
	if err := in.hear(d, track, frame); err != nil {
		return err
	}
	if err := track.finish(); err != nil {
		return err
	}
	if err := in.listen.take(in.ctx, track); err != nil {
		return err
	}
	in.samples = in.listen.at
	close(in.heard)
	return in.listen.finish()
}

// hear takes the frames that the decoder has ready.
func (in *ingest) hear(d *decoder, track *soundtrack, frame *astiav.Frame) error {
	for {
		ok, err := d.receive(frame)
		if !ok || err != nil {
			return nil // wants more, or the end
		}
		err = track.push(frame)
		frame.Unref()
		if err != nil {
			return err
		}
		if err := in.listen.take(in.ctx, track); err != nil {
			return err
		}
		if in.info.Video == nil && in.seconds > 0 {
			in.meter.beat(min(0.98, float64(in.listen.at)/media.SampleRate/in.seconds))
		}
		in.meter.alive()
	}
}

// close frees what open made, and removes the files where the ingest failed.
func (in *ingest) close(failed bool) {
	if in.video != nil {
		in.video.close()
	}
	if in.listen != nil {
		in.listen.close(failed)
	}
	if failed {
		if in.movie != nil {
			in.movie.abort()
		}
		if in.sprite != nil {
			in.sprite.remove(in.request.SpritePath)
		}
	}
}

// finish writes the ends of the files and puts the result together.
func (in *ingest) finish(ctx context.Context) (result media.IngestResult, err error) {
	if in.movie != nil {
		if _, err := in.movie.finish(ctx); err != nil {
			return result, err
		}
	}
	result.Info = in.info
	if v := in.info.Video; v != nil {
		result.Info.DurationMS = v.Rate.MS(in.frames)
		result.Keyframes = in.keyframes()
		v.VariableRate = v.VariableRate || in.uneven
	} else {
		result.Info.DurationMS = (in.samples*1000 + media.SampleRate/2) / media.SampleRate
	}
	if in.listen != nil {
		result.Peaks = in.listen.peaks.until(result.Info.DurationMS)
		result.Energies = in.listen.energies(result.Info.DurationMS)
		if err := in.listen.trim(result.Info.DurationMS); err != nil {
			return result, err
		}
	}
	if in.sprite != nil {
		if result.Sprite, err = in.sprite.write(in.request.SpritePath, result.Info.DurationMS); err != nil {
			return result, err
		}
	}
	return result, nil
}

// keyframes returns when the pictures are shown that copying can begin at, in milliseconds of clip
// time.
func (in *ingest) keyframes() (times []int64) {
	t, v := in.source.video, in.info.Video
	if !copiesFrom(in.source) {
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
