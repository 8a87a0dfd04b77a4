//go:build unix

package av

import (
	"syscall"
	"time"
)

// ProcessTime returns the CPU time that all threads of the process have used, 0 if the system does
// not say.
func ProcessTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
