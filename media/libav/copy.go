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
)

// copier copies the packets of the parts of a recording that stay.
type copier struct {
	ctx       context.Context
	request   media.TrimRequest
	looked    looked
	soundOnly bool
	meter     *meter

	parts          []copied
	delay          int64 // by which pictures are decoded before they are shown, in the unit of their track
	movie          *movie
	picture, sound *copyLane // nil where there is none
}

// copyLane is one track that is copied.
type copyLane struct {
	*packetReader
	lengths []int64 // of its packets
	keys    []bool  // which of them decoding can begin at
	origin  int64
	lane    int   // of the movie
	last    int64 // the newest decoding time written
	end     int64 // when the newest packet ends
}

func (l *copyLane) seconds(stamp int64) float64 {
	return float64(stamp-l.origin) * l.track.base.Float64()
}

// at returns when a packet is shown or heard, in seconds of clip time.
func (l *copyLane) at(n int) float64 { return l.seconds(l.times[n]) }

// shift returns what is to be added to the time stamps of a part.
func (l *copyLane) shift(p copied) int64 {
	return int64(math.Round((p.at-p.from)/l.track.base.Float64())) - l.origin
}

// copied is a part that stays. Its pictures are packets [first, last) of the picture in the order
// of the file. Packets that are shown at or after its end are among them where others need them.
type copied struct {
	from, to    float64 // seconds of clip time
	end         float64 // when the last picture that is copied ends
	first, last int
	stamps      []int64 // of its pictures, sorted: when they are decoded, but for the delay
	at          float64 // where it begins in the output
}

// copyParts copies what stays of an asset. errNotCopied says that it has to be encoded.
func (e *Engine) copyParts(
	ctx context.Context,
	request media.TrimRequest,
	l looked,
	soundOnly bool,
	writing, looking func(float64),
) (media.Asset, error) {
	if !l.measured.stamped {
		return media.Asset{}, errNotCopied
	}
	whole := ctx
	ctx, m := newMeter(whole, writing, e.stall)
	defer m.close()
	c := &copier{ctx: ctx, request: request, looked: l, soundOnly: soundOnly, meter: m}
	if err := c.copy(); err != nil {
		var refused astiav.Error
		var fault *MediaError
		if err = because(ctx, err); errors.As(err, &refused) || errors.As(err, &fault) {
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
	defer c.close()
	if err := c.open(); err != nil {
		return err
	}
	if err := c.plan(); err != nil {
		return err
	}
	format := formatMP4
	if c.soundOnly {
		format = formatM4A
	}
	group, ctx := errgroup.WithContext(c.ctx)
	if c.movie, err = createMovie(ctx, c.request.OutPath, format, true, c.meter.alive); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			c.movie.abort()
		}
	}()
	if err = c.openTracks(); err != nil {
		return err
	}
	if c.picture != nil {
		group.Go(c.writePictures)
	}
	if c.sound != nil {
		group.Go(c.writeSound)
	}
	if err = group.Wait(); err != nil {
		return err
	}
	_, err = c.movie.finish(c.ctx)
	return err
}

// lanes returns the tracks that are copied.
func (c *copier) lanes() []*copyLane {
	return slices.DeleteFunc([]*copyLane{c.picture, c.sound}, func(l *copyLane) bool { return l == nil })
}

// open reads through the tracks that are copied.
func (c *copier) open() (err error) {
	info, origin := c.looked.asset.Info, c.looked.survey.origin
	if info.Video != nil && !c.soundOnly {
		if c.picture, err = c.openLane(true, origin.video); err != nil {
			return err
		}
	}
	if info.Audio != nil {
		if c.sound, err = c.openLane(false, origin.audio); err != nil {
			return err
		}
	}
	if !c.copiable() {
		return errNotCopied
	}
	for _, l := range c.lanes() {
		err := l.all(func(p *astiav.Packet) error {
			c.meter.beat(l.source.position() / 4)
			l.lengths, l.keys = append(l.lengths, p.Duration()), append(l.keys, p.Flags().Has(astiav.PacketFlagKey))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) openLane(picture bool, origin int64) (*copyLane, error) {
	packets, err := openPackets(c.ctx, c.request.Path, picture)
	if err != nil {
		return nil, err
	}
	return &copyLane{packetReader: packets, origin: origin, last: noPTS}, nil
}

func (c *copier) close() {
	for _, l := range c.lanes() {
		l.close()
	}
}

// copiable reports that an MP4, or an M4A, holds the tracks of the recording, and that players
// expect them there.
func (c *copier) copiable() bool {
	if c.soundOnly {
		return c.sound != nil && c.sound.track.name == "aac"
	}
	return c.picture != nil && slices.Contains([]string{"h264", "hevc", "av1", "vp9", "mpeg4"}, c.picture.track.name) &&
		(c.sound == nil || slices.Contains([]string{"aac", "mp3", "opus", "flac", "alac"}, c.sound.track.name))
}

// plan finds the parts, the pictures of each, and with them where it ends and where it begins in
// the output.
func (c *copier) plan() error {
	if err := c.findParts(); err != nil {
		return err
	}
	if c.picture != nil {
		if err := c.findPictures(); err != nil {
			return err
		}
	}
	at := 0.0
	for i := range c.parts {
		p := &c.parts[i]
		if c.picture == nil {
			p.end = p.to
		}
		p.at = at
		at += p.end - p.from
	}
	return nil
}

// findParts moves the beginning of each part to the keyframe at or before it, and joins parts that
// then meet.
func (c *copier) findParts() error {
	keys := slices.Clone(c.looked.measured.keys)
	slices.SortFunc(keys, func(a, b keyframe) int { return cmp.Compare(a.pts, b.pts) })
	duration := c.looked.asset.Info.DurationMS
	for _, k := range media.KeptSpans(duration, c.request.RemovedSpans(duration)) {
		p := copied{from: float64(k.StartMS) / 1000, to: float64(k.EndMS) / 1000}
		clean := true
		if c.picture != nil {
			n, _ := slices.BinarySearchFunc(
				keys,
				p.from+stampSlack,
				func(k keyframe, at float64) int { return cmp.Compare(c.picture.seconds(k.pts), at) },
			)
			if n > 0 {
				p.from, clean = c.picture.seconds(keys[n-1].pts), keys[n-1].clean
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

// stampSlack is, in seconds, by how much a time in milliseconds may be beside the time stamp that
// it names.
const stampSlack = 0.0006

// reorderSeconds is how far from each other in the file pictures are at most that follow each other
// when shown.
const reorderSeconds = 10

// findPictures finds the packets of each part. Errors: errNotCopied where one has none any more.
func (c *copier) findPictures() error {
	n := 0
	for i := range c.parts {
		p := &c.parts[i]
		for n < len(c.picture.times) && !c.begins(i, n) {
			n++
		}
		p.first, p.last = n, n
		for k := n; k < len(c.picture.times) && !c.begins(i+1, k) && c.picture.at(k) <= p.to+reorderSeconds; k++ {
			if at := c.picture.at(k); at > p.from-stampSlack && at < p.to-stampSlack {
				p.last = k + 1
			}
		}
		if p.first == p.last {
			return errNotCopied
		}
		c.settle(p)
		n = p.last
	}
	return nil
}

// begins reports whether a part begins at a packet of the picture.
func (c *copier) begins(part, n int) bool {
	if part >= len(c.parts) || !c.picture.keys[n] {
		return false
	}
	at, p := c.picture.at(n), c.parts[part]
	return at > p.from-stampSlack && at < p.to
}

// settle finds out when the pictures of a part are decoded, and when the last of them ends.
func (c *copier) settle(p *copied) {
	frame := 1 / max(1, c.looked.asset.Info.Video.Rate.Float())
	for k := p.first; k < p.last; k++ {
		at := c.picture.at(k)
		if at <= p.from-stampSlack {
			continue
		}
		length := float64(c.picture.lengths[k]) * c.picture.track.base.Float64()
		if length <= 0 {
			length = frame
		}
		p.end = max(p.end, at+length)
		p.stamps = append(p.stamps, c.picture.times[k])
	}
	inFile := slices.Clone(p.stamps)
	slices.Sort(p.stamps)
	for n, pts := range inFile {
		c.delay = max(c.delay, p.stamps[n]-pts)
	}
}

func (c *copier) openTracks() (err error) {
	for _, l := range c.lanes() {
		if l.lane, err = c.movie.addCopy(l.track); err != nil {
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

// writePictures copies the pictures of the parts. Whatever decoding times the recording has,
// pictures are decoded in their order, each the delay before the picture is shown whose turn it is
// by then.
func (c *copier) writePictures() error {
	l := c.picture
	for _, p := range c.parts {
		shift, count := l.shift(p), 0
		err := l.stretch(p.first, p.last, func(i int, packet *astiav.Packet) error {
			if l.at(i) <= p.from-stampSlack {
				return nil
			}
			c.meter.beat(0.25 + 0.7*l.source.position())
			count++
			return c.write(l, packet, l.times[i]+shift, p.stamps[count-1]-c.delay+shift)
		})
		if err != nil {
			return err
		}
	}
	return c.movie.end(l.lane)
}

// writeSound copies the packets whose middle lies in a part. The sound of one part follows on that
// of the part before without gap or overlap, so that players which do not look at times hear it in
// time too: it is moved for that by at most half a packet.
func (c *copier) writeSound() error {
	l := c.sound
	for _, p := range c.parts {
		first, last := l.within(p)
		shift, heard := l.shift(p), false
		err := l.stretch(first, last, func(i int, packet *astiav.Packet) error {
			c.meter.beat(0.25 + 0.7*l.source.position())
			pts := l.times[i] + shift
			if early, half := l.end-pts, packet.Duration()/2; !heard && l.last != noPTS {
				if early > half {
					return nil // the packet before lasts until here
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
	return c.movie.end(l.lane)
}

// within returns the packets of sound whose middle lies in a part.
func (l *copyLane) within(p copied) (first, last int) {
	middle := func(n int) float64 { return l.seconds(l.times[n] + l.lengths[n]/2) }
	first = sort.Search(len(l.times), func(n int) bool { return middle(n) >= p.from })
	return first, first + sort.Search(len(l.times)-first, func(n int) bool { return middle(first+n) >= p.end })
}

// write hands a copy of a packet to the movie, at its new time.
func (c *copier) write(l *copyLane, packet *astiav.Packet, pts, dts int64) error {
	if l.last != noPTS && dts <= l.last || dts > pts {
		return errNotCopied
	}
	l.last, l.end = dts, pts+packet.Duration()
	own := packet.Clone()
	own.SetPts(pts)
	own.SetDts(dts)
	own.SetPos(-1)
	return c.movie.write(l.lane, own)
}
