package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"roughcut/media/whisper"
)

// speechDevice is what transcribes on this machine: a graphics processor or the CPU.
type speechDevice struct {
	// graphics returns the name of the graphics processor, "" for the CPU. The error says why a
	// graphics processor cannot be used. The first call loads its driver.
	graphics func() (name string, err error)
	// measure measures the speed for two seconds.
	measure func() (whisper.Speed, error)
}

// newSpeechDevice returns the device of this machine. Drivers of Vulkan are loaded in a child
// process first, so that a driver that crashes does not end this process. This process loads them
// only if they do not crash, and never if it is isolated.
func newSpeechDevice(isolated bool) *speechDevice {
	child := childGraphics()
	if !whisper.HasVulkan() || child == nil {
		return &speechDevice{
			graphics: func() (string, error) { return whisper.Graphics(), nil }, measure: whisper.MeasureSpeed,
		}
	}
	if isolated {
		whisper.DisableVulkan()
	}
	return childDevice(child)
}

// childDevice returns the device that a function finds in a child process.
func childDevice(child func(measure bool) (whisper.Speed, error)) *speechDevice {
	graphics := sync.OnceValues(func() (string, error) {
		found, err := child(false)
		if found.Device == "" {
			whisper.DisableVulkan()
		}
		return found.Device, err
	})
	measure := func() (whisper.Speed, error) {
		if name, _ := graphics(); name == "" {
			return whisper.MeasureSpeed()
		}
		return child(true)
	}
	return &speechDevice{graphics, measure}
}

// cpuDevice returns the CPU as the device.
func cpuDevice() *speechDevice {
	return &speechDevice{graphics: func() (string, error) { return "", nil }, measure: whisper.MeasureSpeed}
}

// usesGraphics reports whether a graphics processor transcribes.
func (d *speechDevice) usesGraphics() bool {
	name, _ := d.graphics()
	return name != ""
}

// key identifies what a measured speed depends on.
func (d *speechDevice) key() string {
	name, _ := d.graphics()
	return whisper.SpeedKey(name)
}

// readSpeed returns the measured speed of this machine. It is zero if none was measured yet.
func (d *speechDevice) readSpeed() whisper.Speed {
	var stored storedSpeed
	text, err := os.ReadFile(speedFile())
	if err != nil || json.Unmarshal(text, &stored) != nil || stored.Key != d.key() {
		return whisper.Speed{}
	}
	return stored.Speed
}

// measureSpeed measures the speed of this machine, which takes two seconds, and writes it to the
// cache. A machine that had other work before, and so a slower result, gets the faster one.
func (d *speechDevice) measureSpeed() (whisper.Speed, error) {
	speed, err := d.measure()
	if err != nil {
		return speed, err
	}
	if before := d.readSpeed(); before.PerHour(referenceModel) > 0 &&
		before.PerHour(referenceModel) < speed.PerHour(referenceModel) {
		return before, nil
	}
	text, err := json.Marshal(storedSpeed{d.key(), speed})
	if err != nil {
		return speed, err
	}
	// Without a cache folder, the next start measures again. So does one that finds half a file.
	if os.MkdirAll(filepath.Dir(speedFile()), 0o700) == nil {
		_ = os.WriteFile(speedFile(), text, 0o600)
	}
	return speed, nil
}

// threads returns the number of threads of a transcription.
func (d *speechDevice) threads() int {
	if speed := d.readSpeed(); speed.Threads > 0 {
		return speed.Threads
	}
	return max(1, runtime.NumCPU())
}
