package libav

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// Limits of a recording that needs no proxy, because browsers play it smoothly from any position.
const (
	noProxyLongSide    = 1920 // pixels
	noProxyShortSide   = 1088
	noProxyBitRate     = 30_000_000
	noProxyKeyframeGap = 2.5  // seconds between two keyframes
	noProxyOffsetMS    = 1    // between time 0 of the file and clip time 0
	noProxyLossMS      = 1000 // between the claimed and the measured length
)

// errNeedsProxy says that browsers would not play the recording smoothly.
var errNeedsProxy = errors.New("this recording needs a proxy")

// playsWithoutProxy reports whether browsers probably play a recording smoothly, judged by its
// headers and its first packets.
func (s *source) playsWithoutProxy(info media.Info, v survey) bool {
	video := info.Video
	container := info.ContentType == "video/mp4" || info.ContentType == "video/quicktime"
	if video == nil || !container || (s.audio != nil) != v.hasAudio || !s.playable(info) ||
		s.audio != nil && s.audio.name != "aac" {
		return false
	}
	seconds := s.headerSeconds()
	aspect := s.format.GuessSampleAspectRatio(s.video.stream, nil)
	return max(video.Width, video.Height) <= noProxyLongSide && min(video.Width, video.Height) <= noProxyShortSide &&
		aspect.Num() == aspect.Den() && !video.HDR &&
		float64(s.size)*8 <= noProxyBitRate*seconds &&
		math.Abs(float64(v.origin.video)*s.video.base.Float64()) < noProxyOffsetMS/1000.0
}

// keyframeScan follows the video packets of a recording without a proxy. It measures the length,
// decodes the keyframes that the sprite sheet shows, and stops if the recording needs a proxy.
// close frees it.
type keyframeScan struct {
	in      *ingest
	grid    grid
	orient  orientation
	decoder *decoder
	frame   *astiav.Frame
	spans   []frameSpan    // of all frames
	key     *astiav.Packet // the last keyframe, until the extent of its tiles is known; nil before the first
	keyPTS  int64
	at      int64 // the first frame without a tile
}

// frameSpan is the place of a frame on the grid.
type frameSpan struct{ index, end int64 }

// scanKeyframes measures the video of a recording without a proxy. Errors: errNeedsProxy.
func (in *ingest) scanKeyframes(packets <-chan *astiav.Packet) error {
	t := in.source.video
	// Without deblocking: tiles are too small to show it.
	d, err := newDecoder(in.source, t, 1, [2]string{"skip_loop_filter", "all"})
	if err != nil {
		return err
	}
	w := &keyframeScan{
		in:      in,
		grid:    newGrid(t, in.survey.origin, in.info.Video.Rate),
		orient:  trackOrientation(t),
		decoder: d,
		frame:   astiav.AllocFrame(),
	}
	defer w.close()
	for p := range packets {
		err := w.add(p)
		p.Free()
		if err != nil {
			return err
		}
	}
	if err := context.Cause(in.ctx); err != nil {
		return err
	}
	return w.finish()
}

// add processes the next packet.
func (w *keyframeScan) add(p *astiav.Packet) error {
	flags, pts := p.Flags(), p.Pts()
	if pts == noPTS || flags.Has(astiav.PacketFlagDiscard) || flags.Has(astiav.PacketFlagCorrupt) {
		return errNeedsProxy
	}
	place := frameSpan{index: w.grid.index(pts)}
	place.end = max(place.index+1, w.grid.index(pts+p.Duration()))
	if err := tooLong(place.index, w.grid); err != nil {
		return err
	}
	w.spans = append(w.spans, place)
	w.in.packetMotion.add(p, w.in.info.Video.Rate.MS(place.index))
	w.in.meter.beat(min(0.98, float64(pts-w.grid.zero)*w.grid.base.Float64()/w.in.seconds))
	switch {
	case flags.Has(astiav.PacketFlagKey):
		return w.addKeyframe(p)
	case w.key == nil || w.far(pts):
		return errNeedsProxy
	}
	return nil
}

// far reports whether a browser that seeks to pts must decode too much before it.
func (w *keyframeScan) far(pts int64) bool {
	return float64(pts-w.keyPTS)*w.grid.base.Float64() > noProxyKeyframeGap
}

// addKeyframe processes a keyframe packet. A tile shows the nearest keyframe.
func (w *keyframeScan) addKeyframe(p *astiav.Packet) error {
	if w.key != nil {
		if p.Pts() <= w.keyPTS || w.far(p.Pts()) {
			return errNeedsProxy
		}
		if err := w.makeTiles(w.grid.index((w.keyPTS+p.Pts())/2) + 1); err != nil {
			return err
		}
		w.key.Free()
	}
	w.key, w.keyPTS = p.Clone(), p.Pts()
	return nil
}

// makeTiles makes the tiles before frame until from the last keyframe.
func (w *keyframeScan) makeTiles(until int64) error {
	from := w.at
	w.at = max(w.at, until)
	if w.in.sprite == nil || !w.in.sprite.wants(w.at) {
		return nil
	}
	w.decoder.reset()
	w.decoder.send(w.key)
	w.decoder.send(nil)
	if ok, err := w.decoder.receive(w.frame); !ok {
		if err == nil || errors.Is(err, io.EOF) {
			return errNeedsProxy
		}
		return err
	}
	defer w.frame.Unref()
	if isInterlaced(w.frame) || w.decoder.refused > 0 {
		return errNeedsProxy
	}
	return w.in.sprite.addTiles(timedFrame{frame: w.frame, orient: w.orient, count: w.at - from}, from)
}

// finish determines the length of the video and makes the last tiles.
func (w *keyframeScan) finish() error {
	if w.key == nil {
		return errNeedsProxy
	}
	slices.SortFunc(w.spans, func(a, b frameSpan) int { return int(a.index - b.index) })
	last := w.spans[len(w.spans)-1]
	for i, p := range w.spans[1:] {
		before := w.spans[i]
		w.in.uneven = w.in.uneven || p.index > before.index+1 && p.index > before.end
	}
	if w.far(w.grid.pts(last.end)) {
		return errNeedsProxy
	}
	end, err := w.in.extendToAudio(last.end)
	if err != nil {
		return err
	}
	if math.Abs(float64(w.in.info.Video.Rate.MS(end))-w.in.seconds*1000) > noProxyLossMS {
		return errNeedsProxy
	}
	w.in.frames = end
	return w.makeTiles(end)
}

func (w *keyframeScan) close() {
	if w.key != nil {
		w.key.Free()
	}
	w.frame.Free()
	w.decoder.close()
}
