package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/media/mediatest"
)

// The load of a server with one worker.
const (
	loadTime     = 10 * time.Minute
	loadProjects = 10
	loadStreams  = 20 // of each project
	loadUploads  = 5  // to each project
	loadReaders  = 4
	loadRead     = 50 * time.Millisecond // for 99 of 100 reads, with the full load
)

// load is a server under load.
type load struct {
	t        *testing.T
	c        *client
	projects []string
	talk     string

	mu      sync.Mutex
	wanted  map[string]map[string]bool // project -> events that its streams have to have, as "TYPE uuid"
	got     []map[string]int           // of each stream
	reads   []time.Duration
	edits   int
	exports int
}

// 200 event streams, 50 uploads, edits and exports share a server with one worker for ten minutes.
// Reads stay fast, no stream misses an event, and memory stays flat.
func TestLongLoad(t *testing.T) {
	needsLong(t)
	random := seeded(t)
	lasts := time.Duration(share(t, int(loadTime/time.Second))) * time.Second
	dir := t.TempDir()
	server := serve(t, dir, []string{"WORKERS=1", "SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	l := &load{t: t, c: server.owner(t), talk: tinyTalk(t), wanted: map[string]map[string]bool{}}
	// The client of the tests keeps two idle connections for each host, and would open one for each
	// request.
	l.c.http.Transport = &http.Transport{MaxIdleConnsPerHost: loadProjects * loadStreams}
	for n := range loadProjects {
		name := map[string]string{"name": fmt.Sprint("Talk ", n)}
		project := call[record](l.c, "POST", "/api/v1/projects/", name, 201)
		l.projects = append(l.projects, project.UUID)
		l.wanted[project.UUID] = map[string]bool{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var streams sync.WaitGroup
	for _, project := range l.projects {
		for range loadStreams {
			seen := map[string]int{}
			l.got = append(l.got, seen)
			streams.Go(l.stream(ctx, project, seen))
		}
	}
	memory := l.work(server.cmd.Process.Pid, lasts, random)
	for _, project := range l.projects {
		for _, list := range []string{"/clips/", "/exports/"} {
			if !settled(t.Context(), l.c, "/api/v1/projects/"+project+list, "processing", "queued", "rendering") {
				t.Fatalf("%s%s cannot be listed", project, list)
			}
		}
	}
	poll(t, func() bool { return l.missing(false) == 0 || t.Failed() })
	l.missing(true)
	cancel()
	streams.Wait()
	slices.Sort(l.reads)
	p99 := l.reads[len(l.reads)*99/100]
	early, late := median(memory[len(memory)/4:len(memory)/2]), median(memory[len(memory)*3/4:])
	events := 0
	for _, project := range l.wanted {
		events += len(project) * loadStreams
	}
	t.Logf("%v: %d streams had %d events, %d uploads, %d edits, %d exports, %d reads with p50 %v and p99 %v; "+
		"%d MB of memory, then %d MB", lasts, len(l.got), events, loadProjects*loadUploads, l.edits, l.exports,
		len(l.reads), l.reads[len(l.reads)/2].Round(time.Microsecond), p99.Round(time.Microsecond), early>>20, late>>20)
	if lasts == loadTime && p99 > loadRead {
		t.Errorf("99 of 100 reads took up to %v, beside %d processors", p99, runtime.NumCPU())
	}
	if late > early+early/4+32<<20 {
		t.Errorf("memory grew from %d to %d MB", early>>20, late>>20)
	}
	server.stop()
	doctor(t, dir)
}

func median(list []int64) int64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// stream opens the event stream of a project. It returns a function that counts the events, except
// progress events.
func (l *load) stream(ctx context.Context, project string, seen map[string]int) func() {
	l.t.Helper()
	address := l.c.base + "/api/v1/projects/" + project + "/events"
	request, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	response, err := l.c.http.Do(request)
	if err != nil || response.StatusCode != 200 {
		l.t.Fatalf("event stream: %v, %v", err, response)
	}
	return func() {
		defer response.Body.Close()
		kind := ""
		for scan := bufio.NewScanner(response.Body); scan.Scan(); {
			if name, ok := strings.CutPrefix(scan.Text(), "event: "); ok {
				kind = name
			}
			data, ok := strings.CutPrefix(scan.Text(), "data: ")
			if !ok {
				continue
			}
			var event struct {
				Clip   string `json:"clip_uuid"`
				Export string `json:"export_uuid"`
			}
			if err := json.Unmarshal([]byte(data), &event); err != nil {
				l.t.Errorf("event %s: %v in %s", kind, err, data)
			}
			l.mu.Lock()
			seen[kind+" "+event.Clip+event.Export]++
			l.mu.Unlock()
			if kind == "RESYNC" || strings.HasSuffix(kind, "_FAILED") {
				l.t.Errorf("event %s: %s", kind, data)
			}
		}
	}
}

// work loads the server for a time. It returns the memory of the process, sampled at equal times.
func (l *load) work(pid int, lasts time.Duration, random *rand.Rand) (memory []int64) {
	ctx, cancel := context.WithTimeout(l.t.Context(), lasts)
	defer cancel()
	var work sync.WaitGroup
	every := func(interval time.Duration, do func(n int)) {
		work.Go(func() {
			tick := time.NewTicker(interval)
			defer tick.Stop()
			for n := 0; ; n++ {
				do(n)
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	uploads := 0
	every(lasts/(loadProjects*loadUploads+5), func(int) {
		if uploads < loadProjects*loadUploads {
			l.upload(l.projects[uploads%loadProjects])
			uploads++
		}
	})
	paths := []string{"", "/clips/", "/edits/", "/exports/"}
	for range loadReaders {
		readers := rand.New(rand.NewPCG(random.Uint64(), 1))
		every(20*time.Millisecond, func(int) {
			l.read("/api/v1/projects/" + l.projects[readers.IntN(loadProjects)] + paths[readers.IntN(len(paths))])
		})
	}
	every(100*time.Millisecond, func(n int) { l.edit(l.projects[n%loadProjects], n) })
	every(500*time.Millisecond, func(n int) { l.export(l.projects[n%loadProjects]) })
	every(200*time.Millisecond, func(int) { memory = append(memory, residentMemory(l.t, pid)) })
	work.Wait()
	for ; uploads < loadProjects*loadUploads; uploads++ {
		l.upload(l.projects[uploads%loadProjects])
	}
	return memory
}

// upload uploads and confirms a recording.
func (l *load) upload(project string) {
	info, err := os.Stat(l.talk)
	if err != nil {
		l.t.Error(err)
		return
	}
	root := "/api/v1/projects/" + project + "/clips/"
	p, ok := attempt[presigned](l.c, "POST", root+"presign", map[string]any{
		"filename": filepath.Base(l.talk), "content_type": "video/mp4", "size_bytes": info.Size(),
	}, 201)
	if !ok || l.c.put(p.UploadURL, l.talk) != nil {
		l.t.Error("an upload failed")
		return
	}
	if _, ok := attempt[record](l.c, "POST", root+p.ClipUUID+"/confirm", nil, 202); !ok {
		l.t.Error("a confirm failed")
		return
	}
	l.expect(project, "CLIP_PROCESSING "+p.ClipUUID, "CLIP_READY "+p.ClipUUID)
}

func (l *load) expect(project string, events ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, event := range events {
		l.wanted[project][event] = true
	}
}

// read measures a request.
func (l *load) read(path string) {
	started := time.Now()
	status, text, err := l.c.do("GET", path, nil)
	took := time.Since(started)
	if err != nil || status != 200 {
		l.t.Errorf("GET %s: status %d, %v: %s", path, status, err, text)
	}
	l.mu.Lock()
	l.reads = append(l.reads, took)
	l.mu.Unlock()
}

// edit adds a cut to a project with footage, and removes it.
func (l *load) edit(project string, n int) {
	root := "/api/v1/projects/" + project + "/edits/"
	start := n % 40 * 50
	made, ok := attempt[record](l.c, "POST", root, map[string]any{
		"type": "manual", "start_ms": start, "end_ms": start + 40,
	}, 201)
	if !ok {
		return // the project has no footage yet, or another cut there
	}
	if status, text, err := l.c.do("DELETE", "/api/v1/edits/"+made.UUID, nil); err != nil || status != 204 {
		l.t.Errorf("deleting an edit: status %d, %v: %s", status, err, text)
	}
	l.mu.Lock()
	l.edits += 2
	l.mu.Unlock()
}

// export keeps the worker busy: it exports a project with footage that is not being exported.
func (l *load) export(project string) {
	root := "/api/v1/projects/" + project
	exports, ok := attempt[list[record]](l.c, "GET", root+"/exports/", nil, 200)
	clips, found := attempt[list[record]](l.c, "GET", root+"/clips/", nil, 200)
	busy := func(r record) bool { return r.Status == "queued" || r.Status == "rendering" }
	if !ok || !found || len(exports.Items) >= 5 || slices.ContainsFunc(exports.Items, busy) ||
		!slices.ContainsFunc(clips.Items, func(r record) bool { return r.Status == "ready" }) {
		return
	}
	made, ok := attempt[record](l.c, "POST", root+"/exports/", map[string]any{
		"name": "out", "export_settings": map[string]string{"aspect_ratio": "1:1"},
	}, 202)
	if !ok {
		return // a clip is being read
	}
	l.expect(project, "EXPORT_STARTED "+made.UUID, "EXPORT_COMPLETE "+made.UUID)
	l.mu.Lock()
	l.exports++
	l.mu.Unlock()
}

// missing counts the events that streams have not had. It can report them.
func (l *load) missing(report bool) (count int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, seen := range l.got {
		for event := range l.wanted[l.projects[n/loadStreams]] {
			if seen[event] == 0 {
				count++
				if report {
					l.t.Errorf("stream %d has not had %s", n, event)
				}
			}
			if report && seen[event] > 1 && !strings.HasPrefix(event, "CLIP_PROCESSING") {
				l.t.Errorf("stream %d has had %s %d times", n, event, seen[event])
			}
		}
	}
	return count
}

var resident = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// residentMemory returns the bytes of memory that a process has.
func residentMemory(t *testing.T, pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	found := resident.FindSubmatch(status)
	if err != nil || found == nil {
		t.Errorf("the memory of the server is unknown: %v", err)
		return 0
	}
	kb, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Error(err)
	}
	return kb << 10
}
