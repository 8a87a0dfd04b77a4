package server

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/server/api"
	"roughcut/store"
)

// window replaces the desktop window. It answers its dialogs immediately.
type window struct {
	chosen, handed []string
	target, asked  string
	folder         string   // of the last dialog for saving
	shown          []string // files
	page           api.PageState
	recent         []store.Project
	wait           chan struct{} // if set, dialogs stay open until it is closed
}

func (w *window) ChooseFiles() ([]string, error) {
	if w.wait != nil {
		w.wait <- struct{}{}
		<-w.wait
	}
	return w.chosen, nil
}

func (w *window) ChooseSavePath(folder, name string) (string, error) {
	w.folder, w.asked = folder, name
	return w.target, nil
}

func (w *window) TakeFiles() []string {
	handed := w.handed
	w.handed = nil
	return handed
}

func (w *window) ShowFile(path string) error {
	w.shown = append(w.shown, path)
	return nil
}

func (w *window) ShowPage(page api.PageState, recent []store.Project) {
	w.page, w.recent = page, recent
}

// recordingAt creates a file outside the data directory.
func recordingAt(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("a recording as far as this package knows"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Local paths need the owner on the machine itself: a session from a launch token, from a loopback
// address, to a loopback address, and without a proxy. Other callers do not learn whether a file
// exists.
func TestLocalPathsNeedOwnerOnMachine(t *testing.T) {
	t.Parallel()
	shell := &window{handed: []string{"/a"}}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = shell })
	owner := w.launched()
	project := owner.project("Talk")
	path := "/api/v1/projects/" + project + "/clips/reference"
	body := map[string]any{"path": recordingAt(t, "talk.mp4")}
	try := func(p *person, change func(*http.Request)) *reply {
		r := p.request("POST", path, body)
		change(r)
		return w.send(r)
	}
	nothing := func(*http.Request) {}
	try(w.signIn(owner.user), nothing).want(403, "local_only") // with a password or at a provider
	token := owner.do("POST", "/api/v1/users/me/tokens", map[string]any{"name": "t"}).want(201, "").text("token")
	try(&person{w: w, bearer: token}, nothing).want(403, "local_only")
	for _, header := range forwarding {
		try(owner, func(r *http.Request) { r.Header.Set(header, "127.0.0.1") }).want(403, "local_only")
	}
	for _, host := range []string{"192.0.2.1", "[2001:db8::1]:8420"} {
		try(owner, func(r *http.Request) { r.Host = host }).want(403, "local_only")
	}
	other := w.person("bob")
	try(other, nothing).want(403, "forbidden")
	for _, p := range []*person{w.signIn(owner.user), other} {
		p.do("POST", "/api/v1/desktop/take-files", nil).want(403, "local_only")
		p.do("POST", "/api/v1/desktop/choose-files", nil).want(403, "local_only")
		p.do("POST", "/api/v1/desktop/assets", body).want(403, "local_only")
	}
	if len(shell.handed) != 1 {
		t.Error("a rejected request took the files")
	}
	try(owner, func(r *http.Request) { r.Host = "localhost:8420" }).want(202, "")
	if n := len(
		owner.do("GET", "/api/v1/projects/"+project+"/clips/", nil).want(200, "").value("items").([]any),
	); n != 1 {
		t.Errorf("%d clips", n)
	}
}

// Peers and hosts outside this machine.
func TestFromThisMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		peer, host string
		here       bool
	}{
		{"127.0.0.1:4000", "127.0.0.1:8420", true}, {"[::1]:4000", "localhost:8420", true},
		{"127.0.0.1:4000", "[::1]:8420", true},
		{"192.0.2.1:4000", "127.0.0.1:8420", false}, {"127.0.0.1:4000", "cut.example.org", false},
		{"127.0.0.1:4000", "", false}, {"@", "localhost", false},
	} {
		if got := fromHere(&http.Request{RemoteAddr: c.peer, Host: c.host, Header: http.Header{}}); got != c.here {
			t.Errorf("%s to %s: %v", c.peer, c.host, got)
		}
	}
}

// A file of the machine is copied into the library and stays as it is.
func TestAddAssetFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	owner := w.launched()
	path := recordingAt(t, "City at night.png")
	made := owner.do("POST", "/api/v1/desktop/assets", map[string]any{"path": path}).want(202, "")
	holds(t, made, map[string]any{"status": "pending", "kind": "image", "display_name": "City at night.png"})
	owner.do("GET", "/api/v1/assets/", nil).shows(map[string]any{"total": 1})
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"relative.png", path + ".gone", recordingAt(t, "notes.txt"), filepath.Dir(path)} {
		owner.do("POST", "/api/v1/desktop/assets", map[string]any{"path": bad}).want(422, "")
	}
	owner.do("GET", "/api/v1/assets/", nil).shows(map[string]any{"total": 1})
}

// A clip with a linked file over HTTP reports the path and state of its recording, plays it, and
// can be linked again.
func TestClipFromLinkedFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	owner := w.launched()
	project := owner.project("Talk")
	path := recordingAt(t, "talk.mp4")
	base := "/api/v1/projects/" + project
	made := owner.do("POST", base+"/clips/reference", map[string]any{"path": path}).want(202, "")
	if made.text("source") != "local" || made.text("name") != "talk.mp4" || made.text("reference", "path") != path ||
		made.text("reference", "state") != "present" ||
		made.text("status") != "processing" {
		t.Errorf("clip %s", made.body)
	}
	clip := "/api/v1/clips/" + made.text("uuid")
	playing := owner.do("GET", clip+"/proxy-url", nil).want(200, "").text("url")
	if got := w.anonymous().do("GET", playing, nil).want(200, ""); !bytes.HasPrefix(got.body, []byte("a recording")) {
		t.Errorf("the clip plays %q", got.body)
	}
	for _, bad := range []string{"relative.mp4", path + ".no.mp4", filepath.Dir(path), "/dev/null"} {
		owner.do("POST", base+"/clips/reference", map[string]any{"path": bad}).want(422, "")
	}
	moved := filepath.Join(filepath.Dir(path), "moved.mp4")
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	rename(path, moved)
	w.anonymous().do("GET", playing, nil).want(404, "not_found")
	rename(moved, path)
	w.finishClip()
	rename(path, moved)
	if got := owner.do("GET", base+"/clips/", nil).want(
		200,
		"",
	).text("items", 0, "reference", "state"); got != "missing" {
		t.Errorf("moved recording: %s", got)
	}
	owner.do("POST", clip+"/relink", map[string]any{"path": path}).want(422, "unprocessable")
	other := recordingAt(t, "other.mp4")
	if err := os.WriteFile(other, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	owner.do("POST", clip+"/relink", map[string]any{"path": other}).want(409, "reference_mismatch")
	if got := owner.do("POST", clip+"/relink", map[string]any{"path": moved}).want(
		200,
		"",
	); got.text("reference", "path") != moved ||
		got.text("reference", "state") != "present" {
		t.Errorf("after the relink: %s", got.body)
	}
	owner.do("POST", "/api/v1/clips/"+owner.readyClip(project)+"/relink", map[string]any{"path": moved}).want(
		409,
		"not_a_reference",
	)
	owner.do("DELETE", clip, nil).want(204, "")
	if _, err := os.Stat(moved); err != nil {
		t.Errorf("deleting the clip deleted the recording: %v", err)
	}
}

// A page that does not start has no session. It can write one line to the log, only on the machine
// of the window.
func TestPageErrorsReachTheLogOfTheWindow(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/page-errors"
	report := map[string]any{"message": "RangeError: no\n\tlevel=INFO such tag"}
	bare := newWorld(t, ownerMode)
	bare.anonymous().do("POST", path, report).want(409, "no_window")

	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = &window{} })
	page := w.anonymous()
	page.do("POST", path, map[string]any{"message": strings.Repeat("x", 1001)}).want(422, "")
	page.do("POST", path, map[string]any{"message": ""}).want(422, "")
	elsewhere := page.request("POST", path, report)
	elsewhere.Header.Set("X-Forwarded-For", "203.0.113.9")
	w.send(elsewhere).want(403, "local_only")
	foreign := page.request("POST", path, report)
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	w.send(foreign).want(403, "")
	if strings.Contains(w.logs.String(), "RangeError") {
		t.Errorf("a refused report is in the log: %s", w.logs.String())
	}

	page.do("POST", path, report).want(204, "")
	want := `level=WARN msg="the page of the window did not start" error="RangeError: no level=INFO such tag"`
	if logged := w.logs.String(); strings.Count(logged, want) != 1 {
		t.Errorf("the log has no line %s: %s", want, logged)
	}
}

// Desktop dialogs: one at a time, and none without a window.
func TestDesktopDialogs(t *testing.T) {
	t.Parallel()
	bare := newWorld(t, ownerMode)
	bare.launched().do("POST", "/api/v1/desktop/choose-files", nil).want(409, "no_window")
	bare.launched().do("POST", "/api/v1/desktop/take-files", nil).want(409, "no_window")
	bare.launched().do("PUT", "/api/v1/desktop/page", map[string]any{
		"title": "Roughcut", "theme": nil, "unsaved": false, "commands": []any{},
	}).want(409, "no_window")

	shell := &window{chosen: []string{"/videos/a.mp4", "/videos/b.mp4"}, handed: []string{"/videos/c.mp4"}}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = shell })
	owner := w.launched()
	for _, want := range []int{1, 0} {
		if got := owner.do("POST", "/api/v1/desktop/take-files", nil).want(200, "").value("paths").([]any); len(
			got,
		) != want {
			t.Errorf("received files: %v, want %d", got, want)
		}
	}
	shell.wait = make(chan struct{})
	first := make(chan *reply)
	go func() { first <- owner.do("POST", "/api/v1/desktop/choose-files", nil) }()
	<-shell.wait
	owner.do("POST", "/api/v1/desktop/choose-files", nil).want(409, "conflict")
	shell.wait <- struct{}{}
	if got := (<-first).want(200, ""); got.text("paths", 1) != "/videos/b.mp4" {
		t.Errorf("chosen: %s", got.body)
	}
}

// A folder that is dropped on the window stands for its recordings. One without recordings stays,
// so that linking it says why.
func TestDroppedFolderStandsForItsRecordings(t *testing.T) {
	t.Parallel()
	folder, empty := t.TempDir(), t.TempDir()
	for _, name := range []string{"b.MOV", "a.mp4", ".hidden.mp4", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "sub.mp4"), 0o700); err != nil {
		t.Fatal(err)
	}

	shell := &window{handed: []string{"/videos/c.mp4", folder, empty}}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = shell })
	got := w.launched().do("POST", "/api/v1/desktop/take-files", nil).want(200, "").value("paths")
	want := []any{"/videos/c.mp4", filepath.Join(folder, "a.mp4"), filepath.Join(folder, "b.MOV"), empty}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("received %v, want %v", got, want)
	}
}

// The window follows the page, and lists the projects that changed last.
func TestWindowFollowsPage(t *testing.T) {
	t.Parallel()
	shell := &window{}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = shell })
	owner := w.launched()
	first, second := owner.project("First"), owner.project("Second")
	w.clock.Advance(time.Minute)
	owner.do("PATCH", "/api/v1/projects/"+first, map[string]any{"name": "Renamed"}).want(200, "")
	owner.do("PUT", "/api/v1/desktop/page", map[string]any{
		"title": "Talk · Roughcut", "theme": "light", "unsaved": true,
		"commands": []any{map[string]any{"name": "undo", "keys": "Ctrl+Z", "enabled": true}},
	}).want(204, "")
	light := api.PageStateThemeLight
	want := api.PageState{
		Title: "Talk · Roughcut", Theme: &light, Unsaved: true,
		Commands: []api.PageCommand{{Name: "undo", Keys: "Ctrl+Z", Enabled: true}},
	}
	if !reflect.DeepEqual(shell.page, want) {
		t.Errorf("the window shows %+v", shell.page)
	}
	if r := shell.recent; len(r) != 2 || r[0].Name != "Renamed" || r[1].UUID != second {
		t.Errorf("recent projects: %+v", r)
	}
}

// A video is saved to the chosen path completely or not at all.
func TestSaveExport(t *testing.T) {
	t.Parallel()
	shell := &window{}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = shell })
	owner := w.launched()
	project := owner.project("Talk")
	owner.readyClip(project)
	export := owner.export(project)
	save, show := "/api/v1/exports/"+export+"/save", "/api/v1/exports/"+export+"/show"
	owner.do("POST", show, nil).want(409, "not_saved")
	if got := owner.do("POST", save, nil).want(
		200,
		"",
	); got.value("path") != nil || !strings.HasPrefix(shell.asked, "Talk") ||
		!strings.HasSuffix(shell.asked, ".mp4") {
		t.Errorf("cancelled: %s, dialog for %q", got.body, shell.asked)
	}
	dir := t.TempDir()
	shell.target = filepath.Join(dir, "final cut")
	got := owner.do("POST", save, nil).want(200, "")
	saved, err := os.ReadFile(shell.target + ".mp4")
	if err != nil || got.text("path") != shell.target+".mp4" || len(saved) == 0 {
		t.Errorf("saved: %s, %d bytes, %v", got.body, len(saved), err)
	}
	if err := os.WriteFile(shell.target+".mp4", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	owner.do("POST", show, nil).want(204, "")
	if want := []string{shell.target + ".mp4"}; !slices.Equal(shell.shown, want) {
		t.Errorf("the file manager shows %q, want %q", shell.shown, want)
	}
	owner.do("POST", save, nil).want(409, "not_saved") // the dialog asked about another name
	if mine, _ := os.ReadFile(shell.target + ".mp4"); string(mine) != "mine" {
		t.Error("a file was replaced without asking")
	}
	waiting := owner.do("POST", "/api/v1/projects/"+project+"/exports/", map[string]any{"name": "x"}).want(
		202,
		"",
	).text("uuid")
	owner.do("POST", "/api/v1/exports/"+waiting+"/save", nil).want(409, "conflict")
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left next to it: %v", left)
	}
	shell.target = filepath.Join(dir, "no such folder", "x.mp4")
	owner.do("POST", save, nil).want(409, "not_saved")
	if _, err := os.Stat(shell.target); !errors.Is(err, os.ErrNotExist) {
		t.Error("an incomplete file exists")
	}
}

// interview returns a session of the owner whose project has a linked recording and a finished
// export, which bears the name of the recording.
func interview(w *world) (owner *person, recording, save, still string) {
	w.t.Helper()
	owner = w.launched()
	recording = recordingAt(w.t, "Interview.mp4")
	project := owner.project("Interview")
	owner.do("POST", "/api/v1/projects/"+project+"/clips/reference", map[string]any{"path": recording}).want(202, "")
	w.finishClip()
	export := owner.do("POST", "/api/v1/projects/"+project+"/exports/", map[string]any{"name": "Interview"}).want(
		202,
		"",
	).text("uuid")
	job := w.claim(store.JobExport)
	if err := w.store.StartExport(job); err != nil {
		w.t.Fatal(err)
	}
	result := media.RenderResult{DurationMS: clipMS, Width: 1920, Height: 1080, SizeBytes: int64(len(videoText))}
	if _, err := w.store.FinishExport(job, w.temp(videoText), result); err != nil {
		w.t.Fatal(err)
	}
	return owner, recording, "/api/v1/exports/" + export + "/save", "/api/v1/projects/" + project + "/still/save"
}

// The dialog does not propose the name of a recording.
func TestSaveProposesAnotherNameThanTheRecording(t *testing.T) {
	t.Parallel()
	shell := &window{}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = shell })
	owner, recording, save, _ := interview(w)
	other := owner.project("More")
	for _, step := range []struct{ linked, want string }{
		{"", "Interview cut.mp4"},
		{"interview CUT.mov", "Interview cut 2.mp4"},
		{"Interview cut 2.mp4", "Interview cut 3.mp4"},
	} {
		if step.linked != "" {
			path := filepath.Join(filepath.Dir(recording), step.linked)
			if err := os.WriteFile(path, []byte("a recording"), 0o600); err != nil {
				t.Fatal(err)
			}
			owner.do("POST", "/api/v1/projects/"+other+"/clips/reference", map[string]any{"path": path}).want(202, "")
		}
		owner.do("POST", save, nil).want(200, "")
		if shell.asked != step.want {
			t.Errorf("the dialog proposes %q, want %q", shell.asked, step.want)
		}
	}
}

// The dialog starts next to the recording, and later in the folder of the last saved file. It never
// starts in a folder that takes no files.
func TestSaveStartsBesideTheRecording(t *testing.T) {
	t.Parallel()
	shell := &window{}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = shell })
	owner, recording, save, still := interview(w)
	exports, missing := t.TempDir(), filepath.Join(t.TempDir(), "missing")
	for _, step := range []struct {
		target, code, want string
	}{
		{"", "", filepath.Dir(recording)},
		{filepath.Join(missing, "a.mp4"), "not_saved", filepath.Dir(recording)},
		{filepath.Join(exports, "a.mp4"), "", filepath.Dir(recording)},
		{"", "", exports},
	} {
		shell.target = step.target
		status := 200
		if step.code != "" {
			status = 409
		}
		owner.do("POST", save, nil).want(status, step.code)
		if shell.folder != step.want {
			t.Errorf("before saving to %q, the dialog starts in %q, want %q", step.target, shell.folder, step.want)
		}
	}

	if err := os.RemoveAll(exports); err != nil {
		t.Fatal(err)
	}
	owner.do("POST", still, map[string]any{"at_ms": 1000}).want(200, "")
	if shell.folder != filepath.Dir(recording) {
		t.Errorf("without the folder of the last file, the dialog starts in %q", shell.folder)
	}
	if err := os.RemoveAll(filepath.Dir(recording)); err != nil {
		t.Fatal(err)
	}
	owner.do("POST", save, nil).want(200, "")
	if shell.folder != "" {
		t.Errorf("without any folder, the dialog starts in %q", shell.folder)
	}
}

// Saving replaces no linked file of any user, under whatever path, and no file of Roughcut.
func TestSaveNeverReplacesRecordings(t *testing.T) {
	t.Parallel()
	shell := &window{}
	model := recordingAt(t, "model.mp4")
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) {
		o.Window, o.ActiveModel = shell, func() (string, error) { return model, nil }
	})
	owner, recording, save, still := interview(w)
	foreign := recordingAt(t, "foreign.mp4")
	bob := w.person("bob")
	project, err := w.store.CreateProject(bob.user.UUID, "Talk", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.LinkClip(bob.user.UUID, project.UUID, foreign); err != nil {
		t.Fatal(err)
	}
	job := w.claim(store.JobClip)
	if err := w.store.FailClip(job, "damaged"); err != nil { // a recording all the same
		t.Fatal(err)
	}
	dir := filepath.Dir(recording)
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.Mkdir(in("folder"), 0o700),
		os.Symlink(dir, in("link")),
		os.Symlink(recording, in("soft.mp4")),
		os.Link(recording, in("hard.mp4")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	targets := []string{
		recording, in("link/Interview.mp4"), in("soft.mp4"), in("hard.mp4"), dir + "/folder/.././Interview.mp4",
		strings.TrimSuffix(recording, ".mp4"), foreign, model, w.store.FilePath("x.mp4"),
	}
	if _, err := os.Stat(in("INTERVIEW.MP4")); err == nil {
		targets = append(targets, in("INTERVIEW.MP4")) // the file system ignores the case
	}
	for _, target := range targets {
		shell.target = target
		owner.do("POST", save, nil).want(409, "not_saved")
	}
	image := in("image.png")
	if err := os.Link(recording, image); err != nil {
		t.Fatal(err)
	}
	shell.target = image
	owner.do("POST", still, map[string]any{"at_ms": 1000}).want(409, "not_saved")
	for _, path := range []string{recording, in("soft.mp4"), in("hard.mp4"), image, foreign, model} {
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s was changed: %q, %v", path, after, err)
		}
	}
	if err := os.Rename(recording, in("away.mp4")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Interview.mp4", "interview.MP4"} { // the disk may come back
		shell.target = in(name)
		owner.do("POST", save, nil).want(409, "not_saved")
	}
	shell.target = in("Interview cut.mp4")
	owner.do("POST", save, nil).want(200, "")
}

// A saved file has the mode of any new file, and a replaced one keeps its own.
func TestSaveKeepsModes(t *testing.T) {
	t.Parallel()
	shell := &window{}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = shell })
	owner, recording, save, _ := interview(w)
	shell.target = filepath.Join(filepath.Dir(recording), "Interview cut.mp4")
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	plain := filepath.Join(filepath.Dir(recording), "plain")
	if file, err := os.Create(plain); errors.Join(err, file.Close()) != nil {
		t.Fatal(err)
	}
	owner.do("POST", save, nil).want(200, "")
	if got := mode(shell.target); got != mode(plain) {
		t.Errorf("a new file has mode %v, want %v", got, mode(plain))
	}
	if err := os.Chmod(shell.target, 0o600); err != nil {
		t.Fatal(err)
	}
	want := mode(shell.target)
	owner.do("POST", save, nil).want(200, "")
	if got := mode(shell.target); got != want {
		t.Errorf("a replaced file has mode %v, want %v", got, want)
	}
}
