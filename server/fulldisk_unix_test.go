//go:build unix

package server

import (
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"roughcut/pipeline/models"
	"roughcut/store"
)

// limitFiles makes every write past a size fail, as on a full disk, until the returned function is called. The database is larger.
func limitFiles(t *testing.T, bytes uint64) (release func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	now := before
	now.Cur = min(bytes, before.Max)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
		t.Fatal(err)
	}
	release = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(release)
	return release
}

// A disk that is full when an upload is to be taken over loses none of its bytes: it is asked for again once there is room.
func TestADiskThatFillsUpAtTheConfirmLosesNothing(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	clip, _ := p.upload(project, []byte("bytes of a recording"))
	asset, _ := p.sendAsset("video/mp4", nil)
	whole := p.resumable(project, 6)
	confirms := []string{"/api/v1/projects/" + project + "/clips/" + clip + "/confirm", "/api/v1/assets/" + asset + "/confirm"}
	release := limitFiles(t, 1000)
	for _, confirm := range confirms {
		p.do("POST", confirm, nil).want(507, "storage_full")
	}
	whole.patch(0, "abcdef").want(507, "storage_full")
	if r := w.send(whole.request("HEAD", "", nil)); r.status != 507 {
		t.Errorf("the state of an upload that could not be stored is answered %d", r.status)
	}
	p.do("GET", "/api/v1/projects/"+project+"/clips/", nil).want(200, "").shows(map[string]any{"total": 2})
	release()
	for _, confirm := range confirms {
		p.do("POST", confirm, nil).want(202, "")
	}
	if got := whole.offset(); got != "6" {
		t.Errorf("the upload is at %s", got)
	}
	whole.confirm().want(202, "")
	if got := whole.stored(); got != "abcdef" {
		t.Errorf("stored is %q", got)
	}
	w.later(0)
}

func TestAModelThatDoesNotFitIsNotDownloaded(t *testing.T) {
	w := newWorld(t, func(o *Options, so *store.Options) {
		o.Models = models.New(models.Options{Dir: filepath.Join(so.Dir, "models"), Known: []models.Model{{Name: "tiny.en", SizeBytes: 5}},
			Check: func(string) error { return nil }, Free: func(n int64) error { return store.CheckFree(so.Dir, n, 1<<60) }})
	})
	w.person("admin").do("POST", "/api/v1/models/tiny.en/download", nil).want(507, "storage_full")
}
