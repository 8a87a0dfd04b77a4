package libav

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media/libav/av"
)

// errNeedsFrames says that the packets of the video are not enough, and its frames must be decoded.
var errNeedsFrames = errors.New("the frames of this recording must be decoded")

// packetScan measures the video of a recording by its packets. It decodes only the keyframes that
// tiles show. close frees it.
type packetScan struct {
	in     *ingest
	strict bool // the recording must play smoothly without a proxy
	near   bool // keyframes must be near each other, for browsers to seek and for motion to show
	grid   av.Grid
	tiles  *tileMaker     // nil without tiles
	spans  []frameSpan    // of all frames, in file order
	began  bool           // the first keyframe has come
	keyPTS int64          // of the last keyframe
	key    *astiav.Packet // the last keyframe, until the extent of its tiles is known; nil without tiles
	at     int64          // the first frame without a tile
}

// frameSpan is the place of a frame on the grid.
type frameSpan struct{ index, end int64 }

// scanPackets measures the video without decoding it. Errors: errNeedsFrames.
func (in *ingest) scanPackets(packets *packetQueue) error {
	t := in.source.Video
	strict := in.request.ProxyPath != "" || in.request.SpritePath != ""
	w := &packetScan{
		in:     in,
		strict: strict,
		near:   strict || in.request.Motion,
		grid:   av.NewGrid(t, in.survey.Origin, in.info.Video.Rate),
	}
	defer w.close()
	if in.sprite != nil {
		var err error
		if w.tiles, err = newTileMaker(in, strict); err != nil {
			return err
		}
	}

	if err := w.addListed(); err != nil {
		return err
	}
	for p, ok := packets.next(); ok; p, ok = packets.next() {
		facts := av.FactsOf(p)
		err := w.add(facts, p)
		p.Free()
		if err != nil {
			return err
		}
		if in.seconds > 0 && facts.PTS != av.NoPTS {
			in.meter.Beat(min(0.98, float64(facts.PTS-w.grid.Zero)*w.grid.Base.Float64()/in.seconds))
		}
	}

	if err := context.Cause(in.ctx); err != nil {
		return err
	}
	return w.finish()
}

// addListed processes the packets that need not be read, apart from their keyframes.
func (w *packetScan) addListed() error {
	if w.in.listed == nil {
		return nil
	}
	source := w.in.source
	isClean, wanted := source.CleanKeyframes(), canCopyVideo(source)
	return w.in.listed.Each(0, func(p av.ListedPacket) error {
		if err := w.add(p.PacketFacts, nil); err != nil || !p.Key {
			return err
		}
		if w.in.screen.due(w.grid.Index(p.PTS) + 1) {
			if err := w.in.screen.addListed(p); err != nil {
				return err
			}
		}

		if !wanted {
			return nil
		}
		data, err := source.Data(p, cleanBytes)
		if err == nil && !isClean(data, int(p.Size)) && p.Size > cleanBytes {
			data, err = source.Data(p, p.Size)
		}
		if err != nil {
			return err
		}
		if isClean(data, int(p.Size)) {
			w.in.keys = append(w.in.keys, p.PTS)
		}
		w.in.meter.Alive()
		return nil
	})
}

// cleanBytes is the number of bytes at the start of a keyframe that usually tell its kind.
const cleanBytes = 4096

// add processes the next packet, which is nil if it is only listed.
func (w *packetScan) add(facts av.PacketFacts, p *astiav.Packet) error {
	if w.strict && (facts.Doubtful || facts.Hidden) {
		return errNeedsFrames
	}
	if facts.PTS == av.NoPTS || facts.Hidden {
		return nil
	}
	place := frameSpan{index: w.grid.Index(facts.PTS)}
	place.end = w.grid.End(place.index, facts.PTS, facts.Duration)
	w.spans = append(w.spans, place)
	if w.in.packetMotion != nil {
		w.in.packetMotion.add(p, w.in.info.Video.Rate.MS(place.index))
	}
	switch {
	case facts.Key:
		return w.addKeyframe(p, facts.PTS)
	case (w.strict && !w.began) || (w.near && w.far(facts.PTS)):
		return errNeedsFrames
	}

	return nil
}

// far reports whether pts is too long after the last keyframe.
func (w *packetScan) far(pts int64) bool {
	return w.began && float64(pts-w.keyPTS)*w.grid.Base.Float64() > noProxyKeyframeGap
}

// addKeyframe processes a keyframe packet. A tile shows the nearest keyframe.
func (w *packetScan) addKeyframe(p *astiav.Packet, pts int64) error {
	if w.began {
		if (w.strict && pts <= w.keyPTS) || (w.near && w.far(pts)) {
			return errNeedsFrames
		}
		if err := w.makeTiles(w.grid.Index((w.keyPTS+pts)/2) + 1); err != nil {
			return err
		}
	}

	w.began, w.keyPTS = true, pts
	if w.tiles == nil {
		if p != nil && w.in.screen.due(w.grid.Index(pts)+1) {
			w.in.screen.addKeyframe(p)
		}
		return nil
	}

	if w.key != nil {
		w.key.Free()
	}
	w.key = p.Clone()
	return nil
}

// makeTiles makes the tiles before frame until from the last keyframe.
func (w *packetScan) makeTiles(until int64) error {
	from := w.at
	w.at = max(w.at, until)
	if w.tiles == nil || w.key == nil {
		return nil
	}
	return w.tiles.add(w.key, from, w.at)
}

// finish determines the length of the video and makes the last tiles.
func (w *packetScan) finish() error {
	if w.strict && !w.began {
		return errNeedsFrames
	}
	w.spans = withoutOutliers(w.spans, w.in.info.Video.Rate.Frame(av.OutlierSeconds*1000))
	if len(w.spans) == 0 {
		return errNeedsFrames
	}
	slices.SortFunc(w.spans, func(a, b frameSpan) int { return int(a.index - b.index) })
	last := w.spans[len(w.spans)-1]
	if err := av.TooLong(last.index, w.grid); err != nil {
		return err
	}
	for i, p := range w.spans[1:] {
		before := w.spans[i]
		w.in.uneven = w.in.uneven || (p.index > before.index+1 && p.index > before.end)
	}

	if w.strict && w.far(w.grid.PTS(last.end)) {
		return errNeedsFrames
	}
	end, err := w.in.extendToAudio(max(last.end, 1))
	if err != nil {
		return err
	}
	if !w.plausible(last.end, end) {
		return errNeedsFrames
	}
	w.in.frames = end
	if err := w.makeTiles(end); err != nil || w.tiles == nil {
		return err
	}
	return w.tiles.finish()
}

// plausible compares the measured length of the video, and that with the audio after it, with the
// length that the container claims.
func (w *packetScan) plausible(video, whole int64) bool {
	rate, claimed := w.in.info.Video.Rate, w.in.seconds*1000
	if w.strict {
		return math.Abs(float64(rate.MS(whole))-claimed) <= noProxyLossMS
	}
	return claimed == 0 || float64(rate.MS(video)) <= claimed+doubtfulMS
}

// withoutOutliers removes spans that jump ahead by more than reach although later ones are back in
// line, as outlierFilter does with frames. The spans are in file order, so the next ones may belong
// before the jump, and a jump among the last spans stays.
func withoutOutliers(spans []frameSpan, reach int64) []frameSpan {
	kept, newest := spans[:0], int64(math.MinInt64)
	for i, s := range spans {
		later := i + av.Reordered
		if i > 0 && s.index-newest > reach && later < len(spans) && spans[later].index-newest <= reach {
			continue
		}
		newest = max(newest, s.index)
		kept = append(kept, s)
	}

	return kept
}

func (w *packetScan) close() {
	if w.key != nil {
		w.key.Free()
	}
	if w.tiles != nil {
		w.tiles.close()
	}
}
