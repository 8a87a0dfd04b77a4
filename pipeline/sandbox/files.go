//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
)

// files are the files of one call. The child inherits them in order and reaches them under
// /proc/self/fd. Callers close them.
type files struct {
	open   []*os.File
	names  map[string]string // name in the child by path
	rules  []rule            // what the child may open
	bytes  int64             // of the files that the child reads
	folder string            // private folder of the child; empty if it writes no files
	moves  [][2]string       // finished files: from the private folder to their paths
}

// rule allows the child to open a file, or everything under a folder.
type rule struct {
	file  *os.File
	write bool
}

// newFiles returns the files of a call without any.
func newFiles() *files { return &files{names: map[string]string{}} }

// pass hands an open file to the child and returns its name there.
func (f *files) pass(file *os.File) string {
	f.open = append(f.open, file)
	return fmt.Sprintf("/proc/self/fd/%d", repliesFD+len(f.open))
}

// read replaces a path by the name of the open file in the child. An empty path stays empty.
func (f *files) read(path *string) error {
	if *path == "" {
		return nil
	}
	if name, ok := f.names[*path]; ok {
		*path = name
		return nil
	}

	file, err := os.Open(*path)
	if err != nil {
		return fmt.Errorf("opening a file for the engine: %w", err)
	}
	name := f.pass(file)
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("opening a file for the engine: %w", err)
	}
	f.bytes += info.Size()
	f.rules = append(f.rules, rule{file: file})
	f.names[*path] = name
	*path = name
	return nil
}

// readOptional is read for a file that the engine does not need. If it cannot be opened, the path
// becomes empty.
func (f *files) readOptional(path *string) {
	if f.read(path) != nil {
		*path = ""
	}
}

// write replaces the path of a new file by its name in the private folder of the child. An empty
// path stays empty.
func (f *files) write(path *string) error {
	if *path == "" {
		return nil
	}
	if f.folder == "" {
		folder, err := os.MkdirTemp(filepath.Dir(*path), "engine-*")
		if err != nil {
			return fmt.Errorf("creating the folder of the engine: %w", err)
		}
		f.folder = folder
		dir, err := os.Open(folder)
		if err != nil {
			return fmt.Errorf("opening the folder of the engine: %w", err)
		}
		f.names[folder] = f.pass(dir)
		f.rules = append(f.rules, rule{dir, true})
	}

	name := filepath.Base(*path)
	f.moves = append(f.moves, [2]string{filepath.Join(f.folder, name), *path})
	*path = f.names[f.folder] + "/" + name
	return nil
}

// cache gives the child the folders of some inputs in a chunk cache, which it creates, and returns
// the cache as the child sees it.
func (f *files) cache(c ChunkCache, inputIDs []string) (ChunkCache, error) {
	if c.Dir == "" {
		return c, nil
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return c, fmt.Errorf("creating the chunk cache: %w", err)
	}
	dir, err := os.Open(c.Dir)
	if err != nil {
		return c, fmt.Errorf("opening the chunk cache: %w", err)
	}
	name := f.pass(dir)
	for _, id := range inputIDs {
		if id == "" || !filepath.IsLocal(id) {
			continue
		}
		path := filepath.Join(c.Dir, id)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return c, fmt.Errorf("creating the chunk cache: %w", err)
		}
		folder, err := os.Open(path)
		if err != nil {
			return c, fmt.Errorf("opening the chunk cache: %w", err)
		}
		f.pass(folder)
		f.rules = append(f.rules, rule{folder, true})
	}

	c.Dir = name
	return c, nil
}

// finish moves the files that the child has written to their paths. The engine does not write every
// file of a request. It refuses anything but regular files, such as links to other files.
func (f *files) finish() error {
	for _, move := range f.moves {
		info, err := os.Lstat(move[0])
		switch {
		case os.IsNotExist(err):
			continue
		case err != nil:
			return fmt.Errorf("moving a file of the engine: %w", err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("the engine wrote %s, which is not a regular file", info.Name())
		}

		if err := os.Rename(move[0], move[1]); err != nil {
			return fmt.Errorf("moving a file of the engine: %w", err)
		}
	}

	return nil
}

// close closes the files and removes the private folder.
func (f *files) close() {
	for _, file := range f.open {
		_ = file.Close() // they are only read, or folders
	}
	if f.folder != "" {
		_ = os.RemoveAll(f.folder) // the next start removes leftover files
	}
}
