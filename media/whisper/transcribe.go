package whisper

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"roughcut/media"
	"roughcut/media/audio"
)

// Options are the options of one transcription. The zero value is a good default.
type Options struct {
	// Language is a language tag, with or without a region ("pt-BR"). Empty means that the model
	// detects the language. If the model does not know the language, the transcript has no words.
	Language string
	// Hints returns the hints for a language of Whisper. It may be nil.
	Hints func(language string) media.SpeechHints
	// Voice is the voice activity of the recording, if known. Otherwise Transcribe computes it.
	Voice *audio.VoiceActivity
}

// ErrClosed means that a model was used after Close.
var ErrClosed = errors.New("the speech model has been closed")

// Transcribe transcribes a recording: sizeBytes of raw signed 16-bit little-endian mono audio at
// media.SpeechSampleRate. Word times are clip time. Words in silence are dropped.
//
// progress may be nil. Transcribe calls it with increasing values from 0 to 1, one call at a time,
// but not always on the calling goroutine. It blocks while the model transcribes another recording.
// When ctx ends, it stops within a second and returns the error of ctx.
func (m *Model) Transcribe(
	ctx context.Context,
	pcm io.ReaderAt,
	sizeBytes int64,
	opts Options,
	progress func(float64),
) (media.Transcript, error) {
	if progress == nil {
		progress = func(float64) {}
	}
	voice, err := m.voiceActivity(ctx, pcm, sizeBytes, opts)
	if err != nil {
		return media.Transcript{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ctx == nil {
		return media.Transcript{}, ErrClosed
	}
	progress(0)
	language, doubt := m.info.language(opts.Language)
	if doubt == media.LanguageUnsupported {
		progress(1)
		return buildTranscript(nil, "", doubt), nil
	}

	pass := &transcription{model: m, pcm: pcm, language: language, doubt: doubt, hints: opts.Hints}
	report := func(f float64) { progress(f * firstPassShare) }
	if err := pass.transcribe(ctx, m.packing().windows(voice), report); err != nil {
		return media.Transcript{}, err
	}
	words := snap(pass.words, voice)
	missed, long := missedSpeech(words, voice), longWords(words)
	if again := spansOf(missed, long); isSpeech(again, voice) {
		first := pass.words
		pass.words = nil
		spans := audio.VoiceActivity{DurationMS: voice.DurationMS, Levels: voice.Levels, Spans: again}
		report := func(f float64) { progress(firstPassShare + f*(1-firstPassShare)) }
		if err := pass.transcribe(ctx, m.packing().windows(spans), report); err != nil {
			return media.Transcript{}, err
		}
		words = snap(mergeWords(inPlaceOf(first, long, pass.words), pass.words, missed), voice)
	}

	progress(1)
	return buildTranscript(words, pass.language, pass.doubt), nil
}

// firstPassShare is the share of the first pass in the progress.
const firstPassShare = 0.95

// transcription collects the words of a recording. The caller must hold the lock of the model.
type transcription struct {
	model    *Model
	pcm      io.ReaderAt
	language string                                  // empty until the first run detects it
	doubt    string                                  // of media.Transcript
	hints    func(language string) media.SpeechHints // nil without hints, and once bias is set
	bias     *bias                                   // of the hints for the language; nil without terms
	words    []rawWord
	segments int
}

// transcribe runs the model over windows and appends the words, in clip time.
func (t *transcription) transcribe(ctx context.Context, todo []window, progress func(float64)) error {
	done, total := int64(0), int64(0)
	for _, w := range todo {
		total += w.duration()
	}
	for _, w := range todo {
		samples, err := w.samples(t.pcm)
		if err != nil {
			return err
		}
		segments, err := t.run(ctx, samples, func(f float64) {
			progress((float64(done) + f*float64(w.duration())) / float64(total))
		})
		if err != nil {
			return err
		}
		for _, seg := range segments {
			t.words = append(t.words, w.toClipTime(wordsOfSegment(seg, t.segments))...)
			t.segments++
		}

		done += w.duration()
		progress(float64(done) / float64(total))
	}

	return nil
}

// run transcribes the samples of a window. The first window decides the language if it is to be
// detected.
func (t *transcription) run(
	ctx context.Context,
	samples []float32,
	progress func(float64),
) ([]segment, error) {
	if t.language == "" {
		var err error
		if t.language, t.doubt, err = t.model.detectLanguage(samples); err != nil {
			return nil, err
		}
	}

	t.setBias()
	return t.model.run(ctx, samples, t.language, t.bias, progress)
}

// setBias sets the bias for the language of the recording. It asks for the hints once.
func (t *transcription) setBias() {
	if t.hints != nil {
		t.bias = t.model.newBias(t.hints(t.language).Terms)
		t.hints = nil
	}
}

// toClipTime converts words from window time to clip time.
func (w window) toClipTime(words []rawWord) []rawWord {
	for i := range words {
		words[i].startMS, words[i].endMS = w.clipTime(words[i].startMS), w.clipTime(words[i].endMS)
	}
	return words
}

// voiceActivity returns the voice activity of the recording.
func (m *Model) voiceActivity(
	ctx context.Context,
	pcm io.ReaderAt,
	sizeBytes int64,
	opts Options,
) (audio.VoiceActivity, error) {
	if opts.Voice != nil {
		return *opts.Voice, nil
	}
	detector := audio.NewVoiceDetector()
	raw, samples := make([]byte, 1<<16), make([]int16, 1<<15)
	for at := int64(0); at+1 < sizeBytes; at += int64(len(raw)) {
		if err := ctx.Err(); err != nil {
			return audio.VoiceActivity{}, err
		}
		n, err := pcm.ReadAt(raw[:min(int64(len(raw)), sizeBytes-at)], at)
		if err != nil && err != io.EOF {
			return audio.VoiceActivity{}, fmt.Errorf("read speech audio: %w", err)
		}
		for i := range n / 2 {
			samples[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
		}
		detector.Add(samples[:n/2])
	}

	return detector.Activity(nil), nil
}

// buildTranscript returns the transcript of snapped words.
func buildTranscript(words []rawWord, language, doubt string) media.Transcript {
	t := media.Transcript{Language: language, Words: []media.Word{}, Segments: []media.TimedText{}, Doubt: doubt}
	for i, w := range words {
		t.Words = append(
			t.Words,
			media.Word{Text: w.text, StartMS: w.startMS, EndMS: w.endMS, Probability: w.probability},
		)
		if i > 0 && words[i-1].segment == w.segment {
			last := &t.Segments[len(t.Segments)-1]
			last.Text = media.JoinWords([]string{last.Text, w.text})
			last.EndMS = w.endMS
			continue
		}

		t.Segments = append(t.Segments, media.TimedText{Text: w.text, StartMS: w.startMS, EndMS: w.endMS})
	}

	return t
}
