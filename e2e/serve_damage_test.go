//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Types of pages in a bbolt database.
const (
	branchPage = 0x01
	leafPage   = 0x02
	freePage   = 0x10
)

// pageSize is the page size of databases that are created on this machine.
var pageSize = os.Getpagesize()

// pagesOf returns the numbers of all pages of a type in a database file, without its meta pages.
func pagesOf(data []byte, kind uint16) (all []int) {
	for id := 2; (id+1)*pageSize <= len(data); id++ {
		header := data[id*pageSize:]
		if binary.NativeEndian.Uint64(header) == uint64(id) && binary.NativeEndian.Uint16(header[8:]) == kind {
			all = append(all, id)
		}
	}
	return all
}

// rootPage returns the page of the bucket that holds all others.
func rootPage(data []byte) []int {
	root, newest := uint64(0), uint64(0)
	for _, meta := range [][]byte{data[16:], data[pageSize+16:]} {
		if at := binary.NativeEndian.Uint64(meta[48:]); at >= newest {
			root, newest = binary.NativeEndian.Uint64(meta[16:]), at
		}
	}
	return []int{int(root)}
}

// damageDatabase overwrites pages of the database in a data directory with random bytes. It returns
// their number, and a function that writes the original bytes back, except to pages that the server
// has written since.
func damageDatabase(t *testing.T, dir string, pages func(data []byte) []int) (count int, repair func()) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(dir, "roughcut.db"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() }) // repair may close it first
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	garbage := make([]byte, pageSize)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range garbage {
		garbage[i] = byte(random.Uint32())
	}
	write := func(page []byte, id int) {
		if _, err := file.WriteAt(page, int64(id*pageSize)); err != nil {
			t.Fatal(err)
		}
	}
	found := pages(data)
	for _, id := range found {
		write(garbage, id)
	}
	return len(found), func() {
		now := make([]byte, pageSize)
		for _, id := range found {
			if _, err := file.ReadAt(now, int64(id*pageSize)); err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(now, garbage) {
				write(data[id*pageSize:(id+1)*pageSize], id)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func (r *running) signal(s syscall.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

// endsDamaged sends requests until the server ends, and checks that it names the damage and what to
// do, once in the log and once for the person who started it.
func (r *running) endsDamaged(t *testing.T, c *client) {
	t.Helper()
	var ended error
	poll(t, func() bool {
		if status, _, err := c.do("POST", "/api/v1/projects/", map[string]string{"name": "new"}); err == nil &&
			status != 201 && status != 503 {
			t.Errorf("a response has status %d", status)
		}
		_, _, _ = c.do("GET", "/api/v1/projects/", nil) // fails when the server has ended
		select {
		case ended = <-r.exited:
			r.exited = nil
			return true
		default:
			return false
		}
	})
	var exit *exec.ExitError
	if !errors.As(ended, &exit) || exit.ExitCode() != exitDamaged {
		t.Errorf("the server ended with %v, want exit code %d\n%s", ended, exitDamaged, r.log)
	}
	if n := strings.Count(r.log.String(), "roughcut restore FILE"); n != 2 {
		t.Errorf("the log names the restore %d times:\n%s", n, r.log)
	}
}

// refusesToStart checks that a server refuses its data directory with the same words.
func refusesToStart(t *testing.T, dir string, env []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	again := program(ctx, dir, "serve", "--listen", "127.0.0.1:0")
	again.Env = append(again.Env, env...)
	out, err := again.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitDamaged ||
		!strings.Contains(string(out), "roughcut restore FILE") {
		t.Errorf("the next start ended with %v:\n%s", err, out)
	}
}

// Damage of the database under a running server ends the server with exit code 3, wherever it is.
// The next start is refused with the same words. With the pages back, nothing is lost, and the
// export that ran completes.
func TestDamageEndsTheServer(t *testing.T) {
	recording := slowTalk(t)
	for _, c := range []struct {
		name  string
		busy  bool // an export runs
		pages func(data []byte) []int
	}{
		{"leaves", true, func(data []byte) []int { return pagesOf(data, leafPage) }},
		{"branches", false, func(data []byte) []int { return pagesOf(data, branchPage) }},
		{"free list", false, func(data []byte) []int { return pagesOf(data, freePage) }},
		{"root bucket", false, rootPage},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, env := t.TempDir(), []string{"WORKERS=1", "CHUNK_CACHE_MB=0"}
			server := serve(t, dir, env)
			client := signUp(t, server)
			description := strings.Repeat("a long description ", 40)
			for range 40 { // so that there are branches
				call[record](client, "POST", "/api/v1/projects/",
					map[string]string{"name": "full", "description": description}, 201)
			}
			project := call[record](client, "POST", "/api/v1/projects/", map[string]string{"name": "kept"}, 201)
			root := "/api/v1/projects/" + project.UUID
			if c.busy {
				client.upload(project.UUID, recording)
				comesTo(t, client, root+"/clips/", "ready")
				wanted := map[string]any{"name": "out", "export_settings": map[string]string{"resolution": "1080p"}}
				call[record](client, "POST", root+"/exports/", wanted, 202)
				// From here on, no transaction is open: a transaction could write data that it has
				// read from damaged pages.
				comesTo(t, client, root+"/exports/", "rendering")
			}

			began := time.Now()
			server.signal(syscall.SIGSTOP) // so that it does not write in between
			damaged, repair := damageDatabase(t, dir, c.pages)
			server.signal(syscall.SIGCONT)
			if damaged == 0 {
				t.Fatal("found no page to damage")
			}
			server.endsDamaged(t, client)
			t.Logf("the server ended after %v", time.Since(began).Round(10*time.Millisecond))
			_, repairAgain := damageDatabase(t, dir, c.pages) // a transaction may have replaced the pages
			refusesToStart(t, dir, env)

			repairAgain()
			repair()
			server = serve(t, dir, env)
			client.base = server.base
			if c.busy {
				comesTo(t, client, root+"/exports/", "completed")
			}
			call[record](client, "GET", root, nil, 200)
			server.stop()
			doctor(t, dir)
		})
	}
}
