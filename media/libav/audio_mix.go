package libav

import (
	"context"
	"math"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// mixChunk is the number of samples that are processed at a time.
const mixChunk = 16 << 10

// writeAudio writes the audio of the output, from the cache or newly encoded.
func (r *render) writeAudio() error {
	if !r.cachedAudio.complete {
		put := r.audio.Put
		if err := r.encodeAudio(put); err != nil {
			return err
		}
		return r.mux.End(r.audio.Track)
	}

	r.tally.measuringDone()
	total := float64(r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate))
	err := r.cachedAudio.each(func(p *astiav.Packet) error {
		r.tally.audioDone(min(1, float64(p.Pts())/total))
		return r.audio.Put(p)
	})
	if err != nil {
		return err
	}
	return r.mux.End(r.audio.Track)
}

// encodeAudio encodes the audio of all segments as one continuous track and caches it. Before that,
// it makes the measurements that need the whole track. put takes ownership of each packet.
func (r *render) encodeAudio(put func(*astiav.Packet) error) error {
	keeper := &audioCacheWriter{audio: r.cachedAudio}
	defer keeper.removeUnfinished()
	r.audio.Put = func(p *astiav.Packet) error {
		keeper.add(p)
		return put(p)
	}
	if r.plan.Channels > 0 {
		return r.encodeChannels()
	}

	if err := r.findRoomTone(); err != nil {
		return err
	}
	if err := r.measureNoise(); err != nil {
		return err
	}
	if err := r.findLoudSpans(); err != nil {
		return err
	}
	m, err := r.measureLoudness()
	if err != nil {
		return err
	}

	r.tally.measuringDone()
	written := r.counted(r.tally.audioDone)
	write := func(part av.Stereo) error {
		written(part)
		if r.plan.Mono {
			return r.audio.Write(part.Left)
		}
		return r.audio.Write(part.Left, part.Right)
	}
	if err := r.mix(m.process(write)); err != nil {
		return err
	}
	if err := m.finish(write); err != nil {
		return err
	}
	if err := r.audio.Drain(); err != nil {
		return err
	}
	// A later export from the cache could not say that the audio was lowered.
	if r.noteLoudest(m); r.result.OverDB == 0 {
		keeper.finish()
	}
	return nil
}

// counted returns a function that takes all parts of the audio in order and reports their share of
// the whole to tell.
func (r *render) counted(tell func(done float64)) func(av.Stereo) {
	total := float64(r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate))
	at := 0.0
	return func(part av.Stereo) {
		at += float64(part.Len())
		tell(min(1, at/total))
	}
}

// mix passes the audio of the output to emit, from start to end, with everything but loudness
// applied. emit must not keep it.
func (r *render) mix(emit func(av.Stereo) error) error {
	fades := append(r.plan.Crossfades(), media.Crossfade{})
	shaper, mixer := &shaper{plan: r.plan, fades: fades}, newMixer(r)
	defer mixer.close()
	shaped := func(part av.Stereo) error {
		shaper.shape(part)
		if err := mixer.mix(part); err != nil {
			return err
		}
		return emit(part)
	}
	if r.plan.Audio.Denoise <= 0 {
		return r.readAudio(shaped)
	}
	d, err := newDenoiser(r.plan.Audio.Denoise, r.noiseDB)
	if err != nil {
		return err
	}
	defer d.close()
	if err := r.readAudio(func(part av.Stereo) error { return d.push(part, shaped) }); err != nil {
		return err
	}
	return d.finish(shaped)
}

// readAudio passes on the audio of all segments as recorded, crossfaded at joins, with room tone in
// place of muted audio, at the volume of the plan. Segments without audio are silent.
func (r *render) readAudio(emit func(av.Stereo) error) error { return r.readInputs(r.openAudio, emit) }

// readInputs is readAudio with a function that opens the audio of an input.
func (r *render) readInputs(openInput func(input int) (*av.AudioReader, error), emit func(av.Stereo) error) error {
	var open *av.AudioReader
	input, muter := -1, r.newMuter()
	defer muter.close()
	defer func() {
		if open != nil {
			open.Close()
		}
	}()
	finish := func(part av.Stereo) error {
		if err := muter.mute(part); err != nil {
			return err
		}
		part.Scale(float32(r.plan.Volume))
		return emit(part)
	}
	buffer, fading := av.NewStereo(mixChunk), av.Stereo{}
	fades := append(r.plan.Crossfades(), media.Crossfade{})
	for i, seg := range r.plan.Segments {
		if seg.Input != input {
			if open != nil {
				open.Close()
				open = nil
			}

			input = seg.Input
			if r.plan.Inputs[input].HasAudio {
				var err error
				if open, err = openInput(input); err != nil {
					return err
				}
			}
		}

		from, _, n := r.plan.Samples(seg)
		if fades[i].Len() > 0 {
			starting := av.NewStereo(fades[i].Len())
			if err := open.Read(from-fades[i].Lead, starting); err != nil {
				return err
			}
			crossfade(fading, starting, likenessOf(fading, starting))
			if err := finish(fading); err != nil {
				return err
			}
		}

		own := media.SampleRange{From: from + fades[i].Tail, To: from + n - fades[i+1].Lead}
		if err := r.readRange(open, own, buffer, finish); err != nil {
			return err
		}
		if fades[i+1].Len() > 0 {
			fading = av.NewStereo(fades[i+1].Len())
			if err := open.Read(own.To, fading); err != nil {
				return err
			}
		}
	}

	return nil
}

// openAudio opens the audio of an input as the export mixes it.
func (r *render) openAudio(input int) (*av.AudioReader, error) {
	open, err := r.openRecording(input)
	if err == nil && !r.plan.Mono {
		open.ApplyPanLaw()
	}
	return open, err
}

// openRecording opens the audio of an input at the level of its recording.
func (r *render) openRecording(input int) (*av.AudioReader, error) {
	in := r.plan.Inputs[input]
	open, err := av.OpenAudio(r.ctx, in.Path, r.origins[input].Audio, r.heard[input]...)
	if err != nil {
		return nil, err
	}
	if in.Microphones {
		open.Track.MixEqually()
	}
	open.Track.LeaveOut(in.Unheard)
	switch in.VoiceOn {
	case media.VoiceLeft:
		open.Spread(0, in.VoiceGain)
	case media.VoiceRight:
		open.Spread(1, in.VoiceGain)
	}

	return open, nil
}

// ReadRange passes on a range of a recording, silence if it has no audio (open is nil).
func (r *render) readRange(
	open *av.AudioReader, own media.SampleRange, buffer av.Stereo, emit func(av.Stereo) error,
) error {
	for at := own.From; at < own.To; at += buffer.Len() {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		r.meter.Alive()
		part := buffer.Cut(0, min(buffer.Len(), own.To-at))
		if open == nil {
			clear(part.Left)
			clear(part.Right)
		} else if err := open.Read(at, part); err != nil {
			return err
		}

		if err := emit(part); err != nil {
			return err
		}
	}

	return nil
}

// shaper bleeps words, and fades at joins that have no crossfade. It processes audio from the start
// of the output on.
type shaper struct {
	plan    media.RenderPlan
	fades   []media.Crossfade // at the start of each segment, and at the end of the last
	at      int64             // samples processed
	segment int               // index of the first segment that has not ended
	bleeped int               // index of the first bleeped range that has not ended
}

// Tone and level of a bleep, and the length of the fades of a bleeped word.
const (
	bleepHertz       = 1000
	bleepLevel       = 0.1
	bleepFadeSamples = media.SampleRate / 100
)

func (s *shaper) shape(part av.Stereo) {
	end := s.at + part.Len()
	for ; s.bleeped < len(s.plan.Audio.Bleeped); s.bleeped++ {
		span := s.plan.Audio.Bleeped[s.bleeped]
		if span.From < end {
			s.bleep(part, span)
		}
		if span.To > end {
			break
		}
	}

	for ; s.segment < len(s.plan.Segments); s.segment++ {
		seg := s.plan.Segments[s.segment]
		_, start, n := s.plan.Samples(seg)
		if from, to := max(start, s.at), min(start+n, end); from < to {
			own := part.Cut(from-s.at, to-s.at)
			if (seg.In > 0 || s.segment > 0) && s.fades[s.segment].Len() == 0 {
				own.Ramp(from-start, n, true)
			}
			cut := seg.Out < s.plan.Inputs[seg.Input].Frames || s.segment+1 < len(s.plan.Segments)
			if cut && s.fades[s.segment+1].Len() == 0 {
				own.Ramp(from-start, n, false)
			}
		}

		if start+n > end {
			break
		}
	}

	s.at = end
}

// bleep replaces a range of the output by a tone in the part that starts at s.at.
func (s *shaper) bleep(part av.Stereo, span media.SampleRange) {
	for n := max(span.From, s.at); n < min(span.To, s.at+part.Len()); n++ {
		gone := float32(1)
		if edge := min(n-span.From, span.To-1-n); edge < bleepFadeSamples {
			gone = av.Rise(edge, bleepFadeSamples)
		}
		tone := gone * bleepLevel * float32(math.Sin(2*math.Pi*bleepHertz*float64(n-span.From)/media.SampleRate))
		i := n - s.at
		part.Left[i] = part.Left[i]*(1-gone) + tone
		part.Right[i] = part.Right[i]*(1-gone) + tone
	}
}

// Noise measurement: samples per measured level, and how far above that level its peaks in single
// bands reach.
const (
	noiseFrame    = media.SampleRate / 20
	noiseMarginDB = 5
)

// measureNoise finds the background noise level if noise reduction is on: the level that the
// quietest tenth of the audio stays below. Digital silence does not count.
func (r *render) measureNoise() error {
	if r.plan.Audio.Denoise <= 0 {
		return nil
	}
	const silence = 1e-9
	var levels []float64
	sum, n := 0.0, 0
	counted := r.counted(r.tally.pass())
	err := r.readAudio(func(part av.Stereo) error {
		counted(part)
		for i, left := range part.Left {
			sum += (float64(left)*float64(left) + float64(part.Right[i])*float64(part.Right[i])) / 2
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
