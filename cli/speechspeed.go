package cli

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/adrg/xdg"

	"roughcut/media/whisper"
	"roughcut/pipeline/models"
)

// proposedPerHour is how long the proposed speech model may take for an hour of speech.
const proposedPerHour = 20 * time.Minute

// storedSpeed is the file with the measured speed of this machine. The speed belongs to the machine
// and not to the data, so the file is in the cache folder of the user.
type storedSpeed struct {
	Key   string        `json:"key"` // of whisper.SpeedKey; another key makes the speed worthless
	Speed whisper.Speed `json:"speed"`
}

func speedFile() string { return filepath.Join(xdg.CacheHome, "roughcut", "speech-speed.json") }

// readSpeed returns the measured speed of this machine. It is zero if none was measured yet.
func readSpeed() whisper.Speed {
	var stored storedSpeed
	text, err := os.ReadFile(speedFile())
	if err != nil || json.Unmarshal(text, &stored) != nil || stored.Key != whisper.SpeedKey() {
		return whisper.Speed{}
	}
	return stored.Speed
}

// measureSpeed measures the speed of this machine, which takes two seconds, and writes it to the
// cache. A machine that had other work before, and so a slower result, gets the faster one.
func measureSpeed() (whisper.Speed, error) {
	speed, err := whisper.MeasureSpeed()
	if err != nil {
		return speed, err
	}
	if before := readSpeed(); before.PerHour(referenceModel) > 0 &&
		before.PerHour(referenceModel) < speed.PerHour(referenceModel) {
		return before, nil
	}
	text, err := json.Marshal(storedSpeed{whisper.SpeedKey(), speed})
	if err != nil {
		return speed, err
	}
	// Without a cache folder, the next start measures again. So does one that finds half a file.
	if os.MkdirAll(filepath.Dir(speedFile()), 0o700) == nil {
		_ = os.WriteFile(speedFile(), text, 0o600)
	}
	return speed, nil
}

// referenceModel is the model that messages name and that compares measurements.
const referenceModel = "base.en"

// speechThreads returns the number of threads of a transcription.
func speechThreads() int {
	if speed := readSpeed(); speed.Threads > 0 {
		return speed.Threads
	}
	return max(1, runtime.NumCPU())
}

// machineSpeed is the speed of the machine of a server. The first server of a machine measures it.
type machineSpeed struct {
	known []models.Model
	log   *slog.Logger

	mu    sync.Mutex
	speed whisper.Speed
}

// run measures the speed if no server did before.
func (m *machineSpeed) run() {
	speed := readSpeed()
	if speed == (whisper.Speed{}) {
		var err error
		if speed, err = measureSpeed(); err != nil {
			m.log.Warn("cannot estimate how long transcriptions take", "error", err)
			return
		}
		m.log.Info(speedText(speed, m.known))
	}
	m.mu.Lock()
	m.speed = speed
	m.mu.Unlock()
}

// perHour returns about how long an hour of speech takes with a model. It is 0 for a model of
// unknown size, and until the speed is known.
func (m *machineSpeed) perHour(model string) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.speed.PerHour(model)
}

// proposed returns the name of the model that suits this machine, "" until the speed is known.
func (m *machineSpeed) proposed() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return proposedModel(m.speed, m.known)
}

// proposedModel returns the last multilingual model of the catalog, which is sorted by accuracy,
// that transcribes an hour of speech within proposedPerHour. It is the first one if all take
// longer.
func proposedModel(speed whisper.Speed, known []models.Model) (name string) {
	for _, m := range known {
		took := speed.PerHour(m.Name)
		if took > 0 && (name == "" || took <= proposedPerHour) && m.Multilingual() {
			name = m.Name
		}
	}
	return name
}

// speedText tells how fast transcriptions are.
func speedText(speed whisper.Speed, known []models.Model) string {
	with := counted(speed.Threads, "thread", "threads")
	switch {
	case speed.Device != "":
		with = speed.Device
	case whisper.HasVulkan():
		with += ", because Vulkan finds no graphics processor"
	}
	text := fmt.Sprintf("%s takes about %s per hour of speech on this machine, with %s",
		referenceModel, minutesText(speed.PerHour(referenceModel)), with)
	if name := proposedModel(speed, known); name != "" {
		text += fmt.Sprintf("; the proposed model %s takes about %s", name, minutesText(speed.PerHour(name)))
	}
	return text
}

// minutesText returns a duration in whole minutes, of which a short one has at least one.
func minutesText(d time.Duration) string {
	return counted(max(1, int(d.Round(time.Minute)/time.Minute)), "minute", "minutes")
}

// counted returns a number with the noun for it.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
