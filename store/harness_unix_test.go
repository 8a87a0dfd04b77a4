//go:build unix

package store

import (
	"os/signal"
	"syscall"
	"testing"
)

// limitFileSize makes writes beyond a file size fail.
func limitFileSize(t *testing.T, bytes uint64) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	limit.Cur = min(bytes, limit.Max)
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
}
