package interchange

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Place says where editors find the recordings.
type Place struct {
	// Folder is the folder of the original files on the person's computer, such as /Users/ada/Talk
	// or C:\Users\Ada\Talk. An empty Folder means the folder of the timeline file.
	Folder string
	// Bundled says that all files are in Folder next to the timeline file, linked files too.
	Bundled bool
}

// pathOf returns the path of a source with a unique file name.
func (p Place) pathOf(linked, name string) string {
	if linked != "" && !p.Bundled {
		return linked
	}
	folder := strings.TrimSpace(p.Folder)
	if folder == "" {
		return name
	}
	separator := "/"
	if isWindowsPath(folder) {
		separator = `\`
	}
	return strings.TrimRight(folder, `/\`) + separator + name
}

// isWindowsPath reports whether a path has a drive letter or is a share.
func isWindowsPath(p string) bool {
	if strings.HasPrefix(p, `\\`) {
		return true
	}
	if len(p) < 2 || p[1] != ':' {
		return false
	}
	drive := p[0] | 0x20
	return drive >= 'a' && drive <= 'z'
}

// maxNameBytes bounds a file name. Most file systems accept 255 bytes.
const maxNameBytes = 255

// fileName returns the name of a recording as a file name: without folders and control characters.
func fileName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || unicode.IsControl(r) {
			return '_'
		}
		return r
	}, name)
	if name == "" || name == "." || name == ".." {
		return "recording"
	}
	extension := path.Ext(name)
	if len(extension) > 16 {
		extension = ""
	}
	base := strings.TrimSuffix(name, extension)
	for len(base)+len(extension) > maxNameBytes {
		_, size := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-size]
	}

	return base + extension
}

// portableName returns a file name that every system can extract from an archive. Windows refuses
// some characters, a space or a period at the end, and the names of devices.
func portableName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, name)
	name = strings.TrimRight(name, " .")
	base, _, _ := strings.Cut(name, ".")
	switch device := strings.ToUpper(strings.TrimRight(base, " ")); {
	case device == "", device == "CON", device == "PRN", device == "AUX", device == "NUL",
		len(device) == 4 && device[3] >= '0' && device[3] <= '9' && (device[:3] == "COM" || device[:3] == "LPT"):
		return "_" + name
	}

	return name
}

// fileNames gives each source a file name. Names are unique without regard to case, but sources
// with the same content share theirs.
type fileNames struct {
	used     map[string]string // lower-case name -> content
	portable bool              // names pass through portableName
}

// reserve returns the file name of content, derived from a name.
func (f *fileNames) reserve(name, content string) string {
	if f.used == nil {
		f.used = map[string]string{}
	}
	name = fileName(name)
	if f.portable {
		name = portableName(name)
	}
	extension := path.Ext(name)
	base := strings.TrimSuffix(name, extension)
	unique := name
	for n := 2; ; n++ {
		owner, taken := f.used[strings.ToLower(unique)]
		if !taken || owner == content {
			f.used[strings.ToLower(unique)] = content
			return unique
		}

		unique = fmt.Sprintf("%s (%d)%s", base, n, extension)
	}
}

// fileURL returns a path as a URL of RFC 8089 with the given host, or as a relative reference for a
// relative path. Every byte outside the unreserved characters is percent-encoded, because readers
// truncate names at characters such as # otherwise.
func fileURL(host, p string) string {
	switch {
	case strings.HasPrefix(p, `\\`):
		server, rest, _ := strings.Cut(strings.ReplaceAll(p[2:], `\`, "/"), "/")
		return "file://" + server + "/" + escapePath(rest)
	case isWindowsPath(p):
		drive := p[:1] + ":"
		if host != "" {
			drive = p[:1] + "%3a" // as Premiere writes it
		}
		rest := strings.TrimLeft(strings.ReplaceAll(p[2:], `\`, "/"), "/")
		return "file://" + host + "/" + drive + "/" + escapePath(rest)
	case strings.HasPrefix(p, "/"):
		return "file://" + host + escapePath(p)
	}

	return escapePath(p)
}

// escapePath percent-encodes a path with slashes.
func escapePath(p string) string {
	var out strings.Builder
	for i := range len(p) {
		b := p[i]
		letter := b|0x20 >= 'a' && b|0x20 <= 'z'
		if letter || (b >= '0' && b <= '9') || strings.IndexByte("/-._~", b) >= 0 {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}

	return out.String()
}
