//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// allowedCall is a system call that a child may make.
type allowedCall struct {
	number uint32
	checks []check // all must hold
}

// check allows an argument of a system call if its bits in mask are one of values. The kernel
// ignores the upper half of the arguments that are checked.
type check struct {
	argument, mask uint32
	values         []uint32
}

// argIs returns a check for an argument that is one of values.
func argIs(argument uint32, values ...uint32) check { return check{argument, ^uint32(0), values} }

// freeCalls lists the system calls that children make with any arguments: files that they have
// opened or that Landlock guards, memory, threads, their own signals, and clocks.
func freeCalls() []uint32 {
	return append(olderCalls(),
		unix.SYS_READ, unix.SYS_READV, unix.SYS_PREAD64, unix.SYS_PREADV, unix.SYS_WRITE, unix.SYS_WRITEV,
		unix.SYS_PWRITE64, unix.SYS_PWRITEV, unix.SYS_LSEEK, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_DUP,
		unix.SYS_DUP3, unix.SYS_FSTAT, unix.SYS_STATX, unix.SYS_STATFS, unix.SYS_FSTATFS, unix.SYS_FACCESSAT,
		unix.SYS_FACCESSAT2, unix.SYS_READLINKAT, unix.SYS_GETDENTS64, unix.SYS_GETCWD, unix.SYS_RENAMEAT,
		unix.SYS_RENAMEAT2, unix.SYS_UNLINKAT, unix.SYS_UMASK, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_FSYNC,
		unix.SYS_FDATASYNC, unix.SYS_SYNC_FILE_RANGE, unix.SYS_FADVISE64, unix.SYS_READAHEAD, unix.SYS_FLOCK,
		unix.SYS_COPY_FILE_RANGE, unix.SYS_SENDFILE,
		unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_MSYNC,
		unix.SYS_MINCORE, unix.SYS_BRK, unix.SYS_MLOCK, unix.SYS_MUNLOCK, unix.SYS_GET_MEMPOLICY,
		unix.SYS_SET_MEMPOLICY, unix.SYS_MBIND, unix.SYS_MEMBARRIER,
		unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_SET_TID_ADDRESS, unix.SYS_EXIT,
		unix.SYS_EXIT_GROUP, unix.SYS_RESTART_SYSCALL, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY,
		unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN, unix.SYS_GETCPU,
		unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID,
		unix.SYS_GETEGID, unix.SYS_GETRUSAGE, unix.SYS_TIMES, unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_GETRANDOM,
		unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPENDING,
		unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_SIGALTSTACK,
		unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_NANOSLEEP,
		unix.SYS_GETTIMEOFDAY, unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_GETTIME,
		unix.SYS_TIMER_GETOVERRUN, unix.SYS_TIMER_DELETE, unix.SYS_SETITIMER, unix.SYS_GETITIMER,
		unix.SYS_PIPE2, unix.SYS_EVENTFD2, unix.SYS_PPOLL, unix.SYS_PSELECT6, unix.SYS_EPOLL_CREATE1,
		unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2,
	)
}

// checkedCalls lists the system calls that children make only with some arguments: they start
// threads but no processes, and concern no other process.
func checkedCalls() []allowedCall {
	const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	self := uint32(os.Getpid())
	return append(olderCheckedCalls(), []allowedCall{
		{unix.SYS_OPENAT, []check{openFlags(2)}},
		{unix.SYS_CLONE, []check{{0, unix.CLONE_THREAD | namespaces, []uint32{unix.CLONE_THREAD}}}},
		{unix.SYS_KILL, []check{argIs(0, self)}},
		{unix.SYS_TGKILL, []check{argIs(0, self)}},
		{unix.SYS_PRLIMIT64, []check{argIs(0, 0)}},
		{unix.SYS_SCHED_SETAFFINITY, []check{argIs(0, 0)}},
		{unix.SYS_SETPRIORITY, []check{argIs(0, unix.PRIO_PROCESS), argIs(1, 0)}},
		{unix.SYS_GETPRIORITY, []check{argIs(0, unix.PRIO_PROCESS), argIs(1, 0)}},
		{unix.SYS_PRCTL, []check{argIs(0, unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_VMA, unix.PR_SVE_GET_VL)}},
		{unix.SYS_FCNTL, []check{argIs(
			1, unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL,
			unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW, unix.F_ADD_SEALS, unix.F_GET_SEALS,
		)}},
	}...)
}

// deviceCalls lists the system calls that only drivers of graphics processors make.
func deviceCalls() []allowedCall {
	self := uint32(os.Getpid())
	return []allowedCall{
		{unix.SYS_IOCTL, nil}, {unix.SYS_MEMFD_CREATE, nil}, {unix.SYS_KCMP, []check{argIs(0, self), argIs(1, self)}},
	}
}

// openFlags returns a check of the flags of a call that opens a file: a call that empties the file
// must open it for writing.
func openFlags(argument uint32) check {
	return check{argument, unix.O_TRUNC | unix.O_ACCMODE, []uint32{
		unix.O_RDONLY, unix.O_WRONLY, unix.O_RDWR, unix.O_WRONLY | unix.O_TRUNC, unix.O_RDWR | unix.O_TRUNC,
	}}
}

// Offsets in the data that a filter reads: struct seccomp_data of the kernel. The lower half of an
// argument comes first.
const (
	numberOffset    = 0
	archOffset      = 4
	argumentsOffset = 16
	argumentBytes   = 8
)

const (
	// x32Bit marks the system calls of another interface on amd64, which have other numbers.
	x32Bit = 0x40000000
	// newCalls is the first number of the system calls of Linux 5.1 and later. The C library uses
	// older calls if these do not exist, but not if they are refused.
	newCalls = 424
)

// auditArch returns the kernel's number of the processor architecture, 0 for one without a filter.
func auditArch() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}

	return 0
}

// filterCalls permanently denies this process all system calls that children do not need. With
// devices, it also allows the system calls of graphics drivers. It does nothing if the kernel
// cannot filter.
func filterCalls(devices bool) error {
	if !Supported().Seccomp {
		return nil
	}
	checked := checkedCalls()
	if devices {
		checked = append(checked, deviceCalls()...)
	}
	program, err := bpf.Assemble(callFilter(checked, freeCalls()))
	if err != nil {
		return fmt.Errorf("building the filter of system calls: %w", err)
	}
	filter := make([]unix.SockFilter, len(program))
	for i, op := range program {
		filter[i] = unix.SockFilter{Code: op.Op, Jt: op.Jt, Jf: op.Jf, K: op.K}
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	thread, _, failed := unix.Syscall(
		unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)),
	)
	if failed != 0 {
		return fmt.Errorf("filtering system calls: %w", failed)
	}
	if thread != 0 {
		return fmt.Errorf("filtering system calls: thread %d has another filter", thread)
	}
	return nil
}

// callFilter returns the filter program. It compares the number of a system call with each allowed
// one. Calls of other architectures fail.
func callFilter(checked []allowedCall, free []uint32) []bpf.Instruction {
	refuse := func(err unix.Errno) bpf.Instruction {
		return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(err)}
	}
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: archOffset, Size: 4},
		bpf.JumpIf{Val: auditArch(), SkipTrue: 1},
		refuse(unix.EPERM),
		bpf.LoadAbsolute{Off: numberOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32Bit, SkipTrue: 1},
		refuse(unix.EPERM),
	}
	for _, call := range checked {
		var body []bpf.Instruction
		for _, c := range call.checks {
			body = append(body,
				bpf.LoadAbsolute{Off: argumentsOffset + argumentBytes*c.argument, Size: 4},
				bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: c.mask},
			)
			for i, value := range c.values {
				body = append(body, bpf.JumpIf{Val: value, SkipTrue: uint8(len(c.values) - i)})
			}
			body = append(body, refuse(unix.EPERM))
		}

		program = append(program, bpf.JumpIf{Val: call.number, SkipFalse: uint8(len(body) + 1)})
		program = append(append(program, body...), allow)
	}

	for i, number := range free {
		program = append(program, bpf.JumpIf{Val: number, SkipTrue: uint8(len(free) - i + 2)})
	}
	return append(program,
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: newCalls, SkipTrue: 1},
		refuse(unix.EPERM), refuse(unix.ENOSYS), allow,
	)
}
