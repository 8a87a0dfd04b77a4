package libav

import (
	"context"
	"math"

	"roughcut/media"
)

// mixer mixes the audio of placed assets into that of the footage, from the start of the output on.
// close frees it.
type mixer struct {
	render *render
	at     int64                // samples mixed
	open   map[int]*audioReader // by index in the plan; open from the first to the last sample in use
	loud   ducker
	buffer stereo
}

// replaceSamples is the length of the fades around replaced audio.
const replaceSamples = media.SampleRate / 100

func newMixer(r *render) *mixer {
	return &mixer{render: r, open: map[int]*audioReader{}, loud: ducker{spans: r.loudSpans}}
}

// mix changes a part that starts where the previous one ended.
func (m *mixer) mix(part stereo) error {
	assets := m.render.plan.Audio.Assets
	m.loud.lower(part, m.at)
	for _, a := range assets {
		if a.Replace {
			m.mute(part, a.Range)
		}
	}

	for i, a := range assets {
		if a.Path == "" || a.Range.From >= m.at+part.len() {
			continue
		}
		from, to := max(a.Range.From, m.at), min(a.Range.To, m.at+part.len())
		if from < to {
			if err := m.add(i, a, part.cut(from-m.at, to-m.at), from); err != nil {
				return ofAsset(a.Name, err)
			}
		}

		if open := m.open[i]; open != nil && a.Range.To <= m.at+part.len() {
			open.close()
			delete(m.open, i)
		}
	}

	m.at += part.len()
	return nil
}

// add mixes in the audio of an asset, from an output sample in its range on.
func (m *mixer) add(i int, a media.AssetAudio, onto stereo, from int64) error {
	if m.open[i] == nil {
		s, err := m.render.openAssetAudio(m.render.ctx, a.Path)
		if err != nil {
			return err
		}
		m.open[i] = s
	}

	if m.buffer.len() < onto.len() {
		m.buffer = newStereo(onto.len())
	}
	audible, at := m.buffer.cut(0, onto.len()), from-a.Range.From
	if err := readAsset(m.open[i], a, at, audible); err != nil {
		return err
	}
	length := a.Range.To - a.Range.From
	if a.SkipSamples > 0 || a.FadeIn > 0 {
		audible.rampOver(max(a.FadeIn, fadeSamples), at, length, true)
	}
	audible.rampOver(max(a.FadeOut, fadeSamples), at, length, false)
	if a.UnderVoice {
		voice := ducker{spans: m.render.plan.Audio.Voice}
		voice.lower(audible, from)
	}

	for n := range onto.left {
		onto.left[n] += audible.left[n] * float32(a.Gain)
		onto.right[n] += audible.right[n] * float32(a.Gain)
	}

	return nil
}

// readAsset reads the audio of an asset from sample at of its audible range on. An asset that
// repeats starts again at its end.
func readAsset(s *audioReader, a media.AssetAudio, at int64, out stereo) error {
	at += a.SkipSamples
	if a.LoopSamples <= 0 {
		return s.read(at, out)
	}
	for out.len() > 0 {
		from := at % a.LoopSamples
		n := min(out.len(), a.LoopSamples-from)
		if err := s.read(from, out.cut(0, n)); err != nil {
			return err
		}
		at, out = at+n, out.cut(n, out.len())
	}

	return nil
}

// mute silences the footage over a range of the output.
func (m *mixer) mute(part stereo, span media.SampleRange) {
	for n := max(span.From, m.at); n < min(span.To, m.at+part.len()); n++ {
		left := float32(0)
		if edge := min(n-span.From, span.To-1-n); edge < replaceSamples {
			left = 1 - rise(edge, replaceSamples)
		}
		part.left[n-m.at] *= left
		part.right[n-m.at] *= left
	}
}

// ducker lowers audio around sorted, disjoint spans of the output.
type ducker struct {
	spans []media.SampleRange
	next  int // index of the first span whose effect ends after the last part
}

// lower ducks a part that starts at an output sample. Later calls must continue after it.
func (d *ducker) lower(part stereo, at int64) {
	for d.next < len(d.spans) && d.spans[d.next].To+media.DuckRelease <= at {
		d.next++
	}
	near := d.next
	for n, end := at, at+part.len(); n < end; n++ {
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
		part.left[n-at] *= gain
		part.right[n-at] *= gain
	}
}

func (m *mixer) close() {
	for _, s := range m.open {
		s.close()
	}
}

// openAssetAudio opens the audio of an asset.
func (r *render) openAssetAudio(ctx context.Context, path string) (*audioReader, error) {
	v, err := locate(ctx, path)
	if err != nil {
		return nil, err
	}
	return openAudio(ctx, path, v.origin.audio)
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

// loudSpansOf returns the spans of the output in which an asset is not silent.
func (r *render) loudSpansOf(a media.AssetAudio) (spans []media.SampleRange, err error) {
	s, err := r.openAssetAudio(r.ctx, a.Path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	buffer := newStereo(loudFrame)
	for at := a.Range.From; at < a.Range.To; at += loudFrame {
		if err := context.Cause(r.ctx); err != nil {
			return nil, err
		}
		r.meter.alive()
		part := buffer.cut(0, min(loudFrame, a.Range.To-at))
		if err := readAsset(s, a, at-a.Range.From, part); err != nil {
			return nil, err
		}
		if part.power()*math.Pow(a.Gain, 2) < loudPower {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].To == at {
			spans[n-1].To = at + part.len()
		} else {
			spans = append(spans, media.SampleRange{From: at, To: at + part.len()})
		}
	}

	return spans, nil
}
