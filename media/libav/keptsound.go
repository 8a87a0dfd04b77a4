package libav

import (
	"math"
	"os"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// soundPartSamples is the most sound that one file of the cache holds, at media.SampleRate: a
// minute, which is little to read at once.
const soundPartSamples = 60 * media.SampleRate

// keptSound is where the encoded sound of an export lies in the cache. It is encoded as one track
// and kept whole or not at all: what is heard before a packet changes it. It lies in parts, each in
// the folder of the recording that is heard in it, with which it goes.
type keptSound struct {
	chunks  *Chunks
	parts   []soundPart // none where it cannot be kept
	samples int64       // of the export
	there   bool        // it is kept already
}

// soundPart is one file: the packets that begin at its first sample of the output or later, and
// before that of the next part. Behind them is one without data, where the last of them ends.
type soundPart struct {
	path string
	from int64
}

// findKeptSound looks for the sound of the plan among the chunks. It can be kept where all that is
// heard has a name that holds for good, and where it takes no more than a share of the cache.
func (r *render) findKeptSound() {
	samples := r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)
	if r.engine.chunks == nil || !r.plan.HasAudio() || soundBytes(samples) > r.engine.chunks.share() ||
		samples > math.MaxInt32 {
		return
	}
	recipe, named := soundRecipe(r.plan)
	if !named {
		return
	}
	k := keptSound{chunks: r.engine.chunks, samples: samples, there: !r.safe}
	name, id := chunkName(recipe...), ""
	for _, seg := range r.plan.Segments {
		_, at, n := r.plan.Samples(seg)
		for end := at + n; at < end; {
			if own := r.plan.Inputs[seg.Input].ID; len(k.parts) == 0 || own != id ||
				at >= k.parts[len(k.parts)-1].from+soundPartSamples {
				id = own
				k.parts = append(k.parts, soundPart{k.chunks.path(id, chunkSound, name, len(k.parts)), at})
			}
			at = min(end, k.parts[len(k.parts)-1].from+soundPartSamples)
		}
	}
	for _, p := range k.parts {
		k.there = k.chunks.has(p.path) && k.there
	}
	r.kept = k
}

// soundBytes is about how much the encoded sound of an export takes.
func soundBytes(samples int64) int64 { return samples * (exportBitRate / 8) / media.SampleRate }

// soundRecipe is all that makes the sound of a plan what it is; named is false where something that
// is heard has no name that holds for good.
func soundRecipe(plan media.RenderPlan) (made []any, named bool) {
	made = []any{nativeVersion(), exportBitRate, plan.Rate, plan.Volume, plan.Segments}
	for _, in := range plan.Inputs {
		if in.ID == "" {
			return nil, false
		}
		made = append(made, in.ID, in.HasAudio, in.Frames)
	}
	s := plan.Audio
	s.Assets = slices.Clone(s.Assets)
	for i := range s.Assets {
		a := &s.Assets[i]
		if a.Path != "" && a.ID == "" {
			return nil, false
		}
		if a.Path == "" {
			a.ID = ""
		}
		a.Path, a.Name = "", ""
	}
	return append(made, s), true
}

// each hands all packets to take, with the times that the encoder gave them. Errors: errBadChunk.
func (k keptSound) each(take func(p *astiav.Packet) error) error {
	next := int32(math.MinInt32)
	for _, part := range k.parts {
		packets, err := k.chunks.read(part.path)
		if err != nil {
			return err
		}
		for i, p := range packets {
			if next != math.MinInt32 && p.frame != next {
				return errBadChunk
			}
			if next = p.frame; i == len(packets)-1 {
				break
			}
			next = packets[i+1].frame
			own, err := p.packet()
			if err != nil {
				return err
			}
			own.SetPts(int64(p.frame))
			own.SetDts(int64(p.frame))
			own.SetDuration(int64(next - p.frame))
			if err := take(own); err != nil {
				return err
			}
		}
	}
	if int64(next) < k.samples {
		return errBadChunk
	}
	return nil
}

// soundKeeper puts the packets of an encoder into the cache. finish says that they were all; drop
// removes what is not finished.
type soundKeeper struct {
	kept   keptSound
	next   int // the part that is worked on
	fresh  []chunkPacket
	end    int64 // of the newest packet
	failed bool  // what cannot be kept is encoded again another time
	whole  bool
}

// take notes the next packet, which stays the caller's.
func (k *soundKeeper) take(p *astiav.Packet) {
	for k.next+1 < len(k.kept.parts) && p.Pts() >= k.kept.parts[k.next+1].from {
		k.write()
	}
	if len(k.kept.parts) == 0 || k.failed {
		return
	}
	k.fresh = append(k.fresh, chunkPacket{frame: int32(p.Pts()), key: true, data: p.Data()})
	k.end = p.Pts() + p.Duration()
}

// write keeps a part.
func (k *soundKeeper) write() {
	if !k.failed {
		k.failed = k.kept.chunks.write(
			k.kept.parts[k.next].path,
			append(k.fresh, chunkPacket{frame: int32(k.end)}),
		) != nil
	}
	k.fresh = k.fresh[:0]
	k.next++
}

func (k *soundKeeper) finish() {
	for k.next < len(k.kept.parts) {
		k.write()
	}
	k.whole = !k.failed
}

func (k *soundKeeper) drop() {
	if k.whole {
		return
	}
	for _, p := range k.kept.parts[:k.next] {
		_ = os.Remove(p.path) // the rest of it is missing: it is never read
	}
}
