//go:build unix

package mediatest

import (
	"syscall"
	"testing"
	"time"
)

// CPUTime returns the CPU time that this process has used.
func CPUTime(b testing.TB) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
