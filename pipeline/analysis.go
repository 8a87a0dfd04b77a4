package pipeline

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"roughcut/media"
	"roughcut/media/align"
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
	ClipUUID string
	// Path is the file of raw signed 16-bit mono audio at 16 kHz. It is empty for a recording
	// without audio. Tracks with the same file are heard and transcribed once.
	Path       string
	DurationMS int64
	Keyframes  []int64 // of the video, in milliseconds
	Motion     []byte  // of media.IngestResult
	// Transcript is the transcript that a person added to the recording, or nil.
	Transcript *media.ImportedTranscript
	// Heard is the evidence that the ingest measured. It is nil if the analysis must measure it.
	Heard *detect.Evidence
}

// Analysis is the result of analyzing a project. The store keeps it as gzipped JSON. Replans derive
// edits from that JSON, so changing a JSON name breaks stored analyses.
type Analysis struct {
	Model    string             `json:"Model"` // empty if no speech model is installed
	Language string             `json:"Language"`
	Doubt    string             `json:"Doubt,omitempty"` // about the language, of media.Transcript
	Clips    []ClipAnalysis     `json:"Clips"`
	Fillers  detect.WordChoice  `json:"Fillers"`  // the user's changes to the fillers of the language
	Mentions []director.Mention `json:"Mentions"` // of assets of the library
	Timings  map[string]int64   `json:"Timings"`  // milliseconds by step

	Vocabulary Vocabulary `json:"-"` // for Transcribe
}

// Vocabulary is the names and terms that the speech model gets, the most important first.
type Vocabulary struct {
	Project []string            // of a project, in every language; they come first
	Account map[string][]string // of an account, by ISO 639-1 code
}

// hints returns the hints for a language.
func (v Vocabulary) hints(code string) media.SpeechHints {
	return media.SpeechHints{Terms: append(slices.Clone(v.Project), v.Account[code]...)}
}

// ClipAnalysis is the result of analyzing one clip.
type ClipAnalysis struct {
	ClipUUID string            `json:"clip_uuid"`
	Evidence *detect.Evidence  `json:"evidence"` // nil for a recording without audio
	Segments []media.TimedText `json:"segments,omitempty"`
}

// MeasureVoice starts an analysis: it measures the voice activity of the recordings that were not
// heard yet, one after the other. This is enough to derive silences; Transcribe is the next step.
// language is an ISO 639-1 code, or empty to detect the language. step gets the name of each step
// and the progress of the whole analysis in percent, which never decreases.
func MeasureVoice(
	ctx context.Context,
	tracks []SpeechTrack,
	language string,
	step func(name string, percent int),
) (Analysis, error) {
	return measureVoice(ctx, LocalEars{}, tracks, language, step)
}

func measureVoice(
	ctx context.Context,
	ears Ears,
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
		return a.measure(ctx, ears, tracks, func(i int, fraction float64) {
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

// sameTrack returns the first index in among whose track has the audio and the imported transcript
// of track i, or -1.
func sameTrack(tracks []SpeechTrack, among []int, i int) int {
	at := slices.IndexFunc(among, func(j int) bool {
		return tracks[j].Path == tracks[i].Path && reflect.DeepEqual(tracks[j].Transcript, tracks[i].Transcript)
	})
	if at < 0 {
		return -1
	}
	return among[at]
}

// measure measures the voice activity of each recording.
func (a *Analysis) measure(
	ctx context.Context,
	ears Ears,
	tracks []SpeechTrack,
	progress func(clip int, fraction float64),
) error {
	for i, track := range tracks {
		if track.Path == "" {
			continue
		}
		var evidence detect.Evidence
		same := slices.IndexFunc(tracks[:i], func(other SpeechTrack) bool { return other.Path == track.Path })
		switch {
		case same >= 0:
			evidence = *a.Clips[same].Evidence
			progress(i, 1)
		case track.Heard != nil:
			evidence = *track.Heard
			progress(i, 1)
		default:
			var err error
			evidence, err = ears.Hear(ctx, track.Path, track.DurationMS, func(f float64) { progress(i, f) })
			if err != nil {
				return fmt.Errorf("measuring voice activity: %w", err)
			}
		}

		evidence.Keyframes, evidence.Motion = track.Keyframes, track.Motion
		a.Clips[i].Evidence = &evidence
	}

	return nil
}

// ImportedModel stands for the speech model of an analysis that used imported transcripts and no
// speech model.
const ImportedModel = "imported"

// transcribe adds words and segments to each clip.
func (a *Analysis) transcribe(
	ctx context.Context,
	speech Speech,
	tracks []SpeechTrack,
	progress func(clip int, fraction float64),
) error {
	var rest []int // the tracks that need the speech model
	for i, track := range tracks {
		switch {
		case track.Path == "":
		case track.Transcript != nil && !hasRoughWords(*track.Transcript):
			a.Model = ImportedModel
			a.keep(i, align.Transcript(*track.Transcript, a.Clips[i].Evidence.Voice))
		default:
			rest = append(rest, i)
		}
	}

	if len(rest) == 0 && a.Model != "" {
		return nil
	}
	return a.recognize(ctx, speech, tracks, rest, progress)
}

// hasRoughWords reports whether words of a transcript have no time of their own.
func hasRoughWords(m media.ImportedTranscript) bool {
	return slices.ContainsFunc(m.Words, func(w media.ImportedWord) bool { return w.Rough })
}

// recognize transcribes some of the tracks with the speech model. It keeps the text of imported
// transcripts and takes only the times of their words.
func (a *Analysis) recognize(
	ctx context.Context,
	speech Speech,
	tracks []SpeechTrack,
	chosen []int,
	progress func(clip int, fraction float64),
) (err error) {
	model, err := speech.Open()
	if err != nil {
		return fmt.Errorf("loading the speech model: %w", err)
	}
	if model == nil {
		a.alignWithout(tracks, chosen)
		return nil
	}

	defer func() { err = errors.Join(err, model.Close()) }()
	a.Model = model.Name()
	for n, i := range chosen {
		if same := sameTrack(tracks, chosen[:n], i); same >= 0 {
			from := a.Clips[same]
			a.Clips[i].Evidence.Words = slices.Clone(from.Evidence.Words)
			a.Clips[i].Segments = slices.Clone(from.Segments)
			progress(i, 1)
			continue
		}

		given, language := tracks[i].Transcript, a.Language
		if given != nil && given.Language != "" {
			language = given.Language
		}
		voice := a.Clips[i].Evidence.Voice
		transcript, err := model.Transcribe(
			ctx,
			tracks[i].Path,
			SpeechRequest{Language: language, Voice: voice, Hints: a.Vocabulary.hints},
			func(fraction float64) { progress(i, fraction) },
		)
		if err != nil {
			return fmt.Errorf("transcribing: %w", err)
		}
		switch {
		case given != nil && transcript.Doubt == media.LanguageUnsupported:
			transcript = align.Transcript(*given, voice)
		case given != nil:
			heard := transcript
			transcript = align.Guided(*given, heard.Words, voice)
			if transcript.Language == "" {
				transcript.Language = heard.Language
			}
		}

		a.keep(i, transcript)
	}

	return nil
}

// alignWithout aligns imported transcripts without a speech model.
func (a *Analysis) alignWithout(tracks []SpeechTrack, chosen []int) {
	for _, i := range chosen {
		if given := tracks[i].Transcript; given != nil {
			a.Model = ImportedModel
			a.keep(i, align.Transcript(*given, a.Clips[i].Evidence.Voice))
		}
	}
}

// keep stores the transcript of a clip. If no language was requested, the first clip decides the
// language, and so the doubt about it.
func (a *Analysis) keep(clip int, m media.Transcript) {
	a.Doubt = cmp.Or(a.Doubt, m.Doubt)
	if m.Language != "" && !isLanguage(a.Language, m.Language) {
		a.Language = m.Language
	}
	a.Clips[clip].Evidence.Words, a.Clips[clip].Segments = m.Words, m.Segments
}

// isLanguage reports whether a language tag such as pt-BR has a code such as pt.
func isLanguage(tag, code string) bool { return media.BaseLanguage(tag) == strings.ToLower(code) }

// Propose derives the proposed edits and the take groups of all clips.
func (a Analysis) Propose(settings store.AnalysisSettings) store.Proposal {
	options := a.detectSettings(settings)
	var out store.Proposal
	for _, clip := range a.Clips {
		if clip.Evidence == nil {
			continue
		}
		edits, groups := detect.Propose(*clip.Evidence, options)
		for _, e := range edits {
			found := store.DetectedEdit{
				ClipUUID:   clip.ClipUUID,
				Type:       e.Type,
				Span:       e.Span,
				Active:     e.Active,
				Reason:     e.Reason,
				Confidence: e.Confidence,
				Action:     settings.ActionOf(e.Type),
			}
			if e.Take != nil {
				found.TakeGroup, found.TakeNumber = takeGroupID(clip.ClipUUID, e.Take.Group), e.Take.Number
			}
			out.Edits = append(out.Edits, found)
		}

		for _, g := range groups {
			out.TakeGroups = append(out.TakeGroups, takeGroup(clip.ClipUUID, g))
		}
	}

	return out
}

// detectSettings returns the settings of detection, with the language and words of the analysis.
func (a Analysis) detectSettings(k store.AnalysisSettings) detect.Settings {
	return detect.Settings{CutOptions: k.CutOptions, Language: a.Language, FillerWords: a.Fillers}
}

func takeGroup(clip string, g detect.TakeGroup) store.DetectedTakeGroup {
	out := store.DetectedTakeGroup{ID: takeGroupID(clip, g.ID), ClipUUID: clip, Proposed: g.Proposed}
	for _, take := range g.Takes {
		out.Takes = append(out.Takes, store.DetectedTake{
			Span:     take.Span,
			Text:     take.Text,
			Complete: take.Complete,
			Fluent:   take.Fluent,
			Partial:  take.Partial,
			LevelDB:  take.LevelDB,
			Reason:   take.Reason,
		})
	}

	return out
}

// takeGroupID returns an ID of a take group that is unique in a project, from its ID in a clip. The
// same clip and ID always give the same result, so a replan keeps it.
func takeGroupID(clip, id string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("roughcut:take-group:"+clip+":"+id)).String()
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

// Replan derives edits, take groups and placements from the stored evidence of a run, with the
// settings in the input. A run that is still transcribing gives silences and repeats by sound only.
// While the motion of a clip is being measured, the clip has no demonstrations: see
// Pool.replanWithMotion.
func Replan(in store.ReplanInput) (store.Proposal, error) {
	a, err := decodeAnalysis(in.Evidence)
	if err != nil {
		return store.Proposal{}, err
	}
	a.duplicate(in.Duplicates)
	a.correct(in.Corrected)
	for i, clip := range a.Clips {
		if motion := in.Motion[clip.ClipUUID]; motion != nil && clip.Evidence != nil {
			a.Clips[i].Evidence.Motion = motion
		}
	}

	found := a.Propose(in.Run.AnalysisSettings)
	placed := a.Placements(in.Run.AnalysisSettings, found.Edits, in.UserEdits)
	found.Edits = append(found.Edits, placed...)
	found.MotionLeft = in.MotionLeft && in.Run.KeepDemonstrations
	return found, nil
}

// duplicate adds evidence for clips that were duplicated after the analysis. It takes the evidence
// of the original clips.
func (a *Analysis) duplicate(duplicates []store.Clip) {
	has := func(uuid string) int {
		return slices.IndexFunc(a.Clips, func(c ClipAnalysis) bool { return c.ClipUUID == uuid })
	}
	for _, d := range duplicates {
		if has(d.UUID) >= 0 {
			continue
		}
		for _, from := range slices.Backward(d.CopyOf) {
			i := has(from)
			if i < 0 {
				continue
			}
			copied := a.Clips[i]
			copied.ClipUUID = d.UUID
			if copied.Evidence != nil {
				copied.Evidence = new(*copied.Evidence)
			}

			a.Clips = append(a.Clips, copied)
			break
		}
	}
}

// correct replaces the words of the evidence with the words of corrected transcripts.
func (a Analysis) correct(transcripts []store.ClipTranscript) {
	for _, t := range transcripts {
		for _, clip := range a.Clips {
			if clip.ClipUUID == t.ClipUUID && clip.Evidence != nil {
				clip.Evidence.Words = t.Words
			}
		}
	}
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
	lengths := make([]int64, len(tracks))
	for i, track := range tracks {
		if slices.ContainsFunc(tracks[:i], func(other SpeechTrack) bool { return other.Path == track.Path }) {
			continue // no work
		}
		lengths[i] = track.DurationMS
		total += track.DurationMS
	}

	out, at := shares{0}, int64(0)
	for _, length := range lengths {
		at += length
		out = append(out, float64(at)/float64(max(1, total)))
	}

	return out
}

// at returns the total progress when recording i is done to a fraction.
func (s shares) at(i int, fraction float64) float64 { return s[i] + (s[i+1]-s[i])*fraction }
