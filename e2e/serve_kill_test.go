package e2e

import (
	"bytes"
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/media/mediatest"
)

// killing says how often a test kills the server: most times, or fewer if the time is over, but at
// least the given number and until kills met every kind of job. With everyKind the test fails if
// they did not.
type killing struct {
	most, least int
	time        time.Duration
	everyKind   bool
}

// acknowledged records what the server has confirmed. It has to exist after any crash.
type acknowledged struct {
	mu       sync.Mutex
	projects []string
	clips    map[string]string // confirmed clip -> project
	runs     map[string]string // run -> project
	exports  map[string]string // export -> project
	site     string            // serves the recording for imports; may be empty
	imports  int               // that were acknowledged
	resumed  int               // uploads that continued after a kill
	next     int               // counts the recordings that were brought in
}

// slowTalk is a talk with so few keyframes that ingest makes a proxy. That takes long enough for a
// kill to hit it.
func slowTalk(t *testing.T) string {
	t.Helper()
	return mediatest.Talk(t, mediatest.TalkOptions{Width: 640, Height: 360, Script: tinyScript, GOP: 300}).Path
}

// A few kills at random moments can miss a kind of job; the long test meets them all.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	killWhileWorking(t, killing{most: 15, least: 6, time: 10 * time.Second})
}

func TestLongKillLosesNothingAcknowledged(t *testing.T) {
	needsLong(t)
	least := max(40, share(t, 180)) // of 300: the other tests that kill have the rest
	killWhileWorking(t, killing{most: max(60, least), least: least, time: 5 * time.Minute, everyKind: true})
}

// killWhileWorking kills the server at random times while recordings are uploaded, ingested,
// analyzed and exported. After each restart everything that the server had acknowledged exists.
// Usage is counted once, and unfinished work completes or fails cleanly.
func killWhileWorking(t *testing.T, often killing) {
	t.Helper()
	dir := t.TempDir()
	recording := slowTalk(t)
	env := []string{
		"SPEECH_MODEL=" + mediatest.Model(t), "PLAN_MODE=metered", "WORKERS=2", "SESSION_TTL_SECONDS=86400",
		"IMPORT_ALLOW_PRIVATE=true",
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))

	server := serve(t, dir, env)
	c := signUp(t, server)
	acks := &acknowledged{clips: map[string]string{}, runs: map[string]string{}, exports: map[string]string{}}
	var current [2]string
	whole := acks.undisturbed(t, c, recording)
	acks.site = videoSite(t, filepath.Dir(recording)) + "/" + filepath.Base(recording)
	t.Logf("without kills the flow takes %v", whole)
	done := map[string]int{}
	unmet := func() []string {
		return slices.DeleteFunc(
			[]string{"clips/ processing", "analysis-runs running", "exports/ rendering"},
			func(met string) bool { return done[met] > 0 },
		)
	}
	begun, kills := time.Now(), 0
	for n := 0; n < often.most && (n < often.least || time.Since(begun) < often.time || len(unmet()) > 0); n++ {
		ctx, cancel := context.WithCancel(context.Background())
		var work sync.WaitGroup
		for i := range current {
			work.Go(func() { acks.makeWork(ctx, c, recording, &current[i]) })
		}
		moment := time.NewTimer(time.Duration((0.04 + 0.96*random.Float64()) * float64(whole)))
		<-moment.C
		acks.count(c, done)
		server.kill()
		kills++
		cancel()
		work.Wait()
		server = serve(t, dir, env)
		c.base = server.base
		acks.check(t, c)
	}
	t.Logf("%d kills, %d imports, %d resumed uploads; the kills met %v", kills, acks.imports, acks.resumed, done)
	if missed := unmet(); often.everyKind && len(missed) > 0 {
		t.Errorf("kills met no record that was %v", missed)
	}
	waitForRest(t, c, acks)
	checkAccount(t, c, acks)
	server.stop()
	doctor(t, dir)
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
}

// undisturbed runs the flow without kills and returns its duration. Kills within that duration can
// hit every step on a machine of any speed.
func (a *acknowledged) undisturbed(t *testing.T, c *client, recording string) time.Duration {
	t.Helper()
	started := time.Now()
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "whole"}, 201)
	a.note(func() { a.projects = append(a.projects, project.UUID) })
	if !a.bring(t.Context(), c, project.UUID, recording) || !a.analyze(t.Context(), c, project.UUID) ||
		!a.export(t.Context(), c, project.UUID) {
		t.Fatal("the flow failed without a kill")
	}
	return time.Since(started)
}

// makeWork runs the flow for one project after another until the server is gone, and records what
// the server acknowledged. It resumes the project of the previous run.
func (a *acknowledged) makeWork(ctx context.Context, c *client, recording string, current *string) {
	for ctx.Err() == nil {
		if *current == "" {
			project, ok := attempt[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "kill"}, 201)
			if !ok {
				return
			}
			*current = project.UUID
			a.note(func() { a.projects = append(a.projects, project.UUID) })
		}
		if !a.bring(ctx, c, *current, recording) || !a.analyze(ctx, c, *current) || !a.export(ctx, c, *current) {
			return
		}
		// If the server dies during the deletion, the project may or may not exist, so the test
		// forgets it first.
		project := *current
		*current = ""
		a.note(func() { a.forget(project) })
		if status, _, err := c.do("DELETE", "/api/v1/projects/"+project, nil); err != nil || status != 204 {
			return
		}
	}
}

// bring uploads and confirms the recording if the project has none, and waits until it is ingested.
// It returns false if the server is gone.
func (a *acknowledged) bring(ctx context.Context, c *client, project, recording string) bool {
	root := "/api/v1/projects/" + project + "/clips/"
	clips, ok := attempt[list[record]](c, "GET", root, nil, 200)
	if !ok {
		return false
	}
	if !slices.ContainsFunc(
		clips.Items, func(r record) bool { return r.Status == "processing" || r.Status == "ready" },
	) &&
		!a.upload(c, project, recording) {
		return false
	}
	return settled(ctx, c, root, "processing")
}

// analyze starts an analysis if the project has none, and waits for it. It returns false if the
// server is gone or there is nothing to analyze.
func (a *acknowledged) analyze(ctx context.Context, c *client, project string) bool {
	root := "/api/v1/projects/" + project
	runs, ok := attempt[list[record]](c, "GET", root+"/analysis-runs", nil, 200)
	if !ok {
		return false
	}
	if len(runs.Items) == 0 {
		run, ok := attempt[struct {
			RunUUID string `json:"run_uuid"`
		}](c, "POST", root+"/analyze", map[string]int{"pacing_level": 60}, 202)
		if !ok {
			return false
		}
		a.note(func() { a.runs[run.RunUUID] = project })
	}
	return settled(ctx, c, root+"/analysis-runs", "queued", "running")
}

// export creates an export if the project has none, and waits for it. It returns false if the
// server is gone.
func (a *acknowledged) export(ctx context.Context, c *client, project string) bool {
	root := "/api/v1/projects/" + project + "/exports/"
	exports, ok := attempt[list[record]](c, "GET", root, nil, 200)
	if !ok {
		return false
	}
	if len(exports.Items) == 0 {
		export, ok := attempt[record](
			c,
			"POST",
			root,
			map[string]any{
				"name":            "out",
				"export_settings": map[string]string{"resolution": "720p", "aspect_ratio": "1:1"},
			},
			202,
		)
		if !ok {
			return false
		}
		a.note(func() { a.exports[export.UUID] = project })
	}
	return settled(ctx, c, root, "queued", "rendering")
}

// upload uploads and confirms the recording in one request or in pieces, or imports it, in turns.
func (a *acknowledged) upload(c *client, project, recording string) bool {
	info, err := os.Stat(recording)
	if err != nil {
		c.t.Error(err)
		return false
	}
	root := "/api/v1/projects/" + project + "/clips/"
	clip, unfinished := a.unfinished(c, root)
	way := 1
	if !unfinished {
		a.note(func() { way = a.next % 3; a.next++ })
		if way == 2 && a.site != "" {
			made, ok := attempt[record](c, "POST", root+"video-import", map[string]any{"url": a.site}, 202)
			a.note(func() {
				if ok {
					a.clips[made.UUID] = project
					a.imports++
				}
			})
			return ok
		}
		var ok bool
		if clip, ok = attempt[presigned](c, "POST", root+"presign",
			map[string]any{"filename": "talk.mp4", "content_type": "video/mp4", "size_bytes": info.Size()}, 201); !ok {
			return false
		}
	}
	if (way == 1 && !c.sendPieces(clip.UploadURL, recording)) || (way != 1 && c.put(clip.UploadURL, recording) != nil) {
		return false
	}
	if unfinished {
		a.note(func() { a.resumed++ })
	}
	if _, ok := attempt[record](
		c, "POST", "/api/v1/projects/"+project+"/clips/"+clip.ClipUUID+"/confirm", nil, 202,
	); !ok {
		return false
	}
	a.note(func() { a.clips[clip.ClipUUID] = project })
	return true
}

// unfinished returns a new address for an upload that a kill interrupted, if there is one.
func (a *acknowledged) unfinished(c *client, root string) (clip presigned, found bool) {
	clips, _ := attempt[list[record]](c, "GET", root, nil, 200)
	at := slices.IndexFunc(clips.Items, func(r record) bool { return r.Status == "pending_upload" })
	if at < 0 {
		return clip, false
	}
	clip, found = attempt[presigned](c, "POST", root+clips.Items[at].UUID+"/presign", nil, 200)
	return clip, found
}

// sendPieces uploads a file in four requests of the tus protocol, from where the server has it. It
// reports false if the server is gone.
func (c *client) sendPieces(address, path string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		c.t.Error(err)
		return false
	}
	at, ok := c.tus("HEAD", address, 0, nil)
	for ok && at < len(data) {
		end := min(len(data), at+len(data)/4+1)
		if at, ok = c.tus("PATCH", address, at, bytes.NewReader(data[at:end])); ok && at != end {
			c.t.Errorf("a piece to %d ended at %d", end, at)
		}
	}
	return ok
}

// tus sends a request of the tus protocol and returns where the server has the file up to. It
// reports false if the server is gone.
func (c *client) tus(method, address string, offset int, body io.Reader) (at int, ok bool) {
	if strings.HasPrefix(address, "/") {
		address = c.base + address
	}
	request, err := http.NewRequest(method, address, body)
	if err != nil {
		c.t.Error(err)
		return 0, false
	}
	request.Header.Set("Tus-Resumable", "1.0.0")
	if method == "PATCH" {
		request.Header.Set("Content-Type", "application/offset+octet-stream")
		request.Header.Set("Upload-Offset", strconv.Itoa(offset))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, false
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		text, _ := io.ReadAll(response.Body)
		c.t.Errorf("%s at %d: status %d: %s", method, offset, response.StatusCode, text)
		return 0, false
	}
	at, err = strconv.Atoi(response.Header.Get("Upload-Offset"))
	return at, err == nil
}

func (a *acknowledged) note(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
}

// forget removes a project and its records. The caller holds a.mu.
func (a *acknowledged) forget(project string) {
	a.projects = slices.DeleteFunc(a.projects, func(p string) bool { return p == project })
	for _, m := range []map[string]string{a.clips, a.runs, a.exports} {
		for id, of := range m {
			if of == project {
				delete(m, id)
			}
		}
	}
}

// attempt sends a request to a server that may be dying. It reports false if there was no response
// or another status.
func attempt[T any](c *client, method, path string, body any, status int) (out T, ok bool) {
	got, text, err := c.do(method, path, body)
	if err != nil || got != status {
		return out, false
	}
	return decode[T](c.t, text), true
}

// settled waits until no record of a list has a busy status. It reports false if the server is
// gone.
func settled(ctx context.Context, c *client, path string, busy ...string) bool {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		records, ok := attempt[list[record]](c, "GET", path, nil, 200)
		if !ok {
			return false
		}
		if !slices.ContainsFunc(records.Items, func(r record) bool { return slices.Contains(busy, r.Status) }) {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}

// check fails the test if something acknowledged is missing.
func (a *acknowledged) check(t *testing.T, c *client) {
	t.Helper()
	for _, project := range a.projects {
		call[record](c, "GET", "/api/v1/projects/"+project, nil, 200)
	}
	for kind, m := range map[string]map[string]string{
		"clips/": a.clips, "analysis-runs": a.runs, "exports/": a.exports,
	} {
		for id, project := range m {
			records := call[list[record]](c, "GET", "/api/v1/projects/"+project+"/"+kind, nil, 200)
			at := slices.IndexFunc(records.Items, func(r record) bool { return r.UUID == id })
			if at < 0 {
				t.Fatalf("%s %s was acknowledged and is missing", kind, id)
			}
			if status := records.Items[at].Status; status == "pending_upload" || status == "" {
				t.Fatalf("%s %s is %q after it was acknowledged", kind, id, status)
			}
		}
	}
}

// count adds up the states of the acknowledged records right before a kill. A restart returns what
// runs to the queue.
func (a *acknowledged) count(c *client, met map[string]int) {
	var records map[string]map[string]string
	a.note(func() {
		records = map[string]map[string]string{
			"clips/": maps.Clone(a.clips), "analysis-runs": maps.Clone(a.runs), "exports/": maps.Clone(a.exports),
		}
	})
	for kind, projects := range records {
		for id, project := range projects {
			records, _ := attempt[list[record]](c, "GET", "/api/v1/projects/"+project+"/"+kind, nil, 200)
			for _, r := range records.Items {
				if r.UUID == id {
					met[kind+" "+r.Status]++
				}
			}
		}
	}
}

// waitForRest waits until all jobs have ended.
func waitForRest(t *testing.T, c *client, a *acknowledged) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	defer cancel()
	for _, project := range a.projects {
		root := "/api/v1/projects/" + project
		if !settled(ctx, c, root+"/clips/", "processing") ||
			!settled(ctx, c, root+"/analysis-runs", "queued", "running") ||
			!settled(ctx, c, root+"/exports/", "queued", "rendering") {
			t.Fatalf("jobs of project %s do not end", project)
		}
	}
}

// checkAccount compares storage and AI minutes of the account with its records.
func checkAccount(t *testing.T, c *client, a *acknowledged) {
	t.Helper()
	var stored int64
	ended := map[string]int{}
	for _, project := range call[list[record]](c, "GET", "/api/v1/projects/?page_size=200", nil, 200).Items {
		root := "/api/v1/projects/" + project.UUID
		for _, clip := range call[list[struct {
			record
			SizeBytes int64 `json:"size_bytes"`
		}]](c, "GET", root+"/clips/", nil, 200).Items {
			ended["clip "+clip.Status]++
			if clip.Status == "ready" || clip.Status == "processing" {
				stored += clip.SizeBytes
			}
		}
		for _, path := range []string{"/analysis-runs", "/exports/"} {
			for _, r := range call[list[record]](c, "GET", root+path, nil, 200).Items {
				ended[path+" "+r.Status]++
			}
		}
	}
	t.Logf("%d projects, %v", len(a.projects), ended)
	billing := call[struct {
		Credits struct {
			AIMinutes struct{ Balance, Reserved float64 } `json:"ai_minutes"`
		} `json:"credits"`
		StorageUsedBytes int64 `json:"storage_used_bytes"`
	}](c, "GET", "/api/v1/payments/subscription/status", nil, 200)
	if billing.StorageUsedBytes != stored {
		t.Errorf("the account uses %d bytes, its clips have %d", billing.StorageUsedBytes, stored)
	}
	if billing.Credits.AIMinutes.Reserved != 0 {
		t.Errorf("%v minutes are still reserved", billing.Credits.AIMinutes.Reserved)
	}
	if billing.Credits.AIMinutes.Balance >= 30 && ended["/analysis-runs completed"] > 0 {
		t.Error("completed analyses were not charged")
	}
}
