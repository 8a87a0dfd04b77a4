package server

import "testing"

// The sign-in page of single-user mode offers a password only if the account has one.
func TestSignInOptionsOfSingleUserMode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	has := func(passwords bool) {
		t.Helper()
		holds(
			t, w.anonymous().do("GET", "/api/v1/auth/options", nil).want(200, ""),
			map[string]any{"single_user": true, "passwords": passwords},
		)
	}
	has(false)
	w.launched().do("POST", "/api/v1/auth/change-password", map[string]any{"new_password": goodPassword}).want(204, "")
	has(true)
}
