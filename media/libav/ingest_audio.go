package libav

import (
	"math"

	"golang.org/x/sync/errgroup"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/libav/av"
)

// audioIngest makes everything that an ingest derives from audio: the audio track of the proxy, the
// waveform, the loudness, and the speech file for analysis. close frees it.
type audioIngest struct {
	at     int64                // samples consumed
	proxy  *av.AudioEncoder     // nil if no proxy is made
	speech *speech              // nil if no speech file is written
	peaks  *peaks               // nil if the waveform is not measured
	loud   *audio.LoudnessMeter // nil if loudness is not measured
	parts  [2]av.Stereo         // parts of the audio: the next one, and the one in work
	work   *errgroup.Group      // on the last part

	unheard []int // microphones that never pause
}

func newAudioIngest(m *av.Muxer, request media.IngestRequest, hasVideo bool) (l *audioIngest, err error) {
	l = &audioIngest{
		parts: [2]av.Stereo{av.NewStereo(media.SampleRate), av.NewStereo(media.SampleRate)},
		work:  &errgroup.Group{},
	}
	if !request.SkipLevels {
		l.loud = audio.NewLoudnessMeter()
	}
	if !request.SkipLevels || !hasVideo {
		l.peaks = &peaks{}
	}
	if m != nil {
		if l.proxy, err = av.NewAudioEncoder(m, av.EncoderAAC, proxyBitRate); err != nil {
			return nil, err
		}
	}

	if request.SpeechPath != "" {
		if l.speech, err = newSpeech(request); err != nil {
			l.close(true)
			return nil, err
		}
	}

	return l, nil
}

// process processes the next part, which is at the start of parts[0]. It returns while the part is
// in work, so that decoding continues.
func (l *audioIngest) process(part av.Stereo) error {
	l.parts[0], l.parts[1] = l.parts[1], l.parts[0]
	l.at += part.Len()
	if err := l.work.Wait(); err != nil {
		return err
	}
	l.work = &errgroup.Group{}
	l.work.Go(av.Safely(func() error { return l.measure(part) }))
	l.work.Go(av.Safely(func() error { return l.write(part) }))
	return nil
}

// measure adds a part to the waveform and the loudness.
func (l *audioIngest) measure(part av.Stereo) error {
	if l.peaks != nil {
		l.peaks.add(part)
	}
	if l.loud != nil {
		l.loud.Add(part.Left, part.Right)
	}
	return nil
}

// write adds a part to the proxy and the speech file.
func (l *audioIngest) write(part av.Stereo) error {
	if l.proxy != nil {
		if err := l.proxy.Write(part.Left, part.Right); err != nil {
			return err
		}
	}

	if l.speech != nil {
		return l.speech.write(part)
	}
	return nil
}

// energies returns the loudness of the first durationMS milliseconds.
func (l *audioIngest) energies(durationMS int64) []media.Energy {
	if l.loud == nil {
		return nil
	}
	all := l.loud.Energies()
	return all[:min(int64(len(all)), (durationMS+media.EnergyMS-1)/media.EnergyMS)]
}

// finish ends all products.
func (l *audioIngest) finish() error {
	if err := l.work.Wait(); err != nil {
		return err
	}
	if l.peaks != nil {
		l.peaks.finish()
	}
	if l.proxy != nil {
		if err := l.proxy.Finish(); err != nil {
			return err
		}
	}

	if l.speech != nil {
		return l.speech.finish()
	}
	return nil
}

// complete ends the speech file at the length of the recording, because audio may last a little
// longer than video.
func (l *audioIngest) complete(durationMS int64) error {
	if l.speech == nil {
		return nil
	}
	return l.speech.complete(durationMS * media.SpeechSampleRate / 1000)
}

// describe adds to the description of the audio what was heard of its channels.
func (l *audioIngest) describe(a *media.AudioInfo) {
	a.Unheard = l.unheard
	if l.speech != nil && a.Channels == 2 {
		l.speech.hearing.describe(a)
	}
}

// close frees l and removes the speech file of a failed ingest.
func (l *audioIngest) close(failed bool) {
	_ = l.work.Wait() // the ingest has failed, or finish returned its error
	if l.proxy != nil {
		l.proxy.Close()
	}
	if l.speech != nil {
		l.speech.close(failed)
	}
}

// peaks collects the waveform.
type peaks struct {
	values []byte
	top    uint32 // the largest absolute sample, as its bits
	filled int    // samples in top
}

func (p *peaks) add(part av.Stereo) {
	const each = media.SampleRate / media.PeaksPerSecond
	for part.Len() > 0 {
		n := min(part.Len(), int64(each-p.filled))
		for i, left := range part.Left[:n] {
			// Without their sign, the bits of floats are in the order of their absolute values.
			p.top = max(p.top, math.Float32bits(left)&^(1<<31), math.Float32bits(part.Right[i])&^(1<<31))
		}

		if p.filled += int(n); p.filled == each {
			p.finish()
		}
		part = part.Cut(n, part.Len())
	}
}

func (p *peaks) finish() {
	if p.filled > 0 {
		p.values = append(p.values, byte(min(255, math.Float32frombits(p.top)*255+0.5)))
	}
	p.top, p.filled = 0, 0
}

// until returns the waveform of the first durationMS milliseconds, nil if it is not measured.
func (p *peaks) until(durationMS int64) []byte {
	if p == nil {
		return nil
	}
	const each = 1000 / media.PeaksPerSecond
	return p.values[:min(int64(len(p.values)), (durationMS+each-1)/each)]
}
