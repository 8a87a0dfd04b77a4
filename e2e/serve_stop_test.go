package e2e

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"roughcut/media/mediatest"
)

// A stopping server ends its event streams and returns its jobs to the queue at once. The next
// server completes them.
func TestStopReturnsJobsToTheQueue(t *testing.T) {
	stopWithJob(t)
}

// Without open requests, stopping is quick.
func TestTimingStop(t *testing.T) {
	mediatest.NeedsTiming(t)
	if took := stopWithJob(t); took >= 10*time.Second {
		t.Errorf("stopping took %v without open requests", took)
	}
}

// stopWithJob stops a server that analyzes a recording, and starts it again. It returns how long
// the server took to stop.
func stopWithJob(t *testing.T) (took time.Duration) {
	t.Helper()
	dir := t.TempDir()
	env := []string{"SPEECH_MODEL=" + mediatest.Model(t), "WORKERS=1", "METRICS_ADDR=127.0.0.1:0", "LOG_LEVEL=info"}
	server := serve(t, dir, env)
	c := signUp(t, server)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "stop"}, 201)
	root := "/api/v1/projects/" + project.UUID
	events := c.events(project.UUID, "CLIP_READY", "ANALYSIS_STARTED")
	c.upload(project.UUID, tinyTalk(t))
	wait(t, events)
	call[struct{}](c, "POST", root+"/analyze", map[string]int{"pacing_level": 60}, 202)
	wait(t, events)
	stream, err := c.http.Get(c.base + root + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	poll(t, func() bool {
		metrics := scrape(t, server)
		return strings.Contains(metrics, "roughcut_open_streams 1\n") &&
			strings.Contains(metrics, "roughcut_job_duration_seconds_count{kind=\"clip\",outcome=\"done\"} 1\n")
	})
	asked := time.Now()
	server.stop()
	took = time.Since(asked)
	if _, err := io.ReadAll(stream.Body); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
	doctor(t, dir)
	again := serve(t, dir, env)
	c.base = again.base
	if !settled(t.Context(), c, root+"/analysis-runs", "queued", "running") {
		t.Fatal("the server exited")
	}
	if runs := call[list[record]](c, "GET", root+"/analysis-runs", nil, 200); len(runs.Items) != 1 ||
		runs.Items[0].Status != "completed" {
		t.Errorf("runs after the restart: %+v", runs.Items)
	}
	again.stop()
	doctor(t, dir)
	return took
}

var metricsAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+/metrics`)

// scrape returns the metrics of a server, from the address in its log.
func scrape(t *testing.T, server *running) string {
	t.Helper()
	response, err := http.Get(metricsAddress.FindString(server.log.String()))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("metrics: %v, status %d", err, response.StatusCode)
	}
	return string(text)
}

// A second signal kills a server that waits for a slow upload. No acknowledged data is lost.
func TestSecondSignalKillsTheServer(t *testing.T) {
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "slow"}, 201)
	clip := call[presigned](
		c, "POST", "/api/v1/projects/"+project.UUID+"/clips/presign",
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 1 << 20}, 201,
	)
	slow, feed := io.Pipe()
	defer feed.Close()
	request, err := http.NewRequest("PUT", clip.UploadURL, slow)
	if err != nil {
		t.Fatal(err)
	}
	request.ContentLength = 1 << 20
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	if _, err := feed.Write(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	poll(t, func() bool { open, _ := filepath.Glob(filepath.Join(dir, "tmp", "*.upload")); return len(open) > 0 })
	if err := server.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	// it accepts no more connections
	poll(t, func() bool { _, err := http.Get(server.base + "/healthz"); return err != nil })
	select {
	case err := <-server.exited:
		t.Fatalf("the server exited without waiting for the upload: %v\n%s", err, server.log)
	default:
	}
	if err := server.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-server.exited
	server.exited = nil
	if status, ok := server.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT {
		t.Errorf("the second signal did not end the server: %v", server.cmd.ProcessState)
	}
	_ = slow.Close()
	<-sent
	doctor(t, dir)
	again := serve(t, dir, nil, "--owner")
	call[record](again.owner(t), "GET", "/api/v1/projects/"+project.UUID, nil, 200)
}
