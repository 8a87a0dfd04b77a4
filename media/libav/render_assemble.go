package libav

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// Encoded pieces are closed chunks of at most this length; a copy of fewer frames is not worth the
// keyframe after it.
const (
	chunkSeconds = 4
	worthCopying = 3
)

// stretch is a piece of the export with what is known of how it is made.
type chunk struct {
	media.Chunk
	path   string // where its encoded packets are kept, empty where they are not
	cached bool   // they are there already
	start  int64  // of its first frame in what is encoded now
}

// encode reports whether the pictures of the part go through the encoder now.
func (p chunk) encoded() bool { return !p.Copy && !p.cached }

// choose decides for every piece of the export whether its packets are copied, taken from the kept
// chunks, or its pictures encoded.
func (r *render) planChunks() error {
	lists, err := r.openCopySources()
	if err != nil {
		return err
	}
	r.preset, r.crf = r.effort()
	encoded := int64(0)
	for _, planned := range r.plan.Chunks(lists, max(1, r.plan.Rate.Frame(chunkSeconds*1000)), worthCopying) {
		p := chunk{Chunk: planned, start: encoded}
		id := r.plan.Inputs[p.Input].ID
		if made, named := r.recipe(planned); !p.Copy && id != "" && named && r.engine.cache != nil {
			p.path = r.engine.cache.path(id, videoSuffix, made...)
			p.cached = !r.safe && r.engine.cache.has(p.path)
		}
		switch {
		case p.Copy:
			r.result.Copied += p.Frames()
		case p.cached:
			r.result.Reused += p.Frames()
		default:
			r.result.Encoded += p.Frames()
			r.encoded = append(r.encoded, media.Segment{Input: p.Input, In: p.In, Out: p.Out, Start: encoded})
			r.places = append(r.places, p.Start)
			encoded += p.Frames()
		}
		r.chunks = append(r.chunks, p)
	}
	if r.result.Copied > 0 {
		r.result.EncodedBecause = ""
	}
	return nil
}

// effort returns the preset and the quality at which pictures are encoded. Cuts do not change it:
// what was kept for one list of them serves others.
func (r *render) effort() (preset string, crf int) {
	if r.hevc {
		return exportHEVCPreset, exportHEVCCRF
	}
	if len(r.plan.CompositedRanges()) > 0 {
		return exportPreset, exportCRF
	}
	for _, s := range r.plan.Segments {
		in := r.inputs[s.Input]
		if in.packets == nil || float64(len(in.Frames)) > headsGap*r.plan.Rate.Float()*float64(len(in.Sync)) {
			return exportPreset, exportCRF
		}
	}
	return headsPreset, exportCRF
}

// copyable reads how the inputs that are shown are coded; what cannot be copied stays empty.
func (r *render) openCopySources() ([]media.PacketIndex, error) {
	r.inputs = make([]copySource, len(r.plan.Inputs))
	lists := make([]media.PacketIndex, len(r.inputs))
	if r.safe {
		if r.plan.KeepCodec {
			r.result.H264Because = whyAgain
		}
		return lists, nil
	}
	opened, whys := make([]bool, len(r.inputs)), make([]string, len(r.inputs))
	for _, s := range r.plan.Segments {
		if i := s.Input; !opened[i] {
			opened[i] = true
			var err error
			if r.inputs[i], whys[i], err = r.openCopySource(r.ctx, i); err != nil {
				return nil, err
			}
		}
	}
	r.chooseCodec(whys)
	for i := range r.inputs {
		if opened[i] && whys[i] == "" {
			whys[i] = r.addCopySource(&r.inputs[i])
		}
		if whys[i] != "" {
			r.result.EncodedBecause = whys[i]
		}
		lists[i] = r.inputs[i].PacketIndex
	}
	return lists, nil
}

// settleCodec decides whether the export is HEVC, as it is where that was asked for and all
// pictures are HEVC that can be copied, of as many bits. whys says of each input why its packets
// cannot be copied.
func (r *render) chooseCodec(whys []string) {
	if !r.plan.KeepCodec {
		return
	}
	found, format := false, astiav.PixelFormatYuv420P
	for i, in := range r.inputs {
		switch {
		case in.hevc != nil && found && in.format() != format:
			r.result.H264Because = whySets
		case in.hevc != nil:
			found, format = true, in.format()
		case whys[i] == whyCodec, in.packets != nil:
			r.result.H264Because = whyNotHEVC
		case whys[i] != "" && whys[i] != whyNoVideo:
			r.result.H264Because = whys[i]
		}
	}
	if !found && r.result.H264Because == "" {
		r.result.H264Because = whyNoVideo
	}
	if format != astiav.PixelFormatYuv420P && len(r.plan.CompositedRanges()) > 0 {
		r.result.H264Because = whyDrawn
	}
	if r.hevc = r.result.H264Because == ""; r.hevc {
		r.format = format
	}
}

// deepest is the delay of decoding in the HEVC that is copied, as far as the encoder has it:
// players take that of the first part for that of all.
func (r *render) reorderDelay() (delay int) {
	for _, in := range r.inputs {
		if in.packets != nil {
			delay = max(delay, min(2, trackDelay(in.packets.track)))
		}
	}
	return delay
}

// admit makes room for the packets of an input beside those of others, or says why there is none,
// after which it is not copied.
func (r *render) addCopySource(c *copySource) (why string) {
	switch {
	case r.hevc:
		if r.sets == nil {
			r.sets = c.hevc
		}
		r.inBand = r.inBand || !r.sets.SameSets(c.hevc)
		r.sets = r.sets.Covering(c.hevc)
		return ""
	case c.hevc != nil:
		why = whyCodec
	case r.config.SPS == nil:
		r.config = c.config
		return ""
	default:
		if sum, ok := r.config.Merge(c.config); ok && sum.FreeID() >= 0 {
			r.config = sum
			return ""
		}
		why = whySets
	}
	c.packets.close()
	*c = copySource{}
	return why
}

// closeInputs ends what copyable opened.
func (r *render) closeInputs() {
	for _, in := range r.inputs {
		if in.packets != nil {
			in.packets.close()
		}
	}
}

// recipe is all that makes an encoded piece what it is, but for its input; named is false where an
// asset on it has no name that holds for good.
func (r *render) recipe(p media.Chunk) (parts []any, named bool) {
	c := r.canvas()
	parts = []any{
		nativeVersion(),
		r.preset,
		r.crf,
		exportGOP,
		r.parameterSet(),
		r.plan.Rate,
		c.width,
		c.height,
		c.fit,
		c.background,
		c.flipH,
		c.flipV,
		p.In,
		p.Out,
	}
	if r.hevc {
		parts = append(parts, r.format, r.reorderDelay())
	}
	if !p.Composited {
		return parts, true
	}
	parts = append(parts, r.plan.Watermark, fmt.Sprintf("%+v", r.plan.CaptionOptions))
	from, to := r.plan.Rate.MS(p.Start), r.plan.Rate.MS(p.Start+p.Frames())
	for _, line := range r.plan.Captions {
		if line.StartMS > to || line.EndMS < from {
			continue
		}
		words := slices.Clone(line.Words)
		for i := range words {
			words[i].StartMS -= from
			words[i].EndMS -= from
		}
		parts = append(parts, fmt.Sprintf("%q %d %d %+v", line.Text, line.StartMS-from, line.EndMS-from, words))
	}
	overlays, named := overlayRecipe(p, r.plan.Overlays)
	return append(parts, overlays...), named
}

// outputFrame returns where in the output a frame lies that is counted among the encoded ones.
func (r *render) outputFrame(encoded int64) int64 {
	i := sort.Search(len(r.encoded), func(i int) bool { return r.encoded[i].Start > encoded }) - 1
	return r.places[i] + encoded - r.encoded[i].Start
}

// parameterSet is the number of the encoder's parameter sets: one that no copied packet means.
func (r *render) parameterSet() int {
	if r.config.SPS == nil {
		return 0
	}
	return r.config.FreeID()
}

// needsEncoder reports whether any part holds what our encoder writes, now or earlier.
func (r *render) needsEncoder() bool {
	return slices.ContainsFunc(r.chunks, func(p chunk) bool { return !p.Copy })
}

// addCopiedTrack adds the picture track of an export in which every piece is copied.
func (r *render) addCopiedTrack() (err error) {
	source := r.inputs[r.chunks[0].Input].packets
	rate := astiav.NewRational(int(r.plan.Rate.Num), int(r.plan.Rate.Den))
	fill := func(p *astiav.CodecParameters) error {
		if err := source.track.params.Copy(p); err != nil {
			return err
		}
		p.SetCodecTag(0)
		return nil
	}
	if r.track, err = r.mux.add(fill, rate.Invert(), rate); err != nil {
		return err
	}
	// What a recording does not say of its colours was taken for this.
	tagTrack709(r.mux.tracks[r.track].stream)
	return r.describe(nil)
}

// describe writes what decoders are told of the picture before its first packet. own is what the
// encoder tells, nil where nothing is encoded.
func (r *render) describe(own *encoder) error {
	if r.hevc {
		// The sets of both may have the same numbers, which only those that come with the packets
		// can.
		sets := r.sets
		if own != nil {
			r.inBand, sets = true, own.hevc.Covering(sets)
		}
		r.mux.setTag(r.track, hevcTag(!r.inBand))
		return r.mux.setExtraData(r.track, sets.Record(bitDepth(r.format), r.inBand))
	}
	all := r.config
	if own != nil {
		var ok bool
		if all, ok = all.Merge(own.sets); !ok {
			return errors.New("the encoder took the number of another parameter set")
		}
	}
	return r.mux.setExtraData(r.track, all.Record())
}

// assembler puts the packets of the picture track together, in order of the output. Their time
// stamps are made anew: packet k in order of decoding is decoded at tick k-delay.
type assembler struct {
	render *render
	next   int            // the part that is worked on
	fresh  []cachedPacket // what the encoder wrote of it, to be kept
	done   int64          // packets of it that were written
	at     int64          // packets written
	delay  int64          // how much earlier than shown a picture must be decoded, in ticks of one frame

	put func(*astiav.Packet) error // takes over each finished packet; writes it to the movie unless set otherwise
}

func (r *render) newAssembler() *assembler {
	a := &assembler{render: r, put: func(p *astiav.Packet) error { return r.mux.write(r.track, p) }}
	if r.video != nil {
		a.delay = r.video.delay
	}
	for _, p := range r.chunks {
		if p.Copy {
			k := int64(0)
			for _, frame := range r.inputs[p.Input].Frames[p.First:p.Last] {
				if frame >= p.In {
					a.delay = max(a.delay, k-(frame-p.In))
					k++
				}
			}
		}
	}
	return a
}

// ready writes the parts that come next and need no encoder.
func (a *assembler) writeReady() error {
	for ; a.next < len(a.render.chunks) && !a.render.chunks[a.next].encoded(); a.next++ {
		p, write := a.render.chunks[a.next], a.writeCached
		if p.Copy {
			write = a.writeCopied
		}
		if err := write(p); err != nil {
			return err
		}
		a.render.progress(a.at)
	}
	return nil
}

func (a *assembler) writeCopied(p chunk) error {
	in := &a.render.inputs[p.Input]
	return in.packets.readRange(p.First, p.Last, func(i int, packet *astiav.Packet) error {
		if in.Frames[i] < p.In {
			return nil
		}
		own, err := in.exportPacket(packet, i == p.First, a.render.inBand)
		if err != nil {
			return err
		}
		return a.write(own, p.Start+in.Frames[i]-p.In)
	})
}

// reuse writes a part that was encoded for an earlier render.
func (a *assembler) writeCached(p chunk) error {
	packets, err := a.render.engine.cache.read(p.path)
	if err != nil {
		return err
	}
	if int64(len(packets)) != p.Frames() {
		return errBadChunk
	}
	for _, kept := range packets {
		own, err := kept.packet()
		if err != nil {
			return err
		}
		if err := a.write(own, p.Start+int64(kept.frame)); err != nil {
			return err
		}
	}
	return nil
}

// take writes a packet of the encoder, whose time stamps count encoded frames, and what can follow
// it. The packet is the assembler's from here on.
func (a *assembler) add(packet *astiav.Packet) error {
	if a.next >= len(a.render.chunks) {
		packet.Free()
		return fmt.Errorf("the encoder wrote more than %d pictures", a.at)
	}
	p := a.render.chunks[a.next]
	frame := packet.Pts() - p.start
	if frame < 0 || frame >= p.Frames() {
		packet.Free()
		return fmt.Errorf("encoded picture %d does not belong to the piece at frame %d", packet.Pts(), p.Start)
	}
	if p.path != "" {
		a.fresh = append(
			a.fresh,
			cachedPacket{frame: int32(frame), key: packet.Flags().Has(astiav.PacketFlagKey), data: packet.Data()},
		)
	}
	if err := a.write(packet, p.Start+frame); err != nil {
		return err
	}
	if a.done++; a.done < p.Frames() {
		return nil
	}
	if p.path != "" {
		// What cannot be kept is encoded again another time.
		_ = a.render.engine.cache.write(p.path, a.fresh)
	}
	a.fresh, a.done = nil, 0
	a.next++
	return a.writeReady()
}

func (a *assembler) write(packet *astiav.Packet, shown int64) error {
	packet.SetPts(shown)
	packet.SetDts(a.at - a.delay)
	packet.SetDuration(1)
	a.at++
	return a.put(packet)
}

// finish ends the track once everything was written.
func (a *assembler) finish() error {
	if a.next < len(a.render.chunks) || a.at != a.render.plan.Frames() {
		return fmt.Errorf("wrote %d pictures of %d", a.at, a.render.plan.Frames())
	}
	return a.render.mux.end(a.render.track)
}
