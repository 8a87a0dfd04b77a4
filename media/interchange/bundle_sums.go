package interchange

import (
	"hash/crc32"
	"sync"
)

// Limits of BundleSums.
const (
	maxBundleSums = 10_000  // files
	sumBuffer     = 1 << 18 // bytes that one bundle reads at a time
)

// BundleSums remembers the CRC-32 of files, so that a file is not read for it in each range of each
// bundle. One bundle at a time reads a file only for its CRC-32. It is safe for concurrent use.
type BundleSums struct {
	turn  chan []byte // holds the buffer of the bundle whose turn it is
	mu    sync.Mutex
	files map[string]*fileSum // by ID of the file
}

// NewBundleSums returns an empty BundleSums.
func NewBundleSums() *BundleSums {
	s := &BundleSums{turn: make(chan []byte, 1), files: map[string]*fileSum{}}
	s.turn <- make([]byte, sumBuffer)
	return s
}

// of returns the CRC-32 of the bytes of a file that bundles have read so far.
func (s *BundleSums) of(id string) *fileSum {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files[id] == nil {
		for other := range s.files {
			if len(s.files) < maxBundleSums {
				break
			}
			delete(s.files, other)
		}

		s.files[id] = &fileSum{}
	}

	return s.files[id]
}

// fileSum is the CRC-32 of the first bytes of a file.
type fileSum struct {
	mu    sync.Mutex
	crc   uint32
	bytes int64
}

// add adds the bytes at a position if they come next.
func (s *fileSum) add(at int64, p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at == s.bytes {
		s.crc = crc32.Update(s.crc, crc32.IEEETable, p)
		s.bytes += int64(len(p))
	}
}

// Write adds the next bytes.
func (s *fileSum) Write(p []byte) (int, error) {
	s.add(s.bytes, p)
	return len(p), nil
}

// known returns the CRC-32 and the number of its bytes.
func (s *fileSum) known() (crc uint32, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.crc, s.bytes
}
