package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/server/operator"
)

// runs runs a command over the data in dir, with input on its standard input, and returns its exit
// code and all that it printed.
func runs(t *testing.T, dir, input string, args ...string) (int, string) {
	t.Helper()
	cmd := program(context.Background(), dir, args...)
	cmd.Stdin = strings.NewReader(input)
	return outcome(t, cmd)
}

func outcome(t *testing.T, cmd *exec.Cmd) (int, string) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// works is runs for a command that has to succeed.
func works(t *testing.T, dir, input string, args ...string) string {
	t.Helper()
	code, out := runs(t, dir, input, args...)
	if code != 0 {
		t.Fatalf("%v: exit code %d:\n%s", args, code, out)
	}
	return out
}

const goodPassword = "a long enough password\n"

// The admin commands do the same over a running server as over a stopped one, and the accounts that
// they make can sign in at once.
func TestAdminCommands(t *testing.T) {
	for _, live := range []bool{true, false} {
		t.Run(map[bool]string{true: "running", false: "stopped"}[live], func(t *testing.T) {
			// longer than the path of a socket may be
			dir := filepath.Join(t.TempDir(), strings.Repeat("a-long-folder-name-", 5), "data")
			if live {
				serve(t, dir, nil)
			}
			out := works(
				t,
				dir,
				goodPassword,
				"admin",
				"create-user",
				"--email",
				"Ada@example.org",
				"--name",
				"Ada L",
				"--username",
				"ada",
				"--password-stdin",
			)
			if !strings.Contains(out, "Ada@example.org") || !strings.Contains(out, "an admin") {
				t.Errorf("the first account: %s", out)
			}
			works(
				t,
				dir,
				goodPassword,
				"admin",
				"create-user",
				"--email",
				"bob@example.org",
				"--name",
				"Bob",
				"--username",
				"bob",
				"--password-stdin",
			)
			works(t, dir, "", "admin", "set-tier", "--email", "bob@example.org", "--tier", "creator")
			works(t, dir, "", "admin", "grant-admin", "--email", "BOB@example.org")
			type account struct {
				Email, Username, Tier string
				IsAdmin               bool   `json:"is_admin"`
				Verified              bool   `json:"email_verified"`
				Status                string `json:"subscription_status"`
			}
			users := decode[[]account](t, []byte(works(t, dir, "", "admin", "list-users", "--json")))
			slices.SortFunc(users, func(a, b account) int { return strings.Compare(a.Email, b.Email) })
			if len(users) != 2 || users[1].Tier != "creator" || users[1].Status != "active" || !users[1].IsAdmin ||
				!users[1].Verified ||
				users[0].Status != "trialing" {
				t.Errorf("accounts: %+v", users)
			}
			if table := works(t, dir, "", "admin", "list-users"); !strings.Contains(table, "EMAIL") ||
				!strings.Contains(table, "bob@example.org") {
				t.Errorf("the table:\n%s", table)
			}
		})
	}
}

// TestAdminRefuses lists calls that must end with their exit code and say what to do.
func TestAdminRefuses(t *testing.T) {
	dir := t.TempDir()
	server := serve(t, dir, nil)
	create := func(email, username string) []string {
		return []string{
			"admin",
			"create-user",
			"--email",
			email,
			"--name",
			"Ada",
			"--username",
			username,
			"--password-stdin",
		}
	}
	works(t, dir, goodPassword, create("ada@example.org", "ada")...)
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	for _, c := range []struct {
		name  string
		input string
		args  []string
		code  int
		says  string
	}{
		{"no such command", "", []string{"frobnicate"}, exitUsage, `there is no command "frobnicate"`},
		{"no verb", "", []string{"admin"}, exitUsage, "say what to do"},
		{"no password", "", []string{"admin", "create-user", "--email", "e@example.org", "--name", "E", "--username", "eee"}, exitUsage, "--password-stdin"},
		{"no address", goodPassword, []string{"admin", "create-user", "--name", "E", "--username", "eee", "--password-stdin"}, exitUsage, "--email"},
		{"a short password", "short\n", create("e@example.org", "eee"), exitUsage, "password"},
		{"a bad address", goodPassword, create("nowhere", "eee"), exitUsage, "email"},
		{"a bad username", goodPassword, create("e@example.org", "e e"), exitUsage, "username"},
		{"an address twice", goodPassword, create("ADA@example.org", "eee"), exitFailed, "already an account"},
		{"a username twice", goodPassword, create("e@example.org", "ADA"), exitFailed, "taken"},
		{"no such account", "", []string{"admin", "grant-admin", "--email", "e@example.org"}, exitFailed, "no such user"},
		{"no such data directory", "", []string{"admin", "list-users", "--data-dir", nowhere}, exitFailed, "there is no data directory " + nowhere},
		{"no such data directory for a tier", "", []string{"admin", "set-tier", "--email", "ada@example.org", "--tier", "viral", "--data-dir", nowhere}, exitFailed, "name the server's with --data-dir"},
		{"no such tier", "", []string{"admin", "set-tier", "--email", "ada@example.org", "--tier", "gold"}, exitUsage, "creator"},
		{"a second server", "", []string{"serve", "--listen", "127.0.0.1:0"}, exitInUse, "in use"},
		{"restore over data", "", []string{"restore", os.Args[0]}, exitInUse, "in use"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, out := runs(t, dir, c.input, c.args...); code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("exit code %d, want %d and %q in:\n%s", code, c.code, c.says, out)
			}
		})
	}
	if socket, err := os.Stat(filepath.Join(dir, operator.SocketName)); err != nil || socket.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v %v", socket, err)
	}
	server.stop()
	if _, err := os.Stat(filepath.Join(dir, operator.SocketName)); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
	var users []json.RawMessage
	if err := json.Unmarshal([]byte(works(t, dir, "", "admin", "list-users", "--json")), &users); err != nil ||
		len(users) != 1 {
		t.Errorf("%d accounts, %v", len(users), err)
	}
}

// limited makes a command work under a limit on the size of the files that it writes, which fails
// writes as a full disk does. The shell counts in units of 512 or 1024 bytes.
func limited(cmd *exec.Cmd, bytes int64) *exec.Cmd {
	args := append(
		[]string{"-c", `trap "" XFSZ; ulimit -f "$0"; exec "$@"`, fmt.Sprint(bytes / 1024), cmd.Path},
		cmd.Args[1:]...)
	shell := exec.Command("/bin/sh", args...)
	shell.Env = cmd.Env
	return shell
}
