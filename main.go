// Roughcut makes the first cut of a recorded talk. See package cli for the commands.
package main

import (
	"os"

	"roughcut/cli"
)

// version is set by the linker (-X main.version=...).
var version = "dev"

func main() {
	os.Exit(cli.Main(cli.Build{Version: version}))
}
