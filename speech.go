package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"roughcut/media"
	"roughcut/media/whisper"
	"roughcut/pipeline"
)

// speech finds and loads the speech model. It looks anew each time, so that a model put into the
// folder is used at once.
type speech struct {
	choice string                 // SPEECH_MODEL: path or name of a model, empty where it names none
	kept   func() (string, error) // file name of the model that an admin chose, empty for the best one
	dir    string                 // where models are kept
}

// noChoice is where no admin could have chosen a model.
func noChoice() (string, error) { return "", nil }

// Open loads the chosen model; without any installed it returns nil.
func (s speech) Open() (pipeline.Model, error) {
	path, err := s.path()
	if err != nil || path == "" {
		return nil, err
	}
	model, err := whisper.Open(path, max(1, runtime.NumCPU()))
	if err != nil {
		return nil, err
	}
	return speechModel{model}, nil
}

// path returns where the model is: what SPEECH_MODEL names, else what an admin chose, else or where
// that is gone the best one. The best model is the largest one: larger Whisper models make fewer
// mistakes.
func (s speech) path() (string, error) {
	if s.choice != "" {
		for _, path := range []string{s.choice, filepath.Join(s.dir, s.choice), filepath.Join(s.dir, "ggml-"+s.choice+".bin")} {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path, nil
			}
		}
		return "", fmt.Errorf(
			"there is no speech model %q: give the path of a ggml Whisper model, or the name of one in %s",
			s.choice,
			s.dir,
		)
	}
	kept, err := s.kept()
	if err != nil {
		return "", fmt.Errorf("asking which speech model was chosen: %w", err)
	}
	if path := filepath.Join(s.dir, kept); kept != "" {
		if _, err := whisper.CheckModel(path); err == nil {
			return path, nil
		}
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("looking for speech models: %w", err)
	}
	best, size := "", int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(e.Name(), ".bin") || info.Size() <= size {
			continue
		}
		path := filepath.Join(s.dir, e.Name())
		if _, err := whisper.CheckModel(path); err == nil {
			best, size = path, info.Size()
		}
	}
	return best, nil
}

// speechModel gives a whisper model the shape that the pipeline wants.
type speechModel struct{ *whisper.Model }

func (m speechModel) Transcribe(
	ctx context.Context,
	path, language string,
	voice media.VoiceActivity,
	progress func(float64),
) (media.Transcript, error) {
	file, err := os.Open(path)
	if err != nil {
		return media.Transcript{}, fmt.Errorf("opening the speech sound: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return media.Transcript{}, fmt.Errorf("opening the speech sound: %w", err)
	}
	return m.Model.Transcribe(ctx, file, info.Size(), whisper.Options{Language: language, Voice: &voice}, progress)
}
