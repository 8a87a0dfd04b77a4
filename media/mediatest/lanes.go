package mediatest

import (
	"os"
	"testing"
)

// NeedsLong skips a test that takes minutes, except in `make test-long`. The name of such a test
// starts with TestLong.
func NeedsLong(t testing.TB) {
	t.Helper()
	needsLane(t, "test-long", "ROUGHCUT_LONG")
}

// NeedsTiming skips a test that judges wall or CPU time, or media while it plays, except in
// `make test-timing`, which runs one test at a time on an idle machine. The name of such a test
// starts with TestTiming.
func NeedsTiming(t testing.TB) {
	t.Helper()
	needsLane(t, "test-timing", "ROUGHCUT_TIMING")
}

func needsLane(t testing.TB, target, variable string) {
	t.Helper()
	if os.Getenv(variable) == "" {
		t.Skipf("make %s runs this test and sets %s", target, variable)
	}
}
