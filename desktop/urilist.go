package desktop

import (
	"net/url"
	"strings"
)

// localFiles returns the paths of the local files in a text/uri-list (RFC 2483). It skips links and
// the files of other machines.
func localFiles(list string) []string {
	var paths []string
	for line := range strings.Lines(list) {
		address, err := url.Parse(strings.TrimRight(line, "\r\n"))
		if err != nil || address.Scheme != "file" || (address.Host != "" && address.Host != "localhost") ||
			address.Path == "" {
			continue
		}

		paths = append(paths, address.Path)
	}

	return paths
}
