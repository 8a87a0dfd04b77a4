//go:build linux && !amd64

package sandbox

import "golang.org/x/sys/unix"

// olderCalls lists system calls that have other names on amd64.
func olderCalls() []uint32 { return []uint32{unix.SYS_FSTATAT} }

func olderCheckedCalls() []allowedCall { return nil }
