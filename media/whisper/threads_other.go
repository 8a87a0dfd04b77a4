//go:build !linux

package whisper

import "runtime"

// usableCores returns the number of CPUs, which other systems do not tell apart from cores here.
func usableCores() int { return runtime.NumCPU() }
