//go:build !windows

package fetch

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a command a process group of its own, which is killed as a whole when its context
// ends.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
