package libav

import (
	"context"
	"math"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// mixer mixes the audio of placed assets into the audio of the footage, beginning at the start of
// the output. close frees it.
type mixer struct {
	render *render
	at     int64                   // samples mixed
	open   map[int]*av.AudioReader // by index in the plan; open from the first to the last sample in use
	loud   ducker
	buffer av.Stereo
}

// replaceSamples is the length of the fades around replaced audio.
const replaceSamples = media.SampleRate / 100

func newMixer(r *render) *mixer {
	return &mixer{render: r, open: map[int]*av.AudioReader{}, loud: ducker{spans: r.loudSpans}}
}

// mix changes a part that starts where the previous one ended.
func (m *mixer) mix(part av.Stereo) error {
	assets := m.render.plan.Audio.Assets
	m.loud.lower(part, m.at)
	for _, a := range assets {
		if a.Replace {
			m.mute(part, a.Range)
		}
	}

	for i, a := range assets {
		if a.Path == "" || a.Range.From >= m.at+part.Len() {
			continue
		}
		from, to := max(a.Range.From, m.at), min(a.Range.To, m.at+part.Len())
		if from < to {
			if err := m.add(i, a, part.Cut(from-m.at, to-m.at), from); err != nil {
				return ofAsset(a.Name, err)
			}
		}

		if open := m.open[i]; open != nil && a.Range.To <= m.at+part.Len() {
			open.Close()
			delete(m.open, i)
		}
	}

	m.at += part.Len()
	return nil
}

// add mixes in the audio of an asset, from an output sample in its range on.
func (m *mixer) add(i int, a media.AssetAudio, onto av.Stereo, from int64) error {
	if m.open[i] == nil {
		s, err := m.render.openAssetAudio(m.render.ctx, a.Path)
		if err != nil {
			return err
		}
		m.open[i] = s
	}

	if m.buffer.Len() < onto.Len() {
		m.buffer = av.NewStereo(onto.Len())
	}
	audible, at := m.buffer.Cut(0, onto.Len()), from-a.Range.From
	if err := readAsset(m.open[i], a, at, audible); err != nil {
		return err
	}
	length := a.Range.To - a.Range.From
	if a.SkipSamples > 0 || a.FadeIn > 0 {
		audible.RampOver(max(a.FadeIn, av.FadeSamples), at, length, true)
	}
	audible.RampOver(max(a.FadeOut, av.FadeSamples), at, length, false)
	if a.UnderVoice {
		voice := ducker{spans: m.render.plan.Audio.Voice}
		voice.lower(audible, from)
	}

	for n := range onto.Left {
		onto.Left[n] += audible.Left[n] * float32(a.Gain)
		onto.Right[n] += audible.Right[n] * float32(a.Gain)
	}

	return nil
}

// readAsset reads the audio of an asset from sample at of its audible range on. An asset that
// repeats starts again at its end.
func readAsset(s *av.AudioReader, a media.AssetAudio, at int64, out av.Stereo) error {
	at += a.SkipSamples
	if a.LoopSamples <= 0 {
		return s.Read(at, out)
	}
	for out.Len() > 0 {
		from := at % a.LoopSamples
		n := min(out.Len(), a.LoopSamples-from)
		if err := s.Read(from, out.Cut(0, n)); err != nil {
			return err
		}
		at, out = at+n, out.Cut(n, out.Len())
	}

	return nil
}

// mute silences the footage over a range of the output.
func (m *mixer) mute(part av.Stereo, span media.SampleRange) {
	for n := max(span.From, m.at); n < min(span.To, m.at+part.Len()); n++ {
		left := float32(0)
		if edge := min(n-span.From, span.To-1-n); edge < replaceSamples {
			left = 1 - av.Rise(edge, replaceSamples)
		}
		part.Left[n-m.at] *= left
		part.Right[n-m.at] *= left
	}
}

// ducker lowers audio around sorted, disjoint spans of the output.
type ducker struct {
	spans []media.SampleRange
	next  int // index of the first span whose effect ends after the last part
}

// lower ducks a part that starts at an output sample. Later calls must continue after it.
func (d *ducker) lower(part av.Stereo, at int64) {
	for d.next < len(d.spans) && d.spans[d.next].To+media.DuckRelease <= at {
		d.next++
	}
	near := d.next
	for n, end := at, at+part.Len(); n < end; n++ {
		for near < len(d.spans) && d.spans[near].To <= n {
			near++
		}
		before, after := int64(-1), int64(-1)
		if near < len(d.spans) {
			before = max(0, d.spans[near].From-n)
		}
		if near > 0 {
			after = n - d.spans[near-1].To
		}
		if before >= media.DuckAttack || before < 0 {
			if after < 0 || after >= media.DuckRelease {
				continue
			}
		}

		gain := float32(media.DuckGain(before, after))
		part.Left[n-at] *= gain
		part.Right[n-at] *= gain
	}
}

func (m *mixer) close() {
	for _, s := range m.open {
		s.Close()
	}
}

// openAssetAudio opens the audio of an asset.
func (r *render) openAssetAudio(ctx context.Context, path string) (*av.AudioReader, error) {
	v, err := av.Locate(ctx, path)
	if err != nil {
		return nil, err
	}
	v.Align(r.plan.Rate)
	open, err := av.OpenAudio(ctx, path, v.Origin.Audio, v.Heard...)
	if err == nil { // the output has two channels, because of the asset
		open.ApplyPanLaw()
	}
	return open, err
}

// Detection of the parts of an asset that duck the main audio: the minimum power, linear, and the
// length in samples over which it is measured.
const (
	loudPower = 1e-5 // -50 dB
	loudFrame = media.SampleRate / 50
)

// findLoudSpans finds where assets that duck the main audio are audible.
func (r *render) findLoudSpans() error {
	var loud []media.SampleRange
	for _, a := range r.plan.Audio.Assets {
		if !a.Duck || a.Path == "" {
			continue
		}
		spans, err := r.loudSpansOf(a)
		if err != nil {
			return ofAsset(a.Name, err)
		}
		loud = append(loud, spans...)
	}

	r.loudSpans = media.MergeSampleRanges(loud, media.DuckAttack+media.DuckRelease)
	return nil
}

// loudSpansOf returns the output spans where an asset is not silent.
func (r *render) loudSpansOf(a media.AssetAudio) (spans []media.SampleRange, err error) {
	s, err := r.openAssetAudio(r.ctx, a.Path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	buffer := av.NewStereo(loudFrame)
	for at := a.Range.From; at < a.Range.To; at += loudFrame {
		if err := context.Cause(r.ctx); err != nil {
			return nil, err
		}
		r.meter.Alive()
		part := buffer.Cut(0, min(loudFrame, a.Range.To-at))
		if err := readAsset(s, a, at-a.Range.From, part); err != nil {
			return nil, err
		}
		if part.Power()*math.Pow(a.Gain, 2) < loudPower {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].To == at {
			spans[n-1].To = at + part.Len()
		} else {
			spans = append(spans, media.SampleRange{From: at, To: at + part.Len()})
		}
	}

	return spans, nil
}
