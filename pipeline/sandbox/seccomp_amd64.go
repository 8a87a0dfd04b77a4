//go:build linux

package sandbox

import "golang.org/x/sys/unix"

// olderCalls lists system calls that only amd64 has.
func olderCalls() []uint32 {
	return []uint32{
		unix.SYS_NEWFSTATAT, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK, unix.SYS_GETDENTS,
		unix.SYS_RENAME, unix.SYS_UNLINK, unix.SYS_DUP2, unix.SYS_PIPE, unix.SYS_EVENTFD, unix.SYS_POLL,
		unix.SYS_SELECT, unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT, unix.SYS_TIME, unix.SYS_PAUSE,
		unix.SYS_ARCH_PRCTL,
	}
}

// olderCheckedCalls lists system calls that only amd64 has, for some arguments.
func olderCheckedCalls() []allowedCall { return []allowedCall{{unix.SYS_OPEN, []check{openFlags(1)}}} }
