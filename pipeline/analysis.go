package pipeline

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"roughcut/media"
	"roughcut/pipeline/detect"
	"roughcut/pipeline/director"
	"roughcut/store"
)

// Steps of an analysis, as events name them.
const (
	StepExtractAudio     = "extract_audio"
	StepDetectSilences   = "detect_silences"
	StepTranscribe       = "transcribe"
	StepFalseStarts      = "detect_false_starts"
	StepGenerateCaptions = "generate_captions"
)

// SpeechTrack is the speech audio of one recording, as ingests write it.
type SpeechTrack struct {
	ClipUUID   string
	Path       string // raw signed 16-bit mono audio at 16 kHz; empty for a recording without audio
	DurationMS int64
	Keyframes  []int64 // of the video, in milliseconds
}

// Analysis is the result of analyzing a project. The store keeps it as gzipped JSON, from which
// replans derive edits. Changing a JSON name breaks stored analyses.
type Analysis struct {
	Model    string             `json:"Model"` // empty if no speech model is installed
	Language string             `json:"Language"`
	Clips    []ClipAnalysis     `json:"Clips"`
	Fillers  detect.WordChoice  `json:"Fillers"`  // the user's changes to the fillers of the language
	Mentions []director.Mention `json:"Mentions"` // of assets of the library
	Timings  map[string]int64   `json:"Timings"`  // milliseconds by step
}

// ClipAnalysis is the result of analyzing one clip.
type ClipAnalysis struct {
	ClipUUID string            `json:"clip_uuid"`
	Evidence *detect.Evidence  `json:"evidence"` // nil for a recording without audio
	Segments []media.TimedText `json:"segments,omitempty"`
}

// MeasureVoice starts an analysis: it measures the voice activity of the recordings, one after the
// other. This is enough to derive silences; Transcribe is the next step. language is an ISO 639-1
// code, or empty to detect the language. step gets the name of each step and the progress of the
// whole analysis in percent, which never decreases.
func MeasureVoice(
	ctx context.Context,
	tracks []SpeechTrack,
	language string,
	step func(name string, percent int),
) (Analysis, error) {
	a := Analysis{Language: language, Timings: map[string]int64{}}
	step(StepExtractAudio, 1)
	for _, track := range tracks {
		a.Clips = append(a.Clips, ClipAnalysis{ClipUUID: track.ClipUUID})
	}
	shares := shareByDuration(tracks)
	err := a.timed(StepDetectSilences, func() error {
		return a.measure(ctx, tracks, func(i int, fraction float64) {
			step(StepDetectSilences, 2+int(13*shares.at(i, fraction)))
		})
	})
	return a, err
}

// Transcribe adds the transcripts of the recordings, whose voice activity is measured already. It
// does nothing if no speech model is installed.
func (a *Analysis) Transcribe(
	ctx context.Context,
	speech Speech,
	tracks []SpeechTrack,
	step func(name string, percent int),
) error {
	step(StepTranscribe, 15)
	shares := shareByDuration(tracks)
	return a.timed(StepTranscribe, func() error {
		return a.transcribe(ctx, speech, tracks, func(i int, fraction float64) {
			step(StepTranscribe, 15+int(77*shares.at(i, fraction)))
		})
	})
}

// timed runs a step and records its duration.
func (a *Analysis) timed(step string, do func() error) error {
	started := time.Now()
	err := do()
	a.Timings[step] = time.Since(started).Milliseconds()
	return err
}

// measure measures the voice activity of each recording.
func (a *Analysis) measure(
	ctx context.Context,
	tracks []SpeechTrack,
	progress func(clip int, fraction float64),
) error {
	for i, track := range tracks {
		if track.Path == "" {
			continue
		}
		file, err := os.Open(track.Path)
		if err != nil {
			return fmt.Errorf("opening the speech audio: %w", err)
		}
		evidence, err := detect.MeasureVoice(ctx, file, track.DurationMS, func(f float64) { progress(i, f) })
		err = errors.Join(err, file.Close())
		if err != nil {
			return fmt.Errorf("measuring voice activity: %w", err)
		}
		evidence.Keyframes = track.Keyframes
		a.Clips[i].Evidence = &evidence
	}
	return nil
}

// transcribe adds words and segments to each clip.
func (a *Analysis) transcribe(
	ctx context.Context,
	speech Speech,
	tracks []SpeechTrack,
	progress func(clip int, fraction float64),
) (err error) {
	model, err := speech.Open()
	if err != nil {
		return fmt.Errorf("loading the speech model: %w", err)
	}
	if model == nil {
		return nil
	}
	defer func() { err = errors.Join(err, model.Close()) }()
	a.Model = model.Name()
	for i, track := range tracks {
		if track.Path == "" {
			continue
		}
		transcript, err := model.Transcribe(
			ctx,
			track.Path,
			a.Language,
			a.Clips[i].Evidence.Voice,
			func(fraction float64) { progress(i, fraction) },
		)
		if err != nil {
			return fmt.Errorf("transcribing: %w", err)
		}
		if detected := transcript.Language; detected != "" && !isLanguage(a.Language, detected) {
			// No language was requested, or the model does not know it: the first clip decides.
			a.Language = detected
		}
		a.Clips[i].Evidence.Words = transcript.Words
		a.Clips[i].Segments = transcript.Segments
	}
	return nil
}

// isLanguage reports whether a language tag such as pt-BR has a code such as pt.
func isLanguage(tag, code string) bool { return media.BaseLanguage(tag) == strings.ToLower(code) }

// Edits derives the proposed edits of all clips.
func (a Analysis) Edits(settings store.AnalysisSettings) []store.DetectedEdit {
	options := detect.Settings{
		Pacing:      settings.PacingLevel,
		FalseStarts: settings.FalseStartSensitivity,
		Language:    a.Language,
		CutFillers:  settings.CutFillers,
		FillerWords: a.Fillers,
	}
	var out []store.DetectedEdit
	for _, clip := range a.Clips {
		if clip.Evidence == nil {
			continue
		}
		for _, e := range detect.Edits(*clip.Evidence, options) {
			out = append(out, store.DetectedEdit{
				ClipUUID:   clip.ClipUUID,
				Type:       e.Type,
				Span:       e.Span,
				Active:     e.Active,
				Reason:     e.Reason,
				Confidence: e.Confidence,
			})
		}
	}
	return out
}

// Transcripts returns the transcript of each clip, on clip time.
func (a Analysis) Transcripts() []store.ClipTranscript {
	var out []store.ClipTranscript
	for _, clip := range a.Clips {
		t := media.Transcript{Language: a.Language, Segments: clip.Segments}
		if clip.Evidence != nil {
			t.Words = clip.Evidence.Words
		}
		out = append(out, store.ClipTranscript{ClipUUID: clip.ClipUUID, Transcript: t})
	}
	return out
}

// Replan derives edits and placements from the stored evidence of a run, with the settings in the
// input. A run that is still transcribing gives silences only.
func Replan(in store.ReplanInput) ([]store.DetectedEdit, error) {
	a, err := decodeAnalysis(in.Evidence)
	if err != nil {
		return nil, err
	}
	derived := a.Edits(in.Run.AnalysisSettings)
	return append(derived, a.Placements(in.Run.DirectorNotes, derived, in.UserEdits)...), nil
}

// encode returns the analysis as gzipped JSON.
func (a Analysis) encode() ([]byte, error) {
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	if err := json.NewEncoder(zip).Encode(a); err != nil {
		return nil, fmt.Errorf("encoding the evidence: %w", err)
	}
	if err := zip.Close(); err != nil {
		return nil, fmt.Errorf("encoding the evidence: %w", err)
	}
	return buf.Bytes(), nil
}

// decodeAnalysis reads the output of encode.
func decodeAnalysis(packed []byte) (Analysis, error) {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return Analysis{}, fmt.Errorf("decoding the evidence: %w", err)
	}
	var a Analysis
	if err := json.NewDecoder(zip).Decode(&a); err != nil {
		return Analysis{}, fmt.Errorf("decoding the evidence: %w", err)
	}
	return a, nil
}

// shares converts the progress of one recording to the progress of all recordings. It holds the
// start of each recording as a fraction of the total duration, and a final 1.
type shares []float64

func shareByDuration(tracks []SpeechTrack) shares {
	var total int64
	for _, track := range tracks {
		total += track.DurationMS
	}
	out, at := shares{0}, int64(0)
	for _, track := range tracks {
		at += track.DurationMS
		out = append(out, float64(at)/float64(max(1, total)))
	}
	return out
}

// at returns the total progress when recording i is done to a fraction.
func (s shares) at(i int, fraction float64) float64 { return s[i] + (s[i+1]-s[i])*fraction }
