package pipeline

import (
	"context"

	"roughcut/media"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

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

// speechTracks returns the clips of an analysis as tracks.
func (p *Pool) speechTracks(clips []store.AnalysisClip) (tracks []SpeechTrack) {
	for _, c := range clips {
		tracks = append(tracks, SpeechTrack{
			ClipUUID:   c.UUID,
			Path:       c.SpeechPath,
			DurationMS: c.Info.DurationMS,
			Keyframes:  c.Keyframes,
			Motion:     c.Motion,
			Transcript: c.Transcript,
			Heard:      p.heard.of(c.FileID, c.Info.DurationMS),
		})
	}

	return tracks
}

// analysis analyzes the clips of a project: see Analysis.
func (p *Pool) analysis(ctx context.Context, job store.Job) error {
	in, err := p.Store.StartRun(job)
	if err != nil {
		return err
	}
	if err := p.Events.Publish(
		job.ProjectUUID,
		AnalysisStarted,
		analysisEvent{job.ProjectUUID, job.Subject},
	); err != nil {
		return err
	}

	tracks := p.speechTracks(in.Clips)
	pace := pacer{now: p.Now}
	step := func(name string, percent int) {
		if pace.ready(name, percent) {
			// A lost progress event does no harm.
			_ = p.Events.Report(job.ProjectUUID, AnalysisProgress, analysisProgress{job.Subject, name, percent})
		}
	}
	language := ""
	if in.Run.Language != nil {
		language = *in.Run.Language
	}
	found, err := measureVoice(ctx, p.Ears, tracks, language, step)
	if err != nil {
		return err
	}
	// The user can preview the silences during the transcription, which takes much longer.
	early, err := found.encode()
	if err != nil {
		return err
	}
	if err := p.Store.SaveEvidence(job, early); err != nil {
		return err
	}
	found.Vocabulary = Vocabulary{Project: in.Vocabulary, Account: map[string][]string{}}
	for _, list := range in.WordLists {
		found.Vocabulary.Account[list.Language] = list.Vocabulary
	}
	if err := found.Transcribe(ctx, p.Speech, tracks, step); err != nil {
		return err
	}
	for _, list := range in.WordLists {
		if list.Language == media.BaseLanguage(found.Language) {
			found.Fillers = detect.WordChoice(list.Fillers)
		}
	}

	result, err := p.conclude(ctx, in, &found, step)
	if err != nil {
		return err
	}
	run, err := p.Store.FinishAnalysis(job, result)
	if err != nil {
		return err
	}
	return p.Events.Publish(job.ProjectUUID, AnalysisComplete, analysisComplete{run.UUID, run.EditCount})
}

// conclude derives the result of an analysis from what it found: edits, captions and the places of
// assets.
func (p *Pool) conclude(
	ctx context.Context,
	in store.AnalysisInput,
	found *Analysis,
	step func(name string, percent int),
) (store.AnalysisResult, error) {
	result := store.AnalysisResult{
		Model:       found.Model,
		Language:    found.Language,
		Doubt:       found.Doubt,
		Transcripts: found.Transcripts(),
		Timings:     found.Timings,
	}
	_ = found.timed(StepFalseStarts, func() error {
		step(StepFalseStarts, 93)
		proposed := found.Propose(in.Run.AnalysisSettings)
		result.Edits, result.TakeGroups = proposed.Edits, proposed.TakeGroups
		return nil
	})
	_ = found.timed(StepGenerateCaptions, func() error {
		step(StepGenerateCaptions, 96)
		result.CaptionLines = CaptionLines(result.Transcripts, CaptionWordsMedium)
		return nil
	})
	err := found.timed(StepPlaceAssets, func() (err error) {
		step(StepPlaceAssets, 98)
		if result.DirectorReport, err = p.findMentions(ctx, in.Run, found); err == nil {
			placed := found.Placements(in.Run.AnalysisSettings, result.Edits, in.UserEdits)
			result.Edits = append(result.Edits, placed...)
		}

		return err
	})
	if err != nil {
		return result, err
	}
	result.Evidence, err = found.encode()
	return result, err
}
