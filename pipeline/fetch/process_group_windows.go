package fetch

import "os/exec"

// useProcessGroup does nothing on Windows: only the command itself is killed. Its children lose
// their network access, because the proxy ends with the command.
func useProcessGroup(*exec.Cmd) {}
