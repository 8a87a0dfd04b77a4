//go:build !windows

package fetch

import (
	"os/exec"
	"syscall"
)

// useProcessGroup runs a command in a new process group and kills the whole group when the context
// of the command ends.
func useProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
