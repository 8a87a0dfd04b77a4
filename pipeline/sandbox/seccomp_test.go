//go:build linux

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"roughcut/media/mediatest"
)

// refusedCall is a system call that a child tries. It would succeed, or find another fault, without
// a filter.
type refusedCall struct {
	name string
	try  func() error
}

// raw returns a function that makes a system call.
func raw(number uintptr, args ...uintptr) func() error {
	return func() error {
		var all [6]uintptr
		copy(all[:], args)
		_, _, err := syscall.RawSyscall6(number, all[0], all[1], all[2], all[3], all[4], all[5])
		if err != 0 {
			return err
		}
		return nil
	}
}

// refusedCalls lists calls that a child must not make: on its parent, on a file of others, on its
// recording, and in general. For a child, the calls of Linux 5.1 and later do not exist.
func refusedCalls(recording, foreign string) []refusedCall {
	parent := uintptr(os.Getppid())
	var room [1024]byte
	buffer := uintptr(unsafe.Pointer(&room))
	empty := uintptr(unsafe.Pointer(unsafe.StringData("\x00")))
	open := func(flags int) func() error {
		return func() error { _, err := unix.Open(recording, flags, 0); return err }
	}
	return []refusedCall{
		{"prlimit64", raw(unix.SYS_PRLIMIT64, parent, unix.RLIMIT_NOFILE, 0, buffer)},
		{"sched_setaffinity", func() error { return unix.SchedSetaffinity(int(parent), &unix.CPUSet{1}) }},
		{"sched_setscheduler", raw(unix.SYS_SCHED_SETSCHEDULER, parent, 0, buffer)},
		{"setpriority", func() error { return unix.Setpriority(unix.PRIO_PROCESS, int(parent), 1) }},
		{"setpriority of the user", func() error { return unix.Setpriority(unix.PRIO_USER, 0, 1) }},
		{"ioprio_set", raw(unix.SYS_IOPRIO_SET, 1, parent, 2<<13|4)},
		{"kill", func() error { return unix.Kill(int(parent), 0) }},
		{"kill of the group", func() error { return unix.Kill(-int(parent), 0) }},
		{"tkill", raw(unix.SYS_TKILL, parent, 0)},
		{"tgkill", func() error { return unix.Tgkill(int(parent), int(parent), 0) }},
		{"rt_sigqueueinfo", raw(unix.SYS_RT_SIGQUEUEINFO, parent, 0, buffer)},
		{"fcntl with F_SETOWN", raw(unix.SYS_FCNTL, 0, unix.F_SETOWN, parent)},
		{"fcntl with F_SETLEASE", raw(unix.SYS_FCNTL, 0, unix.F_SETLEASE, unix.F_UNLCK)},
		{"prctl with PR_SET_PDEATHSIG", raw(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, 0)},
		{"setsid", raw(unix.SYS_SETSID)},
		{"setpgid", raw(unix.SYS_SETPGID, 0, 0)},

		{"chmod", func() error { return unix.Chmod(foreign, 0o600) }},
		{"fchmod", raw(unix.SYS_FCHMOD, 0, 0o600)},
		{"chown", func() error { return unix.Lchown(foreign, -1, -1) }},
		{"utimensat", func() error { return unix.Utimes(foreign, []unix.Timeval{{}, {}}) }},
		{"setxattr", func() error { return unix.Setxattr(foreign, "user.test", nil, 0) }},
		{"getxattr", func() error { _, err := unix.Getxattr(foreign, "user.test", nil); return err }},
		{"truncate", func() error { return unix.Truncate(recording, 0) }},
		{"open with O_TRUNC for reading", open(unix.O_RDONLY | unix.O_TRUNC)},
		{"open with O_TRUNC for nothing", open(unix.O_ACCMODE | unix.O_TRUNC)},
		{"mkdir", func() error { return unix.Mkdir(foreign+"-", 0o700) }},
		{"mknod", func() error { return unix.Mknod(foreign+"-", unix.S_IFIFO, 0) }},
		{"link", func() error { return unix.Link(foreign, foreign+"-") }},
		{"symlink", func() error { return unix.Symlink(foreign, foreign+"-") }},
		{"chdir", func() error { return unix.Chdir("/") }},
		{"name_to_handle_at", func() error { _, _, err := unix.NameToHandleAt(unix.AT_FDCWD, foreign, 0); return err }},

		{"clone", func() error {
			id, _, err := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
			switch {
			case err != 0:
				return err
			case id == 0:
				_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
			}
			return nil
		}},
		{"clone3", raw(unix.SYS_CLONE3, 0, 0)},
		{"execve", raw(unix.SYS_EXECVE, empty, 0, 0)},
		{"execveat", raw(unix.SYS_EXECVEAT, ^uintptr(0), empty, 0, 0, 0)},
		{"unshare", func() error { return unix.Unshare(unix.CLONE_NEWUSER) }},
		{"setns", raw(unix.SYS_SETNS, ^uintptr(0), 0)},
		{"ptrace", raw(unix.SYS_PTRACE, unix.PTRACE_ATTACH, parent, 0, 0)},
		{"process_vm_readv", raw(unix.SYS_PROCESS_VM_READV, parent, buffer, 0, buffer, 0, 0)},
		{"kcmp", raw(unix.SYS_KCMP, parent, parent, 0, 0, 0)},
		{"pidfd_open", raw(unix.SYS_PIDFD_OPEN, parent, 0)},
		{"memfd_create", func() error { _, err := unix.MemfdCreate("x", 0); return err }},
		{"inotify_init1", raw(unix.SYS_INOTIFY_INIT1, 0)},
		{"fanotify_init", raw(unix.SYS_FANOTIFY_INIT, 0, 0)},
		{"shmget", raw(unix.SYS_SHMGET, 0, 4096, 0o600)},
		{"msgget", raw(unix.SYS_MSGGET, 0, 0o600)},
		{"semget", raw(unix.SYS_SEMGET, 0, 1, 0o600)},
		{"mq_open", raw(unix.SYS_MQ_OPEN, empty, 0, 0, 0)},
		{"socket", func() error { _, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err }},
		{"socketpair", func() error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err }},
		{"io_uring_setup", raw(unix.SYS_IO_URING_SETUP, 1, buffer)},
		{"bpf", raw(unix.SYS_BPF, 0, buffer, 64)},
		{"perf_event_open", raw(unix.SYS_PERF_EVENT_OPEN, buffer, 0, 0, 0, 0)},
		{"userfaultfd", raw(unix.SYS_USERFAULTFD, 1)},
		{"keyctl", raw(unix.SYS_KEYCTL, 0, 0, 0)},
		{"add_key", raw(unix.SYS_ADD_KEY, empty, empty, 0, 0, 0)},
		{"mount", raw(unix.SYS_MOUNT, empty, empty, empty, 0, 0)},
		{"chroot", raw(unix.SYS_CHROOT, empty)},
		{"personality", raw(unix.SYS_PERSONALITY, 0xffffffff)},
		{"ioctl", raw(unix.SYS_IOCTL, 0, unix.TIOCINQ, buffer)},
		{"seccomp", raw(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, buffer)},
	}
}

// tryCalls makes the calls that a child must not make, and returns those that were not refused.
func tryCalls(recording, foreign string) string {
	var allowed []string
	for _, call := range refusedCalls(recording, foreign) {
		if err := call.try(); !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.ENOSYS) {
			allowed = append(allowed, fmt.Sprintf("%s (%v)", call.name, err))
		}
	}
	return strings.Join(allowed, ", ")
}

func TestChildMakesOnlyAllowedCalls(t *testing.T) {
	t.Parallel()
	if !Supported().Seccomp {
		mediatest.Refused(t, "the filter of system calls", fmt.Sprintf("%+v", Supported()))
	}
	foreign := t.TempDir() + "/foreign"
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := probe(t.Context(), t, "calls "+foreign, Limits{}); err != nil || got.ContentType != "" {
		t.Errorf("not refused: %s, %v", got.ContentType, err)
	}
}
