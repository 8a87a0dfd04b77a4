package av

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/bitstream"
)

// PlacedFrame is a decoded frame and its place on the grid.
type PlacedFrame struct {
	Frame *astiav.Frame
	Index int64 // of its frame on the grid
	End   int64 // the first grid frame after it, from its own duration; at least index+1
}

// Grid maps the time stamps of a track to a constant frame rate. The first frame takes the nearest
// grid frame, and all others are counted from there. Otherwise, if video starts half a frame after
// audio, rounding would move each frame to one side or the other.
type Grid struct {
	Base  astiav.Rational
	Zero  int64 // PTS of clip time 0
	first int64 // PTS of the first frame
	Start int64 // grid frame of the first frame
	Frame astiav.Rational
}

// NewGrid returns the grid of a track at a rate, with the clip time 0 of its recording.
func NewGrid(t *Track, o Origin, rate media.Rate) Grid {
	g := Grid{Base: t.Base, Zero: o.Video, first: o.first, Frame: astiav.NewRational(int(rate.Den), int(rate.Num))}
	g.Start = astiav.RescaleQ(o.first-o.Video, g.Base, g.Frame)
	return g
}

// Index returns the grid frame of a PTS.
func (g Grid) Index(pts int64) int64 { return g.Start + astiav.RescaleQ(pts-g.first, g.Base, g.Frame) }

// PTS returns the PTS of a grid frame.
func (g Grid) PTS(index int64) int64 {
	return g.first + astiav.RescaleQ(index-g.Start, g.Frame, g.Base)
}

// Place returns the place of a frame on the grid.
func (g Grid) Place(f *astiav.Frame) (index, end int64, ok bool) {
	pts := framePTS(f)
	if pts == NoPTS {
		return 0, 0, false
	}
	index = g.Index(pts)
	return index, g.End(index, pts, frameDuration(f)), true
}

// End returns the first grid frame after a frame at index, from its PTS and its duration. Headers
// can lie: no frame lasts beyond the maximum length of a recording.
func (g Grid) End(index, pts, duration int64) int64 {
	end := index + 1
	if seconds := float64(duration) * g.Base.Float64(); duration > 0 {
		if seconds > MaxSeconds {
			duration = int64(MaxSeconds / g.Base.Float64())
		}
		end = max(end, min(g.Index(pts+duration), g.limit()))
	}

	return end
}

// limit returns the grid frame at the maximum length of a recording.
func (g Grid) limit() int64 { return int64(MaxSeconds / g.Frame.Float64()) }

// VideoReader returns the frame that a recording shows at any position of a grid. It decodes
// forward, and seeks when that is cheaper. Close frees it.
type VideoReader struct {
	reader     *reader
	grid       Grid
	reach      int64 // up to this many frames ahead, decoding is cheaper than looking for a keyframe
	blindReach int64 // the same if the container has no keyframe index; doubles with each seek that led back
	fields     *Deinterlacer
	current    PlacedFrame // the frame on display; frame is nil before the first
	next       PlacedFrame // the frame after it; frame is nil at the end, and until it is needed
	ended      bool
	unused     *astiav.Frame
	Alive      func() // called for every decoded frame

	startsPicture func(frame int64) bool // reports whether a picture starts at a grid frame; nil if unknown
	distinct      bool                   // at most one picture starts at each grid frame
	wanted        int64                  // frames before this one are not needed

	ctx     context.Context
	path    string
	threads int
}

// OpenVideo opens the video of a recording with the given origin.
func OpenVideo(ctx context.Context, path string, start Origin, rate media.Rate, threads int) (*VideoReader, error) {
	reach := max(12, int64(rate.Float()/2))
	p := &VideoReader{
		reach:      reach,
		blindReach: 4 * reach,
		fields:     NewDeinterlacer(threads),
		Alive:      func() {},
		ctx:        ctx,
		path:       path,
		threads:    threads,
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	p.grid = NewGrid(p.reader.track, start, rate)
	return p, nil
}

// SkipDisposable makes a newly opened reader of H.264 skip packets before the wanted frame if no
// other picture refers to them. own reports whether a picture starts at a grid frame, and distinct
// that it is the only one there. lengthSize is as in bitstream.AVCConfig.
func (p *VideoReader) SkipDisposable(lengthSize int, own func(frame int64) bool, distinct bool) {
	p.startsPicture, p.distinct = own, distinct
	p.reader.skip = func(packet *astiav.Packet) bool {
		return packet.Pts() != NoPTS && p.grid.Index(packet.Pts()) < p.wanted &&
			bitstream.AVCDisposable(PacketData(packet), lengthSize)
	}
}

// WithAlpha makes a newly opened reader add the transparency that a WebM file stores separately.
// The reader then always decodes from the start, because keyframes of video and transparency need
// not coincide.
func (p *VideoReader) WithAlpha() (err error) {
	if p.reader.alpha, err = newAlphaTrack(p.reader.source, p.reader.track); err == nil && p.reader.alpha != nil {
		p.reach = p.grid.Index(p.grid.Zero + int64(MaxSeconds/p.grid.Base.Float64()))
	}
	return err
}

// open starts reading the file from its start.
func (p *VideoReader) open() error {
	s, t, err := openTrack(p.ctx, p.path, astiav.MediaTypeVideo, nil)
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

// Orient returns how a frame must be turned for display.
func (p *VideoReader) Orient(f *astiav.Frame) Orientation {
	if p.reader.source.IsStill() {
		return frameOrientation(f)
	}
	return TrackOrientation(p.reader.track)
}

// At returns the frame shown at position n and the first position that shows another frame. Before
// the first frame of a recording it returns the first, after the last the last. The frame stays
// valid until the next call. Errors: io.EOF if nothing can be decoded; as source.next.
func (p *VideoReader) At(n int64) (f *astiav.Frame, until int64, err error) {
	p.wanted = math.MinInt64
	if p.startsPicture != nil && p.startsPicture(n) {
		p.wanted = n
	}
	if err := p.seekNear(n); err != nil {
		return nil, 0, err
	}
	for !p.ended && (p.next.Frame == nil || p.next.Index <= n) {
		if p.step(); p.shows(n) {
			return p.current.Frame, n + 1, nil
		}
		if err := p.advance(); err != nil {
			return nil, 0, err
		}
	}

	const never = int64(1) << 62
	switch {
	case p.current.Frame == nil && p.ended:
		return nil, 0, io.EOF
	case p.current.Frame == nil:
		return p.next.Frame, p.next.Index, nil
	case p.ended:
		return p.current.Frame, never, nil
	}

	return p.current.Frame, p.next.Index, nil
}

// shows reports whether the current frame belongs to position n and another frame to position n+1.
// Decoding the other frame, often a keyframe, would be wasted if an export copies it.
func (p *VideoReader) shows(n int64) bool {
	return p.distinct && p.current.Frame != nil && p.current.Index == n && p.startsPicture(n+1)
}

// seekNear makes sure that decoding forward reaches frame n. It seeks if n lies behind, or so far
// ahead that a keyframe lies between.
func (p *VideoReader) seekNear(n int64) error {
	position := p.next.Index
	if p.next.Frame == nil && p.current.Frame != nil {
		position = p.current.Index
	}
	switch started := p.next.Frame != nil || p.current.Frame != nil || p.ended; {
	case !started && n <= p.reach:
		return p.advance()
	case !started, p.current.Frame != nil && n < p.current.Index:
		return p.seekBefore(n)
	case p.ended || n <= position+p.reach:
		return nil
	}

	key, ok := p.reader.source.keyframeBefore(p.reader.track, p.grid.PTS(n))
	if ok && p.grid.Index(key) <= position+1 {
		return nil // no keyframe in between
	}
	if !ok && n <= position+p.blindReach {
		return nil // the seek could lead back
	}
	if err := p.seekBefore(n); err != nil {
		return err
	}
	if !ok && p.next.Frame != nil && p.next.Index <= position {
		p.blindReach *= 2
	}
	return nil
}

// seekBefore seeks to a keyframe at or before frame n.
func (p *VideoReader) seekBefore(n int64) error {
	from := p.grid.PTS(n)
	for try := 0; ; try++ {
		if err := p.reposition(from); err != nil {
			return err
		}
		if err := p.advance(); err != nil {
			return err
		}
		if (p.next.Frame != nil && p.next.Index <= n) || try >= 8 {
			return nil
		}
		from -= astiav.RescaleQ(int64(1)<<try, astiav.NewRational(1, 1), p.grid.Base)
		if try == 7 {
			from = min(from, p.grid.Zero)
		}
	}
}

// reposition continues decoding at a keyframe at or before a PTS, or at the start if the container
// cannot seek.
func (p *VideoReader) reposition(pts int64) error {
	p.fields.reset()
	p.drop()
	if err := p.reader.seek(pts); err == nil || p.ctx.Err() != nil {
		return err
	}
	return p.open()
}

// step makes the next frame the current one, if there is one.
func (p *VideoReader) step() {
	if p.next.Frame != nil {
		p.free(p.current.Frame)
		p.current, p.next = p.next, PlacedFrame{}
	}
}

// advance makes the next frame the current one and decodes another.
func (p *VideoReader) advance() error {
	p.step()
	for {
		f := p.unused
		if f == nil {
			f = astiav.AllocFrame()
		}
		p.unused = nil
		p.Alive()
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

		index, end, ok := p.grid.Place(f)
		if !ok || framePTS(f) < p.reader.keyPTS || (p.current.Frame != nil && index < p.current.Index) {
			p.free(f) // no time stamp, a leading picture of an open GOP, or out of order
			continue
		}

		if err := TooLong(index, p.grid); err != nil {
			p.free(f)
			return err
		}

		p.next = PlacedFrame{f, index, end}
		return nil
	}
}

// decode returns the next frame of the track, deinterlaced if it is flagged as interlaced.
func (p *VideoReader) decode(f *astiav.Frame) error {
	return p.fields.Next(f, p.grid.Base, p.reader.next)
}

// drop drops the frames in hand, as needed before a seek.
func (p *VideoReader) drop() {
	p.free(p.current.Frame)
	p.free(p.next.Frame)
	p.current, p.next, p.ended = PlacedFrame{}, PlacedFrame{}, false
}

func (p *VideoReader) free(f *astiav.Frame) {
	switch {
	case f == nil:
	case p.unused == nil:
		f.Unref()
		p.unused = f
	default:
		f.Free()
	}
}

// Refused returns the number of packets that could not be decoded.
func (p *VideoReader) Refused() int { return p.reader.decoder.Refused }

// Deinterlaces reports whether the frames so far consist of two fields.
func (p *VideoReader) Deinterlaces() bool { return p.fields.active() }

// Close frees the reader.
func (p *VideoReader) Close() {
	p.drop()
	if p.unused != nil {
		p.unused.Free()
	}
	p.fields.Close()
	p.reader.close()
}

// TooLong refuses a frame beyond the maximum length of a recording. It checks decoded time, because
// headers can lie.
func TooLong(index int64, g Grid) error {
	if float64(index)*g.Frame.Float64() > MaxSeconds {
		return Errorf("this recording is longer than %d hours; split it", MaxSeconds/3600)
	}
	return nil
}
