package whisper

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

// usableCores returns the number of physical cores in the affinity of this process.
func usableCores() int {
	var usable unix.CPUSet
	if unix.SchedGetaffinity(os.Getpid(), &usable) != nil {
		return runtime.NumCPU()
	}
	return countCores("/sys/devices/system/cpu", &usable)
}

// countCores returns the number of cores of CPUs that a folder of the kernel describes. A CPU that
// it does not describe counts as a core.
func countCores(dir string, usable *unix.CPUSet) int {
	cores := map[string]bool{}
	for cpu, left := 0, usable.Count(); left > 0; cpu++ {
		if !usable.IsSet(cpu) {
			continue
		}
		left--
		name := fmt.Sprintf("cpu%d", cpu)
		if siblings, err := os.ReadFile(filepath.Join(dir, name, "topology", "thread_siblings_list")); err == nil {
			name = string(siblings)
		}
		cores[name] = true
	}

	return len(cores)
}
