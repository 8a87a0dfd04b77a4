//go:build !linux

package store

import "os"

// allocate makes a file take size bytes of the disk at an offset.
func allocate(file *os.File, offset, size int64) error { return writeRandom(file, offset, size) }
