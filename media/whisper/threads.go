package whisper

import "runtime"

// Threads returns the number of threads of a transcription: one for each physical core that this
// process may use. Two threads on one core share its units of computation, and hardly gain.
func Threads() int {
	return max(1, min(usableCores(), runtime.GOMAXPROCS(0))) // which counts the quota of the cgroup
}
