package cli

import (
	"fmt"
	"log/slog"
	"path/filepath"
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

// referenceModel is the model that messages name and that compares measurements.
const referenceModel = "base.en"

// machineSpeed is the speed of the machine of a server. The first server of a machine measures it.
type machineSpeed struct {
	known  []models.Model
	device *speechDevice
	log    *slog.Logger

	mu    sync.Mutex
	speed whisper.Speed
}

// run measures the speed if no server did before.
func (m *machineSpeed) run() {
	if _, err := m.device.graphics(); err != nil {
		m.log.Warn("the driver of the graphics processor failed, so the CPU transcribes", "error", err)
	}
	speed := m.device.readSpeed()
	if speed == (whisper.Speed{}) {
		var err error
		if speed, err = m.device.measureSpeed(); err != nil {
			m.log.Warn("cannot estimate how long transcriptions take", "error", err)
			return
		}
		m.log.Info(m.device.speedText(speed, m.known))
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
func (d *speechDevice) speedText(speed whisper.Speed, known []models.Model) string {
	with := counted(speed.Threads, "thread", "threads")
	_, fault := d.graphics()
	switch {
	case speed.Device != "":
		with = speed.Device
	case fault != nil:
		with += ", because the driver of the graphics processor failed"
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
