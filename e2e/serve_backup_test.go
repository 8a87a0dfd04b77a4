package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"roughcut/media/mediatest"
)

// copied returns a copy of the current state.
func (a *acknowledged) copied() *acknowledged {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := &acknowledged{
		projects: append([]string(nil), a.projects...),
		clips:    map[string]string{},
		runs:     map[string]string{},
		exports:  map[string]string{},
	}
	for from, to := range map[*map[string]string]*map[string]string{
		&a.clips: &c.clips, &a.runs: &c.runs, &a.exports: &c.exports,
	} {
		for id, project := range *from {
			(*to)[id] = project
		}
	}
	return c
}

// TestBackupUnderLoad takes backups while recordings are uploaded, ingested, analyzed, exported and
// deleted. Each restored backup passes the checks of the doctor. A server that starts from it
// finishes the open jobs and has everything that was acknowledged before the backup began.
func TestBackupUnderLoad(t *testing.T) {
	dir, archives := t.TempDir(), t.TempDir()
	recording := tinyTalk(t)
	env := []string{"SPEECH_MODEL=" + mediatest.Model(t), "WORKERS=2"}
	server := serve(t, dir, env)
	c := signUp(t, server)
	acks := &acknowledged{clips: map[string]string{}, runs: map[string]string{}, exports: map[string]string{}}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	var current [2]string
	for i := range current {
		work.Go(func() { acks.makeWork(ctx, c, recording, &current[i]) })
	}
	var before [3]*acknowledged
	for i := range before {
		poll(t, func() bool { now := acks.copied(); return len(now.clips) > 0 && (i == 0 || len(now.exports) > 0) })
		before[i] = acks.copied()
		works(t, dir, "", "backup", filepath.Join(archives, fmt.Sprint(i)))
	}
	cancel()
	work.Wait()
	server.stop()
	doctor(t, dir)
	for i, acked := range before {
		restored := filepath.Join(t.TempDir(), "data")
		if out := works(t, restored, "", "restore", filepath.Join(archives, fmt.Sprint(i))); !strings.Contains(
			out, "restored "+restored,
		) {
			t.Errorf("restore printed %s", out)
		}
		doctor(t, restored)
		again := serve(t, restored, env)
		r := newClient(t, again.base)
		r.http.Jar = c.http.Jar // with the session of the original server
		if status, _, err := r.do("GET", "/api/v1/projects/", nil); err != nil || status != 401 {
			t.Errorf("the restored server responds to an old session with %d, %v", status, err)
		}
		r.signIn("ada@example.com", "a long enough password")
		acks.mu.Lock()
		lost := acked.without(acks)
		acks.mu.Unlock()
		lost.check(t, r)
		waitForRest(t, r, lost)
		again.stop()
		doctor(t, restored)
	}
}

// without returns the part of a that still exists in now. Whatever was deleted since may have been
// deleted before the backup took its snapshot.
func (a *acknowledged) without(now *acknowledged) *acknowledged {
	kept := &acknowledged{clips: map[string]string{}, runs: map[string]string{}, exports: map[string]string{}}
	for _, p := range a.projects {
		for _, q := range now.projects {
			if p == q {
				kept.projects = append(kept.projects, p)
			}
		}
	}
	for from, to := range map[*map[string]string]*map[string]string{
		&a.clips: &kept.clips, &a.runs: &kept.runs, &a.exports: &kept.exports,
	} {
		for id, project := range *from {
			for _, p := range kept.projects {
				if p == project {
					(*to)[id] = project
				}
			}
		}
	}
	return kept
}

// A failed backup leaves no file and keeps an existing one. --force is needed to replace a file.
func TestFailedBackupKeepsTheOldFile(t *testing.T) {
	dir, archives := t.TempDir(), t.TempDir()
	file := filepath.Join(archives, "backup.tar")
	if code, out := runs(t, filepath.Join(dir, "none"), "", "backup", file); code != exitFailed ||
		!strings.Contains(out, "does not exist, use --data-dir") {
		t.Errorf("backup without a data directory: %d %s", code, out)
	}
	works(
		t, dir, goodPassword, "admin", "create-user", "--email", "ada@example.org", "--name", "Ada",
		"--username", "ada", "--password-stdin",
	)
	works(t, dir, "", "backup", file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the backup: %v, %v", info, err)
	}
	if code, out := runs(t, dir, "", "backup", file); code != exitFailed || !strings.Contains(out, "--force") {
		t.Errorf("backup over an existing file: %d %s", code, out)
	}
	for _, live := range []bool{false, true} {
		if live {
			serve(t, dir, nil)
		}
		cmd := limited(program(context.Background(), dir, "backup", "--force", file), int64(len(whole)/2))
		if code, out := outcome(t, cmd); code != exitFailed ||
			(!strings.Contains(out, "disk is full") && !strings.Contains(out, "too large")) {
			t.Errorf("backup onto a full disk: %d %s", code, out)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != string(whole) {
			t.Errorf("the old backup changed: %d bytes, %v", len(now), err)
		}
		works(t, dir, "", "backup", "--force", file)
		if whole, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{archives, filepath.Join(dir, "tmp")} {
		if left, _ := os.ReadDir(folder); len(left) != strings.Count(folder, archives) {
			t.Errorf("left in %s: %v", folder, left)
		}
	}
}
