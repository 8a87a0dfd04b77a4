package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roughcut/media/mediatest"
)

// The server of the attack, and what the other account may wait.
const (
	attackMemory  = 2 << 30
	attackTime    = 8 * time.Second
	attackers     = 16
	attackReadP99 = 100 * time.Millisecond
	attackCutP99  = 300 * time.Millisecond
	attackCPU     = 5 * time.Second // of one request
	clockTicks    = 100             // a second, in /proc
)

// attack is an operation with x-cost at its worst. body returns the body of request n. download
// downloads from the address that the operation returns; nil for no download.
type attack struct {
	operation, method, path string
	body                    func(n int) []byte
	download                func(c *client, address string) (int, error)
}

// send makes request n of an attack and returns the status of the last response.
func (a attack) send(c *client, n int) (int, error) {
	if a.download == nil {
		return c.raw(a.method, a.path, a.body(n))
	}
	status, text, err := c.do(a.method, a.path, nil)
	if err != nil || status != http.StatusOK {
		return status, err
	}
	return a.download(c, decode[struct{ URL string }](c.t, text).URL)
}

// bundleRange returns a download of a range of a bundle, or of all of it without a range. It reads
// the response to its end, or as many bytes as given before it hangs up.
func bundleRange(bytes string, most int64) func(*client, string) (int, error) {
	return func(c *client, address string) (int, error) {
		request, err := http.NewRequest("GET", address, nil)
		if err != nil {
			return 0, err
		}
		if bytes != "" {
			request.Header.Set("Range", "bytes="+bytes)
		}
		response, err := c.http.Do(request)
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, io.LimitReader(response.Body, most))
		return response.StatusCode, err
	}
}

// attacks returns the attacks on a project with a clip.
func attacks(project, clip string) []attack {
	text := func(value any) []byte {
		out, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		return out
	}
	root, recording := "/api/v1/projects/"+project, "/api/v1/clips/"+clip
	bundle := root + "/timelines/otio/download-url"
	still := func(n int) []byte { return text(map[string]any{"at_ms": 40 * (n % 40)}) }
	var cues strings.Builder
	for n := 0; cues.Len() < 15<<20; n++ {
		fmt.Fprintf(&cues, "%d\n00:00:%02d,%03d --> 00:00:%02d,%03d\nx\n\n", n, n%60, n%1000, n%60, n%1000+1)
	}
	subtitles := text(map[string]string{"text": cues.String()})
	attributes := bytes.NewBufferString(`<fcpxml version="1.11"><resources><format id="r1"`)
	for n := 0; attributes.Len() < 23<<20; n++ {
		fmt.Fprintf(attributes, ` a%d="1"`, n)
	}
	attributes.WriteString("/></resources></fcpxml>")
	nulls := []byte(`{"OTIO_SCHEMA":"Timeline.1","tracks":[` + strings.Repeat("null,", 23<<20/5) + `null]}`)
	constant := func(body []byte) func(int) []byte { return func(int) []byte { return body } }
	return []attack{
		{"getStill", "POST", root + "/still", still, nil},
		{"estimateExport", "POST", root + "/exports/estimate", func(n int) []byte {
			return text(map[string]any{"export_settings": map[string]any{
				"aspect_ratio": []string{"1:1", "9:16", "4:5"}[n%3], "audio": map[string]any{"normalize": true},
			}})
		}, nil},
		{"getClipFaces", "GET", recording + "/faces", constant(nil), nil},
		{"getClipRoomTone", "GET", recording + "/room-tone?start_ms=500&end_ms=900", constant(nil), nil},
		{"importTranscript", "PUT", recording + "/transcript", constant(subtitles), nil},
		{"importCaptionLines", "POST", root + "/caption-lines/import", constant(subtitles), nil},
		{
			"compareTimeline of attributes", "POST", root + "/timelines/fcpxml/compare",
			constant(attributes.Bytes()), nil,
		},
		{"compareTimeline of nulls", "POST", root + "/timelines/otio/compare", constant(nulls), nil},
		{"getTimelineBundleURL", "GET", bundle, constant(nil), nil},
		{"download of a bundle", "GET", bundle, nil, bundleRange("", math.MaxInt64)},
		{"end of a bundle", "GET", bundle, nil, bundleRange("-300", math.MaxInt64)},
		{"first byte of a bundle", "GET", bundle, nil, bundleRange("", 1)},
	}
}

// TestTimingWorstRequests holds a server with one worker to 2 GiB, and lets one account do its
// worst in each operation that starts an engine or reads a large body. The server lives, and
// another account hardly notices. saveStill waits for a person at a dialog, so it is left out.
func TestTimingWorstRequests(t *testing.T) {
	mediatest.NeedsTiming(t)
	dir := t.TempDir()
	cmd := program(t.Context(), dir, "serve", "--listen", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "WORKERS=1", "PLAN_MODE=unlimited")
	group := memoryGroup(t, attackMemory)
	cmd.Args = append([]string{"sh", "-c", `echo $$ > "$0" && exec "$@"`, group.procs, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	server := start(t, dir, cmd)
	bad, good := signUpAs(t, server, "eve"), signUpAs(t, server, "ada")
	var projects [2]string
	var clips [2]string
	for i, c := range []*client{bad, good} {
		size := [...]string{"7680x4320", "640x360"}[i]
		path := film(t, fmt.Sprintf("talk%d.mp4", i), "-f", "lavfi", "-i", "testsrc2=s="+size+":r=25:d=2",
			"-f", "lavfi", "-i", "anoisesrc=a=0.01:d=2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25",
			"-pix_fmt", "yuv420p", "-c:a", "aac", "-ar", "48000")
		projects[i] = call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Talk"}, 201).UUID
		clips[i] = c.upload(projects[i], path).UUID
		c.clipsReady(projects[i], 1)
	}
	t.Logf("%-30s %8s %10s %10s %8s  %s", "operation", "CPU", "GET p99", "cut p99", "memory", "responses")
	for _, a := range attacks(projects[0], clips[0]) {
		before := cpuOf(t, server.cmd.Process.Pid)
		if _, err := a.send(bad, 0); err != nil {
			t.Fatalf("%s: %v\n%s", a.operation, err, server.log)
		}
		cost := cpuOf(t, server.cmd.Process.Pid) - before
		reads, cuts, responses := a.run(bad, good, projects[1])
		t.Logf("%-30s %8v %10v %10v %5d MB  %v", a.operation, cost.Round(10*time.Millisecond),
			reads.Round(time.Millisecond), cuts.Round(time.Millisecond), group.peak(t)>>20, responses)
		if cost > attackCPU || reads > attackReadP99 || cuts > attackCutP99 {
			t.Errorf("%s costs %v; others wait %v for a read and %v for a cut", a.operation, cost, reads, cuts)
		}
	}
	server.stop()
	doctor(t, dir)
}

// run makes an account attack while another one reads and cuts. It returns what 99 of 100 requests
// of that one took at most, and how often the server gave each response to the attack.
func (a attack) run(bad, good *client, project string) (reads, cuts time.Duration, responses map[int]int) {
	var over atomic.Bool
	var work sync.WaitGroup
	var mu sync.Mutex
	responses = map[int]int{}
	for worker := range attackers {
		work.Go(func() {
			for n := worker; !over.Load(); n += attackers {
				status, err := a.send(bad, n)
				if err != nil {
					status = 0
				}
				mu.Lock()
				responses[status]++
				mu.Unlock()
			}
		})
	}
	root := "/api/v1/projects/" + project
	var reading, cutting []time.Duration
	for start := time.Now(); time.Since(start) < attackTime; {
		at := time.Now()
		call[list[record]](good, "GET", root+"/clips/", nil, 200)
		reading = append(reading, time.Since(at))
		at = time.Now()
		cut := map[string]any{"type": "manual", "start_ms": 100 + len(cutting)%10, "end_ms": 300}
		edit := call[record](good, "POST", root+"/edits/", cut, 201)
		cutting = append(cutting, time.Since(at))
		call[struct{}](good, "DELETE", "/api/v1/edits/"+edit.UUID, nil, 204)
	}
	over.Store(true)
	work.Wait()
	return p99(reading), p99(cutting), responses
}

// p99 returns what 99 of 100 requests took at most.
func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[(len(took)-1)*99/100]
}

// raw sends a body as it is and returns the status of the response, which it reads to the end.
func (c *client) raw(method, path string, body []byte) (int, error) {
	request, err := http.NewRequest(method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	if strings.HasSuffix(path, "/compare") {
		request.Header.Set("Content-Type", "application/octet-stream")
	}
	request.Header.Set("X-CSRF-Token", c.csrf)
	response, err := c.http.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// cgroup is a control group of the kernel with bounded memory.
type cgroup struct{ procs, peakFile string }

// memoryGroup makes a control group for a number of bytes, without swap. It skips the test if the
// kernel refuses that.
func memoryGroup(t *testing.T, limit int64) cgroup {
	t.Helper()
	root, limits, peak := "/sys/fs/cgroup", []string{"memory.max", "memory.swap.max"}, "memory.peak"
	values := []string{strconv.FormatInt(limit, 10), "0"}
	if _, err := os.Stat("/sys/fs/cgroup/memory"); err == nil { // version 1
		root, limits = "/sys/fs/cgroup/memory", []string{"memory.limit_in_bytes", "memory.swappiness"}
		peak = "memory.max_usage_in_bytes"
	}
	dir := filepath.Join(root, fmt.Sprint("roughcut-test-", os.Getpid()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		mediatest.Refused(t, "a control group", err)
	}
	t.Cleanup(func() {
		poll(t, func() bool { return os.Remove(dir) == nil })
	})
	for i, name := range limits {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(values[i]), 0); err != nil {
			mediatest.Refused(t, "a limit of memory", err)
		}
	}
	return cgroup{filepath.Join(dir, "cgroup.procs"), filepath.Join(dir, peak)}
}

// peak returns the largest memory of the group so far, in bytes, with the file cache.
func (g cgroup) peak(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile(g.peakFile)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// cpuOf returns the processor time of a process and of its children that have ended.
func cpuOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	ticks := int64(0)
	for _, field := range fields[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / clockTicks
}
