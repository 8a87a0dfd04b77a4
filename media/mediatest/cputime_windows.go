package mediatest

import (
	"syscall"
	"testing"
	"time"
)

// CPUTime returns the CPU time that this process has used.
func CPUTime(b testing.TB) time.Duration {
	b.Helper()
	var created, exited, kernel, user syscall.Filetime
	self, err := syscall.GetCurrentProcess()
	if err == nil {
		err = syscall.GetProcessTimes(self, &created, &exited, &kernel, &user)
	}
	if err != nil {
		b.Fatal(err)
	}
	ticks := func(t syscall.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100
}
