package libav

import (
	"context"
	"math"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// mixChunk is, in samples, how much sound is worked on at a time.
const mixChunk = 16 << 10

// writeSound writes the sound of the output: as it was kept, or encoded now.
func (r *render) writeSound() error {
	if !r.kept.there {
		put := r.audio.put
		if err := r.encodeSound(put); err != nil {
			return err
		}
		return r.movie.end(r.audio.track)
	}
	r.tally.measured()
	total := float64(r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate))
	err := r.kept.each(func(p *astiav.Packet) error {
		r.tally.heard(min(1, float64(p.Pts())/total))
		return r.audio.put(p)
	})
	if err != nil {
		return err
	}
	return r.movie.end(r.audio.track)
}

// encodeSound encodes the sound of all segments as one continuous track, and keeps it. What depends
// on the whole of it is measured before. put takes over each packet.
func (r *render) encodeSound(put func(*astiav.Packet) error) error {
	keeper := &soundKeeper{kept: r.kept}
	defer keeper.drop()
	r.audio.put = func(p *astiav.Packet) error {
		keeper.take(p)
		return put(p)
	}
	if err := r.measureNoise(); err != nil {
		return err
	}
	if err := r.findLoud(); err != nil {
		return err
	}
	m, err := r.measureLoudness()
	if err != nil {
		return err
	}
	r.tally.measured()
	written := r.counted(r.tally.heard)
	write := func(part stereo) error {
		written(part)
		return r.audio.write(part.left, part.right)
	}
	if err := r.mix(m.through(write)); err != nil {
		return err
	}
	if err := m.finish(write); err != nil {
		return err
	}
	if err := r.audio.drain(); err != nil {
		return err
	}
	keeper.finish()
	return nil
}

// counted returns what is to be told of all parts of the sound in turn, and tells which share of it
// that was.
func (r *render) counted(tell func(done float64)) func(stereo) {
	total := float64(r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate))
	at := 0.0
	return func(part stereo) {
		at += float64(part.len())
		tell(min(1, at/total))
	}
}

// mix gives the sound of the output to take, from its start to its end, all but loudness applied.
// take must not keep it.
func (r *render) mix(take func(stereo) error) error {
	shaper, mixer := &shaper{plan: r.plan}, newMixer(r)
	defer mixer.close()
	shaped := func(part stereo) error {
		shaper.shape(part)
		if err := mixer.mix(part); err != nil {
			return err
		}
		return take(part)
	}
	if r.plan.Audio.Denoise <= 0 {
		return r.readSound(shaped)
	}
	d, err := newDenoiser(r.plan.Audio.Denoise, r.noiseDB)
	if err != nil {
		return err
	}
	defer d.close()
	if err := r.readSound(func(part stereo) error { return d.push(part, shaped) }); err != nil {
		return err
	}
	return d.finish(shaped)
}

// readSound gives the sound of all segments, at the volume of the plan, as it is in the recordings:
// silence where there is none.
func (r *render) readSound(take func(stereo) error) error {
	var open *sound
	input := -1
	defer func() {
		if open != nil {
			open.close()
		}
	}()
	buffer := newStereo(mixChunk)
	for _, seg := range r.plan.Segments {
		if seg.Input != input {
			if open != nil {
				open.close()
				open = nil
			}
			input = seg.Input
			if in := r.plan.Inputs[input]; in.HasAudio {
				var err error
				if open, err = openSound(r.ctx, in.Path, r.origins[input].audio); err != nil {
					return err
				}
			}
		}
		if err := r.readSegment(open, seg, buffer, take); err != nil {
			return err
		}
	}
	return nil
}

// readSegment gives the sound of one segment, silence where its input has none (open is nil).
func (r *render) readSegment(open *sound, seg media.Segment, buffer stereo, take func(stereo) error) error {
	from, _, n := r.plan.Samples(seg)
	for at := int64(0); at < n; at += buffer.len() {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		r.meter.alive()
		part := buffer.cut(0, min(buffer.len(), n-at))
		if open == nil {
			clear(part.left)
			clear(part.right)
		} else if err := open.read(from+at, part); err != nil {
			return err
		}
		part.scale(float32(r.plan.Volume))
		if err := take(part); err != nil {
			return err
		}
	}
	return nil
}

// shaper silences words and fades at joins, in sound that comes from the start of the output on.
type shaper struct {
	plan     media.RenderPlan
	at       int64 // samples shaped
	segment  int   // the first that has not ended by there
	silenced int   // likewise
}

// Of a bleep: its tone, and how long words fade out and in again.
const (
	bleepHertz       = 1000
	bleepLevel       = 0.1
	bleepFadeSamples = media.SampleRate / 100
)

func (s *shaper) shape(part stereo) {
	end := s.at + part.len()
	for ; s.silenced < len(s.plan.Audio.Silenced); s.silenced++ {
		span := s.plan.Audio.Silenced[s.silenced]
		if span.From < end {
			s.silence(part, span)
		}
		if span.To > end {
			break
		}
	}
	for ; s.segment < len(s.plan.Segments); s.segment++ {
		seg := s.plan.Segments[s.segment]
		_, start, n := s.plan.Samples(seg)
		if from, to := max(start, s.at), min(start+n, end); from < to {
			own := part.cut(from-s.at, to-s.at)
			if seg.In > 0 || s.segment > 0 {
				own.ramp(from-start, n, true)
			}
			if seg.Out < s.plan.Inputs[seg.Input].Frames || s.segment+1 < len(s.plan.Segments) {
				own.ramp(from-start, n, false)
			}
		}
		if start+n > end {
			break
		}
	}
	s.at = end
}

// silence takes a stretch of the output out of the part that begins at s.at.
func (s *shaper) silence(part stereo, span media.SampleRange) {
	for n := max(span.From, s.at); n < min(span.To, s.at+part.len()); n++ {
		gone := float32(1)
		if edge := min(n-span.From, span.To-1-n); edge < bleepFadeSamples {
			gone = rise(edge, bleepFadeSamples)
		}
		tone := float32(0)
		if s.plan.Audio.Bleep {
			tone = gone * bleepLevel * float32(math.Sin(2*math.Pi*bleepHertz*float64(n-span.From)/media.SampleRate))
		}
		i := n - s.at
		part.left[i] = part.left[i]*(1-gone) + tone
		part.right[i] = part.right[i]*(1-gone) + tone
	}
}

// Of noise: the stretch in samples over which its level is measured, and how far over that its
// peaks in single bands reach.
const (
	noiseFrame    = media.SampleRate / 20
	noiseMarginDB = 5
)

// measureNoise finds the level of the background where it is to be brought down: what a tenth of
// the sound stays under. Digital silence does not count.
func (r *render) measureNoise() error {
	if r.plan.Audio.Denoise <= 0 {
		return nil
	}
	const silence = 1e-9
	var levels []float64
	sum, n := 0.0, 0
	counted := r.counted(r.tally.pass())
	err := r.readSound(func(part stereo) error {
		counted(part)
		for i, left := range part.left {
			sum += (float64(left)*float64(left) + float64(part.right[i])*float64(part.right[i])) / 2
			if n++; n == noiseFrame {
				if mean := sum / noiseFrame; mean > silence {
					levels = append(levels, mean)
				}
				sum, n = 0, 0
			}
		}
		return nil
	})
	r.noiseDB = noiseFloors[0]
	if len(levels) > 0 {
		slices.Sort(levels)
		r.noiseDB = min(max(10*math.Log10(levels[len(levels)/10])+noiseMarginDB, noiseFloors[0]), noiseFloors[1])
	}
	return err
}
