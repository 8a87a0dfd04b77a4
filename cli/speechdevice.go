package cli

import (
	"sync"

	"roughcut/media/whisper"
)

// speechDevice is what transcribes on this machine: a graphics processor or the CPU.
type speechDevice struct {
	// graphics returns the name of the graphics processor, "" for the CPU. The error says why a
	// graphics processor cannot be used. The first call loads its driver.
	graphics func() (name string, err error)
}

// newSpeechDevice returns the device of this machine. Drivers of Vulkan are loaded in a child
// process first, so that a driver that crashes does not end this process. This process loads them
// only if they do not crash, and never if it is isolated.
func newSpeechDevice(isolated bool) *speechDevice {
	child := childGraphics()
	if !whisper.HasVulkan() || child == nil {
		return &speechDevice{func() (string, error) { return whisper.Graphics(), nil }}
	}
	if isolated {
		whisper.DisableVulkan()
	}
	return childDevice(child)
}

// childDevice returns the device that a function finds in a child process.
func childDevice(child func() (string, error)) *speechDevice {
	return &speechDevice{sync.OnceValues(func() (string, error) {
		name, err := child()
		if name == "" {
			whisper.DisableVulkan()
		}
		return name, err
	})}
}

// cpuDevice returns the CPU as the device.
func cpuDevice() *speechDevice {
	return &speechDevice{func() (string, error) { return "", nil }}
}

// usesGraphics reports whether a graphics processor transcribes.
func (d *speechDevice) usesGraphics() bool {
	name, _ := d.graphics()
	return name != ""
}

// text names the device.
func (d *speechDevice) text() string {
	name, fault := d.graphics()
	with := plural(whisper.Threads(), "thread", "threads") + " (" + whisper.Instructions() + ")"
	switch {
	case name != "":
		return name
	case fault != nil:
		return with + ", because the driver of the graphics processor failed"
	case whisper.HasVulkan():
		return with + ", because Vulkan finds no graphics processor"
	}

	return with
}
