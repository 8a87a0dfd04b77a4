// Command filetypes writes the types of the files that Roughcut reads, from the table of package
// media, as JSON for the page.
//
// Usage: filetypes FILE
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"roughcut/media"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: filetypes FILE")
		os.Exit(2)
	}

	if err := os.WriteFile(os.Args[1], table(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "filetypes:", err)
		os.Exit(1)
	}
}

// kinds are content types by kind of file, then by extension or by name.
type kinds map[string]map[string]string

// table returns the content types by extension and by name.
func table() []byte {
	extensions, names := kinds{}, kinds{}
	for _, f := range media.AssetTypes() {
		kind, one := f.Kind(), media.FileTypes{f}
		add(extensions, kind, one.ByExtension())
		add(names, kind, one.ByName())
	}

	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(struct {
		Extensions kinds `json:"extensions"`
		Names      kinds `json:"names"`
	}{extensions, names})
	if err != nil {
		panic(err) // maps of strings are JSON
	}
	return out.Bytes()
}

func add(to kinds, kind string, types map[string]string) {
	if to[kind] == nil {
		to[kind] = map[string]string{}
	}
	for name, contentType := range types {
		to[kind][name] = contentType
	}
}
