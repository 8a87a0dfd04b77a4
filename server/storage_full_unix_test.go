//go:build unix

package server

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"roughcut/pipeline/models"
	"roughcut/store"
)

// fullDiskEnv makes the test binary run with a file size limit, which makes writes fail as on a
// full disk.
const fullDiskEnv = "ROUGHCUT_SERVER_FULL"

// A confirm on a full disk keeps all bytes of the upload. It succeeds when there is space again.
func TestConfirmOnFullDiskKeepsUpload(t *testing.T) {
	t.Parallel()
	if os.Getenv(fullDiskEnv) != "" {
		confirmOnAFullDisk(t)
		return
	}
	cmd := exec.CommandContext(
		t.Context(),
		os.Args[0],
		"-test.run=^TestConfirmOnFullDiskKeepsUpload$",
		"-test.v",
	)
	cmd.Env = append(os.Environ(), fullDiskEnv+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, operation := range []string{"confirmClip", "confirmAsset"} {
		received.note(operation, 507)
		received.noteCode(operation, "storage_full")
	}
}

func confirmOnAFullDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	limit := func(bytes uint64) {
		t.Helper()
		var now syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
			t.Fatal(err)
		}
		now.Cur = min(bytes, now.Max)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	clip, _ := p.upload(project, []byte("bytes of a recording"))
	asset, _ := p.sendAsset("video/mp4", nil)
	confirms := []string{
		"/api/v1/projects/" + project + "/clips/" + clip + "/confirm",
		"/api/v1/assets/" + asset + "/confirm",
	}
	w.faulty = true // a change in the background may be at its last write now
	limit(1000)     // larger, because of the database
	for _, confirm := range confirms {
		p.do("POST", confirm, nil).want(507, "storage_full")
	}
	p.do("GET", "/api/v1/projects/"+project+"/clips/", nil).want(200, "").shows(map[string]any{"total": 1})
	p.do("POST", "/api/v1/projects/", map[string]any{"name": "no space"}).want(507, "storage_full")
	limit(1 << 40)
	for _, confirm := range confirms {
		p.do("POST", confirm, nil).want(202, "")
	}
	if got := p.do("GET", "/api/v1/users/me", nil).text("storage_used_bytes"); got != "40" {
		t.Errorf("%s bytes count towards the quota", got)
	}
	w.later(0)
}

func TestModelLargerThanDiskIsNotDownloaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, so *store.Options) {
		o.Models = models.New(
			models.Options{
				Dir:   filepath.Join(so.Dir, "models"),
				Known: []models.Model{{Name: "tiny.en", SizeBytes: 5}},
				Check: func(string) (bool, error) { return true, nil },
				Free:  func(n int64) error { return store.CheckFree(so.Dir, n, 1<<60) },
			},
		)
	})
	w.person("admin").do("POST", "/api/v1/models/tiny.en/download", nil).want(507, "storage_full")
}
