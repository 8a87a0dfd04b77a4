package libav

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// copier copies the packets of the parts of a recording that stay.
type copier struct {
	ctx       context.Context
	request   media.TrimRequest
	looked    looked
	soundOnly bool
	meter     *meter

	parts []copied
	delay int64 // by which pictures are decoded before they are shown, in the unit of their track
	movie *movie
	lanes map[bool]*copyLane // true is the picture
}

// copyLane is one track that is copied.
type copyLane struct {
	base   astiav.Rational
	origin int64
	track  int   // of the movie
	last   int64 // the newest decoding time written
	end    int64 // when the newest packet ends
}

func (l *copyLane) seconds(stamp int64) float64 { return float64(stamp-l.origin) * l.base.Float64() }

// shift returns what is to be added to the time stamps of a part.
func (l *copyLane) shift(p copied) int64 {
	return int64(math.Round((p.at-p.from)/l.base.Float64())) - l.origin
}

// copied is a part that stays. Its pictures are packets first to last of the picture in the order of the file. Packets that are shown at or
// after its end are among them where others need them.
type copied struct {
	from, to    float64 // seconds of clip time
	end         float64 // when the last picture that is copied ends
	first, last int     // 0 where there is none; counted from 1
	stamps      []int64 // of its pictures, sorted: when they are decoded, but for the delay
	count       int     // of pictures: first of those found, then of those written
	heard       bool    // sound of it was written
	nudge       int64   // by how much its sound is moved, at most half a packet, to follow on that before it; in the unit of its track
	at          float64 // where it begins in the output
}

// copyParts copies what stays of an asset. errNotCopied says that it has to be encoded.
func (e *Engine) copyParts(ctx context.Context, request media.TrimRequest, l looked, soundOnly bool, writing, looking func(float64)) (media.Asset, error) {
	if !l.measured.stamped {
		return media.Asset{}, errNotCopied
	}
	whole := ctx
	ctx, m := newMeter(whole, writing, e.stall)
	defer m.close()
	c := &copier{ctx: ctx, request: request, looked: l, soundOnly: soundOnly, meter: m}
	if err := c.copy(); err != nil {
		var refused astiav.Error
		if err = because(ctx, err); errors.As(err, &refused) {
			return media.Asset{}, fmt.Errorf("%w: %w", errNotCopied, err)
		}
		return media.Asset{}, err
	}
	m.beat(1)
	written, err := e.lookAtWritten(whole, request.OutPath, looking)
	if err == nil && (written.Info.Video == nil) != soundOnly {
		os.Remove(request.OutPath)
		return media.Asset{}, errNotCopied
	}
	var fault *MediaError
	if errors.As(err, &fault) {
		return media.Asset{}, errNotCopied // what was copied cannot be read back
	}
	return written, err
}

func (c *copier) copy() (err error) {
	s, err := c.openSource()
	if err != nil {
		return err
	}
	if !copiable(s, c.soundOnly) {
		s.close()
		return errNotCopied
	}
	if err = c.plan(s); err == nil {
		err = c.find(s)
	}
	s.close()
	if err != nil {
		return err
	}
	if s, err = c.openSource(); err != nil {
		return err
	}
	defer s.close()
	format := formatMP4
	if c.soundOnly {
		format = formatM4A
	}
	if c.movie, err = createMovie(c.ctx, c.request.OutPath, format, false, c.meter.alive); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			c.movie.abort()
		}
	}()
	if err = c.openTracks(s); err != nil {
		return err
	}
	if err = c.write(s); err != nil {
		return err
	}
	_, err = c.movie.finish(c.ctx)
	return err
}

// openSource opens the recording with the tracks that are copied.
func (c *copier) openSource() (*source, error) {
	s, err := openUntrusted(c.ctx, c.request.Path)
	if err != nil {
		return nil, err
	}
	info := c.looked.asset.Info
	if c.soundOnly || info.Video == nil {
		s.only(s.audio)
	} else if info.Audio == nil {
		s.only(s.video)
	}
	return s, nil
}

// copiable reports that an MP4, or an M4A, holds the tracks of a source, and that players expect them there.
func copiable(s *source, soundOnly bool) bool {
	if soundOnly {
		return s.audio != nil && s.audio.name == "aac"
	}
	return s.video != nil && slices.Contains([]string{"h264", "hevc", "av1", "vp9", "mpeg4"}, s.video.name) &&
		(s.audio == nil || slices.Contains([]string{"aac", "mp3", "opus", "flac", "alac"}, s.audio.name))
}

// plan moves the beginning of each part to the keyframe at or before it, and joins parts that then meet.
func (c *copier) plan(s *source) error {
	c.lanes = map[bool]*copyLane{}
	if s.video != nil {
		c.lanes[true] = &copyLane{base: s.video.base, origin: c.looked.survey.origin.video, last: noPTS}
	}
	if s.audio != nil {
		c.lanes[false] = &copyLane{base: s.audio.base, origin: c.looked.survey.origin.audio, last: noPTS}
	}
	keys := slices.Clone(c.looked.measured.keys)
	slices.SortFunc(keys, func(a, b keyframe) int { return cmp.Compare(a.pts, b.pts) })
	duration := c.looked.asset.Info.DurationMS
	for _, k := range media.Kept(duration, c.request.Removed(duration)) {
		p := copied{from: float64(k.StartMS) / 1000, to: float64(k.EndMS) / 1000}
		clean := true
		if s.video != nil {
			n, _ := slices.BinarySearchFunc(keys, p.from+stampSlack, func(k keyframe, at float64) int { return cmp.Compare(c.lanes[true].seconds(k.pts), at) })
			if n > 0 {
				p.from, clean = c.lanes[true].seconds(keys[n-1].pts), keys[n-1].clean
			}
		}
		if n := len(c.parts); n > 0 && p.from <= c.parts[n-1].to {
			c.parts[n-1].to = p.to
			continue
		}
		if !clean {
			return errNotCopied // what follows refers to pictures that are gone
		}
		c.parts = append(c.parts, p)
	}
	return nil
}

// stampSlack is, in seconds, by how much a time in milliseconds may be beside the time stamp that it names.
const stampSlack = 0.0006

// find finds the pictures of each part, and with them where it ends and where it begins in the output.
func (c *copier) find(s *source) error {
	if s.video != nil {
		if err := c.findPictures(s); err != nil {
			return err
		}
	}
	at := 0.0
	for i := range c.parts {
		p := &c.parts[i]
		if s.video == nil {
			p.end = p.to
		} else if p.last == 0 {
			return errNotCopied // there are no pictures any more
		}
		p.at = at
		at += p.end - p.from
	}
	return nil
}

// reorderSeconds is how far from each other in the file pictures are at most that follow each other when shown.
const reorderSeconds = 10

func (c *copier) findPictures(s *source) error {
	s.only(s.video)
	lane, now := c.lanes[true], -1
	frame := 1 / max(1, c.looked.asset.Info.Video.Rate.Float())
	var longest float64
	for n := 1; ; n++ {
		_, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		c.meter.beat(s.position() / 4)
		at := lane.seconds(s.packet.Pts())
		if next := now + 1; next < len(c.parts) && s.packet.Flags().Has(astiav.PacketFlagKey) && at > c.parts[next].from-stampSlack && at < c.parts[next].to {
			now, longest, c.parts[next].first = next, 0, n
		}
		if now < 0 || at < c.parts[now].from-stampSlack || at > c.parts[now].to+reorderSeconds {
			continue
		}
		p := &c.parts[now]
		length := float64(s.packet.Duration()) * lane.base.Float64()
		if length <= 0 {
			length = frame
		}
		longest = max(longest, at+length)
		p.stamps = append(p.stamps, s.packet.Pts())
		if at < p.to-stampSlack {
			p.last, p.end, p.count = n, longest, len(p.stamps)
		}
	}
	for i := range c.parts {
		p := &c.parts[i]
		stamps := p.stamps[:p.count]
		p.stamps = slices.Clone(stamps)
		slices.Sort(p.stamps)
		for n, pts := range stamps {
			c.delay = max(c.delay, p.stamps[n]-pts)
		}
		p.count = 0
	}
	return nil
}

func (c *copier) openTracks(s *source) (err error) {
	if s.video != nil {
		if c.lanes[true].track, err = c.movie.addCopy(s.video); err != nil {
			return err
		}
	}
	if s.audio != nil {
		if c.lanes[false].track, err = c.movie.addCopy(s.audio); err != nil {
			return err
		}
	}
	if err := c.movie.start(); err != nil {
		if c.movie.fail != nil || c.ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("%w: %w", errNotCopied, err)
	}
	return nil
}

// write copies what belongs to a part.
func (c *copier) write(s *source) error {
	pictures := 0
	for {
		t, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		c.meter.beat(0.25 + 0.7*s.position())
		isPicture := t == s.video
		if isPicture {
			pictures++
		}
		lane := c.lanes[isPicture]
		p := c.partOf(lane, isPicture, pictures, s.packet)
		if p == nil {
			continue
		}
		if err := c.writePacket(lane, p, isPicture, s.packet.Clone()); err != nil {
			return err
		}
	}
	for _, lane := range c.lanes {
		if err := c.movie.end(lane.track); err != nil {
			return err
		}
	}
	return nil
}

// partOf returns the part that a packet belongs to, nil for none; n counts the pictures. Of sound it is the part in which its middle lies.
func (c *copier) partOf(lane *copyLane, isPicture bool, n int, packet *astiav.Packet) *copied {
	at := lane.seconds(packet.Pts())
	middle := at + float64(packet.Duration())*lane.base.Float64()/2
	for i := range c.parts {
		p := &c.parts[i]
		if isPicture && n >= p.first && n <= p.last && at >= p.from-stampSlack || !isPicture && middle >= p.from && middle < p.end {
			return p
		}
	}
	return nil
}

// writePacket hands a packet to the movie, at its new time.
func (c *copier) writePacket(lane *copyLane, p *copied, isPicture bool, packet *astiav.Packet) error {
	stamp := p.soundStamps
	if isPicture {
		stamp = c.pictureStamps(p)
	}
	pts, dts, ok := stamp(lane, packet)
	if !ok {
		packet.Free()
		return nil
	}
	if lane.last != noPTS && dts <= lane.last || dts > pts {
		packet.Free()
		return errNotCopied
	}
	lane.last, lane.end = dts, pts+packet.Duration()
	packet.SetPts(pts)
	packet.SetDts(dts)
	packet.SetPos(-1)
	return c.movie.write(lane.track, packet)
}

// pictureStamps gives pictures their times. Whatever decoding times the source has, pictures are decoded in their order, each the delay before the
// picture is shown whose turn it is by then.
func (c *copier) pictureStamps(p *copied) func(lane *copyLane, packet *astiav.Packet) (pts, dts int64, ok bool) {
	return func(lane *copyLane, packet *astiav.Packet) (pts, dts int64, ok bool) {
		if p.count == len(p.stamps) {
			return 0, 0, false // the file is read otherwise than a moment ago
		}
		p.count++
		shift := lane.shift(*p)
		return packet.Pts() + shift, p.stamps[p.count-1] - c.delay + shift, true
	}
}

// soundStamps gives sound its times: that of one part follows on that of the part before without gap or overlap, so that players which do not
// look at times hear it in time too.
func (p *copied) soundStamps(lane *copyLane, packet *astiav.Packet) (pts, dts int64, ok bool) {
	pts = packet.Pts() + lane.shift(*p)
	if early, half := lane.end-pts, packet.Duration()/2; !p.heard && lane.last != noPTS {
		if early > half {
			return 0, 0, false // the packet before lasts until here
		}
		if early >= -half {
			p.nudge = early
		}
	}
	p.heard = true
	return pts + p.nudge, pts + p.nudge, true
}
