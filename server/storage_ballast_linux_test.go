package server

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"roughcut/media/mediatest"
	"roughcut/store"
)

// smallDiskEnv makes the test binary run with TMPDIR on a separate small file system.
const smallDiskEnv = "ROUGHCUT_SERVER_SMALL_DISK"

// TestFullDiskCanBeFreed checks that a person can sign in and delete while no other write succeeds,
// again and again.
func TestFullDiskCanBeFreed(t *testing.T) {
	t.Parallel()
	if os.Getenv(smallDiskEnv) != "" {
		freeAFullDisk(t)
		return
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDiskCanBeFreed$", "-test.v")
	cmd.Env = append(os.Environ(), smallDiskEnv+"=1", "TMPDIR="+dir)
	mediatest.SmallDisk(t, cmd, dir, 40)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func freeAFullDisk(t *testing.T) {
	w := newWorld(t, func(_ *Options, so *store.Options) { so.TierTable.Unlimited = true })
	p := w.withPassword("ada")
	ids := everything(p)
	project := "/api/v1/projects/" + ids["project_uuid"]
	spare := p.project("Spare")
	var recordings []string
	for range 20 {
		recordings = append(recordings, p.readyClip(spare))
	}
	full := func() {
		t.Helper()
		for range 1000 { // uses the free pages of the database
			// The search index can remove its files at any time.
			fillDisk(t, filepath.Join(os.TempDir(), "fill"))
			if p.do("POST", "/api/v1/projects/", map[string]any{"name": strings.Repeat("x", 100)}).status == 507 {
				return
			}
		}
		t.Fatal("the disk does not get full")
	}
	for _, clip := range recordings {
		full()
		p.do("DELETE", "/api/v1/clips/"+clip, nil).want(204, "")
	}
	for _, call := range [][2]string{
		{"DELETE", "/api/v1/clips/" + ids["clip_uuid"]},
		{"DELETE", "/api/v1/exports/" + ids["export_uuid"]},
		{"DELETE", "/api/v1/assets/" + ids["asset_uuid"]},
		{"POST", project + "/trash/empty"},
		{"DELETE", "/api/v1/projects/" + spare},
		{"DELETE", project},
	} {
		full()
		login(p, p.user.Email, goodPassword).want(200, "")
		p.do(call[0], call[1], nil).want(204, "")
	}
	full()
	w.restart(func(*store.Options) {})
	p.do("GET", "/api/v1/projects/", nil).want(200, "")
}

// fillDisk writes a file until nothing more fits on its disk.
func fillDisk(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 4096)
	for err == nil {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
