//go:build !desktop

package cli

import "os"

// arguments returns the arguments of the command line.
func arguments() []string { return os.Args[1:] }

// alert does nothing: a console shows standard error.
func alert(error) {}
