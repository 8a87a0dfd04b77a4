package whisper

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"roughcut/media"

	binding "github.com/ggerganov/whisper.cpp/bindings/go"
)

// Options are the choices of one transcription. The zero value is a good one.
type Options struct {
	// Language is ISO 639-1, with or without a region ("pt-BR"). Empty, "auto" or a language
	// unknown to Whisper means that the model finds out. A model that knows only English takes
	// everything for English.
	Language string
	// Prompt is what the model believes was said before, at most MaxPrompt characters; longer ones
	// make it leave words out. Words like "um" and "uh" in it make the model write down such words.
	Prompt string
	// Voice is where the recording has sound, when the caller knows it already; otherwise
	// Transcribe listens first.
	Voice *media.VoiceActivity
}

// MaxPrompt is the length in characters that a prompt is cut to.
const MaxPrompt = 32

// ErrClosed says that a model was used after Close.
var ErrClosed = errors.New("the speech model has been closed")

// Transcribe writes down what is said in a recording: sizeBytes of raw signed 16-bit little-endian
// mono sound at media.SpeechSampleRate. Times are clip time. Words are dropped where the recording
// is silent. progress, which may be nil, is called from the caller's goroutine with rising shares
// from 0 to 1. It blocks while another recording is transcribed. When ctx ends it stops within a
// second and returns the context's error.
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
	voice, err := m.voice(ctx, pcm, sizeBytes, opts)
	if err != nil {
		return media.Transcript{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ctx == nil {
		return media.Transcript{}, ErrClosed
	}
	progress(0)
	h := &hearing{model: m, pcm: pcm, language: m.language(opts.Language), prompt: cutPrompt(opts.Prompt)}
	if err := h.listen(ctx, windows(voice), func(f float64) { progress(f * firstShare) }); err != nil {
		return media.Transcript{}, err
	}
	words := snap(h.words, voice)
	if missed := uncovered(words, voice); len(missed) > 0 {
		first := h.words
		h.words = nil
		again := media.VoiceActivity{DurationMS: voice.DurationMS, Levels: voice.Levels, Spans: missed}
		if err := h.listen(
			ctx,
			windows(again),
			func(f float64) { progress(firstShare + f*(1-firstShare)) },
		); err != nil {
			return media.Transcript{}, err
		}
		words = snap(merged(first, h.words, missed), voice)
	}
	progress(1)
	return assemble(words, h.language), nil
}

// firstShare is how much of the work the first hearing of a recording is, for the progress.
const firstShare = 0.95

// hearing collects what the model hears. The caller holds the model's lock.
type hearing struct {
	model            *Model
	pcm              io.ReaderAt
	language, prompt string // the language is found out by the first run when it is empty
	words            []rawWord
	segments         int
}

// listen runs the model over windows and appends the words, in clip time.
func (h *hearing) listen(ctx context.Context, todo []window, progress func(float64)) error {
	heard, total := int64(0), int64(0)
	for _, w := range todo {
		total += w.duration()
	}
	for _, w := range todo {
		samples, err := w.samples(h.pcm)
		if err != nil {
			return err
		}
		segments, language, err := h.model.run(ctx, samples, h.language, h.prompt)
		if err != nil {
			return err
		}
		if h.language == "" {
			h.language = language
		}
		for _, seg := range segments {
			h.words = append(h.words, w.toClip(wordsOf(seg, h.segments))...)
			h.segments++
		}
		heard += w.duration()
		progress(float64(heard) / float64(total))
	}
	return nil
}

const (
	missedMS    = 450  // sound of this length that no word covers is heard again
	missedShare = 0.4  // except where it is more than this of all sound: that is music, not speech
	believedMin = 0.35 // probability that a word of the second hearing needs
)

// uncovered returns the sound that words were left out of: models skip sentences that are said
// twice. It returns nothing where most of the sound is without words.
func uncovered(words []rawWord, v media.VoiceActivity) []media.Span {
	cover := make([]media.Span, len(words))
	for i, w := range words {
		cover[i] = media.Span{StartMS: w.startMS, EndMS: w.endMS}
	}
	var out []media.Span
	missed, all, next := int64(0), int64(0), 0
	for _, gap := range media.KeptSpans(v.DurationMS, cover) {
		for next < len(v.Spans) && v.Spans[next].EndMS <= gap.StartMS {
			next++
		}
		for _, s := range v.Spans[next:] {
			if s.StartMS >= gap.EndMS {
				break
			}
			if on := s.Intersect(gap); on.Duration() >= missedMS {
				out = append(out, on)
				missed += on.Duration()
			}
		}
	}
	for _, s := range v.Spans {
		all += s.Duration()
	}
	if float64(missed) > missedShare*float64(all) {
		return nil
	}
	return out
}

// merged adds to the words of the first hearing those of the second that lie on what the first one
// missed.
func merged(first, second []rawWord, missed []media.Span) []rawWord {
	out := slices.Clone(first)
	for _, w := range second {
		middle := (w.startMS + w.endMS) / 2
		on := slices.ContainsFunc(missed, func(s media.Span) bool { return middle >= s.StartMS && middle <= s.EndMS })
		if on && w.probability >= believedMin {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b rawWord) int { return cmp.Compare(a.startMS, b.startMS) })
	return out
}

// toClip moves words from the window's time to clip time.
func (w window) toClip(words []rawWord) []rawWord {
	for i := range words {
		words[i].startMS, words[i].endMS = w.clipTime(words[i].startMS), w.clipTime(words[i].endMS)
	}
	return words
}

// voice returns where the recording has sound.
func (m *Model) voice(ctx context.Context, pcm io.ReaderAt, sizeBytes int64, opts Options) (media.VoiceActivity, error) {
	if opts.Voice != nil {
		return *opts.Voice, nil
	}
	meter := media.NewVoiceDetector()
	raw, samples := make([]byte, 1<<16), make([]int16, 1<<15)
	for at := int64(0); at+1 < sizeBytes; at += int64(len(raw)) {
		if err := ctx.Err(); err != nil {
			return media.VoiceActivity{}, err
		}
		n, err := pcm.ReadAt(raw[:min(int64(len(raw)), sizeBytes-at)], at)
		if err != nil && err != io.EOF {
			return media.VoiceActivity{}, fmt.Errorf("read speech sound: %w", err)
		}
		for i := range n / 2 {
			samples[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
		}
		meter.Add(samples[:n/2])
	}
	return meter.Activity(), nil
}

// language returns what the model is told: a code that it knows, or nothing.
func (m *Model) language(asked string) string {
	if !m.info.Multilingual {
		return "en"
	}
	code := media.BaseLanguage(asked)
	for id := range binding.Whisper_lang_max_id() + 1 {
		if binding.Whisper_lang_str(id) == code {
			return code
		}
	}
	return ""
}

// cutPrompt shortens a prompt to MaxPrompt characters at a word's border.
func cutPrompt(prompt string) string {
	prompt = strings.Map(func(r rune) rune {
		if r == 0 {
			return -1
		}
		return r
	}, strings.TrimSpace(prompt))
	runes := []rune(prompt)
	if len(runes) <= MaxPrompt {
		return prompt
	}
	short := string(runes[:MaxPrompt+1])
	if i := strings.LastIndex(short, " "); i > 0 {
		return short[:i]
	}
	return string(runes[:MaxPrompt])
}

// assemble makes the transcript of snapped words.
func assemble(words []rawWord, language string) media.Transcript {
	t := media.Transcript{Language: language, Words: []media.Word{}, Segments: []media.TimedText{}}
	for i, w := range words {
		t.Words = append(
			t.Words,
			media.Word{Text: w.text, StartMS: w.startMS, EndMS: w.endMS, Probability: w.probability},
		)
		if i > 0 && words[i-1].segment == w.segment {
			last := &t.Segments[len(t.Segments)-1]
			last.Text += joint(last.Text, w.text) + w.text
			last.EndMS = w.endMS
			continue
		}
		t.Segments = append(t.Segments, media.TimedText{Text: w.text, StartMS: w.startMS, EndMS: w.endMS})
	}
	return t
}
