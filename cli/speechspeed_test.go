package cli

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/whisper"
	"roughcut/pipeline"
	"roughcut/pipeline/models"
)

// spoken is a model that transcribes at once.
type spoken struct {
	pipeline.Model
	err error
}

func (spoken) Name() string { return "base.en" }

func (s spoken) Transcribe(
	context.Context, string, pipeline.SpeechRequest, func(float64),
) (media.Transcript, error) {
	return media.Transcript{}, s.err
}

// A transcription of enough speech tells the speed of its model. One that fails tells nothing.
func TestTranscriptionsTellTheSpeed(t *testing.T) {
	withCache(t)
	heard := func(seconds int64, err error) {
		t.Helper()
		voice := audio.VoiceActivity{Spans: []media.Span{{StartMS: 1000, EndMS: 1000 + 1000*seconds}}}
		_, got := timedModel{spoken{err: err}}.Transcribe(t.Context(), "", pipeline.SpeechRequest{Voice: voice}, nil)
		if !errors.Is(got, err) {
			t.Errorf("got %v, want %v", got, err)
		}
	}
	heard(5, nil)
	heard(60, errors.New("the model is damaged"))
	if perHour, _ := modelSpeed("base.en"); perHour != 0 {
		t.Errorf("an hour takes %v after short and failed transcriptions", perHour)
	}
	heard(60, nil)
	if perHour, word := modelSpeed("base.en"); perHour <= 0 || word != "fast" {
		t.Errorf("an hour takes %v, which is %q", perHour, word)
	}
}

// The speed of a model comes from its last transcriptions, also after a restart. Files that are
// damaged or from an earlier version are ignored.
func TestSpeedOfLastTranscriptions(t *testing.T) {
	withCache(t)
	learnSpeed("small", time.Hour, 30*time.Minute)
	learnSpeed("small", time.Hour, 50*time.Minute)
	learnSpeed("my-model", time.Hour, 2*time.Hour)
	for model, want := range map[string]struct {
		perHour time.Duration
		word    string
	}{"small": {40 * time.Minute, "medium"}, "my-model": {2 * time.Hour, "slow"}, "other": {0, ""}} {
		if perHour, word := modelSpeed(model); perHour != want.perHour || word != want.word {
			t.Errorf("%s takes %v and is %q, want %+v", model, perHour, word, want)
		}
	}
	text, err := os.ReadFile(speedFile())
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{string(text[:len(text)/2]), `{"key":"2 CPUs","speed":{"threads":2}}`} {
		if err := os.WriteFile(speedFile(), []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if perHour, _ := modelSpeed("small"); perHour != 0 {
			t.Errorf("an hour takes %v after %s", perHour, other)
		}
	}
}

// Before the first transcription, the size of a model tells its speed. The proposed model is the
// most accurate fast one.
func TestProposedModelSuitsTheMachine(t *testing.T) {
	withCache(t)
	order := []string{"fast", "medium", "slow"}
	last := 0
	for _, model := range []string{"tiny.en", "base", "small-q5_1", "medium", "large-v3"} {
		_, word := modelSpeed(model)
		at := -1
		for i, w := range order {
			if w == word {
				at = i
			}
		}
		if at < last {
			t.Errorf("%s is %q, a smaller model %q", model, word, order[last])
		}
		last = max(last, at)
	}
	if text := speedOf("large-v3"); !strings.HasPrefix(text, "large-v3 is probably ") {
		t.Errorf("%q, want a guess", text)
	}
	for _, m := range models.Known() {
		learnSpeed(m.Name, time.Hour, 3*time.Hour)
	}
	if got := proposedModel(models.Known()); got != "tiny" {
		t.Errorf("where all are slow, %q is proposed", got)
	}
	learnSpeed("base", time.Hour, time.Minute)
	for range 10 {
		learnSpeed("small", time.Hour, 7*time.Minute)
	}
	if got := proposedModel(models.Known()); got != "small" {
		t.Errorf("%q is proposed, want small", got)
	}
	text := childDevice(noGraphics).speedText(models.Known())
	if strings.Contains(text, "OPENMP") {
		t.Errorf("%q names options of the build", text)
	}
	for _, part := range []string{
		"base.en takes about 180 minutes", plural(whisper.Threads(), "thread", "threads") + " (",
		"proposed model small takes about 7 minutes",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
}
