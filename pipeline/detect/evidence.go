// Package detect proposes cuts of a recording: pauses, false starts and fillers, each with a reason
// and a confidence. It also finds profane words and breaks transcripts into caption lines.
//
// The package is pure. MeasureVoice reads the audio once and returns Evidence. Edits derives
// proposals from Evidence for any Settings within milliseconds. All times are clip time in
// milliseconds.
package detect

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/voicenet"
	"roughcut/pipeline/detect/edge"
	"roughcut/pipeline/detect/repeat"
	"roughcut/pipeline/detect/spectrum"
)

// Evidence describes the speech of one clip. It is stored with the analysis as JSON; an hour takes
// less than a megabyte compressed. MeasureVoice leaves Words, Keyframes and Motion empty for the
// caller to fill in. Without a speech model, Words stays empty.
type Evidence struct {
	DurationMS int64               `json:"duration_ms"` // of the clip; its audio may be shorter
	Voice      audio.VoiceActivity `json:"voice"`
	Words      []media.Word        `json:"words"`                  // aligned with the audio, in order, not overlapping
	Keyframes  []int64             `json:"keyframes_ms,omitempty"` // of the video, in clip time
	Motion     []byte              `json:"motion,omitempty"`       // of media.IngestResult
	Repeats    []Repeat            `json:"repeats,omitempty"`      // by sound; none in evidence of earlier versions
	Pitch      []byte              `json:"pitch,omitempty"`        // of audio.PitchMeter; none in old evidence
	Change     []byte              `json:"change,omitempty"`       // of the spectrum; none in old evidence
}

// MeasureVoice measures the voice activity of raw signed 16-bit little-endian mono audio at the
// sample rate of speech models. It reads pcm to its end. durationMS is the duration of the clip, or
// 0 to use the duration of the audio. progress gets a growing fraction from 0 to 1 and may be nil.
// The measurement takes 4 bytes of memory for each 10 ms. Errors: the error of ctx; read errors of
// pcm.
func MeasureVoice(ctx context.Context, pcm io.Reader, durationMS int64, progress func(float64)) (Evidence, error) {
	if progress == nil {
		progress = func(float64) {}
	}
	ears, err := newListener()
	if err != nil {
		return Evidence{}, err
	}
	raw, samples := make([]byte, 1<<17), make([]int16, 1<<16)
	heard, total := int64(0), durationMS*media.SpeechSampleRate/1000
	progress(0)
	for {
		if err := ctx.Err(); err != nil {
			return Evidence{}, err
		}
		n, err := io.ReadFull(pcm, raw)
		for i := range n / 2 {
			samples[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
		}
		ears.add(samples[:n/2])
		if heard += int64(n / 2); total > 0 {
			progress(min(float64(heard)/float64(total), 1))
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return Evidence{}, fmt.Errorf("reading the speech audio: %w", err)
		}
	}

	progress(1)
	voice := ears.activity()
	edge.Refine(&voice, ears.spectrum)
	growSounds(&voice)
	repeats, err := repeat.Find(ctx, ears.spectrum, withoutSounds(voice))
	if err != nil {
		return Evidence{}, err
	}
	repeats = slices.DeleteFunc(repeats, func(r Repeat) bool {
		return !isMostlyVoice(voice, r.Earlier) || !isMostlyVoice(voice, r.Later)
	})
	if durationMS <= 0 {
		durationMS = voice.DurationMS
	}
	return Evidence{
		DurationMS: durationMS, Voice: voice, Repeats: repeats,
		Pitch: ears.pitch.Pitch(), Change: ears.spectrum.Changes(),
	}, nil
}

const likelyVoice = 128 // of 255: least probability of a window that counts as voice

// isMostlyVoice reports whether the voice network hears voice in at least half of a span. The
// spectrum cannot decide this: melodic speech, and speech in a ringing room, change as slowly as
// music. Without the network, every span counts as voice.
func isMostlyVoice(v audio.VoiceActivity, s media.Span) bool {
	from := int(s.StartMS / audio.VoiceWindowMS)
	to := min(int((s.EndMS+audio.VoiceWindowMS-1)/audio.VoiceWindowMS), len(v.Probability))
	n := 0
	for w := from; w < to; w++ {
		if v.Probability[w] >= likelyVoice {
			n++
		}
	}

	return 2*n >= to-from
}

// withoutSounds returns the voice activity with the endings that noise hides, but without the
// sounds that are as loud as speech. Machines and music repeat themselves; only speech has takes.
func withoutSounds(v audio.VoiceActivity) []media.Span {
	cuts := media.KeptSpans(v.DurationMS, media.MergeSpans(slices.Concat(v.Spans, v.Hidden)))
	for _, s := range v.Sounds {
		if s.Kind != audio.SoundFaint {
			cuts = append(cuts, s.Span)
		}
	}

	return media.KeptSpans(v.DurationMS, media.MergeSpans(cuts))
}

// listener measures levels and voice at the same time.
type listener struct {
	levels   *audio.VoiceDetector
	network  *voicenet.Network // nil in a program that was built without it
	spectrum *spectrum.Meter
	pitch    *audio.PitchMeter
}

// Repeat is speech that sounds like later speech.
type Repeat = repeat.Repeat

// newListener returns a listener without audio. Errors: damaged weights of the voice network.
func newListener() (*listener, error) {
	network, err := voicenet.New()
	if err != nil && !errors.Is(err, voicenet.ErrNoWeights) {
		return nil, err
	}
	return &listener{
		levels: audio.NewVoiceDetector(), network: network, spectrum: spectrum.NewMeter(), pitch: audio.NewPitchMeter(),
	}, nil
}

// add listens to more samples.
func (l *listener) add(samples []int16) {
	l.levels.Add(samples)
	l.spectrum.Add(samples)
	l.pitch.Add(samples)
	if l.network != nil {
		l.network.Add(samples)
	}
}

// activity ends the measurement.
func (l *listener) activity() audio.VoiceActivity {
	if l.network == nil {
		return l.levels.Activity(nil)
	}
	return l.levels.Activity(l.network.Probabilities())
}
