package libav

import (
	"math"
	"os"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// audioFileSamples is the maximum length of audio in one cache file, in samples at
// media.SampleRate. One minute keeps files small enough to read at once.
const audioFileSamples = 60 * media.SampleRate

// cachedAudio is the encoded audio of an export in the cache. It is encoded as one track and cached
// completely or not at all, because earlier audio affects each packet. It consists of several
// files. Each is in the folder of the recording that its audio comes from, and is deleted with it.
type cachedAudio struct {
	chunks   *ChunkCache
	files    []audioFile // none if the audio cannot be cached
	samples  int64       // of the export
	complete bool        // all files are in the cache
}

// audioFile is one cache file. It holds the packets that start at or after its first output sample
// and before the first sample of the next file. An empty packet at the end marks the end of the
// last one.
type audioFile struct {
	path string
	from int64
}

// findCachedAudio looks up the audio of the plan in the cache. It can be cached if every audio
// source has a permanent ID, if all audio tracks fit into one export's share of the cache, and if
// it is mono or stereo AAC.
func (r *render) findCachedAudio() {
	samples := r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)
	isAAC := r.plan.HasAudio() && r.plan.Channels == 0 && r.plan.Format.AudioEncoder == av.EncoderAAC
	if r.engine.cache == nil || !isAAC ||
		audioBytes(samples)*int64(1+len(r.plan.OtherTracks)) > r.engine.cache.share() || samples > math.MaxInt32 {
		return
	}

	recipe, named := audioRecipe(r.plan)
	if !named {
		return
	}
	k := cachedAudio{chunks: r.engine.cache, samples: samples, complete: !r.safe}
	name, id := cacheName(recipe...), ""
	for _, seg := range r.plan.Segments {
		_, at, n := r.plan.Samples(seg)
		for end := at + n; at < end; {
			if own := r.plan.Inputs[seg.Input].ID; len(k.files) == 0 || own != id ||
				at >= k.files[len(k.files)-1].from+audioFileSamples {
				id = own
				k.files = append(k.files, audioFile{k.chunks.audioPath(id, name, len(k.files)), at})
			}

			at = min(end, k.files[len(k.files)-1].from+audioFileSamples)
		}
	}

	for _, p := range k.files {
		k.complete = k.chunks.has(p.path) && k.complete
	}
	r.cachedAudio = k
}

// audioBytes estimates the size of the encoded audio of an export.
func audioBytes(samples int64) int64 { return samples * (exportBitRate / 8) / media.SampleRate }

// audioRecipe returns everything that determines the audio of a plan. named is false if an audio
// source has no permanent ID.
func audioRecipe(plan media.RenderPlan) (parts []any, named bool) {
	parts = []any{
		av.Version(), exportBitRate, media.CrossfadeSamples, media.MonoGain,
		plan.Rate, plan.Volume, plan.Mono, plan.Segments,
	}
	for _, in := range plan.Inputs {
		if in.ID == "" {
			return nil, false
		}
		parts = append(parts, in.ID, in.HasAudio, in.Frames, in.Unheard, in.VoiceOn, in.VoiceGain)
		if len(in.Tracks) > 0 {
			parts = append(parts, in.Tracks)
		}
		if in.Microphones {
			parts = append(parts, "microphones")
		}
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

	return append(parts, s), true
}

// each passes all packets to emit, with the times that the encoder gave them. Errors: errBadChunk.
func (k cachedAudio) each(emit func(p *astiav.Packet) error) error {
	next := int32(math.MinInt32)
	for _, part := range k.files {
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
			if err := emit(own); err != nil {
				return err
			}
		}
	}

	if int64(next) < k.samples {
		return errBadChunk
	}
	return nil
}

// audioCacheWriter writes the packets of an encoder to the cache. finish completes the files;
// removeUnfinished deletes them unless finish succeeded.
type audioCacheWriter struct {
	audio  cachedAudio
	next   int // index of the file in progress
	fresh  []cachedPacket
	end    int64 // end of the newest packet
	failed bool  // nothing more is cached; a later render encodes the audio again
	whole  bool
}

// add adds the next packet, which stays the caller's.
func (k *audioCacheWriter) add(p *astiav.Packet) {
	for k.next+1 < len(k.audio.files) && p.Pts() >= k.audio.files[k.next+1].from {
		k.write()
	}
	if len(k.audio.files) == 0 || k.failed {
		return
	}
	k.fresh = append(k.fresh, cachedPacket{frame: int32(p.Pts()), key: true, data: p.Data()})
	k.end = p.Pts() + p.Duration()
}

// write writes a file.
func (k *audioCacheWriter) write() {
	if !k.failed {
		k.failed = k.audio.chunks.write(
			k.audio.files[k.next].path,
			append(k.fresh, cachedPacket{frame: int32(k.end)}),
		) != nil
	}

	k.fresh = k.fresh[:0]
	k.next++
}

func (k *audioCacheWriter) finish() {
	for k.next < len(k.audio.files) {
		k.write()
	}
	k.whole = !k.failed
}

func (k *audioCacheWriter) removeUnfinished() {
	if k.whole {
		return
	}
	for _, p := range k.audio.files[:k.next] {
		_ = os.Remove(p.path) // an incomplete set of files is never read
	}
}
