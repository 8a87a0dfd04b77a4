package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/server/operator"
)

// runs runs a command on the data in dir with input on standard input. It returns the exit code and
// the output.
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

// works is runs for a command that has to succeed. It returns the output.
func works(t *testing.T, dir, input string, args ...string) string {
	t.Helper()
	code, out := runs(t, dir, input, args...)
	if code != 0 {
		t.Fatalf("%v: exit code %d:\n%s", args, code, out)
	}
	return out
}

const goodPassword = "a long enough password\n"

// The admin commands work with and without a running server. The accounts that they create can sign
// in at once.
func TestAdminManagesAccounts(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{true, false} {
		t.Run(map[bool]string{true: "running", false: "stopped"}[live], func(t *testing.T) {
			// longer than the longest path of a socket
			dir := filepath.Join(t.TempDir(), strings.Repeat("a-long-folder-name-", 5), "data")
			env := []string{"PLAN_MODE=metered"}
			if live {
				serve(t, dir, env)
			}
			admin := func(input string, args ...string) string {
				t.Helper()
				cmd := program(context.Background(), dir, append([]string{"admin"}, args...)...)
				cmd.Env = append(cmd.Env, env...)
				cmd.Stdin = strings.NewReader(input)
				code, out := outcome(t, cmd)
				if code != 0 {
					t.Fatalf("%v: exit code %d:\n%s", args, code, out)
				}
				return out
			}
			out := admin(
				goodPassword, "create-user", "--email", "Ada@example.org", "--name", "Ada L",
				"--username", "ada", "--password-stdin",
			)
			if !strings.Contains(out, "Ada@example.org") || !strings.Contains(out, "an admin") {
				t.Errorf("first account: %s", out)
			}
			admin(
				goodPassword, "create-user", "--email", "bob@example.org", "--name", "Bob",
				"--username", "bob", "--password-stdin",
			)
			admin("", "set-tier", "--email", "bob@example.org", "--tier", "creator")
			admin("", "grant-admin", "--email", "BOB@example.org")
			type account struct {
				Email, Username, Tier string
				IsAdmin               bool   `json:"is_admin"`
				Verified              bool   `json:"email_verified"`
				Status                string `json:"subscription_status"`
			}
			users := decode[[]account](t, []byte(admin("", "list-users", "--json")))
			slices.SortFunc(users, func(a, b account) int { return strings.Compare(a.Email, b.Email) })
			if len(users) != 2 || users[1].Tier != "creator" || users[1].Status != "active" || !users[1].IsAdmin ||
				!users[1].Verified ||
				users[0].Status != "trialing" {
				t.Errorf("accounts: %+v", users)
			}
			if table := admin("", "list-users"); !strings.Contains(table, "EMAIL") ||
				!strings.Contains(table, "bob@example.org") {
				t.Errorf("table:\n%s", table)
			}
		})
	}
}

// Wrong calls end with their exit code and say what to do.
func TestAdminRefusesWrongCalls(t *testing.T) {
	t.Parallel()
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
		{"unknown command", "", []string{"frobnicate"}, exitUsage, `unknown command "frobnicate"`},
		{"misspelled command", "", []string{"cutt"}, exitUsage, "did you mean cut?"},
		{"no subcommand", "", []string{"admin"}, exitUsage, "no command given"},
		{
			"no password", "",
			[]string{"admin", "create-user", "--email", "e@example.org", "--name", "E", "--username", "eee"},
			exitUsage, "--password-stdin",
		},
		{
			"no address", goodPassword,
			[]string{"admin", "create-user", "--name", "E", "--username", "eee", "--password-stdin"}, exitUsage,
			"--email",
		},
		{"a short password", "short\n", create("e@example.org", "eee"), exitUsage, "password"},
		{"an invalid address", goodPassword, create("nowhere", "eee"), exitUsage, "email"},
		{"an invalid username", goodPassword, create("e@example.org", "e e"), exitUsage, "username"},
		{"an address twice", goodPassword, create("ADA@example.org", "eee"), exitFailed, "already exists"},
		{"a username twice", goodPassword, create("e@example.org", "ADA"), exitFailed, "taken"},
		{
			"unknown account", "", []string{"admin", "grant-admin", "--email", "e@example.org"}, exitFailed,
			"does not exist",
		},
		{
			"missing data directory", "", []string{"admin", "list-users", "--data-dir", nowhere}, exitFailed,
			"the data directory " + nowhere + " does not exist",
		},
		{
			"missing data directory for a tier", "",
			[]string{"admin", "set-tier", "--email", "ada@example.org", "--tier", "viral", "--data-dir", nowhere},
			exitFailed, "use --data-dir to name the data directory of the server",
		},
		{
			"unknown tier", "", []string{"admin", "set-tier", "--email", "ada@example.org", "--tier", "gold"},
			exitUsage, "creator",
		},
		{"a second server", "", []string{"serve", "--listen", "127.0.0.1:0"}, exitInUse, "using the data directory"},
		{"restore over data", "", []string{"restore", os.Args[0]}, exitInUse, "using the data directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, out := runs(t, dir, c.input, c.args...); code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("exit code %d, want %d and %q in:\n%s", code, c.code, c.says, out)
			}
		})
	}
	if socket, err := os.Stat(filepath.Join(dir, operator.SocketName)); err != nil || socket.Mode().Perm() != 0o600 {
		t.Errorf("mode of the socket: %v, %v", socket, err)
	}
	server.stop()
	if _, err := os.Stat(filepath.Join(dir, operator.SocketName)); !os.IsNotExist(err) {
		t.Errorf("the socket still exists: %v", err)
	}
	var users []json.RawMessage
	if err := json.Unmarshal([]byte(works(t, dir, "", "admin", "list-users", "--json")), &users); err != nil ||
		len(users) != 1 {
		t.Errorf("%d accounts, %v", len(users), err)
	}
}

// limited runs a command with a limit on the size of the files that it writes. Writes then fail as
// on a full disk. The shell counts in units of 512 or 1024 bytes.
func limited(cmd *exec.Cmd, bytes int64) *exec.Cmd {
	args := append(
		[]string{"-c", `trap "" XFSZ; ulimit -f "$0"; exec "$@"`, fmt.Sprint(bytes / 1024), cmd.Path},
		cmd.Args[1:]...)
	shell := exec.Command("/bin/sh", args...)
	shell.Env = cmd.Env
	return shell
}

// A token of the command line opens the API without a browser, within its scope.
func TestAdminCreatesTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	works(
		t, dir, goodPassword, "admin", "create-user", "--email", "ada@example.org", "--name", "Ada", "--username",
		"ada", "--password-stdin",
	)
	create := func(args ...string) string {
		t.Helper()
		args = append([]string{"admin", "create-token", "--email", "ada@example.org", "--name", "script"}, args...)
		return strings.TrimSuffix(works(t, dir, "", args...), "\n")
	}
	before := create() // without a server
	server := serve(t, dir, nil)
	ask := func(token, method, body string) int {
		t.Helper()
		request, err := http.NewRequestWithContext(
			t.Context(), method, server.base+"/api/v1/projects/", strings.NewReader(body),
		)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	const project = `{"name":"Talk"}`
	for _, token := range []string{before, create("--expires", "1")} {
		if code := ask(token, "POST", project); code != http.StatusCreated {
			t.Errorf("a token creates a project with status %d", code)
		}
	}
	reader := create("--scope", "read")
	if code := ask(reader, "GET", ""); code != http.StatusOK {
		t.Errorf("a reading token reads with status %d", code)
	}
	if code := ask(reader, "POST", project); code != http.StatusForbidden {
		t.Errorf("a reading token creates a project with status %d", code)
	}

	for _, c := range []struct {
		email string
		args  []string
		code  int
		says  string
	}{
		{"eve@example.org", nil, exitFailed, "does not exist"},
		{"ada@example.org", []string{"--scope", "write"}, exitUsage, "--scope must be all or read"},
		{"ada@example.org", []string{"--expires", "4000"}, exitUsage, "expires_in_days"},
		{"ada@example.org", []string{"--expires", "-1"}, exitUsage, "expires_in_days"},
		{
			"ada@example.org", []string{"--project", "00000000-0000-4000-8000-000000000000"}, exitFailed,
			"does not exist",
		},
	} {
		args := append([]string{"admin", "create-token", "--email", c.email, "--name", "script"}, c.args...)
		if code, out := runs(t, dir, "", args...); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%v: exit code %d, want %d and %q in:\n%s", c.args, code, c.code, c.says, out)
		}
	}
}
