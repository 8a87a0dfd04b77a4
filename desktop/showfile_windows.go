package desktop

import (
	"fmt"
	"os/exec"
	"syscall"
)

// showFile shows a file in Explorer, which selects it.
func showFile(path string) error {
	cmd := exec.Command("explorer.exe")
	// Explorer has its own rules for quotes. No path on Windows contains one. Its exit code means
	// nothing.
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `explorer.exe /select,"` + path + `"`}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("opening a folder: %w", err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
