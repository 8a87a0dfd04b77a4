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

// The steps of an analysis, as they are named on the event stream.
const (
	StepExtractAudio     = "extract_audio"
	StepDetectSilences   = "detect_silences"
	StepTranscribe       = "transcribe"
	StepFalseStarts      = "detect_false_starts"
	StepGenerateCaptions = "generate_captions"
)

// SpeechTrack is the speech of one recording, as ingest left it.
type SpeechTrack struct {
	ClipUUID   string
	Path       string // raw 16 kHz mono s16le; empty for a recording without sound
	DurationMS int64
	Keyframes  []int64 // of media.IngestResult
}

// Analysis is what an analysis found out about a project.
type Analysis struct {
	Model    string // empty where no speech model is installed
	Language string
	Clips    []ClipAnalysis
	Fillers  detect.WordChoice  // how the user's fillers differ from those of the language
	Mentions []director.Mention // where assets of the library are spoken of
	Timings  map[string]int64   // milliseconds by step
}

// ClipAnalysis is what an analysis found out about one clip. It is all that edits are derived from.
type ClipAnalysis struct {
	ClipUUID string            `json:"clip_uuid"`
	Evidence *detect.Evidence  `json:"evidence"` // nil for a recording without sound
	Segments []media.TimedText `json:"segments,omitempty"`
}

// MeasureVoice measures the sound of recordings one after the other; from what it finds, silences follow.
// Transcribe goes on from there. Language is an ISO 639-1 code, or empty to detect it. Step is told
// each step's name with the overall progress of an analysis in percent; steps do not go backwards.
func MeasureVoice(ctx context.Context, sounds []SpeechTrack, language string, step func(name string, percent int)) (Analysis, error) {
	found := Analysis{Language: language, Timings: map[string]int64{}}
	step(StepExtractAudio, 1)
	for _, s := range sounds {
		found.Clips = append(found.Clips, ClipAnalysis{ClipUUID: s.ClipUUID})
	}
	shares := shareByDuration(sounds)
	err := found.timed(StepDetectSilences, func() error {
		return listen(
			ctx,
			sounds,
			found.Clips,
			func(i int, f float64) { step(StepDetectSilences, 2+int(13*shares.at(i, f))) },
		)
	})
	return found, err
}

// Transcribe adds what is said in the recordings that were listened to. Without a model that is
// nothing.
func (f *Analysis) Transcribe(
	ctx context.Context,
	speech Speech,
	sounds []SpeechTrack,
	step func(name string, percent int),
) error {
	step(StepTranscribe, 15)
	shares := shareByDuration(sounds)
	return f.timed(StepTranscribe, func() error {
		return f.transcribe(
			ctx,
			speech,
			sounds,
			func(i int, fraction float64) { step(StepTranscribe, 15+int(77*shares.at(i, fraction))) },
		)
	})
}

func (f *Analysis) timed(step string, do func() error) error {
	started := time.Now()
	err := do()
	f.Timings[step] = time.Since(started).Milliseconds()
	return err
}

// listen measures the sound of each recording.
func listen(ctx context.Context, sounds []SpeechTrack, clips []ClipAnalysis, progress func(clip int, fraction float64)) error {
	for i, s := range sounds {
		if s.Path == "" {
			continue
		}
		file, err := os.Open(s.Path)
		if err != nil {
			return fmt.Errorf("opening the speech sound: %w", err)
		}
		evidence, err := detect.MeasureVoice(ctx, file, s.DurationMS, func(f float64) { progress(i, f) })
		err = errors.Join(err, file.Close())
		if err != nil {
			return fmt.Errorf("listening: %w", err)
		}
		evidence.Keyframes = s.Keyframes
		clips[i].Evidence = &evidence
	}
	return nil
}

// transcribe adds the words to the evidence.
func (f *Analysis) transcribe(
	ctx context.Context,
	speech Speech,
	sounds []SpeechTrack,
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
	f.Model = model.Name()
	for i, s := range sounds {
		if s.Path == "" {
			continue
		}
		transcript, err := model.Transcribe(
			ctx,
			s.Path,
			f.Language,
			f.Clips[i].Evidence.Voice,
			func(fraction float64) { progress(i, fraction) },
		)
		if err != nil {
			return fmt.Errorf("transcribing: %w", err)
		}
		if heard := transcript.Language; heard != "" && !spokenAs(f.Language, heard) {
			// the model does not know the language that was asked for, or none was: the first clip
			// decides for the others
			f.Language = heard
		}
		f.Clips[i].Evidence.Words = transcript.Words
		f.Clips[i].Segments = transcript.Segments
	}
	return nil
}

// spokenAs reports whether a language such as pt-BR is the one of a code such as pt.
func spokenAs(asked, code string) bool {
	return strings.EqualFold(media.BaseLanguage(asked), code)
}

// Edits derives the proposed edits of all clips.
func (f Analysis) Edits(knobs store.AnalysisSettings) []store.DetectedEdit {
	var out []store.DetectedEdit
	for _, clip := range f.Clips {
		if clip.Evidence == nil {
			continue
		}
		for _, e := range detect.Edits(*clip.Evidence, detect.Knobs{
			Pacing:      knobs.PacingLevel,
			FalseStarts: knobs.FalseStartSensitivity,
			Language:    f.Language,
			CutFillers:  knobs.CutFillers,
			FillerWords: f.Fillers,
		}) {
			out = append(
				out,
				store.DetectedEdit{
					ClipUUID:   clip.ClipUUID,
					Type:       e.Type,
					Span:       e.Span,
					Active:     e.Active,
					Reason:     e.Reason,
					Confidence: e.Confidence,
				},
			)
		}
	}
	return out
}

// Transcripts returns what was said, clip by clip, on clip time.
func (f Analysis) Transcripts() []store.ClipTranscript {
	var out []store.ClipTranscript
	for _, clip := range f.Clips {
		t := media.Transcript{Language: f.Language, Segments: clip.Segments}
		if clip.Evidence != nil {
			t.Words = clip.Evidence.Words
		}
		out = append(out, store.ClipTranscript{ClipUUID: clip.ClipUUID, Transcript: t})
	}
	return out
}

// Replan derives edits and placements from a run's kept evidence with other knobs: those of
// silences alone where the run has heard no words yet.
func Replan(in store.ReplanInput) ([]store.DetectedEdit, error) {
	found, err := decodeAnalysis(in.Evidence)
	if err != nil {
		return nil, err
	}
	derived := found.Edits(in.Run.AnalysisSettings)
	return append(derived, found.Placements(in.Run.DirectorNotes, derived, in.UserEdits)...), nil
}

// encode packs what edits are derived from, as gzipped JSON.
func (f Analysis) encode() ([]byte, error) {
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	if err := json.NewEncoder(zip).Encode(f); err != nil {
		return nil, fmt.Errorf("packing the evidence: %w", err)
	}
	if err := zip.Close(); err != nil {
		return nil, fmt.Errorf("packing the evidence: %w", err)
	}
	return buf.Bytes(), nil
}

func decodeAnalysis(packed []byte) (Analysis, error) {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return Analysis{}, fmt.Errorf("unpacking the evidence: %w", err)
	}
	var found Analysis
	if err := json.NewDecoder(zip).Decode(&found); err != nil {
		return Analysis{}, fmt.Errorf("unpacking the evidence: %w", err)
	}
	return found, nil
}

// shares tells how far an analysis of several recordings is when it is a fraction through one of
// them.
type shares []float64 // start of each, and 1

func shareByDuration(sounds []SpeechTrack) shares {
	var total int64
	for _, s := range sounds {
		total += s.DurationMS
	}
	out, at := shares{0}, int64(0)
	for _, s := range sounds {
		at += s.DurationMS
		out = append(out, float64(at)/float64(max(1, total)))
	}
	return out
}

func (s shares) at(i int, fraction float64) float64 { return s[i] + (s[i+1]-s[i])*fraction }

type analysisEvent struct {
	ProjectUUID string `json:"project_uuid"`
	RunUUID     string `json:"run_uuid"`
}

type analysisProgress struct {
	RunUUID  string `json:"run_uuid"`
	Step     string `json:"step"`
	Progress int    `json:"progress"`
}

type analysisComplete struct {
	RunUUID   string `json:"run_uuid"`
	EditCount int    `json:"edit_count"`
}

type analysisFailed struct {
	RunUUID string `json:"run_uuid"`
	Error   string `json:"error"`
}

// analysis listens to a project's clips and proposes its cuts.
func (p *Pool) analysis(ctx context.Context, job store.Job) error {
	if err := p.Store.StartRun(job); err != nil {
		return err
	}
	if err := p.Events.Publish(
		job.ProjectUUID,
		AnalysisStarted,
		analysisEvent{job.ProjectUUID, job.Subject},
	); err != nil {
		return err
	}
	in, err := p.Store.AnalysisInput(job)
	if err != nil {
		return err
	}
	var sounds []SpeechTrack
	for _, c := range in.Clips {
		sounds = append(
			sounds,
			SpeechTrack{ClipUUID: c.UUID, Path: c.SpeechPath, DurationMS: c.Info.DurationMS, Keyframes: c.Keyframes},
		)
	}
	pace := pacer{now: p.Now}
	step := func(name string, percent int) {
		if pace.ready(name, percent) {
			// Progress is news, not state: losing one report loses nothing.
			_ = p.Events.Report(job.ProjectUUID, AnalysisProgress, analysisProgress{job.Subject, name, percent})
		}
	}
	language := ""
	if in.Run.Language != nil {
		language = *in.Run.Language
	}
	found, err := MeasureVoice(ctx, sounds, language, step)
	if err != nil {
		return err
	}
	// Silences can be looked at while the words, which take far longer, are still being written
	// down.
	heard, err := found.encode()
	if err != nil {
		return err
	}
	if err := p.Store.SaveEvidence(job, heard); err != nil {
		return err
	}
	if err := found.Transcribe(ctx, p.Speech, sounds, step); err != nil {
		return err
	}
	for _, list := range in.WordLists {
		if list.Language == media.BaseLanguage(found.Language) {
			found.Fillers = detect.WordChoice(list.Fillers)
		}
	}
	result := store.AnalysisResult{
		Model:       found.Model,
		Language:    found.Language,
		Transcripts: found.Transcripts(),
		Timings:     found.Timings,
	}
	_ = found.timed(StepFalseStarts, func() error {
		step(StepFalseStarts, 93)
		result.Edits = found.Edits(in.Run.AnalysisSettings)
		return nil
	})
	_ = found.timed(StepGenerateCaptions, func() error {
		step(StepGenerateCaptions, 96)
		result.CaptionLines = CaptionLines(result.Transcripts, CaptionWordsMedium)
		return nil
	})
	err = found.timed(StepPlaceAssets, func() (err error) {
		step(StepPlaceAssets, 98)
		if result.DirectorReport, err = p.direct(ctx, in.Run, &found); err == nil {
			result.Edits = append(result.Edits, found.Placements(in.Run.DirectorNotes, result.Edits, in.UserEdits)...)
		}
		return err
	})
	if err != nil {
		return err
	}
	if result.Evidence, err = found.encode(); err != nil {
		return err
	}
	run, err := p.Store.FinishAnalysis(job, result)
	if err != nil {
		return err
	}
	return p.Events.Publish(job.ProjectUUID, AnalysisComplete, analysisComplete{run.UUID, run.EditCount})
}
