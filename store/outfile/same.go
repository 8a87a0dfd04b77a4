package outfile

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// Same reports whether two paths name one file: through symbolic links, hard links, another
// spelling of the path, or another case on a file system that ignores it. Of two files that do not
// exist, the case of the name does not count, because the file system may ignore it.
func Same(a, b string) bool {
	fileA, errA := os.Stat(a)
	fileB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(fileA, fileB)
	}
	if errA == nil || errB == nil || !strings.EqualFold(filepath.Base(a), filepath.Base(b)) {
		return false
	}
	folderA, folderB := folder(a), folder(b)
	fileA, errA = os.Stat(folderA)
	fileB, errB = os.Stat(folderB)
	if errA == nil && errB == nil {
		return os.SameFile(fileA, fileB)
	}
	return errA != nil && errB != nil && folderA == folderB
}

// folder returns the folder of a path. Unlike filepath.Dir, it leaves ".." after a symbolic link to
// the system.
func folder(path string) string {
	dir, _ := filepath.Split(path)
	return cmp.Or(dir, ".")
}
