//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"roughcut/pipeline/sandbox"
)

// engineOf returns the process ID of a running engine of a server, or 0 if no engine runs.
func (r *running) engineOf() int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", r.cmd.Process.Pid))
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(children)) {
			line, _ := os.ReadFile("/proc/" + child + "/cmdline")
			if strings.HasSuffix(strings.TrimRight(string(line), "\x00"), "\x00"+sandbox.Name) {
				pid, _ := strconv.Atoi(child)
				return pid
			}
		}
	}
	return 0
}

// killEngine kills an engine of the server, another one than that with the ID known.
func (r *running) killEngine(t *testing.T, known int) (engine int) {
	t.Helper()
	poll(t, func() bool { engine = r.engineOf(); return engine != 0 && engine != known })
	poll(t, func() bool { // the server sets it after the start
		score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", engine))
		return err == nil && string(score) == "500\n"
	})
	if err := syscall.Kill(engine, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	return engine
}

// A server with accounts runs engines in child processes. A job whose child was killed runs again,
// and does not disturb a job that runs at the same time. After a second kill, it fails with a
// reason.
func TestKilledEngineFailsOnlyItsJob(t *testing.T) {
	recording := slowTalk(t)
	dir := t.TempDir()
	server := serve(t, dir, []string{"WORKERS=2", "CHUNK_CACHE_MB=0", "LOG_LEVEL=info"})
	c := signUp(t, server)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "isolated"}, 201)
	root := "/api/v1/projects/" + project.UUID
	c.upload(project.UUID, recording)
	comesTo(t, c, root+"/clips/", "ready")
	done := func(message string, attempt int) (lines int) {
		for line := range strings.Lines(server.log.String()) {
			if strings.Contains(line, `"msg":"`+message+`"`) && strings.Contains(line, `"kind":"export"`) &&
				strings.Contains(line, fmt.Sprintf(`"attempt":%d,`, attempt)) {
				lines++
			}
		}
		return lines
	}

	wanted := map[string]any{"name": "out", "export_settings": map[string]string{"resolution": "1080p"}}
	call[record](c, "POST", root+"/exports/", wanted, 202)
	call[record](c, "POST", root+"/exports/", wanted, 202)
	first := server.killEngine(t, 0)
	if !settled(t.Context(), c, root+"/exports/", "queued", "rendering") {
		t.Fatal("the server is gone")
	}
	comesTo(t, c, root+"/exports/", "completed")
	// The server logs the end of a job after it has stored it.
	poll(t, func() bool { return done("job done", 1)+done("job done", 2) == 2 })
	if done("job done", 1) != 1 {
		t.Errorf("not one export ended at the first attempt and one at the second:\n%s", server.log)
	}

	failing := call[record](c, "POST", root+"/exports/", wanted, 202)
	server.killEngine(t, server.killEngine(t, first))
	if !settled(t.Context(), c, root+"/exports/", "queued", "rendering") {
		t.Fatal("the server is gone")
	}
	got := call[record](c, "GET", "/api/v1/exports/"+failing.UUID, nil, 200)
	if got.Status != "failed" || !strings.Contains(got.Error, "the server ran out of memory") {
		t.Errorf("after two kills the export is %s: %s", got.Status, got.Error)
	}
	poll(t, func() bool { return done("job failed", 2) == 1 })
	call[struct{}](c, "DELETE", "/api/v1/exports/"+failing.UUID, nil, 204)

	call[record](c, "POST", root+"/exports/", map[string]any{"name": "again"}, 202)
	comesTo(t, c, root+"/exports/", "completed")
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
	server.stop()
	doctor(t, dir)
}

// Without a speech model, the engines of a server with accounts find silences.
func TestIsolatedAnalysisWithoutModel(t *testing.T) {
	t.Parallel()
	server := serve(t, t.TempDir(), nil)
	c := signUp(t, server)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "isolated"}, 201)
	root := "/api/v1/projects/" + project.UUID
	c.upload(project.UUID, tinyTalk(t))
	comesTo(t, c, root+"/clips/", "ready")
	call[struct{}](c, "POST", root+"/analyze", map[string]any{}, 202)
	comesTo(t, c, root+"/analysis-runs/", "completed")
	edits := call[struct{ Items []struct{ Type string } }](c, "GET", root+"/edits/", nil, 200).Items
	if len(edits) == 0 || edits[0].Type != "silence" {
		t.Errorf("edits %+v, want silences", edits)
	}
	server.stop()
}
