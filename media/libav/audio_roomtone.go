package libav

import (
	"context"
	"math"
	"os"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/libav/av"
)

// mutedPart is the muted audio of one segment. Without tone it becomes silent.
type mutedPart struct {
	input           int
	output, source  media.SampleRange
	fadeIn, fadeOut bool                // whether recorded audio is next to it
	tone            []media.SampleRange // of the input
	energy          media.Energy        // of the tone
}

// mutedParts returns the muted audio of a plan in output order. A part that reaches a join has no
// crossfade there, because the join has its own fades.
func mutedParts(plan media.RenderPlan) (parts []mutedPart) {
	next, muted := 0, plan.Audio.Muted
	for _, seg := range plan.Segments {
		from, at, n := plan.Samples(seg)
		for next < len(muted) && muted[next].To <= at {
			next++
		}
		if !plan.Inputs[seg.Input].HasAudio {
			continue
		}
		for _, m := range muted[next:] {
			if m.From >= at+n {
				break
			}
			out := media.SampleRange{From: max(m.From, at), To: min(m.To, at+n)}
			parts = append(parts, mutedPart{
				input:   seg.Input,
				output:  out,
				source:  media.SampleRange{From: from + out.From - at, To: from + out.To - at},
				fadeIn:  out.From > at,
				fadeOut: out.To < at+n,
			})
		}
	}

	return parts
}

// findRoomTone finds the room tone that replaces the muted audio of the plan.
func (r *render) findRoomTone() error {
	if r.muted = mutedParts(r.plan); r.plan.Audio.NoTone {
		return nil
	}
	avoid := make([][]media.SampleRange, len(r.plan.Inputs))
	for _, m := range r.muted {
		avoid[m.input] = append(avoid[m.input], m.source)
	}
	var tones audio.RoomTones
	for i := range r.muted {
		m := &r.muted[i]
		if i == 0 || m.input != r.muted[i-1].input {
			energies, err := r.inputEnergies(m.input)
			if err != nil {
				return err
			}
			tones = audio.NewRoomTones(energies, avoid[m.input])
		}

		m.tone = tones.Near(m.source)
		m.energy = tones.Energy(m.tone).Scale(r.sideGain(m.input))
	}

	return nil
}

// inputEnergies returns the energies of a recording: those that Ingest stored, or else measured
// ones.
func (r *render) inputEnergies(input int) ([]media.Energy, error) {
	in := r.plan.Inputs[input]
	if energies, ok := storedEnergies(in.EnergiesPath); ok {
		return energies, nil
	}
	recorded, err := r.openRecording(input)
	if err != nil {
		return nil, err
	}
	defer recorded.Close()
	meter, buffer := audio.NewLoudnessMeter(), av.NewStereo(mixChunk)
	total := r.plan.Rate.Sample(in.Frames, media.SampleRate)
	for at := int64(0); at < total; at += buffer.Len() {
		if err := context.Cause(r.ctx); err != nil {
			return nil, err
		}
		r.meter.Alive()
		part := buffer.Cut(0, min(buffer.Len(), total-at))
		if err := recorded.Read(at, part); err != nil {
			return nil, err
		}
		meter.Add(part.Left, part.Right)
	}

	return meter.Energies(), nil
}

// storedEnergies returns the energies that Ingest stored for a recording. ok is false if the
// recording was ingested before energies were stored.
func storedEnergies(path string) (energies []media.Energy, ok bool) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	energies, err = audio.UnpackEnergies(packed)
	return energies, err == nil
}

// muter replaces muted audio by room tone, from the start of the output on. close frees it.
type muter struct {
	render   *render
	at       int64     // samples processed
	next     int       // index of the first part that has not ended
	loop     av.Stereo // room tone of part looped
	looped   int       // -1 without a loop
	input    int       // that recorded reads
	recorded *av.AudioReader
}

func (r *render) newMuter() *muter { return &muter{render: r, looped: -1} }

// mute replaces the muted audio of a part that starts where the previous one ended.
func (m *muter) mute(part av.Stereo) error {
	end := m.at + part.Len()
	for ; m.next < len(m.render.muted); m.next++ {
		muted := m.render.muted[m.next]
		if muted.output.From < end {
			if err := m.prepare(); err != nil {
				return err
			}
			from, to := max(muted.output.From, m.at), min(muted.output.To, end)
			m.replace(part.Cut(from-m.at, to-m.at), muted, from-muted.output.From)
		}

		if muted.output.To > end {
			break
		}
	}

	m.at = end
	return nil
}

// replace replaces samples of a muted part, from its sample at on.
func (m *muter) replace(part av.Stereo, muted mutedPart, at int64) {
	length := muted.output.To - muted.output.From
	for i := range part.Len() {
		recorded := muted.recordedShare(at+i, length)
		tone := float32(math.Sqrt(1 - float64(recorded)*float64(recorded))) // both together keep the power
		var left, right float32
		if n := m.loop.Len(); n > 0 {
			// The position in the recording makes equal mutes sound unequal.
			from := (muted.source.From + at + i) % n
			left, right = m.loop.Left[from], m.loop.Right[from]
		}

		part.Left[i] = part.Left[i]*recorded + left*tone
		part.Right[i] = part.Right[i]*recorded + right*tone
	}
}

// muteFadeSamples is the length of the crossfade at each end of muted audio, in samples at
// media.SampleRate. It is part of the muted audio.
const muteFadeSamples = media.SampleRate / 100

// recordedShare returns the gain of the recorded audio at a sample of a part of the given length.
func (m mutedPart) recordedShare(at, length int64) float32 {
	fade := min(muteFadeSamples, length/2)
	switch {
	case m.fadeIn && at < fade:
		return 1 - av.Rise(at, fade)
	case m.fadeOut && length-1-at < fade:
		return 1 - av.Rise(length-1-at, fade)
	}

	return 0
}

// prepare makes the loop of room tone of the next part.
func (m *muter) prepare() error {
	if m.looped == m.next {
		return nil
	}
	muted := m.render.muted[m.next]
	if m.recorded == nil || m.input != muted.input {
		m.close()
		var err error
		if m.recorded, err = m.render.openAudio(muted.input); err != nil {
			return err
		}
		m.input = muted.input
	}

	loop, err := readToneLoop(m.recorded, muted.tone)
	m.loop, m.looped = loop, m.next
	return err
}

// readToneLoop reads room tone and returns it as a loop, which is empty without tone.
func readToneLoop(s *av.AudioReader, tone []media.SampleRange) (av.Stereo, error) {
	var parts []av.Stereo
	for _, t := range tone {
		part := av.NewStereo(t.To - t.From)
		if err := s.Read(t.From, part); err != nil {
			return av.Stereo{}, err
		}
		parts = append(parts, part)
	}

	return toneLoop(parts), nil
}

// RoomTone returns the loop of room tone that an export plays in a muted part of a recording, as
// 16-bit interleaved stereo at media.SampleRate. Sample n of the recording has sample n modulo the
// length of the loop. The loop is empty if the recording never becomes quiet, or if no energies are
// stored for it. Errors: *av.MediaError for a fault of the recording; the cause of ctx.
func (e *Engine) RoomTone(ctx context.Context, request media.RoomToneRequest) ([]int16, error) {
	energies, ok := storedEnergies(request.EnergiesPath)
	if !ok {
		return nil, nil
	}
	tone := audio.NewRoomTones(energies, request.Avoid).Near(request.Muted)
	if len(tone) == 0 {
		return nil, nil
	}
	ctx, m := av.NewMeter(ctx, nil, e.stall)
	defer m.Close()
	located, err := av.Locate(ctx, request.Path, request.Tracks...)
	if err != nil {
		return nil, av.Because(ctx, err)
	}
	if v := request.Info.Video; v != nil && v.Aligned {
		located.Align(v.Rate)
	}
	recorded, err := av.OpenAudio(ctx, request.Path, located.Origin.Audio, located.Heard...)
	if err != nil {
		return nil, av.Because(ctx, err)
	}
	defer recorded.Close()
	if a := request.Info.Audio; a != nil && a.Channels != 1 {
		recorded.ApplyPanLaw()
	}
	loop, err := readToneLoop(recorded, tone)
	if err != nil {
		return nil, av.Because(ctx, err)
	}
	return loop.Interleaved(), nil
}

func (m *muter) close() {
	if m.recorded != nil {
		m.recorded.Close()
		m.recorded = nil
	}
}
