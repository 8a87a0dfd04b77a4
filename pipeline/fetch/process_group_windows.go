package fetch

import "os/exec"

// ownGroup leaves a command as it is: Windows kills it alone, and what it started loses its way out
// to the network.
func ownGroup(*exec.Cmd) {}
