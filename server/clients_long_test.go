package server

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// clients is the folder of the programs that TestLongClients builds, with the versions of their
// generators.
const clients = "testdata/clients"

// workshop is a copy of clients with the document of a server.
type workshop struct {
	t   *testing.T
	dir string
}

// run runs a command in the folder and returns its output.
func (s workshop) run(env []string, name string, args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), name, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), env...)
	var out, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &faults
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, tail(out.String()), tail(faults.String()))
	}
	return out.String()
}

// tail returns the last lines of an output.
func tail(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-60):], "\n")
}

// TestLongClientsOfTheContract checks the document with the recommended rules of Redocly and
// Spectral. It generates the clients and servers that docs/api.md names, compiles a typed program
// for each and runs it against the server.
func TestLongClientsOfTheContract(t *testing.T) {
	mediatest.NeedsLong(t)
	mediatest.Needs(t, "go", "node", "npm")
	w := newWorld(t)
	s := workshop{t, t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS(clients)); err != nil {
		t.Fatal(err)
	}
	document := w.anonymous().do("GET", "/api/v1/openapi.json", nil).want(200, "")
	for name, text := range map[string][]byte{"openapi.json": document.body, "openapi.yaml": contractYAML} {
		if err := os.WriteFile(filepath.Join(s.dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.run(nil, "npm", "ci", "--ignore-scripts", "--loglevel=error")

	t.Run("rules", func(t *testing.T) {
		s := workshop{t, s.dir}
		for _, file := range []string{"openapi.json", "openapi.yaml"} {
			s.checkRules(file)
		}
	})
	t.Run("TypeScript", func(t *testing.T) {
		s := workshop{t, s.dir}
		s.run(nil, "npx", "openapi-typescript", "openapi.json", "-o", "openapi-typescript.ts")
		s.run(nil, "npx", "openapi-ts", "-i", "openapi.json", "-o", "hey-api", "-c", "@hey-api/client-fetch")
		s.run(nil, "npx", "orval", "--config", "orval.config.mjs")
		s.run(nil, "npx", "tsc", "-p", ".")
		for _, name := range []string{"openapi-typescript", "hey-api", "orval"} {
			s.run(nil, "npx", "esbuild", "use-"+name+".ts", "--bundle", "--platform=node", "--format=esm",
				"--log-level=error", "--outfile="+name+".run.mjs")
			s.calls(w, name, "node", name+".run.mjs")
		}
	})
	t.Run("Go", func(t *testing.T) {
		s := workshop{t, s.dir}
		s.run(nil, "go", "tool", "oapi-codegen", "-config", "oapi/config.yaml", "openapi.json")
		s.run(nil, "go", "tool", "ogen", "--target", "ogen", "--package", "ogen", "--clean", "openapi.json")
		s.run([]string{"CGO_ENABLED=0"}, "go", "build", "-o", "run/", "./cmd/...")
		for _, name := range []string{"oapi", "ogen"} {
			s.calls(w, name, filepath.Join(s.dir, "run", name))
		}
	})
}

// checkRules fails for each error that Redocly or Spectral reports.
func (s workshop) checkRules(file string) {
	s.t.Helper()
	report := s.run(nil, "npx", "redocly", "lint", "--extends=recommended", "--format=json", file)
	var redocly struct {
		Totals struct{ Errors, Warnings int } `json:"totals"`
	}
	if err := json.Unmarshal([]byte(report), &redocly); err != nil {
		s.t.Fatalf("Redocly reports %s: %v", tail(report), err)
	}
	s.t.Logf("%s: Redocly reports %d errors and %d warnings", file, redocly.Totals.Errors, redocly.Totals.Warnings)

	report = s.run(nil, "npx", "spectral", "lint", "-r", "spectral.yaml", "-f", "json", "--quiet",
		"--fail-severity=error", file)
	var spectral []struct {
		Code     string `json:"code"`
		Message  string `json:"message"`
		Severity int    `json:"severity"` // 0 is an error
	}
	if err := json.Unmarshal([]byte(report), &spectral); err != nil {
		s.t.Fatalf("Spectral reports %s: %v", tail(report), err)
	}
	failures := 0
	for _, fault := range spectral {
		if fault.Severity == 0 {
			failures++
			s.t.Errorf("%s: %s: %s", file, fault.Code, fault.Message)
		}
	}
	s.t.Logf("%s: Spectral reports %d errors and %d warnings", file, failures, len(spectral)-failures)
}

// calls runs a program that creates a project and an export without clips. It prints the code of
// the refused export if its type holds the code.
func (s workshop) calls(w *world, name string, command ...string) {
	s.t.Helper()
	account := w.person(strings.ReplaceAll(name, "-", ""))
	env := []string{"TOKEN=" + account.token(name).bearer}
	if out := s.run(env, command[0], append(command[1:], w.http.URL)...); strings.TrimSpace(out) != "no_clips" {
		s.t.Errorf("the program of %s prints %q, want no_clips", name, out)
	}
	if got := account.do("GET", "/api/v1/projects", nil).want(200, "").text("total"); got != "1" {
		s.t.Errorf("the program of %s created %s projects", name, got)
	}
}
