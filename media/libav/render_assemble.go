package libav

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/bitstream"
	"roughcut/media/libav/av"
)

// Encoded chunks are closed GOPs of at most chunkSeconds. A copy of fewer than worthCopying frames
// is not worth the keyframe that must follow it.
const (
	chunkSeconds = 4
	worthCopying = 3
)

// chunk is a chunk of the export and how it is made.
type chunk struct {
	media.Chunk
	path   string // where its encoded packets are cached, empty if they are not
	cached bool   // its packets are in the cache
	start  int64  // of its first frame among those that are re-encoded now
}

// encoded reports whether the encoder makes the chunk now.
func (p chunk) encoded() bool { return !p.Copy && !p.cached }

// planChunks decides for every chunk of the export whether it is copied, taken from the cache, or
// re-encoded.
func (r *render) planChunks() error {
	lists, err := r.openCopySources(false)
	if err != nil {
		return err
	}
	if err := r.readPeaks(); err != nil {
		return err
	}
	r.effort = r.chooseEffort()
	encoded, maxFrames := int64(0), max(1, r.plan.Rate.Frame(chunkSeconds*1000))
	for _, planned := range r.reuse(r.plan.Chunks(lists, maxFrames, worthCopying), maxFrames) {
		p := chunk{Chunk: planned, start: encoded}
		id := r.plan.Inputs[p.Input].ID
		if made, named := r.recipe(planned); !p.Copy && id != "" && named && r.engine.cache != nil {
			p.path = r.engine.cache.videoPath(id, p.In, p.Out, made...)
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

// reuse splits chunks again so that they use cached chunks of earlier renders.
func (r *render) reuse(chunks []media.Chunk, maxFrames int64) []media.Chunk {
	if r.engine.cache == nil || r.safe || r.plan.Views().Any() {
		return chunks
	}
	known := map[int][]media.FrameRange{}
	return media.Reuse(chunks, maxFrames, func(run media.Chunk) []media.FrameRange {
		ranges, listed := known[run.Input]
		if id := r.plan.Inputs[run.Input].ID; !listed && id != "" {
			made, _ := r.recipe(run) // the same for all plain footage of an input
			ranges = r.engine.cache.videoRanges(id, made...)
			known[run.Input] = ranges
		}

		return ranges
	})
}

// chooseEffort returns the effort for re-encoded frames. It does not depend on the cuts, so that
// cached chunks stay usable when the cuts change.
func (r *render) chooseEffort() av.Effort {
	if r.hevc {
		return hevcEffort
	}
	if len(r.plan.CompositedRanges()) > 0 {
		return exportEffort
	}
	for _, s := range r.plan.Segments {
		if in := r.inputs[s.Input]; in.packets == nil || !in.copiesMost(r.plan.Rate) {
			return exportEffort
		}
	}

	return headsEffort
}

// openCopySources reads how the inputs in use are encoded. Inputs that cannot be copied stay empty.
// again says that a first try found nothing to copy.
func (r *render) openCopySources(again bool) ([]media.PacketIndex, error) {
	r.inputs = make([]copySource, len(r.plan.Inputs))
	lists := make([]media.PacketIndex, len(r.inputs))
	if r.safe {
		if r.plan.KeepCodec {
			r.result.H264Because = whyAgain
		}
		return lists, nil
	}

	if !again {
		if err := r.chooseColors(); err != nil {
			return nil, err
		}
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

	copies := slices.ContainsFunc(r.inputs, func(c copySource) bool { return c.packets != nil })
	isUnusual := r.turned != av.Orientation{} || r.colors != av.FrameColors{}
	if isUnusual && !copies {
		// Nothing is gained from stored rotation and unusual colors.
		r.turned, r.colors, r.shown = av.Orientation{}, av.FrameColors{}, bitstream.Display{}
		return r.openCopySources(true)
	}

	return lists, nil
}

// chooseCodec decides whether the export is HEVC: if the plan asks for it and all video is HEVC of
// one pixel format that can be copied. whys says for each input why its packets cannot be copied.
func (r *render) chooseCodec(whys []string) {
	if !r.plan.KeepCodec {
		return
	}
	hevc, avc, format := -1, -1, astiav.PixelFormatYuv420P
	for i, in := range r.inputs {
		switch {
		case in.config.SPS != nil:
			avc = i
		case in.hevc != nil && hevc >= 0 && in.format() != format:
			r.refuseHEVC(-1, whyMixed)
		case in.hevc != nil:
			hevc, format = i, in.format()
		case whys[i] == whyCodec:
			r.refuseHEVC(i, whyNotHEVC)
		case whys[i] != "" && whys[i] != whyNoVideo:
			r.refuseHEVC(i, whys[i])
		}
	}

	found := hevc >= 0
	switch {
	case found && avc >= 0:
		r.refuseHEVC(avc, whyNotHEVC)
	case !found && avc < 0 && r.result.H264Because == "":
		r.refuseHEVC(-1, whyNoVideo)
	}

	if format != astiav.PixelFormatYuv420P && (r.plan.DrawsIn709() || r.plan.Views().Punched()) {
		r.refuseHEVC(hevc, whyDrawn)
	}
	if r.hevc = found && r.result.H264Because == ""; r.hevc {
		r.format = format
	}
}

// refuseHEVC sets the reason for H.264, and the input with this reason. A negative one stands for
// all of them together.
func (r *render) refuseHEVC(input int, why string) {
	r.result.H264Because, r.refused = why, input
}

// reorderDelay returns the largest reorder delay of the copied HEVC inputs, at most the 2 frames
// that the encoder supports. Players apply the delay of the first chunk to all.
func (r *render) reorderDelay() (delay int) {
	for _, in := range r.inputs {
		if in.packets != nil {
			delay = max(delay, min(2, av.TrackDelay(in.packets.Track)))
		}
	}

	return delay
}

// addCopySource adds the parameter sets of an input to the export. If that is not possible, it
// returns the reason and closes the input, which is then not copied.
func (r *render) addCopySource(c *copySource) (why string) {
	switch {
	case r.hevc:
		if r.addHEVCSets(c) {
			return ""
		}
		why = whySets
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

	c.packets.Close()
	*c = copySource{}
	return why
}

// addHEVCSets adds the HEVC parameter sets of an input to the export, so that no two sets share an
// ID and no packet needs to bring its own. It returns false if that is not possible.
func (r *render) addHEVCSets(c *copySource) bool {
	if r.sets == nil {
		if c.hevc.HasRoom() {
			r.sets = c.hevc
		}
		return r.sets != nil
	}

	sum, ids, ok := r.sets.Merge(c.hevc)
	if !ok || !sum.HasRoom() || (ids != nil && c.fixedIDs) {
		return false
	}
	r.sets, c.ids = sum, ids
	return true
}

// closeInputs closes everything that openCopySources opened.
func (r *render) closeInputs() {
	for _, in := range r.inputs {
		if in.packets != nil {
			in.packets.Close()
		}
	}
}

// recipe returns everything that determines an encoded chunk, except its input and its frames.
// named is false if an overlay on it has no permanent ID.
func (r *render) recipe(p media.Chunk) (parts []any, named bool) {
	c := r.canvas()
	parts = []any{
		av.Version(), r.effort, exportGOP, r.parameterSet(), r.plan.Rate, c.Width, c.Height, c.Fit,
		c.Background, c.FlipH, c.FlipV,
	}
	if r.hevc {
		parts = append(parts, r.format, r.reorderDelay())
	}
	if r.turned != (av.Orientation{}) {
		parts = append(parts, r.turned)
	}
	if r.colors != (av.FrameColors{}) {
		parts = append(parts, "colors", r.colors.Stated())
	}
	parts = append(parts, r.viewRecipe(p)...)
	if !p.Composited {
		return parts, true
	}
	// A later version may draw the same style in another way.
	options := r.plan.CaptionOptions
	parts = append(parts, r.plan.Watermark, fmt.Sprintf("%+v %+v", options, options.Style()))
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
	filling, known := r.audioClipRecipe(p)
	return append(append(parts, overlays...), filling...), named && known
}

// outputFrame returns the output frame of a frame that is counted among the re-encoded ones.
func (r *render) outputFrame(encoded int64) int64 {
	i := sort.Search(len(r.encoded), func(i int) bool { return r.encoded[i].Start > encoded }) - 1
	return r.places[i] + encoded - r.encoded[i].Start
}

// parameterSet returns the ID of the encoder's parameter sets, which no copied packet uses.
func (r *render) parameterSet() int {
	if r.config.SPS == nil {
		return 0
	}
	return r.config.FreeID()
}

// needsEncoder reports whether any chunk comes from the encoder, now or through the cache.
func (r *render) needsEncoder() bool {
	return slices.ContainsFunc(r.chunks, func(p chunk) bool { return !p.Copy })
}

// addCopiedTrack adds the video track of an export that copies every chunk.
func (r *render) addCopiedTrack() (err error) {
	source := r.inputs[r.chunks[0].Input].packets
	rate := astiav.NewRational(int(r.plan.Rate.Num), int(r.plan.Rate.Den))
	fill := func(p *astiav.CodecParameters) error {
		if err := source.Track.Params.Copy(p); err != nil {
			return err
		}
		p.SetCodecTag(0)
		return nil
	}
	if r.track, err = r.mux.Add(fill, rate.Invert(), rate); err != nil {
		return err
	}
	// BT.709 limited range is the value assumed for colors that a recording does not state.
	av.TagTrack(r.mux.Stream(r.track), r.colors)
	if err := av.StateDisplay(r.mux.Stream(r.track), r.shown); err != nil {
		return err
	}
	if err := r.describeOrientation(); err != nil {
		return err
	}
	return r.writeDecoderConfig(nil)
}

// describeOrientation writes how players turn the frames of the video track, as the recordings say.
func (r *render) describeOrientation() error {
	i := slices.IndexFunc(r.inputs, func(c copySource) bool { return c.packets != nil })
	if r.mux == nil || r.turned == (av.Orientation{}) || i < 0 {
		return nil
	}
	matrix, ok := r.inputs[i].packets.Track.Params.SideData().DisplayMatrix().Get()
	if !ok {
		return nil
	}
	params := r.mux.Stream(r.track).CodecParameters()
	if err := params.SideData().DisplayMatrix().Add(matrix); err != nil {
		return fmt.Errorf("writing the orientation: %w", err)
	}
	return nil
}

// writeDecoderConfig writes the decoder configuration of the video track. own is the encoder, nil
// if nothing is re-encoded.
func (r *render) writeDecoderConfig(own *av.Encoder) error {
	if r.hevc {
		sets := r.sets
		switch {
		case sets == nil:
			sets = own.HEVC
		case own != nil:
			var ok bool
			if sets, r.ownIDs, ok = sets.Merge(own.HEVC); !ok {
				return errNoIDs
			}
		}

		r.mux.SetTag(r.track, av.HEVCTag)
		chroma, depth, _ := av.HEVCFormat(r.format)
		return r.mux.SetExtraData(r.track, sets.Record(chroma, depth))
	}

	all := r.config
	if own != nil {
		var ok bool
		if all, ok = all.Merge(own.Sets); !ok {
			return errors.New("the encoder used the ID of another parameter set")
		}
	}

	return r.mux.SetExtraData(r.track, all.Record())
}

// assembler joins the packets of the video track in output order. It sets new time stamps: packet k
// in decoding order has DTS k-delay.
type assembler struct {
	render *render
	next   int            // the chunk in progress
	fresh  []cachedPacket // what the encoder wrote of it, for the cache
	done   int64          // packets of it that are written
	at     int64          // packets written
	delay  int64          // how long before display a frame is decoded, in frames

	put func(*astiav.Packet) error // takes ownership of each finished packet; by default writes it to the muxer
}

func (r *render) newAssembler() *assembler {
	a := &assembler{render: r, put: func(p *astiav.Packet) error { return r.mux.Write(r.track, p) }}
	if r.video != nil {
		a.delay = r.video.Delay
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

// writeReady writes the next chunks that need no encoder.
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
	return in.packets.ReadRange(p.First, p.Last, func(i int, packet *astiav.Packet) error {
		if in.Frames[i] < p.In {
			return nil
		}
		own, err := in.exportPacket(packet, i == p.First)
		if err != nil {
			return err
		}
		return a.write(own, p.Start+in.Frames[i]-p.In)
	})
}

// writeCached writes a chunk from the cache.
func (a *assembler) writeCached(p chunk) error {
	packets, err := a.render.engine.cache.read(p.path)
	if err != nil {
		return err
	}
	if int64(len(packets)) != p.Frames() {
		return errBadChunk
	}
	for _, cached := range packets {
		own, err := a.encoded(cached)
		if errors.Is(err, errNoIDs) {
			_ = os.Remove(p.path)
			return errBadChunk
		}

		if err != nil {
			return err
		}
		if err := a.write(own, p.Start+int64(cached.frame)); err != nil {
			return err
		}
	}

	return nil
}

// encoded returns a packet of the encoder as the export holds it. The caller frees it.
func (a *assembler) encoded(p cachedPacket) (*astiav.Packet, error) {
	if !a.render.hevc {
		return p.packet()
	}
	how := bitstream.HEVCRewrite{IDs: a.render.ownIDs, Display: a.render.shown}
	return hevcPacket(a.render.video.HEVC, p.data, how)
}

// add writes a packet of the encoder, whose PTS counts re-encoded frames, and the chunks that can
// follow it. It takes ownership of the packet.
func (a *assembler) add(packet *astiav.Packet) error {
	if a.next >= len(a.render.chunks) {
		packet.Free()
		return fmt.Errorf("the encoder wrote more than %d frames", a.at)
	}

	a.render.result.EncodedBytes += int64(packet.Size())
	p := a.render.chunks[a.next]
	frame := packet.Pts() - p.start
	if frame < 0 || frame >= p.Frames() {
		packet.Free()
		return fmt.Errorf("encoded frame %d does not belong to the chunk at frame %d", packet.Pts(), p.Start)
	}

	fresh := cachedPacket{frame: int32(frame), key: packet.Flags().Has(astiav.PacketFlagKey)}
	if p.path != "" || a.render.hevc {
		fresh.data = packet.Data()
	}
	if p.path != "" {
		a.fresh = append(a.fresh, fresh)
	}

	if a.render.hevc {
		packet.Free()
		var err error
		if packet, err = a.encoded(fresh); err != nil {
			return err
		}
	}

	if err := a.write(packet, p.Start+frame); err != nil {
		return err
	}
	if a.done++; a.done < p.Frames() {
		return nil
	}
	if p.path != "" {
		// On failure, a later render encodes the chunk again.
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

// finish ends the track once everything is written.
func (a *assembler) finish() error {
	if a.next < len(a.render.chunks) || a.at != a.render.plan.Frames() {
		return fmt.Errorf("wrote %d frames of %d", a.at, a.render.plan.Frames())
	}
	return a.render.mux.End(a.render.track)
}
