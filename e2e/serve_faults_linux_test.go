package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// faultyFlow runs flows on a server and makes one system call of the server fail.
type faultyFlow struct {
	t      *testing.T
	f      *faults
	server *running
	c      *client
	talk   string
	env    []string

	kept     map[string]string // acknowledged item -> its list
	projects []string          // that were acknowledged
	deleted  []string          // projects whose deletion was acknowledged
	met      map[string]int    // what came of the flows
}

// Every system call of a flow that opens, writes, flushes, renames or removes a file fails once.
// The request or the job names an error, acknowledged objects stay, later work succeeds without a
// restart, and a restart finds sound data.
func TestLongFaultsInFlow(t *testing.T) {
	needsLong(t)
	needsFaults(t)
	random := seeded(t)
	dir := t.TempDir()
	f := &faultyFlow{
		t: t, f: &faults{dir: dir, left: -2}, kept: map[string]string{}, met: map[string]int{},
		env: []string{"SPEECH_MODEL=" + mediatest.Model(t), "WORKERS=1"},
		talk: mediatest.Talk(t, mediatest.TalkOptions{
			Width: 320, Height: 180, Seconds: 4, Hiss: true, GOP: 300,
		}).Path,
	}
	f.restart()
	f.f.arm(-2, 0)
	if !f.flow(true) {
		t.Fatal("the flow failed without a fault")
	}
	_, calls := f.f.disarm()
	total := 0
	for _, n := range calls {
		total += n
	}
	count := share(t, total)
	t.Logf("the flow makes %d calls: %v; %d of them fail, one at a time", total, calls, count)
	const between = 8 // faults between two restarts of the server
	from, to := part(t, count)
	for n := from; n < to; n++ {
		at := n*total/count + random.IntN(max(1, total/count))
		f.f.arm(at, n)
		whole := f.flow(false)
		failed, _ := f.f.disarm()
		if failed == "" {
			f.met["not reached"]++
			continue
		}
		what := "the flow failed"
		if whole {
			what = "the flow worked"
		}
		f.met[what]++
		t.Logf("call %d, %s: %s", at, failed, what)
		f.alive(failed)
		if n%between == between-1 || n == to-1 {
			f.sound()
		}
		if t.Failed() {
			t.Fatalf("after %s:\n%s", failed, f.server.log)
		}
	}
	t.Logf("%d faults: %v", to-from, f.met)
}

// restart starts the server, with no fault.
func (f *faultyFlow) restart() {
	f.t.Helper()
	server, ready := serveWithFaults(f.t, f.f, f.env, "--owner")
	if !ready {
		f.t.Fatalf("the server does not start:\n%s", server.log)
	}
	f.server, f.c = server, server.owner(f.t)
}

// alive starts the server again if it has ended, which needs a reason.
func (f *faultyFlow) alive(failed string) {
	f.t.Helper()
	if _, _, err := f.c.do("GET", "/healthz", nil); err == nil {
		return
	}
	f.met["the server ended"]++
	f.t.Errorf("the server ended after %s:\n%s", failed, f.server.log)
	f.server.kill()
	f.restart()
}

// sound checks that the server works without a restart, and that its data is sound with one.
func (f *faultyFlow) sound() {
	f.t.Helper()
	if !f.flow(true) {
		f.t.Error("the flow failed after the fault")
	}
	f.server.stop()
	doctor(f.t, f.f.dir)
	if left, _ := filepath.Glob(filepath.Join(f.f.dir, "tmp", "*")); len(left) > 0 {
		f.t.Errorf("left in tmp: %v", left)
	}
	f.restart()
	for uuid, list := range f.kept {
		records := call[struct{ Items []record }](f.c, "GET", list, nil, 200).Items
		if at := slices.IndexFunc(records, func(r record) bool { return r.UUID == uuid }); at < 0 {
			f.t.Errorf("%s was acknowledged and is missing from %s", uuid, list)
		} else if records[at].Status == "failed" && records[at].Error == "" {
			f.t.Errorf("%s of %s failed without an error", uuid, list)
		}
	}
	for _, project := range f.projects {
		call[struct{}](f.c, "GET", "/api/v1/projects/"+project, nil, 200)
		call[struct{}](f.c, "DELETE", "/api/v1/projects/"+project, nil, 204)
	}
	for _, project := range f.deleted {
		call[struct{}](f.c, "GET", "/api/v1/projects/"+project, nil, 404)
	}
	clear(f.kept)
	f.projects, f.deleted = nil, nil
}

// ask sends a request and decodes the response if it has the status. Only a request that a fault
// can meet may fail, and only with a problem.
func (f *faultyFlow) ask(method, path string, body any, status int, out any) bool {
	f.t.Helper()
	got, text, err := f.c.do(method, path, body)
	if err != nil {
		f.t.Errorf("%s %s: %v", method, path, err)
		return false
	}
	if got == status {
		if out != nil {
			if err := json.Unmarshal(text, out); err != nil {
				f.t.Errorf("%s %s: %v in %s", method, path, err, text)
			}
		}
		return true
	}
	f.clear(fmt.Sprint(method, " ", path), got, string(text))
	return false
}

// clear fails the test unless a response says what failed.
func (f *faultyFlow) clear(request string, status int, text string) {
	f.t.Helper()
	var problem struct{ Code, Detail string }
	if err := json.Unmarshal([]byte(text), &problem); err != nil || problem.Code == "" || problem.Detail == "" ||
		status < http.StatusInternalServerError {
		f.t.Errorf("%s: status %d: %s", request, status, text)
	}
	f.met[fmt.Sprint(status, " ", problem.Code)]++
}

// flow uploads a recording in a new project, analyzes, edits and exports it, downloads the export,
// and deletes the project. It reports whether all of it worked, which it has to if sure is set.
func (f *faultyFlow) flow(sure bool) (worked bool) {
	f.t.Helper()
	var project, clip, run, edit, export string
	root := func() string { return "/api/v1/projects/" + project }
	keep := func(uuid, list string) { f.kept[uuid] = list }
	var made record
	var address presigned
	for _, step := range []func() bool{
		func() bool {
			ok := f.ask("POST", "/api/v1/projects/", map[string]string{"name": "faulty"}, 201, &made)
			if project = made.UUID; ok {
				f.projects = append(f.projects, project)
			}
			return ok
		},
		func() bool { return f.presign(root(), &address) && f.put(address.UploadURL) },
		func() bool {
			clip = address.ClipUUID
			ok := f.ask("POST", root()+"/clips/"+clip+"/confirm", nil, 202, nil)
			if ok {
				keep(clip, root()+"/clips/")
			}
			return ok && f.ends(root()+"/clips/", clip, "ready")
		},
		func() bool {
			var response struct {
				Run string `json:"run_uuid"`
			}
			ok := f.ask("POST", root()+"/analyze", map[string]int{"pacing_level": 60}, 202, &response)
			if run = response.Run; ok {
				keep(run, root()+"/analysis-runs")
			}
			return ok && f.ends(root()+"/analysis-runs", run, "completed")
		},
		func() bool {
			change := map[string]any{"type": "manual", "start_ms": 100, "end_ms": 200}
			ok := f.ask("POST", root()+"/edits/", change, 201, &made)
			if edit = made.UUID; ok {
				keep(edit, root()+"/edits/")
			}
			return ok
		},
		func() bool {
			settings := map[string]any{"name": "out", "export_settings": map[string]string{"aspect_ratio": "1:1"}}
			ok := f.ask("POST", root()+"/exports/", settings, 202, &made)
			if export = made.UUID; ok {
				keep(export, root()+"/exports/")
			}
			return ok && f.ends(root()+"/exports/", export, "completed")
		},
		func() bool { return f.fetch(export) },
		func() bool {
			if !f.ask("DELETE", root(), nil, 204, nil) {
				return false
			}
			f.projects = slices.DeleteFunc(f.projects, func(p string) bool { return p == project })
			f.deleted = append(f.deleted, project)
			maps.DeleteFunc(f.kept, func(_, list string) bool { return strings.HasPrefix(list, root()) })
			return true
		},
	} {
		if !step() {
			if sure {
				f.t.Errorf("the flow failed without a fault:\n%s", f.server.log)
			}
			return false
		}
	}
	return true
}

func (f *faultyFlow) presign(root string, address *presigned) bool {
	f.t.Helper()
	info, err := os.Stat(f.talk)
	if err != nil {
		f.t.Fatal(err)
	}
	return f.ask("POST", root+"/clips/presign", map[string]any{
		"filename": "talk.mp4", "content_type": "video/mp4", "size_bytes": info.Size(),
	}, 201, address)
}

// put uploads the recording.
func (f *faultyFlow) put(address string) bool {
	f.t.Helper()
	err := f.c.put(address, f.talk)
	if err == nil {
		return true
	}
	text, status := err.Error(), 0
	if _, scanErr := fmt.Sscanf(text, "upload: status %d:", &status); scanErr != nil {
		f.t.Errorf("upload: %v", err)
		return false
	}
	f.clear("upload", status, text[strings.Index(text, "{"):])
	return false
}

// ends waits until a record has ended, and reports whether it has the wanted status. A record that
// failed has to say why.
func (f *faultyFlow) ends(list, uuid, wanted string) bool {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), patience())
	defer cancel()
	if !settled(ctx, f.c, list, "queued", "processing", "running", "rendering") {
		f.t.Fatalf("%s of %s has no end:\n%s", uuid, list, f.server.dump())
	}
	records := call[struct{ Items []record }](f.c, "GET", list, nil, 200).Items
	at := slices.IndexFunc(records, func(r record) bool { return r.UUID == uuid })
	if at < 0 {
		f.t.Errorf("%s was acknowledged and is missing from %s", uuid, list)
		return false
	}
	switch r := records[at]; r.Status {
	case wanted:
		return true
	case "failed":
		if r.Error == "" {
			f.t.Errorf("%s of %s failed without an error", uuid, list)
		}
		f.met["job: "+r.Error]++
	default:
		f.t.Errorf("%s of %s is %s", uuid, list, r.Status)
	}
	return false
}

// fetch downloads an export.
func (f *faultyFlow) fetch(export string) bool {
	f.t.Helper()
	var address struct {
		URL       string `json:"url"`
		SizeBytes int64  `json:"size_bytes"`
	}
	if !f.ask("GET", "/api/v1/exports/"+export+"/download-url", nil, 200, &address) {
		return false
	}
	status, body, err := newClient(f.t, f.c.base).do("GET", strings.TrimPrefix(address.URL, f.c.base), nil)
	if err != nil {
		f.t.Errorf("download: %v", err)
		return false
	}
	if status != 200 {
		f.clear("download", status, string(body))
		return false
	}
	if int64(len(body)) != address.SizeBytes {
		f.t.Errorf("download: %d bytes of %d", len(body), address.SizeBytes)
	}
	return true
}
