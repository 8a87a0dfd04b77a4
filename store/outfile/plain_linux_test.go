package outfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"roughcut/media/mediatest"
)

// plainNode is a file or folder on a file system without hard links and locks.
type plainNode struct{ *fs.LoopbackNode }

// WrapChild makes the files of a folder plain, too.
func (*plainNode) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &plainNode{child.(*fs.LoopbackNode)}
}

// Link fails as on FAT.
func (*plainNode) Link(context.Context, fs.InodeEmbedder, string, *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return nil, syscall.EPERM
}

// Setlk fails as on network file systems without locks.
func (*plainNode) Setlk(context.Context, fs.FileHandle, uint64, *fuse.FileLock, uint32) syscall.Errno {
	return syscall.ENOTSUP
}

// Setlkw is Setlk.
func (*plainNode) Setlkw(context.Context, fs.FileHandle, uint64, *fuse.FileLock, uint32) syscall.Errno {
	return syscall.ENOTSUP
}

// mountPlain mounts a folder on a file system without hard links and locks. It skips the test if
// the kernel refuses that.
func mountPlain(t *testing.T) string {
	t.Helper()
	loopback, err := fs.NewLoopbackRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := &plainNode{loopback.(*fs.LoopbackNode)}
	dir := t.TempDir()
	options := fuse.MountOptions{DirectMountStrict: os.Getuid() == 0, EnableLocks: true}
	if !options.DirectMountStrict {
		mediatest.Needs(t, "fusermount3") // mounts for users
	}
	server, err := fs.Mount(dir, root, &fs.Options{MountOptions: options})
	if err != nil {
		mediatest.Refused(t, "a FUSE file system", err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// On a file system without hard links and locks, writes of one file do not mix, and a new file is
// not replaced.
func TestWriteWithoutLinksAndLocks(t *testing.T) {
	dir := mountPlain(t)
	path := filepath.Join(dir, "p.mp4")
	must(t, Write(path, Options{}, text("whole")))
	if err := os.Link(path, path+".hard"); !errors.Is(err, os.ErrPermission) {
		t.Fatalf("the file system has hard links: %v", err)
	}
	first, err := Claim(path, Options{Replace: true})
	must(t, err)
	second, err := Claim(path, Options{Replace: true})
	must(t, err) // nothing tells the two apart
	must(t, first.Write(text("first")))
	must(t, second.Write(text("second")))
	first.Close()
	second.Close()
	holds(t, path, "second")
	must(t, os.Remove(path))
	late, err := Claim(path, Options{})
	must(t, err)
	must(t, os.WriteFile(path, []byte("mine"), 0o600))
	if err := late.Write(text("late")); !errors.Is(err, ErrExists) {
		t.Errorf("got %v", err)
	}
	late.Close()
	holds(t, path, "mine")
}
