package libav

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/asticode/go-astiav"
)

// chunkGeneration changes whenever the same settings make other chunks than before.
const cacheGeneration = 4

// chunkMagic begins every chunk file.
const cacheMagic = "rcchunk1"

// Ends of the names of chunk files: of pictures, and of sound.
const (
	videoSuffix = ".chunk"
	audioSuffix = ".sound"
)

// errBadChunk is a chunk file that is not what was once written.
var errBadChunk = errors.New("a kept chunk is damaged")

// ChunkCache keeps encoded pieces of exports, so that an export after a small change encodes little
// again, and one that was broken off goes on where it was, and the encoded sound of whole exports.
// It is a cache: any file in it may be removed at any time. Each input has a folder of its own,
// named after its ID.
type ChunkCache struct {
	dir    string
	budget int64 // bytes
}

// NewChunkCache returns a cache in a folder, which is made when it is first used, of at most budget
// bytes.
func NewChunkCache(dir string, budget int64) *ChunkCache {
	return &ChunkCache{dir: dir, budget: budget}
}

// chunkPacket is one packet of a chunk.
type cachedPacket struct {
	frame int32 // that it shows, from the start of the piece; of sound the first sample, from the start of the export
	key   bool
	data  []byte
}

// path returns where the chunk of an input with all that makes it what it is lies.
func (c *ChunkCache) path(inputID, kind string, recipe ...any) string {
	return filepath.Join(c.dir, inputID, cacheName(recipe...)+kind)
}

func cacheName(recipe ...any) string {
	sum := sha256.Sum256(fmt.Appendln([]byte{cacheGeneration}, recipe...))
	return hex.EncodeToString(sum[:])
}

// share is how much of the cache one export may take for itself ahead, in bytes: what others
// prepared and used is to stay.
func (c *ChunkCache) share() int64 { return c.budget / 4 }

// has reports whether there is a chunk at a path, and keeps it from being the next to be removed.
func (c *ChunkCache) has(path string) bool {
	now := time.Now()
	return os.Chtimes(path, now, now) == nil
}

// read returns the packets of a chunk. Errors: errBadChunk, after which it is no longer there.
func (c *ChunkCache) read(path string) ([]cachedPacket, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errBadChunk
	}
	if err != nil {
		return nil, fmt.Errorf("reading a kept chunk: %w", err)
	}
	packets, ok := parseChunk(path, data)
	if !ok {
		_ = os.Remove(path)
		return nil, errBadChunk
	}
	return packets, nil
}

// chunkSum is the checksum of a chunk. It is of its name as well: a file under the name of another
// is damaged.
func cacheSum(path string, data []byte) []byte {
	sum := sha256.New()
	sum.Write(data)
	sum.Write([]byte(filepath.Base(path)))
	return sum.Sum(nil)
}

func parseChunk(path string, data []byte) (packets []cachedPacket, ok bool) {
	body := len(data) - sha256.Size
	if body < len(cacheMagic) || string(data[:len(cacheMagic)]) != cacheMagic {
		return nil, false
	}
	if !bytes.Equal(cacheSum(path, data[:body]), data[body:]) {
		return nil, false
	}
	for rest := data[len(cacheMagic):body]; len(rest) > 0; {
		if len(rest) < 9 {
			return nil, false
		}
		p := cachedPacket{frame: int32(binary.BigEndian.Uint32(rest)), key: rest[4] == 1}
		n := int(binary.BigEndian.Uint32(rest[5:]))
		if rest = rest[9:]; n > len(rest) {
			return nil, false
		}
		p.data, rest = rest[:n], rest[n:]
		packets = append(packets, p)
	}
	return packets, true
}

// write keeps a chunk. It is written whole or not at all, and not flushed: what a power cut leaves
// of it fails its checksum.
func (c *ChunkCache) write(path string, packets []cachedPacket) error {
	data := []byte(cacheMagic)
	for _, p := range packets {
		data = binary.BigEndian.AppendUint32(data, uint32(p.frame))
		key := byte(0)
		if p.key {
			key = 1
		}
		data = append(data, key)
		data = binary.BigEndian.AppendUint32(data, uint32(len(p.data)))
		data = append(data, p.data...)
	}
	data = append(data, cacheSum(path, data)...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// trim removes the chunks that were not used for the longest time until the cache is within its
// budget.
func (c *ChunkCache) trim() error {
	type file struct {
		path string
		info fs.FileInfo
	}
	var files []file
	total := int64(0)
	err := filepath.WalkDir(c.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreMissing(err)
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreMissing(err)
		}
		files, total = append(files, file{path, info}), total+info.Size()
		return nil
	})
	if err != nil || total <= c.budget {
		return err
	}
	slices.SortFunc(files, func(a, b file) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, f := range files {
		if total <= c.budget {
			break
		}
		if err := ignoreMissing(os.Remove(f.path)); err != nil {
			return err
		}
		total -= f.info.Size()
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// packet returns a chunk's packet in libav's form; the caller frees it.
func (p cachedPacket) packet() (*astiav.Packet, error) {
	own := astiav.AllocPacket()
	if err := own.FromData(p.data); err != nil {
		own.Free()
		return nil, fmt.Errorf("copying a picture: %w", err)
	}
	if p.key {
		own.SetFlags(astiav.NewPacketFlags(astiav.PacketFlagKey))
	}
	return own, nil
}
