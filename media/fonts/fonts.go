// Package fonts holds the fonts of captions.
//
// Inter is part of the repository. fetch.sh copies the others from npm packages with pinned
// checksums, and make runs it. A checkout without them still compiles; Read then says what to do.
package fonts

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed *.ttf
var files embed.FS

// Read returns the font file of a name, such as Inter-SemiBold.ttf. Callers must not change it.
// Errors: the program has no such font.
func Read(name string) ([]byte, error) {
	font, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("the program was built without the font %s; run make native and build it again", name)
	}
	return font, nil
}
