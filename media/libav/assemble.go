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
type stretch struct {
	media.Chunk
	chunk string // where its encoded packets are kept, empty where they are not
	kept  bool   // they are there already
	start int64  // of its first frame in what is encoded now
}

// encode reports whether the pictures of the part go through the encoder now.
func (p stretch) encode() bool { return !p.Copy && !p.kept }

// choose decides for every piece of the export whether its packets are copied, taken from the kept
// chunks, or its pictures encoded.
func (r *render) choose() error {
	lists, err := r.copyable()
	if err != nil {
		return err
	}
	r.preset, r.crf = r.effort()
	encoded := int64(0)
	for _, piece := range r.plan.Chunks(lists, max(1, r.plan.Rate.Frame(chunkSeconds*1000)), worthCopying) {
		p := stretch{Chunk: piece, start: encoded}
		id := r.plan.Inputs[p.Input].ID
		if made, named := r.recipe(piece); !p.Copy && id != "" && named && r.engine.chunks != nil {
			p.chunk = r.engine.chunks.path(id, chunkPictures, made...)
			p.kept = !r.safe && r.engine.chunks.has(p.chunk)
		}
		switch {
		case p.Copy:
			r.made.Copied += p.Frames()
		case p.kept:
			r.made.Reused += p.Frames()
		default:
			r.made.Encoded += p.Frames()
			r.encoded = append(r.encoded, media.Segment{Input: p.Input, In: p.In, Out: p.Out, Start: encoded})
			r.places = append(r.places, p.Start)
			encoded += p.Frames()
		}
		r.parts = append(r.parts, p)
	}
	if r.made.Copied > 0 {
		r.made.EncodedBecause = ""
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
func (r *render) copyable() ([]media.PacketIndex, error) {
	r.inputs = make([]coded, len(r.plan.Inputs))
	lists := make([]media.PacketIndex, len(r.inputs))
	if r.safe {
		if r.plan.KeepCodec {
			r.made.H264Because = whyAgain
		}
		return lists, nil
	}
	looked, whys := make([]bool, len(r.inputs)), make([]string, len(r.inputs))
	for _, s := range r.plan.Segments {
		if i := s.Input; !looked[i] {
			looked[i] = true
			var err error
			if r.inputs[i], whys[i], err = r.codedPictures(r.ctx, i); err != nil {
				return nil, err
			}
		}
	}
	r.settleCodec(whys)
	for i := range r.inputs {
		if looked[i] && whys[i] == "" {
			whys[i] = r.admit(&r.inputs[i])
		}
		if whys[i] != "" {
			r.made.EncodedBecause = whys[i]
		}
		lists[i] = r.inputs[i].PacketIndex
	}
	return lists, nil
}

// settleCodec decides whether the export is HEVC, as it is where that was asked for and all
// pictures are HEVC that can be copied, of as many bits. whys says of each input why its packets
// cannot be copied.
func (r *render) settleCodec(whys []string) {
	if !r.plan.KeepCodec {
		return
	}
	found, format := false, astiav.PixelFormatYuv420P
	for i, in := range r.inputs {
		switch {
		case in.hevc != nil && found && in.format() != format:
			r.made.H264Because = whySets
		case in.hevc != nil:
			found, format = true, in.format()
		case whys[i] == whyCodec, in.packets != nil:
			r.made.H264Because = whyNotHEVC
		case whys[i] != "" && whys[i] != whyNoPicture:
			r.made.H264Because = whys[i]
		}
	}
	if !found && r.made.H264Because == "" {
		r.made.H264Because = whyNoPicture
	}
	if format != astiav.PixelFormatYuv420P && len(r.plan.CompositedRanges()) > 0 {
		r.made.H264Because = whyDrawn
	}
	if r.hevc = r.made.H264Because == ""; r.hevc {
		r.format = format
	}
}

// deepest is the delay of decoding in the HEVC that is copied, as far as the encoder has it:
// players take that of the first part for that of all.
func (r *render) deepest() (delay int) {
	for _, in := range r.inputs {
		if in.packets != nil {
			delay = max(delay, min(2, trackDelay(in.packets.track)))
		}
	}
	return delay
}

// admit makes room for the packets of an input beside those of others, or says why there is none,
// after which it is not copied.
func (r *render) admit(c *coded) (why string) {
	switch {
	case r.hevc:
		if r.sets == nil {
			r.sets = c.hevc
		}
		r.inBand = r.inBand || !r.sets.sameSets(c.hevc)
		r.sets = r.sets.covering(c.hevc)
		return ""
	case c.hevc != nil:
		why = whyCodec
	case r.config.sps == nil:
		r.config = c.config
		return ""
	default:
		if sum, ok := r.config.with(c.config); ok && sum.free() >= 0 {
			r.config = sum
			return ""
		}
		why = whySets
	}
	c.packets.close()
	*c = coded{}
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
func (r *render) recipe(p media.Chunk) (made []any, named bool) {
	c := r.canvas()
	made = []any{
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
		made = append(made, r.format, r.deepest())
	}
	if !p.Composited {
		return made, true
	}
	made = append(made, r.plan.Watermark, fmt.Sprintf("%+v", r.plan.CaptionOptions))
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
		made = append(made, fmt.Sprintf("%q %d %d %+v", line.Text, line.StartMS-from, line.EndMS-from, words))
	}
	overlays, named := overlayRecipe(p, r.plan.Overlays)
	return append(made, overlays...), named
}

// outputFrame returns where in the output a frame lies that is counted among the encoded ones.
func (r *render) outputFrame(encoded int64) int64 {
	i := sort.Search(len(r.encoded), func(i int) bool { return r.encoded[i].Start > encoded }) - 1
	return r.places[i] + encoded - r.encoded[i].Start
}

// parameterSet is the number of the encoder's parameter sets: one that no copied packet means.
func (r *render) parameterSet() int {
	if r.config.sps == nil {
		return 0
	}
	return r.config.free()
}

// needsEncoder reports whether any part holds what our encoder writes, now or earlier.
func (r *render) needsEncoder() bool {
	return slices.ContainsFunc(r.parts, func(p stretch) bool { return !p.Copy })
}

// addCopiedTrack adds the picture track of an export in which every piece is copied.
func (r *render) addCopiedTrack() (err error) {
	source := r.inputs[r.parts[0].Input].packets
	rate := astiav.NewRational(int(r.plan.Rate.Num), int(r.plan.Rate.Den))
	fill := func(p *astiav.CodecParameters) error {
		if err := source.track.params.Copy(p); err != nil {
			return err
		}
		p.SetCodecTag(0)
		return nil
	}
	if r.track, err = r.movie.add(fill, rate.Invert(), rate); err != nil {
		return err
	}
	// What a recording does not say of its colours was taken for this.
	tagTrack709(r.movie.lanes[r.track].stream)
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
			r.inBand, sets = true, own.hevc.covering(sets)
		}
		r.movie.setTag(r.track, hevcTag(!r.inBand))
		return r.movie.setExtraData(r.track, sets.record(r.format, r.inBand))
	}
	all := r.config
	if own != nil {
		var ok bool
		if all, ok = all.with(own.sets); !ok {
			return errors.New("the encoder took the number of another parameter set")
		}
	}
	return r.movie.setExtraData(r.track, all.record())
}

// assembler puts the packets of the picture track together, in order of the output. Their time
// stamps are made anew: packet k in order of decoding is decoded at tick k-delay.
type assembler struct {
	render *render
	next   int           // the part that is worked on
	fresh  []chunkPacket // what the encoder wrote of it, to be kept
	done   int64         // packets of it that were written
	at     int64         // packets written
	delay  int64         // how much earlier than shown a picture must be decoded, in ticks of one frame

	put func(*astiav.Packet) error // takes over each finished packet; writes it to the movie unless set otherwise
}

func (r *render) newAssembler() *assembler {
	a := &assembler{render: r, put: func(p *astiav.Packet) error { return r.movie.write(r.track, p) }}
	if r.video != nil {
		a.delay = r.video.delay
	}
	for _, p := range r.parts {
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
func (a *assembler) ready() error {
	for ; a.next < len(a.render.parts) && !a.render.parts[a.next].encode(); a.next++ {
		p, write := a.render.parts[a.next], a.reuse
		if p.Copy {
			write = a.copy
		}
		if err := write(p); err != nil {
			return err
		}
		a.render.progress(a.at)
	}
	return nil
}

func (a *assembler) copy(p stretch) error {
	in := &a.render.inputs[p.Input]
	return in.packets.stretch(p.First, p.Last, func(i int, packet *astiav.Packet) error {
		if in.Frames[i] < p.In {
			return nil
		}
		own, err := in.carried(packet, i == p.First, a.render.inBand)
		if err != nil {
			return err
		}
		return a.write(own, p.Start+in.Frames[i]-p.In)
	})
}

// reuse writes a part that was encoded for an earlier render.
func (a *assembler) reuse(p stretch) error {
	packets, err := a.render.engine.chunks.read(p.chunk)
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
func (a *assembler) take(packet *astiav.Packet) error {
	if a.next >= len(a.render.parts) {
		packet.Free()
		return fmt.Errorf("the encoder wrote more than %d pictures", a.at)
	}
	p := a.render.parts[a.next]
	frame := packet.Pts() - p.start
	if frame < 0 || frame >= p.Frames() {
		packet.Free()
		return fmt.Errorf("encoded picture %d does not belong to the piece at frame %d", packet.Pts(), p.Start)
	}
	if p.chunk != "" {
		a.fresh = append(
			a.fresh,
			chunkPacket{frame: int32(frame), key: packet.Flags().Has(astiav.PacketFlagKey), data: packet.Data()},
		)
	}
	if err := a.write(packet, p.Start+frame); err != nil {
		return err
	}
	if a.done++; a.done < p.Frames() {
		return nil
	}
	if p.chunk != "" {
		// What cannot be kept is encoded again another time.
		_ = a.render.engine.chunks.write(p.chunk, a.fresh)
	}
	a.fresh, a.done = nil, 0
	a.next++
	return a.ready()
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
	if a.next < len(a.render.parts) || a.at != a.render.plan.Frames() {
		return fmt.Errorf("wrote %d pictures of %d", a.at, a.render.plan.Frames())
	}
	return a.render.movie.end(a.render.track)
}
