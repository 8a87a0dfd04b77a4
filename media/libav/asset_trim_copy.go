package libav

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// copier copies the packets of the kept segments of a recording.
type copier struct {
	ctx       context.Context
	request   media.TrimRequest
	inspected inspection
	audioOnly bool
	meter     *av.Meter

	segments     []copySegment
	delay        int64 // how long before display frames are decoded, in the time base of the video track
	mux          *av.Muxer
	video, audio *copyTrack // nil if absent
}

// copyTrack is a track that is copied.
type copyTrack struct {
	*av.PacketReader
	lengths  []int64 // of its packets
	keys     []bool  // packets that decoding can start at
	origin   int64
	muxTrack int   // of the muxer
	last     int64 // the newest DTS written
	end      int64 // end of the newest packet
}

func (l *copyTrack) seconds(stamp int64) float64 {
	return float64(stamp-l.origin) * l.Track.Base.Float64()
}

// at returns when a packet is presented, in seconds of clip time.
func (l *copyTrack) at(n int) float64 { return l.seconds(l.Times[n]) }

// shift returns the offset to add to the time stamps of a segment.
func (l *copyTrack) shift(p copySegment) int64 {
	return int64(math.Round((p.at-p.from)/l.Track.Base.Float64())) - l.origin
}

// copySegment is a kept segment. Its video is packets [first, last) in file order. They include
// packets that are shown at or after its end if others need them.
type copySegment struct {
	from, to    float64 // seconds of clip time
	end         float64 // end of the last copied frame
	first, last int
	stamps      []int64 // sorted PTS of its frames; less the delay, these are their DTS
	at          float64 // start in the output
}

// copySegments copies the kept segments of an asset. errNotCopied says that they must be
// re-encoded.
func (e *Engine) copySegments(
	ctx context.Context,
	request media.TrimRequest,
	l inspection,
	audioOnly bool,
	writing, inspecting func(float64),
) (media.Asset, error) {
	if !l.measured.stamped {
		return media.Asset{}, errNotCopied
	}

	whole := ctx
	ctx, m := av.NewMeter(whole, writing, e.stall)
	defer m.Close()
	c := &copier{ctx: ctx, request: request, inspected: l, audioOnly: audioOnly, meter: m}
	if err := c.copy(); err != nil {
		var refused astiav.Error
		var fault *av.MediaError
		if err = av.Because(ctx, err); errors.As(err, &refused) || errors.As(err, &fault) {
			return media.Asset{}, fmt.Errorf("%w: %w", errNotCopied, err)
		}
		return media.Asset{}, err
	}

	m.Beat(1)
	written, err := e.inspectWritten(whole, request.OutPath, inspecting)
	if err == nil && (written.Info.Video == nil) != audioOnly {
		os.Remove(request.OutPath)
		return media.Asset{}, errNotCopied
	}

	var fault *av.MediaError
	if errors.As(err, &fault) {
		return media.Asset{}, errNotCopied // the copy cannot be read back
	}
	return written, err
}

func (c *copier) copy() (err error) {
	defer c.close()
	if err := c.open(); err != nil {
		return err
	}
	if err := c.findPackets(); err != nil {
		return err
	}

	format := av.MuxerMP4
	if c.audioOnly {
		format = av.MuxerM4A
	}
	group, ctx := errgroup.WithContext(c.ctx)
	if c.mux, err = av.CreateMuxer(ctx, c.request.OutPath, format, true, c.meter.Alive); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			c.mux.Abort()
		}
	}()
	if err = c.openTracks(); err != nil {
		return err
	}

	if c.video != nil {
		group.Go(av.Safely(c.writeVideo))
	}
	if c.audio != nil {
		group.Go(av.Safely(c.writeAudio))
	}
	if err = group.Wait(); err != nil {
		return err
	}
	_, err = c.mux.Finish(c.ctx)
	return err
}

// tracks returns the tracks that are copied.
func (c *copier) tracks() []*copyTrack {
	return slices.DeleteFunc([]*copyTrack{c.video, c.audio}, func(l *copyTrack) bool { return l == nil })
}

// open reads all packets of the tracks that are copied.
func (c *copier) open() (err error) {
	info, origin := c.inspected.asset.Info, c.inspected.survey.Origin
	if info.Video != nil && !c.audioOnly {
		if c.video, err = c.openTrack(astiav.MediaTypeVideo, origin.Video); err != nil {
			return err
		}
	}

	if info.Audio != nil {
		if c.audio, err = c.openTrack(astiav.MediaTypeAudio, origin.Audio); err != nil {
			return err
		}
	}

	if !c.mp4CanHold() {
		return errNotCopied
	}
	for _, l := range c.tracks() {
		err := l.ReadAll(func(p *astiav.Packet) error {
			c.meter.Beat(l.Source.Position() / 4)
			l.lengths, l.keys = append(l.lengths, p.Duration()), append(l.keys, p.Flags().Has(astiav.PacketFlagKey))
			return nil
		})
		if err != nil {
			return err
		}
	}

	return nil
}

func (c *copier) openTrack(kind astiav.MediaType, origin int64) (*copyTrack, error) {
	packets, err := av.OpenPackets(c.ctx, c.request.Path, kind, c.inspected.survey.Heard...)
	if err != nil {
		return nil, err
	}
	return &copyTrack{PacketReader: packets, origin: origin, last: av.NoPTS}, nil
}

func (c *copier) close() {
	for _, l := range c.tracks() {
		l.Close()
	}
}

// mp4CanHold reports whether MP4 (or M4A) files commonly hold the codecs of the recording.
func (c *copier) mp4CanHold() bool {
	if c.audioOnly {
		return c.audio != nil && c.audio.Track.Name == "aac"
	}
	return c.video != nil && slices.Contains([]string{"h264", "hevc", "av1", "vp9", "mpeg4"}, c.video.Track.Name) &&
		(c.audio == nil || slices.Contains([]string{"aac", "mp3", "opus", "flac", "alac"}, c.audio.Track.Name))
}

// findPackets finds the segments and the video packets of each. It sets the end of each segment,
// and its start in the output.
func (c *copier) findPackets() error {
	if err := c.findSegments(); err != nil {
		return err
	}
	if c.video != nil {
		if err := c.findVideoPackets(); err != nil {
			return err
		}
	}

	at := 0.0
	for i := range c.segments {
		p := &c.segments[i]
		if c.video == nil {
			p.end = p.to
		}
		p.at = at
		at += p.end - p.from
	}

	return nil
}

// findSegments moves the start of each segment to the keyframe at or before it, and joins segments
// that then meet.
func (c *copier) findSegments() error {
	keys := slices.Clone(c.inspected.measured.keys)
	slices.SortFunc(keys, func(a, b keyframe) int { return cmp.Compare(a.pts, b.pts) })
	duration := c.inspected.asset.Info.DurationMS
	for _, k := range media.KeptSpans(duration, c.request.RemovedSpans(duration)) {
		p := copySegment{from: float64(k.StartMS) / 1000, to: float64(k.EndMS) / 1000}
		clean := true
		if c.video != nil {
			n, _ := slices.BinarySearchFunc(
				keys,
				p.from+stampSlack,
				func(k keyframe, at float64) int { return cmp.Compare(c.video.seconds(k.pts), at) },
			)
			if n > 0 {
				p.from, clean = c.video.seconds(keys[n-1].pts), keys[n-1].clean
			}
		}

		if n := len(c.segments); n > 0 && p.from <= c.segments[n-1].to {
			c.segments[n-1].to = p.to
			continue
		}

		if !clean {
			return errNotCopied // what follows refers to removed frames
		}
		c.segments = append(c.segments, p)
	}

	return nil
}

// stampSlack is, in seconds, how far a time in milliseconds may be off the time stamp that it
// stands for.
const stampSlack = 0.0006

// reorderSeconds is, in seconds, how far apart in the file two frames can be that follow each other
// on display.
const reorderSeconds = 10

// findVideoPackets finds the packets of each segment. Errors: errNotCopied if a segment has none
// left.
func (c *copier) findVideoPackets() error {
	n := 0
	for i := range c.segments {
		p := &c.segments[i]
		for n < len(c.video.Times) && !c.begins(i, n) {
			n++
		}
		p.first, p.last = n, n
		for k := n; k < len(c.video.Times) && !c.begins(i+1, k) && c.video.at(k) <= p.to+reorderSeconds; k++ {
			if at := c.video.at(k); at > p.from-stampSlack && at < p.to-stampSlack {
				p.last = k + 1
			}
		}

		if p.first == p.last {
			return errNotCopied
		}
		c.findStamps(p)
		n = p.last
	}

	return nil
}

// begins reports whether a segment starts at a video packet.
func (c *copier) begins(part, n int) bool {
	if part >= len(c.segments) || !c.video.keys[n] {
		return false
	}
	at, p := c.video.at(n), c.segments[part]
	return at > p.from-stampSlack && at < p.to
}

// findStamps collects the time stamps of the frames of a segment and the end of the last one.
func (c *copier) findStamps(p *copySegment) {
	frame := 1 / max(1, c.inspected.asset.Info.Video.Rate.Float())
	for k := p.first; k < p.last; k++ {
		at := c.video.at(k)
		if at <= p.from-stampSlack {
			continue
		}
		length := float64(c.video.lengths[k]) * c.video.Track.Base.Float64()
		if length <= 0 {
			length = frame
		}
		p.end = max(p.end, at+length)
		p.stamps = append(p.stamps, c.video.Times[k])
	}

	inFile := slices.Clone(p.stamps)
	slices.Sort(p.stamps)
	for n, pts := range inFile {
		c.delay = max(c.delay, p.stamps[n]-pts)
	}
}

func (c *copier) openTracks() (err error) {
	for _, l := range c.tracks() {
		if l.muxTrack, err = c.mux.AddCopy(l.Track); err != nil {
			return err
		}
	}

	if err := c.mux.Start(); err != nil {
		if c.mux.Failed() || c.ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("%w: %w", errNotCopied, err)
	}

	return nil
}

// writeVideo copies the video of the segments. It replaces the DTS of the recording: frame k in
// decoding order gets the k-th PTS of the segment, less the delay.
func (c *copier) writeVideo() error {
	l := c.video
	for _, p := range c.segments {
		shift, count := l.shift(p), 0
		err := l.ReadRange(p.first, p.last, func(i int, packet *astiav.Packet) error {
			if l.at(i) <= p.from-stampSlack {
				return nil
			}
			c.meter.Beat(0.25 + 0.7*l.Source.Position())
			count++
			return c.write(l, packet, l.Times[i]+shift, p.stamps[count-1]-c.delay+shift)
		})
		if err != nil {
			return err
		}
	}

	return c.mux.End(l.muxTrack)
}

// writeAudio copies the audio packets whose midpoint is within a segment. The audio of consecutive
// segments has no gap or overlap, so that players that ignore time stamps stay in sync too. To
// achieve this, writeAudio moves the audio of a segment by at most half a packet.
func (c *copier) writeAudio() error {
	l := c.audio
	for _, p := range c.segments {
		first, last := l.within(p)
		shift, heard := l.shift(p), false
		err := l.ReadRange(first, last, func(i int, packet *astiav.Packet) error {
			c.meter.Beat(0.25 + 0.7*l.Source.Position())
			pts := l.Times[i] + shift
			if early, half := l.end-pts, packet.Duration()/2; !heard && l.last != av.NoPTS {
				if early > half {
					return nil // the previous packet lasts until here
				}
				if early >= -half {
					pts, shift = pts+early, shift+early
				}
			}

			heard = true
			return c.write(l, packet, pts, pts)
		})
		if err != nil {
			return err
		}
	}

	return c.mux.End(l.muxTrack)
}

// within returns the audio packets whose midpoint is within a segment.
func (l *copyTrack) within(p copySegment) (first, last int) {
	middle := func(n int) float64 { return l.seconds(l.Times[n] + l.lengths[n]/2) }
	first = sort.Search(len(l.Times), func(n int) bool { return middle(n) >= p.from })
	return first, first + sort.Search(len(l.Times)-first, func(n int) bool { return middle(first+n) >= p.end })
}

// write passes a copy of a packet to the muxer, at its new time.
func (c *copier) write(l *copyTrack, packet *astiav.Packet, pts, dts int64) error {
	if (l.last != av.NoPTS && dts <= l.last) || dts > pts {
		return errNotCopied
	}
	l.last, l.end = dts, pts+packet.Duration()
	own := packet.Clone()
	own.SetPts(pts)
	own.SetDts(dts)
	own.SetPos(-1)
	return c.mux.Write(l.muxTrack, own)
}
