package cli

import (
	"strings"
	"testing"

	"roughcut/pipeline/sandbox"
)

func TestDoctorNamesMissingWalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		support sandbox.Support
		state   string
		message string
	}{
		{sandbox.Support{}, stateWarning, "neither Landlock nor seccomp"},
		{sandbox.Support{Seccomp: true}, stateWarning, "read and change all files"},
		{sandbox.Support{Landlock: 7}, stateWarning, "use the network"},
		{sandbox.Support{Landlock: 1, Seccomp: true}, stateOK, "Landlock 1, seccomp"},
	} {
		if got := checkWalls(c.support); got[0].State != c.state || !strings.Contains(got[0].Message, c.message) {
			t.Errorf("%+v: got %+v, want %s: %s", c.support, got[0], c.state, c.message)
		}
	}
	for mode, state := range map[string]string{planOwner: stateOK, planUnlimited: stateWarning} {
		s := settings{PlanMode: mode, EngineIsolation: isolationNone}
		if got := checkIsolation(t.Context(), s); got[0].State != state {
			t.Errorf("jobs of the mode %s in the server process: got %+v, want %s", mode, got[0], state)
		}
	}
}
