package libav

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/bitstream"
)

// placedFrame is a decoded frame and its place on the grid.
type placedFrame struct {
	frame *astiav.Frame
	index int64 // of its frame on the grid
	end   int64 // the first grid frame after it, from its own duration; at least index+1
}

// grid maps the time stamps of a track to a constant frame rate. The first frame takes the nearest
// grid frame, and all others are counted from there. Otherwise, if video starts half a frame after
// audio, rounding would move each frame to one side or the other.
type grid struct {
	base  astiav.Rational
	zero  int64 // PTS of clip time 0
	first int64 // PTS of the first frame
	start int64 // grid frame of the first frame
	frame astiav.Rational
}

func newGrid(t *track, o origin, rate media.Rate) grid {
	g := grid{base: t.base, zero: o.video, first: o.first, frame: astiav.NewRational(int(rate.Den), int(rate.Num))}
	g.start = astiav.RescaleQ(o.first-o.video, g.base, g.frame)
	return g
}

// index returns the grid frame of a PTS.
func (g grid) index(pts int64) int64 { return g.start + astiav.RescaleQ(pts-g.first, g.base, g.frame) }

// pts returns the PTS of a grid frame.
func (g grid) pts(index int64) int64 {
	return g.first + astiav.RescaleQ(index-g.start, g.frame, g.base)
}

// place returns the place of a frame on the grid.
func (g grid) place(f *astiav.Frame) (index, end int64, ok bool) {
	pts := framePTS(f)
	if pts == noPTS {
		return 0, 0, false
	}
	index = g.index(pts)
	return index, g.end(index, pts, frameDuration(f)), true
}

// end returns the first grid frame after a frame at index, from its PTS and its duration. Headers
// can lie: no frame lasts beyond the maximum length of a recording.
func (g grid) end(index, pts, duration int64) int64 {
	end := index + 1
	if seconds := float64(duration) * g.base.Float64(); duration > 0 {
		if seconds > maxSeconds {
			duration = int64(maxSeconds / g.base.Float64())
		}
		end = max(end, min(g.index(pts+duration), g.limit()))
	}

	return end
}

// limit returns the grid frame at the maximum length of a recording.
func (g grid) limit() int64 { return int64(maxSeconds / g.frame.Float64()) }

// videoReader returns the frame that a recording shows at any position of a grid. It decodes
// forward, and seeks when that is cheaper. close frees it.
type videoReader struct {
	reader     *reader
	grid       grid
	reach      int64 // up to this many frames ahead, decoding is cheaper than looking for a keyframe
	blindReach int64 // the same if the container has no keyframe index; doubles with each seek that led back
	fields     *deinterlacer
	current    placedFrame // the frame on display; frame is nil before the first
	next       placedFrame // the frame after it; frame is nil at the end, and until it is needed
	ended      bool
	unused     *astiav.Frame
	alive      func() // called for every decoded frame

	startsPicture func(frame int64) bool // reports whether a picture starts at a grid frame; nil if unknown
	distinct      bool                   // at most one picture starts at each grid frame
	wanted        int64                  // frames before this one are not needed

	ctx     context.Context
	path    string
	threads int
}

// openVideo opens the video of a recording with the given origin.
func openVideo(ctx context.Context, path string, start origin, rate media.Rate, threads int) (*videoReader, error) {
	reach := max(12, int64(rate.Float()/2))
	p := &videoReader{
		reach:      reach,
		blindReach: 4 * reach,
		fields:     newDeinterlacer(threads),
		alive:      func() {},
		ctx:        ctx,
		path:       path,
		threads:    threads,
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	p.grid = newGrid(p.reader.track, start, rate)
	return p, nil
}

// skipDisposable makes a newly opened reader of H.264 skip packets before the wanted frame if no
// other picture refers to them. own reports whether a picture starts at a grid frame, and distinct
// that it is the only one there. lengthSize is as in bitstream.AVCConfig.
func (p *videoReader) skipDisposable(lengthSize int, own func(frame int64) bool, distinct bool) {
	p.startsPicture, p.distinct = own, distinct
	p.reader.skip = func(packet *astiav.Packet) bool {
		return packet.Pts() != noPTS && p.grid.index(packet.Pts()) < p.wanted &&
			bitstream.AVCDisposable(packetData(packet), lengthSize)
	}
}

// withAlpha makes a newly opened reader add the transparency that a WebM file stores separately.
// The reader then always decodes from the start, because keyframes of video and transparency need
// not coincide.
func (p *videoReader) withAlpha() (err error) {
	if p.reader.alpha, err = newAlphaTrack(p.reader.source, p.reader.track); err == nil && p.reader.alpha != nil {
		p.reach = p.grid.index(p.grid.zero + int64(maxSeconds/p.grid.base.Float64()))
	}
	return err
}

// open starts reading the file from its start.
func (p *videoReader) open() error {
	s, t, err := openTrack(p.ctx, p.path, astiav.MediaTypeVideo)
	if err != nil {
		return err
	}
	r, err := newReader(s, t, p.threads)
	if err != nil {
		return err
	}
	if p.reader != nil {
		r.skip = p.reader.skip
		p.reader.close()
	}

	p.reader = r
	return nil
}

// orient returns how a frame must be turned for display.
func (p *videoReader) orient(f *astiav.Frame) orientation {
	if p.reader.source.isStill() {
		return frameOrientation(f)
	}
	return trackOrientation(p.reader.track)
}

// at returns the frame shown at position n and the first position that shows another frame. Before
// the first frame of a recording it returns the first, after the last the last. The frame stays
// valid until the next call. Errors: io.EOF if nothing can be decoded; as source.next.
func (p *videoReader) at(n int64) (f *astiav.Frame, until int64, err error) {
	p.wanted = math.MinInt64
	if p.startsPicture != nil && p.startsPicture(n) {
		p.wanted = n
	}
	if err := p.seekNear(n); err != nil {
		return nil, 0, err
	}
	for !p.ended && (p.next.frame == nil || p.next.index <= n) {
		if p.step(); p.shows(n) {
			return p.current.frame, n + 1, nil
		}
		if err := p.advance(); err != nil {
			return nil, 0, err
		}
	}

	const never = int64(1) << 62
	switch {
	case p.current.frame == nil && p.ended:
		return nil, 0, io.EOF
	case p.current.frame == nil:
		return p.next.frame, p.next.index, nil
	case p.ended:
		return p.current.frame, never, nil
	}

	return p.current.frame, p.next.index, nil
}

// shows reports whether the current frame is that of position n, and another one follows at once.
// Decoding that one, often a keyframe, would be in vain where an export copies it.
func (p *videoReader) shows(n int64) bool {
	return p.distinct && p.current.frame != nil && p.current.index == n && p.startsPicture(n+1)
}

// seekNear makes sure that decoding forward reaches frame n. It seeks if n lies behind, or so far
// ahead that a keyframe lies between.
func (p *videoReader) seekNear(n int64) error {
	position := p.next.index
	if p.next.frame == nil && p.current.frame != nil {
		position = p.current.index
	}
	switch started := p.next.frame != nil || p.current.frame != nil || p.ended; {
	case !started && n <= p.reach:
		return p.advance()
	case !started, p.current.frame != nil && n < p.current.index:
		return p.seekBefore(n)
	case p.ended || n <= position+p.reach:
		return nil
	}

	key, ok := p.reader.source.keyframeBefore(p.reader.track, p.grid.pts(n))
	if ok && p.grid.index(key) <= position+1 {
		return nil // no keyframe in between
	}
	if !ok && n <= position+p.blindReach {
		return nil // the seek could lead back
	}
	if err := p.seekBefore(n); err != nil {
		return err
	}
	if !ok && p.next.frame != nil && p.next.index <= position {
		p.blindReach *= 2
	}
	return nil
}

// seekBefore seeks to a keyframe at or before frame n.
func (p *videoReader) seekBefore(n int64) error {
	from := p.grid.pts(n)
	for try := 0; ; try++ {
		if err := p.reposition(from); err != nil {
			return err
		}
		if err := p.advance(); err != nil {
			return err
		}
		if (p.next.frame != nil && p.next.index <= n) || try >= 8 {
			return nil
		}
		from -= astiav.RescaleQ(int64(1)<<try, astiav.NewRational(1, 1), p.grid.base)
		if try == 7 {
			from = min(from, p.grid.zero)
		}
	}
}

// reposition continues decoding at a keyframe at or before a PTS, or at the start if the container
// cannot seek.
func (p *videoReader) reposition(pts int64) error {
	p.fields.reset()
	p.drop()
	if err := p.reader.seek(pts); err == nil || p.ctx.Err() != nil {
		return err
	}
	return p.open()
}

// step makes the next frame the current one, if there is one.
func (p *videoReader) step() {
	if p.next.frame != nil {
		p.free(p.current.frame)
		p.current, p.next = p.next, placedFrame{}
	}
}

// advance makes the next frame the current one and decodes another.
func (p *videoReader) advance() error {
	p.step()
	for {
		f := p.unused
		if f == nil {
			f = astiav.AllocFrame()
		}
		p.unused = nil
		p.alive()
		err := p.decode(f)
		if errors.Is(err, io.EOF) {
			p.free(f)
			p.ended = true
			return nil
		}

		if err != nil {
			p.free(f)
			return err
		}

		index, end, ok := p.grid.place(f)
		if !ok || framePTS(f) < p.reader.keyPTS || (p.current.frame != nil && index < p.current.index) {
			p.free(f) // no time stamp, a leading picture of an open GOP, or out of order
			continue
		}

		if err := tooLong(index, p.grid); err != nil {
			p.free(f)
			return err
		}

		p.next = placedFrame{f, index, end}
		return nil
	}
}

// decode returns the next frame of the track, deinterlaced if it is flagged as interlaced.
func (p *videoReader) decode(f *astiav.Frame) error {
	return p.fields.next(f, p.grid.base, p.reader.next)
}

// drop drops the frames in hand, as needed before a seek.
func (p *videoReader) drop() {
	p.free(p.current.frame)
	p.free(p.next.frame)
	p.current, p.next, p.ended = placedFrame{}, placedFrame{}, false
}

func (p *videoReader) free(f *astiav.Frame) {
	switch {
	case f == nil:
	case p.unused == nil:
		f.Unref()
		p.unused = f
	default:
		f.Free()
	}
}

// refused returns the number of packets that could not be decoded.
func (p *videoReader) refused() int { return p.reader.decoder.refused }

// deinterlaces reports whether the frames so far consist of two fields.
func (p *videoReader) deinterlaces() bool { return p.fields.active() }

func (p *videoReader) close() {
	p.drop()
	if p.unused != nil {
		p.unused.Free()
	}
	p.fields.close()
	p.reader.close()
}

// tooLong refuses a frame beyond the maximum length of a recording. It checks decoded time, because
// headers can lie.
func tooLong(index int64, g grid) error {
	if float64(index)*g.frame.Float64() > maxSeconds {
		return mediaErrorf("this recording is longer than %d hours; split it", maxSeconds/3600)
	}
	return nil
}
