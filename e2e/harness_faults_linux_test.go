package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"roughcut/media/mediatest"
)

// asFaulty is the environment variable that makes the test binary install a filter of system calls,
// pass its listener to the test, and become the program. The kernel then asks the test about each
// system call that changes files. Go and libav make those without the C library, so preloaded
// functions would not see them.
const asFaulty = "ROUGHCUT_TEST_AS_FAULTY"

// faultyCalls are the system calls that can fail, with the kind that the test names.
func faultyCalls() map[uint32]string {
	return map[uint32]string{
		unix.SYS_OPENAT: "open", unix.SYS_MKDIRAT: "mkdir", unix.SYS_UNLINKAT: "unlink",
		unix.SYS_RENAMEAT: "rename", unix.SYS_RENAMEAT2: "rename",
		unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "write", unix.SYS_WRITEV: "write",
		unix.SYS_COPY_FILE_RANGE: "write", unix.SYS_FTRUNCATE: "truncate", unix.SYS_FALLOCATE: "allocate",
		unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fsync",
	}
}

// faultErrors are the errors that each kind of call fails with, in turns.
var faultErrors = map[string][]unix.Errno{
	"open":     {unix.EMFILE, unix.EIO, unix.ENOSPC},
	"mkdir":    {unix.ENOSPC, unix.EIO},
	"unlink":   {unix.EIO},
	"rename":   {unix.EIO, unix.ENOSPC},
	"write":    {unix.ENOSPC, unix.EIO},
	"truncate": {unix.EIO, unix.ENOSPC},
	"allocate": {unix.ENOSPC},
	"fsync":    {unix.EIO, unix.ENOSPC},
}

// becomeFaulty replaces this process by the program, below the filter. It only returns an error.
func becomeFaulty() error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	const load, equal, give = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_RET | unix.BPF_K
	program := []unix.SockFilter{{Code: load, K: 0}} // the number of the call
	calls := faultyCalls()
	for number := range calls {
		program = append(program, unix.SockFilter{Code: equal, K: number, Jt: uint8(len(calls) - len(program) + 1)})
	}
	program = append(program, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: give, K: unix.SECCOMP_RET_USER_NOTIF})
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	listener, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	const socket = 3 // the first of ExtraFiles
	if err := unix.Sendmsg(socket, []byte{0}, unix.UnixRights(int(listener)), nil, 0); err != nil {
		return err
	}
	unix.CloseOnExec(socket)
	env := []string{asProgram + "=1"}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, asFaulty+"=") {
			env = append(env, entry)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, env)
}

// notification is struct seccomp_notif of the kernel.
type notification struct {
	id           uint64
	pid, flags   uint32
	number, arch uint32
	address      uint64
	args         [6]uint64
}

// decision is struct seccomp_notif_resp of the kernel.
type decision struct {
	id    uint64
	value int64
	err   int32
	flags uint32
}

// faults lets one system call of a program fail: the one after a number of others that change files
// below a folder.
type faults struct {
	dir string

	mu     sync.Mutex
	left   int // calls before the one that fails; negative: none fails
	round  int // chooses the error
	count  map[string]int
	failed string // the call that failed
}

// serveWithFaults starts a server whose system calls can fail. It is not ready if the server exited
// before.
func serveWithFaults(t *testing.T, f *faults, env []string, args ...string) (r *running, ready bool) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	childEnd := os.NewFile(uintptr(pair[1]), "socket")
	cmd := program(context.Background(), f.dir, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(append(cmd.Env[1:], asFaulty+"=1"), env...) // without asProgram, which comes first
	cmd.ExtraFiles = []*os.File{childEnd}
	supervised := make(chan error, 1)
	var started sync.Once
	free := func() { started.Do(func() { childEnd.Close() }) }
	go func() { supervised <- f.supervise(pair[0]) }()
	r, ready = begin(t, f.dir, cmd, free)
	t.Cleanup(func() {
		r.kill()
		free()
		if err := <-supervised; err != nil {
			t.Errorf("watching the system calls: %v", err)
		}
	})
	return r, ready
}

// supervise answers the kernel until the program has ended.
func (f *faults) supervise(socket int) error {
	defer unix.Close(socket)
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, make([]byte, 1), rights, 0)
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("the program ended without a filter")
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil {
		return err
	}
	listeners, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	listener := listeners[0]
	defer unix.Close(listener)
	for {
		poll := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err != nil && err != unix.EINTR {
			return err
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			if poll[0].Revents&unix.POLLHUP != 0 {
				return nil // no process has the filter any more
			}
			continue
		}
		var asked notification
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_RECV,
			uintptr(unsafe.Pointer(&asked))); errno != 0 {
			continue // the thread is gone
		}
		answer := decision{id: asked.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if errno := f.decide(&asked); errno != 0 {
			answer.flags, answer.err = 0, -int32(errno)
		}
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_SEND,
			uintptr(unsafe.Pointer(&answer))) // the thread may be gone
	}
}

// decide returns the error that a system call gets, or 0 if it runs.
func (f *faults) decide(asked *notification) unix.Errno {
	kind := faultyCalls()[asked.number]
	path := targetOf(asked)
	name, below := strings.CutPrefix(path, f.dir+"/")
	if !below {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count == nil {
		f.count = map[string]int{}
	}
	f.count[kind]++
	f.left--
	if f.left != -1 {
		f.left = max(f.left, -2)
		return 0
	}
	choices := faultErrors[kind]
	errno := choices[f.round%len(choices)]
	f.failed = fmt.Sprintf("%s of %s: %v", kind, nameless.ReplaceAllString(name, "*"), errno)
	return errno
}

// nameless matches the IDs and numbers in a path.
var nameless = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,}|[0-9]+`)

// targetOf returns the path of the file that a system call changes, or "".
func targetOf(asked *notification) string {
	descriptor := func(n uint64) string {
		path, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", asked.pid, int32(n)))
		return path
	}
	at := func(folder, address uint64) string {
		path := stringAt(int(asked.pid), uintptr(address))
		if path == "" || filepath.IsAbs(path) {
			return path
		}
		if int32(folder) == unix.AT_FDCWD {
			current, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", asked.pid))
			return filepath.Join(current, path)
		}
		return filepath.Join(descriptor(folder), path)
	}
	switch asked.number {
	case unix.SYS_OPENAT, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT:
		return at(asked.args[0], asked.args[1])
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		return at(asked.args[2], asked.args[3])
	case unix.SYS_COPY_FILE_RANGE:
		return descriptor(asked.args[2])
	}
	return descriptor(asked.args[0])
}

// stringAt returns a string of another process, "" if it cannot be read.
func stringAt(pid int, address uintptr) string {
	var text []byte
	for len(text) < unix.PathMax {
		// A read ends at the end of a page, because the next one may be missing.
		block := make([]byte, 4096-address%4096)
		n, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &block[0], Len: uint64(len(block))}},
			[]unix.RemoteIovec{{Base: address, Len: len(block)}}, 0)
		if err != nil || n == 0 {
			return ""
		}
		if end := bytes.IndexByte(block[:n], 0); end >= 0 {
			return string(append(text, block[:end]...))
		}
		text, address = append(text, block[:n]...), address+uintptr(n)
	}
	return ""
}

// arm lets a call fail after the given number of others. The round chooses the error.
func (f *faults) arm(left, round int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left, f.round, f.failed, f.count = left, round, "", nil
}

// disarm returns the call that failed, "" if none did, and the number of calls since arm.
func (f *faults) disarm() (failed string, calls map[string]int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = -2
	return f.failed, f.count
}

// needsFaults skips a test on kernels that cannot ask another process about system calls.
func needsFaults(t *testing.T) {
	t.Helper()
	action := uint32(unix.SECCOMP_RET_USER_NOTIF)
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0,
		uintptr(unsafe.Pointer(&action))); errno != 0 {
		mediatest.Refused(t, "questions about system calls", errno)
	}
}
