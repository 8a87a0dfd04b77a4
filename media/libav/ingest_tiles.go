package libav

import (
	"context"
	"errors"
	"io"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// tilesNiceness gives tiles a tenth of the processor time of an analysis, which a person waits for.
// At the lowest priority a busy server would hardly ever make them.
const tilesNiceness = 10

// Tiles makes the sprite sheet and measures the motion that an Ingest left, at a low priority.
// progress may be nil. Errors: media.ErrNeedsProxy; as Ingest.
func (e *Engine) Tiles(
	ctx context.Context,
	request media.TilesRequest,
	progress func(fraction float64),
) (media.TilesResult, error) {
	ctx, m := av.NewMeter(ctx, progress, e.stall)
	defer m.Close()
	in := &ingest{
		engine:  e,
		ctx:     ctx,
		meter:   m,
		patient: true,
		request: media.IngestRequest{Path: request.Path, SpritePath: request.SpritePath, Motion: true},
		samples: request.DurationMS * media.SampleRate / 1000,
	}
	err := in.inspect()
	defer func() {
		if in.seen != nil {
			in.seen.Close()
		}
	}()
	if err == nil && (in.info.Video == nil || in.info.Video.Still) {
		err = media.ErrNeedsProxy
	}
	var result media.IngestResult
	if err == nil {
		in.packets, in.info.Audio = true, nil
		result, err = in.pass()
	}

	if errors.Is(err, errNeedsFrames) {
		err = media.ErrNeedsProxy
	}
	if err != nil {
		return media.TilesResult{}, av.Because(ctx, err)
	}
	m.Beat(1)
	return media.TilesResult{Sprite: result.Sprite, Motion: result.Motion}, nil
}

// tileDecoders is the number of keyframes that a tileMaker decodes at once.
const tileDecoders = 2

// tileMaker decodes keyframes and makes the tiles that they show, in order. close frees it.
type tileMaker struct {
	sprite   *sprite
	screen   *screenWatch // nil unless a screen is to be recognized
	orient   av.Orientation
	strict   bool // interlaced keyframes need the frames of the recording
	patient  bool // decoders run with tilesNiceness
	decoders [tileDecoders]*av.Decoder
	started  int           // keyframes
	running  []*tileDecode // not more than decoders, the oldest first
	due      tileCount
}

// tileDecode is a keyframe that is being decoded.
type tileDecode struct {
	from, until int64 // the frames of the grid that the keyframe stands for
	frame       *astiav.Frame
	done        chan struct{} // closed when err is set and the decoder is free
	err         error
}

func newTileMaker(in *ingest, strict bool) (m *tileMaker, err error) {
	t := in.source.Video
	m = &tileMaker{
		sprite: in.sprite, screen: in.screen, orient: av.TrackOrientation(t), strict: strict, patient: in.patient,
		due: in.sprite.count(),
	}
	for i := range m.decoders {
		// Without deblocking: tiles are too small to show it.
		if m.decoders[i], err = av.NewDecoder(in.source, t, 1, [2]string{"skip_loop_filter", "all"}); err != nil {
			m.close()
			return nil, err
		}
	}

	return m, nil
}

// add makes the tiles in [from, until) from a keyframe, which stays the caller's. Errors of earlier
// keyframes may come late.
func (m *tileMaker) add(key *astiav.Packet, from, until int64) error {
	if !m.due.reach(until) {
		return nil
	}
	if len(m.running) == tileDecoders {
		if err := m.finishOldest(); err != nil {
			return err
		}
	}

	d := m.decoders[m.started%tileDecoders]
	m.started++
	job := &tileDecode{from: from, until: until, frame: astiav.AllocFrame(), done: make(chan struct{})}
	m.running = append(m.running, job)
	p := key.Clone()
	decode := func() error { return m.decode(d, p, job.frame) }
	if m.patient {
		decode = withNiceness(tilesNiceness, decode)
	}
	go func() {
		defer p.Free()
		defer close(job.done)
		job.err = av.Safely(decode)()
	}()
	return nil
}

func (m *tileMaker) decode(d *av.Decoder, key *astiav.Packet, frame *astiav.Frame) error {
	d.Reset()
	d.Send(key)
	d.Send(nil)
	if ok, err := d.Receive(frame); !ok {
		if err == nil || errors.Is(err, io.EOF) {
			return errNeedsFrames
		}
		return err
	}

	isRefused := m.strict && av.IsInterlaced(frame)
	if isRefused || d.Refused > 0 {
		return errNeedsFrames
	}
	return nil
}

// finishOldest waits for the oldest keyframe and makes its tiles.
func (m *tileMaker) finishOldest() error {
	job := m.running[0]
	m.running = m.running[1:]
	defer job.frame.Free()
	if <-job.done; job.err != nil {
		return job.err
	}
	shown := timedFrame{frame: job.frame, orient: m.orient, count: job.until - job.from}
	if err := m.screen.add(job.frame, m.orient, job.until); err != nil {
		return err
	}
	return m.sprite.addTiles(shown, job.from)
}

// finish makes the remaining tiles.
func (m *tileMaker) finish() error {
	for len(m.running) > 0 {
		if err := m.finishOldest(); err != nil {
			return err
		}
	}

	return nil
}

// close waits for the decoders and frees them.
func (m *tileMaker) close() {
	for _, job := range m.running {
		<-job.done
		job.frame.Free()
	}

	for _, d := range m.decoders {
		if d != nil {
			d.Close()
		}
	}
}
