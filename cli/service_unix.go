//go:build unix

package cli

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// actAsOwner lets root continue as the owner of a folder.
func actAsOwner(dir string) error {
	info, err := os.Stat(dir)
	if os.Geteuid() != 0 || err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	if who, err := user.LookupId(strconv.Itoa(int(owner.Uid))); err == nil {
		_ = os.Setenv("HOME", who.HomeDir) // the name is valid
	}
	if err := syscall.Setgroups([]int{int(owner.Gid)}); err != nil {
		return err
	}
	if err := syscall.Setgid(int(owner.Gid)); err != nil {
		return err
	}
	return syscall.Setuid(int(owner.Uid))
}
