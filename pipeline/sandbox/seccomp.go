//go:build linux

package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forbiddenCalls lists the system calls that fail in a child: the network, other processes, other
// name spaces, and ways around both.
func forbiddenCalls() []uint32 {
	return []uint32{
		unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_BIND, unix.SYS_CONNECT, unix.SYS_LISTEN, unix.SYS_ACCEPT,
		unix.SYS_ACCEPT4, unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_RECVFROM, unix.SYS_RECVMSG,
		unix.SYS_RECVMMSG,
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
		unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
		unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN,
		unix.SYS_IO_URING_SETUP, unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_PERF_EVENT_OPEN,
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_OPEN_BY_HANDLE_AT,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SETTIMEOFDAY,
		unix.SYS_CLOCK_SETTIME,
	}
}

// Offsets in the data that a filter reads: struct seccomp_data of the kernel.
const (
	numberOffset = 0
	archOffset   = 4
)

// x32Bit marks the system calls of another interface on amd64, which a filter would not recognize.
const x32Bit = 0x40000000

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

// filterCalls makes the forbidden system calls of this thread, and of all processes that it starts,
// fail with EACCES. It does nothing if the kernel cannot filter.
func filterCalls() error {
	if !Supported().Seccomp {
		return nil
	}
	program := callFilter(forbiddenCalls())
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, err := unix.Syscall(
		unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)),
	); err != 0 {
		return fmt.Errorf("filtering system calls: %w", err)
	}
	return nil
}

// callFilter returns the filter program: it compares the number of a system call with each
// forbidden one. Calls of other architectures fail.
func callFilter(forbidden []uint32) []unix.SockFilter {
	const load, jumpEqual, jumpAtLeast, give = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS,
		unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	n := len(forbidden)
	program := []unix.SockFilter{
		{Code: load, K: archOffset},
		{Code: jumpEqual, K: auditArch(), Jf: uint8(n + 3)},
		{Code: load, K: numberOffset},
		{Code: jumpAtLeast, K: x32Bit, Jt: uint8(n + 1)},
	}
	for i, number := range forbidden {
		program = append(program, unix.SockFilter{Code: jumpEqual, K: number, Jt: uint8(n - i)})
	}
	return append(program,
		unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)},
	)
}
