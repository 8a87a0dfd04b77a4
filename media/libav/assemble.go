package libav

import (
	"fmt"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// Encoded pieces are closed chunks of at most this length; a copy of fewer frames is not worth the keyframe after it.
const (
	chunkSeconds = 4
	worthCopying = 3
)

// choose decides for every piece of the export whether its packets are copied or its pictures encoded.
func (r *render) choose() error {
	inputs := make([]coded, len(r.plan.Inputs))
	shown := make([]bool, len(r.plan.Inputs))
	for _, s := range r.plan.Segments {
		shown[s.Input] = true
	}
	lists := make([]media.Coded, len(inputs))
	for i := range inputs {
		if !shown[i] {
			continue
		}
		c, why, err := r.codedPictures(r.ctx, i)
		if err != nil {
			return err
		}
		if why == "" && r.config.sps != nil {
			sum, ok := r.config.with(c.config)
			if !ok || sum.free() < 0 {
				continue
			}
			r.config = sum
		} else if why == "" {
			r.config = c.config
		}
		if why == "" {
			inputs[i], lists[i] = c, c.Coded
		}
	}
	r.inputs = inputs
	r.pieces = r.plan.Pieces(lists, max(1, r.plan.Rate.Frame(chunkSeconds*1000)), worthCopying)
	r.starts = make([]int64, len(r.pieces))
	encoded := int64(0)
	for i, p := range r.pieces {
		if !p.Copy {
			r.encoded = append(r.encoded, media.Segment{Input: p.Input, In: p.In, Out: p.Out, Start: encoded})
			r.starts[i] = encoded
			encoded += p.Frames()
		}
	}
	return nil
}

// addCopiedTrack adds the picture track of an export in which every piece is copied.
func (r *render) addCopiedTrack() error {
	source, err := openUntrusted(r.ctx, r.plan.Inputs[r.pieces[0].Input].Path)
	if err != nil {
		return err
	}
	defer source.close()
	if source.video == nil {
		return errChanged()
	}
	rate := astiav.NewRational(int(r.plan.Rate.Num), int(r.plan.Rate.Den))
	fill := func(p *astiav.CodecParameters) error {
		if err := source.video.params.Copy(p); err != nil {
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
	return r.movie.setExtraData(r.track, r.config.record())
}

// assembler puts the packets of the picture track together, in order of the output: those that the encoder made and those that are copied.
// Their time stamps are made anew: packet k in order of decoding is decoded at tick k-delay.
type assembler struct {
	render *render
	next   int   // the piece that is worked on
	done   int64 // packets of it that were written
	at     int64 // packets written
	delay  int64 // how much earlier than shown a picture must be decoded, in ticks of one frame
	open   *copier
	input  int // that open reads
}

func (r *render) newAssembler() *assembler {
	a := &assembler{render: r, input: -1}
	if r.video != nil {
		a.delay = int64(reorderDelay(r.video.context))
	}
	for _, p := range r.pieces {
		if p.Copy {
			for k, frame := range r.inputs[p.Input].Frames[p.First:p.Last] {
				a.delay = max(a.delay, int64(k)-(frame-p.In))
			}
		}
	}
	return a
}

// copies writes the copied pieces that come next.
func (a *assembler) copies() error {
	for a.next < len(a.render.pieces) && a.render.pieces[a.next].Copy {
		if err := a.copy(a.render.pieces[a.next]); err != nil {
			return err
		}
		a.next++
	}
	return nil
}

func (a *assembler) copy(p media.Piece) error {
	r := a.render
	if a.input != p.Input {
		a.close()
		open, err := openCopier(r.ctx, r.plan.Inputs[p.Input].Path, &r.inputs[p.Input])
		if err != nil {
			return err
		}
		a.open, a.input = open, p.Input
	}
	lengths := r.inputs[p.Input].config.lengthSize
	return a.open.packets(p.First, p.Last, func(i int, packet *astiav.Packet) error {
		data := packet.Data()
		if lengths != 4 {
			data = fourByteLengths(data, lengths)
		}
		own := astiav.AllocPacket()
		if err := own.FromData(data); err != nil {
			own.Free()
			return fmt.Errorf("copying a picture: %w", err)
		}
		own.SetFlags(packet.Flags())
		return a.write(own, p.Start+r.inputs[p.Input].Frames[i]-p.In)
	})
}

// take writes a packet of the encoder, whose time stamps count encoded frames, and the copies that follow it. The packet is the assembler's
// from here on.
func (a *assembler) take(packet *astiav.Packet) error {
	if a.next >= len(a.render.pieces) {
		packet.Free()
		return fmt.Errorf("the encoder wrote more than %d pictures", a.at)
	}
	p := a.render.pieces[a.next]
	// The frames of a piece follow each other in the encoder as in the output.
	frame := packet.Pts() - a.render.starts[a.next]
	if frame < 0 || frame >= p.Frames() {
		packet.Free()
		return fmt.Errorf("encoded picture %d does not belong to the piece at frame %d", packet.Pts(), p.Start)
	}
	if err := a.write(packet, p.Start+frame); err != nil {
		return err
	}
	if a.done++; a.done < p.Frames() {
		return nil
	}
	a.done = 0
	a.next++
	return a.copies()
}

func (a *assembler) write(packet *astiav.Packet, shown int64) error {
	packet.SetPts(shown)
	packet.SetDts(a.at - a.delay)
	packet.SetDuration(1)
	a.at++
	return a.render.movie.write(a.render.track, packet)
}

// finish ends the track once everything was written.
func (a *assembler) finish() error {
	if a.next < len(a.render.pieces) || a.at != a.render.plan.Frames() {
		return fmt.Errorf("wrote %d pictures of %d", a.at, a.render.plan.Frames())
	}
	return a.render.movie.end(a.render.track)
}

func (a *assembler) close() {
	if a.open != nil {
		a.open.close()
		a.open = nil
	}
}
