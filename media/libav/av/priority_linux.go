package av

import "syscall"

// SetThreadNiceness sets the niceness of the calling thread, up to 19 for the lowest priority. If
// the system refuses, the priority stays unchanged.
func SetThreadNiceness(nice int) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice) }
