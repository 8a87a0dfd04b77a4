package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/whisper"
	"roughcut/pipeline"
	"roughcut/store"
)

// Speech finds and loads the speech model. Each call looks for the model again, so a model that was
// just downloaded is used without a restart.
type Speech struct {
	Choice string                  // SPEECH_MODEL: path or name of a model; empty if not set
	Chosen func() (string, error)  // returns the file name that an admin chose, which may be empty; may be nil
	Dir    string                  // models folder
	Intact func(path string) error // returns an error for a model file that is damaged; nil checks nothing
	Device *speechDevice           // what transcribes; nil means the CPU
}

// Open loads the speech model. It returns nil if none is installed.
func (s Speech) Open() (pipeline.Model, error) {
	path, err := s.intact()
	if err != nil || path == "" {
		return nil, err
	}
	device := s.Device
	if device == nil {
		device = cpuDevice()
	}
	model, err := whisper.Open(path, 0, device.usesGraphics())
	if err != nil {
		return nil, err
	}
	return speechModel{model}, nil
}

// intact returns path, or an error if the model's file is damaged.
func (s Speech) intact() (string, error) {
	path, err := s.path()
	if err == nil && path != "" && s.Intact != nil {
		err = s.Intact(path)
	}
	return path, err
}

// path returns the path of the model that SPEECH_MODEL names, else of the one that an admin chose,
// else of the largest one. Larger Whisper models make fewer mistakes. The path is empty if no model
// is installed.
func (s Speech) path() (string, error) {
	if s.Choice != "" {
		for _, path := range []string{
			s.Choice, filepath.Join(s.Dir, s.Choice), filepath.Join(s.Dir, "ggml-"+s.Choice+".bin"),
		} {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path, nil
			}
		}

		return "", fmt.Errorf(
			"no speech model %q, give the path of a ggml Whisper model or the name of a model in %s",
			s.Choice, s.Dir,
		)
	}

	if s.Chosen != nil {
		name, err := s.Chosen()
		if err != nil {
			return "", fmt.Errorf("reading the chosen speech model: %w", err)
		}
		if name != "" {
			path := filepath.Join(s.Dir, name)
			if _, err := whisper.CheckModel(path); err == nil {
				return path, nil
			}
		}
	}

	entries, err := os.ReadDir(s.Dir)
	if err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("looking for speech models: %w", err)
	}
	best, size := "", int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(e.Name(), ".bin") || info.Size() <= size {
			continue
		}
		path := filepath.Join(s.Dir, e.Name())
		if _, err := whisper.CheckModel(path); err == nil {
			best, size = path, info.Size()
		}
	}

	return best, nil
}

// speechModel adapts a Whisper model to pipeline.Model.
type speechModel struct{ *whisper.Model }

// Transcribe transcribes a speech file.
func (m speechModel) Transcribe(
	ctx context.Context,
	path string,
	request pipeline.SpeechRequest,
	progress func(float64),
) (media.Transcript, error) {
	file, err := audio.OpenSpeech(path)
	if err != nil {
		return media.Transcript{}, err
	}
	options := whisper.Options{Language: request.Language, Hints: request.Hints, Voice: &request.Voice}
	text, err := m.Model.Transcribe(ctx, file, file.Size(), options, progress)
	return text, errors.Join(err, file.Close())
}

// speechModel returns the path of the model that the next analysis uses, or "" without a model.
// The choice of an admin counts only while no server has the data directory open.
func (s settings) speechModel(ctx context.Context) (string, error) {
	chosen := func() (string, error) {
		if _, err := os.Stat(filepath.Join(s.DataDir, store.DatabaseFile)); errors.Is(err, os.ErrNotExist) {
			return "", nil
		}
		data, err := store.Open(ctx, s.storeOptions(newLogger(s.LogLevel)))
		if err != nil {
			return "", nil //nolint:nilerr // the doctor reports it; the largest model is a good answer
		}
		name, err := data.SpeechModel()
		return name, errors.Join(err, data.Close())
	}
	return Speech{Choice: s.SpeechModel, Chosen: chosen, Dir: s.modelsDir()}.path()
}
