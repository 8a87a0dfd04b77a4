//go:build !linux

package store

import "os"

// allocate makes a file take size bytes of the disk.
func allocate(file *os.File, size int64) error { return writeRandom(file, size) }
