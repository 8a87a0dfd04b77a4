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

// engineOf returns the process of a running engine of a server, 0 without one.
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

// A server with accounts runs engines in child processes. The end of a child fails its job with a
// reason, at its first attempt, and does not disturb a job that runs at the same time.
func TestKilledEngineFailsOnlyItsJob(t *testing.T) {
	recording := slowTalk(t)
	dir := t.TempDir()
	server := serve(t, dir, []string{"WORKERS=2", "CHUNK_CACHE_MB=0", "LOG_LEVEL=info"})
	c := signUp(t, server)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "isolated"}, 201)
	root := "/api/v1/projects/" + project.UUID
	c.upload(project.UUID, recording)
	comesTo(t, c, root+"/clips/", "ready")

	wanted := map[string]any{"name": "out", "export_settings": map[string]string{"resolution": "1080p"}}
	call[record](c, "POST", root+"/exports/", wanted, 202)
	call[record](c, "POST", root+"/exports/", wanted, 202)
	var engine int
	poll(t, func() bool { engine = server.engineOf(); return engine != 0 })
	poll(t, func() bool { // the server sets it after the start
		score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", engine))
		return err == nil && string(score) == "500\n"
	})
	if err := syscall.Kill(engine, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !settled(t.Context(), c, root+"/exports/", "queued", "rendering") {
		t.Fatal("the server is gone")
	}
	outcomes := map[string]string{"failed": "job failed", "completed": "job done"}
	for _, export := range call[list[record]](c, "GET", root+"/exports/", nil, 200).Items {
		message := outcomes[export.Status]
		if delete(outcomes, export.Status); message == "" {
			t.Fatalf("an export is %s: %s", export.Status, export.Error)
		}
		if export.Status == "failed" && !strings.Contains(export.Error, "the server ran out of memory") {
			t.Errorf("the export failed with %q", export.Error)
		}
		ended := 0
		for line := range strings.Lines(server.log.String()) {
			if strings.Contains(line, export.UUID) && strings.Contains(line, `"msg":"`+message+`"`) &&
				strings.Contains(line, `"attempt":1,`) {
				ended++
			}
		}
		if ended != 1 {
			t.Errorf("%d lines for the first attempt of the %s export:\n%s", ended, export.Status, server.log)
		}
	}

	call[record](c, "POST", root+"/exports/", map[string]any{"name": "again"}, 202)
	comesTo(t, c, root+"/exports/", "completed")
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
	server.stop()
	doctor(t, dir)
}
