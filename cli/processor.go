package cli

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/cpu"
)

// checkProcessor returns an error if this processor lacks instructions that the native libraries
// use without asking. They would end the program without a message.
func checkProcessor() error {
	if runtime.GOARCH != "amd64" {
		return nil
	}
	for _, set := range []struct {
		name    string
		present bool
	}{{"SSE4.2", cpu.X86.HasSSE42}, {"POPCNT", cpu.X86.HasPOPCNT}} {
		if !set.present {
			return fmt.Errorf("this processor lacks the instruction set %s, which Roughcut needs; "+
				"in a virtual machine, choose a processor type that has it, such as host", set.name)
		}
	}

	return nil
}
