package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"roughcut/media/mediatest"
)

const (
	sector   = 512 // bytes that a drive writes as a whole
	diskSize = 160 << 20
)

// disk is a drive with a volatile cache. It is a file of a FUSE file system; a loop device on that
// file holds a real file system. The loop device passes on the flushes of the file system, so the
// cache knows which sectors a power cut can lose.
type disk struct {
	fs.Inode
	mu      sync.Mutex
	content []byte    // as reads see it
	safe    []byte    // as of the last flush
	cached  []written // since the last flush, in order
	flush   func()    // called before the next flush, if there is one
}

// written is one write.
type written struct {
	at   int64
	data []byte
}

func newDisk(content []byte) *disk { return &disk{content: content, safe: bytes.Clone(content)} }

// Getattr is part of the file system, as are the following methods.
func (d *disk) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Size, out.Mode = diskSize, 0o600
	return 0
}

func (d *disk) Setattr(
	ctx context.Context, f fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut,
) syscall.Errno {
	return d.Getattr(ctx, f, out)
}

func (d *disk) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) { return nil, 0, 0 }

func (d *disk) Read(_ context.Context, _ fs.FileHandle, into []byte, at int64) (fuse.ReadResult, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return fuse.ReadResultData(into[:copy(into, d.content[min(at, diskSize):])]), 0
}

func (d *disk) Write(_ context.Context, _ fs.FileHandle, data []byte, at int64) (uint32, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at+int64(len(data)) > diskSize {
		return 0, syscall.ENOSPC
	}
	copy(d.content[at:], data)
	d.cached = append(d.cached, written{at, bytes.Clone(data)})
	return uint32(len(data)), 0
}

func (d *disk) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.flush != nil {
		d.flush()
		d.flush = nil
	}
	for _, w := range d.cached {
		copy(d.safe[w.at:], w.data)
	}
	d.cached = nil
	return 0
}

// outage is a power cut: the drive after it, and the cache of the drive before it.
type outage struct {
	after        *disk
	cached, lost int // sectors
}

// powerCut makes the power fail, now or when the drive is about to flush its cache, which is
// fullest then. It calls note at that moment.
func (d *disk) powerCut(random *rand.Rand, atFlush bool, note func()) outage {
	if !atFlush {
		d.mu.Lock()
		defer d.mu.Unlock()
		note()
		return d.remains(random)
	}
	cut := make(chan outage, 1)
	d.mu.Lock()
	d.flush = func() { note(); cut <- d.remains(random) }
	d.mu.Unlock()
	return <-cut
}

// remains returns what remains if the power fails: everything that was flushed, and any sectors of
// the rest. The caller holds d.mu.
func (d *disk) remains(random *rand.Rand) (o outage) {
	content := bytes.Clone(d.safe)
	survives := [...]float64{0, 0.1, 0.5, 0.9, 0.99}[random.IntN(5)]
	for _, w := range d.cached {
		for part := range slices.Chunk(w.data, sector) {
			o.cached++
			if random.Float64() < survives {
				copy(content[w.at:], part)
			} else {
				o.lost++
			}
			w.at += int64(len(part))
		}
	}
	o.after = newDisk(content)
	return o
}

// rack holds drives, one after another, each with the content that the one before left.
type rack struct {
	fs.Inode
	t       *testing.T
	folder  string // where drives are files
	mounted string // where the file system of the drive is
	loop    string
	drive   *disk
	count   int
}

// newRack mounts an empty drive with an ext4 file system. It skips the test if the kernel refuses
// that.
func newRack(t *testing.T) *rack {
	t.Helper()
	r := &rack{t: t, folder: t.TempDir(), mounted: t.TempDir()}
	if os.Getuid() != 0 {
		mediatest.Refused(t, "loop devices", "only root can use them")
	}
	mediatest.Needs(t, "losetup", "mkfs.ext4")
	served, err := fs.Mount(r.folder, r, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true}})
	if err != nil {
		mediatest.Refused(t, "a FUSE file system", err)
	}
	t.Cleanup(func() {
		r.unmount()
		if err := syscall.Unmount(r.folder, 0); err != nil {
			t.Error(err)
		}
		served.Wait()
	})
	if err := r.attach(newDisk(make([]byte, diskSize))); err != nil {
		mediatest.Refused(t, "a loop device", err)
	}
	r.run("mkfs.ext4", "-q", "-J", "size=8", "-E", "lazy_itable_init=0,lazy_journal_init=0", r.loop)
	r.mount()
	return r
}

// attach puts a drive in and makes a block device of it, or returns why the kernel refuses that.
func (r *rack) attach(d *disk) error {
	r.t.Helper()
	r.drive = d
	r.count++
	name := fmt.Sprint("drive-", r.count) // a new file, so that the kernel has no page of the old one
	if !r.AddChild(name, r.NewPersistentInode(r.t.Context(), d, fs.StableAttr{Mode: syscall.S_IFREG}), true) {
		r.t.Fatal("the drive cannot be added")
	}
	out, err := exec.Command("losetup", "--find", "--show", filepath.Join(r.folder, name)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("losetup: %w: %s", err, out)
	}
	r.loop = strings.TrimSpace(string(out))
	return nil
}

// mount mounts the file system, which replays its journal. It does not flush a file that replaces
// another one, as ext4 does by default: programs have to.
func (r *rack) mount() {
	r.t.Helper()
	r.run("mount", "-t", "ext4", "-o", "noauto_da_alloc", r.loop, r.mounted)
}

// unmount removes the file system and the block device, if there are any.
func (r *rack) unmount() {
	if r.loop == "" {
		return
	}
	var busy error
	// The children of a server that was killed end soon after it.
	poll(r.t, func() bool { busy = syscall.Unmount(r.mounted, 0); return busy != syscall.EBUSY })
	if busy != nil && busy != syscall.EINVAL { // it may not be mounted
		r.t.Errorf("unmounting %s: %v", r.mounted, busy)
	}
	r.run("losetup", "--detach", r.loop)
	r.loop = ""
}

// replace puts in another drive.
func (r *rack) replace(d *disk) {
	r.t.Helper()
	r.unmount()
	r.RmChild(fmt.Sprint("drive-", r.count))
	if err := r.attach(d); err != nil {
		r.t.Fatal(err)
	}
	r.mount()
}

func (r *rack) run(name string, args ...string) {
	r.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		r.t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}
