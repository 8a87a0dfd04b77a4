package e2e

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"roughcut/media/mediatest"
)

// The disk of a server becomes full at random points of uploads, ingests, analyses, exports and
// deletions, with up to 2 MB left. Each request works or is refused because the disk is full, each
// job works or fails for that reason, acknowledged objects stay, and with space everything works
// again.
func TestLongFullDiskAtManyPoints(t *testing.T) {
	needsLong(t)
	random, talk, dir := seeded(t), mediatest.Talk(t, mediatest.TalkOptions{
		Width: 320, Height: 180, Seconds: 8, Hiss: true, GOP: 300,
	}).Path, t.TempDir()
	server := serveOnSmallDisk(t, dir)
	f := &fullDisk{
		t: t, c: server.owner(t), random: random, talk: talk, met: map[string]int{},
		filler: fmt.Sprintf("/proc/%d/root%s/filler", server.cmd.Process.Pid, dir),
	}
	points := share(t, 50)
	for n := range points {
		f.run(n % fullDiskSteps)
	}
	f.run(fullDiskSteps) // with space
	t.Logf("%d full disks: %v", points, f.met)
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(f.filler), "tmp", "*")); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
	server.stop()
}

// Another program keeps the disk of a server full while clips are deleted. Every deletion works,
// and the server has the reserve for further ones back before the program takes it.
func TestDeletionsWorkWhileTheDiskKeepsFilling(t *testing.T) {
	dir := t.TempDir()
	server := serveOnSmallDisk(t, dir)
	c := server.owner(t)
	clip := ingested(t, c, tinyTalk(t))
	if clip.Status != "ready" {
		t.Fatalf("clip: %+v", clip)
	}
	const deletions = 10
	var clips []string
	for range deletions {
		clips = append(clips, call[record](c, "POST", "/api/v1/clips/"+clip.UUID+"/duplicate", nil, 201).UUID)
	}
	inside := fmt.Sprintf("/proc/%d/root%s", server.cmd.Process.Pid, dir)
	reserve := func() int64 {
		t.Helper()
		info, err := os.Stat(filepath.Join(inside, "ballast"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := reserve()
	full, stop := keepFull(t, c, filepath.Join(inside, "filler"))
	defer stop()
	for _, clip := range clips {
		for status, tries := 0, 0; status != 507; tries++ { // uses the free pages of the database
			<-full
			var err error
			status, _, err = c.do("POST", "/api/v1/projects/", map[string]string{"name": strings.Repeat("x", 100)})
			if err != nil || tries == 1000 {
				t.Fatalf("the disk does not get full: %v", err)
			}
		}
		call[struct{}](c, "DELETE", "/api/v1/clips/"+clip, nil, 204)
	}
	stop()
	left := reserve()
	t.Logf("%d deletions cost %d KB of the reserve of %d KB", deletions, (before-left)>>10, before>>10)
	if left < before/8 { // half of it each time would leave nothing
		t.Errorf("the reserve has %d of %d bytes left", left, before)
	}
	if err := os.Remove(filepath.Join(inside, "filler")); err != nil {
		t.Fatal(err)
	}
	server.stop()
}

// keepFull writes to a file until its disk is full, and takes what becomes free until stop is
// called: 4 KB for each response, so that a slow machine slows both down. full can be
// received from whenever a write finds the disk full.
func keepFull(t *testing.T, c *client, path string) (full <-chan struct{}, stop func()) {
	t.Helper()
	fill(t, path, 0)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	var over atomic.Bool
	var filling sync.WaitGroup
	found := make(chan struct{})
	filling.Go(func() {
		defer file.Close()
		defer close(found)
		for block := make([]byte, 4<<10); !over.Load(); {
			if _, _, err := c.do("GET", "/healthz", nil); err != nil {
				t.Error(err)
				return
			}
			_, err := file.Write(block)
			if err == nil {
				continue
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Error(err)
				return
			}
			select {
			case found <- struct{}{}:
			default:
			}
		}
	})
	return found, func() { over.Store(true); filling.Wait() }
}

// fullDiskSteps is the number of steps of a flow. The disk can become full before each step.
const fullDiskSteps = 5

// fullDisk runs flows on a small disk.
type fullDisk struct {
	t      *testing.T
	c      *client
	random *rand.Rand
	talk   string
	filler string         // the file that fills the disk
	met    map[string]int // what came of steps on a full disk
	full   bool
}

// run runs a flow in a new project. The disk becomes full before step at, or never, and is freed
// before or after the project is deleted.
func (f *fullDisk) run(at int) {
	f.t.Helper()
	project := call[record](f.c, "POST", "/api/v1/projects/", map[string]string{"name": "full"}, 201).UUID
	root := "/api/v1/projects/" + project
	kept := map[string]string{} // acknowledged items and their lists
	var clip presigned
	confirmed := false
	for n, step := range []func(){
		func() { clip = attemptPresign(f.t, f.c, root) },
		func() {
			if clip.UploadURL == "" {
				return
			}
			if err := f.c.put(clip.UploadURL, f.talk); err != nil {
				if !f.full || !strings.Contains(err.Error(), "storage_full") {
					f.t.Fatalf("upload: %v", err)
				}
				clip.UploadURL = ""
			}
		},
		func() {
			if clip.UploadURL != "" && f.ask(root+"/clips/"+clip.ClipUUID+"/confirm", nil, nil) {
				kept[clip.ClipUUID], confirmed = root+"/clips/", true
			}
		},
		func() {
			var run struct {
				UUID string `json:"run_uuid"`
			}
			if confirmed && f.ready(root) && f.ask(root+"/analyze", map[string]int{"pacing_level": 60}, &run.UUID) {
				kept[run.UUID] = root + "/analysis-runs"
			}
		},
		func() {
			var export string
			settings := map[string]any{"name": "out", "export_settings": map[string]string{"aspect_ratio": "1:1"}}
			if confirmed && f.ready(root) && f.ask(root+"/exports/", settings, &export) {
				kept[export] = root + "/exports/"
			}
		},
	} {
		if n == at {
			fill(f.t, f.filler, f.random.Int64N(2<<20))
			f.full = true
		}
		step()
		f.settle(root)
	}
	for id, at := range kept {
		f.check(id, at)
	}
	deleted := false
	if f.full && f.random.IntN(2) == 0 {
		status, text, err := f.c.do("DELETE", root, nil)
		if err != nil || (status != 204 && status != 507) {
			f.t.Fatalf("deletion on a full disk: status %d, %v: %s", status, err, text)
		}
		deleted = status == 204
		f.met[fmt.Sprint("deletion ", status)]++
	}
	if f.full {
		if err := os.Remove(f.filler); err != nil {
			f.t.Fatal(err)
		}
		f.full = false
	}
	if !deleted {
		call[struct{}](f.c, "DELETE", root, nil, 204)
	}
	if !slices.Equal(slices.Sorted(maps.Values(kept)), []string{
		root + "/analysis-runs", root + "/clips/", root + "/exports/",
	}) && at == fullDiskSteps {
		f.t.Errorf("with space, only these steps worked: %v", kept)
	}
}

// ask sends a POST request and stores the UUID of the new object. It returns false if the disk is
// full.
func (f *fullDisk) ask(path string, body any, uuid *string) bool {
	f.t.Helper()
	status, text, err := f.c.do("POST", path, body)
	switch {
	case err != nil:
		f.t.Fatal(err)
	case status == 507 && f.full:
		f.met["request refused"]++
		return false
	case status != 202:
		f.t.Fatalf("POST %s: status %d: %s", path, status, text)
	}
	if uuid != nil {
		made := decode[struct {
			UUID string `json:"uuid"`
			Run  string `json:"run_uuid"`
		}](f.t, text)
		*uuid = made.UUID + made.Run
	}
	return true
}

// settle waits until no job of a project is open.
func (f *fullDisk) settle(root string) {
	f.t.Helper()
	for _, path := range []string{"/clips/", "/analysis-runs", "/exports/"} {
		if !settled(f.t.Context(), f.c, root+path, "queued", "processing", "running", "rendering") {
			f.t.Fatalf("%s cannot be listed", root+path)
		}
	}
}

// ready reports whether the recording of a project is ready.
func (f *fullDisk) ready(root string) bool {
	f.t.Helper()
	return call[list[record]](f.c, "GET", root+"/clips/", nil, 200).Items[0].Status == "ready"
}

// check fails the test if a record is missing, or has failed for another reason than a full disk.
func (f *fullDisk) check(uuid, path string) {
	f.t.Helper()
	records := call[list[record]](f.c, "GET", path, nil, 200).Items
	n := slices.IndexFunc(records, func(r record) bool { return r.UUID == uuid })
	if n < 0 {
		f.t.Fatalf("%s was acknowledged and is missing from %s", uuid, path)
	}
	r := records[n]
	if r.Status == "failed" && (!f.full || !strings.Contains(r.Error, "disk is full")) {
		f.t.Errorf("%s of %s failed: %q", uuid, path, r.Error)
	}
	if f.full {
		f.met[path[strings.LastIndex(strings.TrimSuffix(path, "/"), "/")+1:]+" "+r.Status]++
	}
}
