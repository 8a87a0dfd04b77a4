package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/adrg/xdg"

	"roughcut/media"
	"roughcut/media/whisper"
	"roughcut/pipeline"
	"roughcut/pipeline/models"
)

// Limits of the words for the time that an hour of speech takes. The proposed model is fast.
const (
	fastPerHour   = 20 * time.Minute
	mediumPerHour = time.Hour
)

// coreMinutes are the minutes that an hour of speech takes about on one core, by the size of the
// model. They were measured on two cores with AVX2.
var coreMinutes = map[string]float64{
	"tiny": 7, "base": 14, "small": 37, "medium": 102, "large-v3-turbo": 120, "large-v3": 190,
}

// referenceModel is the model that messages name.
const referenceModel = "base.en"

// storedSpeeds is the file with the speed of the last transcriptions. The speed belongs to the
// machine and not to the data, so the file is in the cache folder of the user.
type storedSpeeds struct {
	Seconds map[string]float64 `json:"seconds_per_hour"` // for an hour of speech, by model
}

func speedFile() string { return filepath.Join(xdg.CacheHome, "roughcut", "speech-speed.json") }

// speedLock is held while the file changes.
var speedLock sync.Mutex

// readSpeeds returns the speeds of this machine. It returns none without a whole file.
func readSpeeds() (s storedSpeeds) {
	text, err := os.ReadFile(speedFile())
	if err != nil || json.Unmarshal(text, &s) != nil {
		return storedSpeeds{}
	}
	return s
}

// leastTimed is the minimum duration of speech for measuring the speed of a model. With less, the
// time to load the model dominates.
const leastTimed = 30 * time.Second

// learnSpeed adds a transcription to the speed of its model. Without a cache folder, the speed
// stays unknown.
func learnSpeed(model string, speech, took time.Duration) {
	if speech < leastTimed {
		return
	}
	speedLock.Lock()
	defer speedLock.Unlock()
	stored := storedSpeeds{map[string]float64{}}
	maps.Copy(stored.Seconds, readSpeeds().Seconds)
	seconds := 3600 * took.Seconds() / speech.Seconds()
	if last, known := stored.Seconds[model]; known {
		seconds = (last + seconds) / 2
	}
	stored.Seconds[model] = seconds
	text, err := json.Marshal(stored)
	if err == nil && os.MkdirAll(filepath.Dir(speedFile()), 0o700) == nil {
		_ = os.WriteFile(speedFile(), text, 0o600)
	}
}

// timedSpeech learns the speed of its models.
type timedSpeech struct{ pipeline.Speech }

// Open implements pipeline.Speech.
func (s timedSpeech) Open() (pipeline.Model, error) {
	model, err := s.Speech.Open()
	if model == nil || err != nil {
		return nil, err
	}
	return timedModel{model}, nil
}

type timedModel struct{ pipeline.Model }

// Transcribe implements pipeline.Model.
func (m timedModel) Transcribe(
	ctx context.Context,
	path string,
	request pipeline.SpeechRequest,
	progress func(float64),
) (media.Transcript, error) {
	started := time.Now()
	text, err := m.Model.Transcribe(ctx, path, request, progress)
	if err == nil {
		speech := int64(0)
		for _, s := range request.Voice.Spans {
			speech += s.EndMS - s.StartMS
		}
		learnSpeed(m.Name(), time.Duration(speech)*time.Millisecond, time.Since(started))
	}

	return text, err
}

// modelSpeed returns how long an hour of speech took with a model in its last transcriptions, and a
// word for the speed: fast, medium or slow. Before the first transcription, perHour is 0, and the
// word is an estimate from the size of the model and the cores of this machine. For a model of
// unknown size, the word is then empty.
func modelSpeed(model string) (perHour time.Duration, word string) {
	perHour = time.Duration(readSpeeds().Seconds[model] * float64(time.Second))
	usual := perHour
	if usual == 0 {
		size, _, _ := strings.Cut(model, "-q")
		minutes := coreMinutes[strings.TrimSuffix(size, ".en")] / float64(whisper.Threads())
		usual = time.Duration(minutes * float64(time.Minute))
	}

	switch {
	case usual == 0:
		return 0, ""
	case usual <= fastPerHour:
		return perHour, "fast"
	case usual <= mediumPerHour:
		return perHour, "medium"
	}

	return perHour, "slow"
}

// proposedModel returns the last multilingual model of the catalog, which is sorted by accuracy,
// that is fast. It is the first one if none is.
func proposedModel(known []models.Model) (name string) {
	for _, m := range known {
		if _, word := modelSpeed(m.Name); word != "" && (name == "" || word == "fast") && m.Multilingual() {
			name = m.Name
		}
	}

	return name
}

// speedText tells how fast transcriptions are.
func (d *speechDevice) speedText(known []models.Model) string {
	text := speedOf(referenceModel) + " on this machine, with " + d.text()
	if name := proposedModel(known); name != "" {
		text += "; the proposed model " + speedOf(name)
	}
	return text
}

// speedOf says how fast a model is: "base is probably fast" or "base takes about 7 minutes per hour
// of speech".
func speedOf(model string) string {
	perHour, word := modelSpeed(model)
	if word == "medium" {
		word = "of medium speed"
	}
	if perHour == 0 {
		return fmt.Sprintf("%s is probably %s", model, word)
	}
	return fmt.Sprintf("%s takes about %s per hour of speech", model, minutesText(perHour))
}

// minutesText returns a duration in whole minutes, at least one.
func minutesText(d time.Duration) string {
	return plural(max(1, int(d.Round(time.Minute)/time.Minute)), "minute", "minutes")
}

// plural returns a number with the noun for it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
