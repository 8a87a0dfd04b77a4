package desktop

import (
	"net/url"
	"strings"
)

// localFiles returns the paths of the files of this machine in a text/uri-list (RFC 2483). Links,
// and files of other machines, are left out.
func localFiles(list string) []string {
	var paths []string
	for line := range strings.Lines(list) {
		address, err := url.Parse(strings.TrimRight(line, "\r\n"))
		if err != nil || address.Scheme != "file" || address.Host != "" && address.Host != "localhost" ||
			address.Path == "" {
			continue
		}
		paths = append(paths, address.Path)
	}
	return paths
}
