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
	"strconv"
	"strings"
	"time"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// cacheGeneration must change when the same settings produce other chunks than before.
const cacheGeneration = 4

// cacheMagic starts every chunk file.
const cacheMagic = "rcchunk1"

// Extensions of chunk files for video and audio.
const (
	videoSuffix = ".chunk"
	audioSuffix = ".sound"
)

// errBadChunk is a chunk file that was damaged or changed.
var errBadChunk = errors.New("a cached chunk is damaged")

// ChunkCache caches the encoded video chunks of exports, and the encoded audio of whole exports.
// After a small change, an export then encodes little again, and an interrupted export resumes. Any
// file in the cache may be deleted at any time. Each input has its own folder, named after its ID.
type ChunkCache struct {
	dir    string
	budget int64 // bytes
}

// NewChunkCache returns a cache of at most budget bytes in a folder. The folder is created when it
// is first used.
func NewChunkCache(dir string, budget int64) *ChunkCache {
	return &ChunkCache{dir: dir, budget: budget}
}

// cachedPacket is one packet of a chunk.
type cachedPacket struct {
	frame int32 // frame from the start of the chunk; for audio, the first sample from the start of the export
	key   bool
	data  []byte
}

// audioPath returns the path of an audio file whose audio comes from an input. recipe is everything
// that determines it.
func (c *ChunkCache) audioPath(inputID string, recipe ...any) string {
	return filepath.Join(c.dir, inputID, cacheName(recipe...)+audioSuffix)
}

// videoPath returns the path of the video chunk that shows the frames [in, out) of an input. recipe
// is everything else that determines it.
func (c *ChunkCache) videoPath(inputID string, in, out int64, recipe ...any) string {
	return filepath.Join(c.dir, inputID, fmt.Sprintf("%s-%d-%d%s", cacheName(recipe...), in, out, videoSuffix))
}

// videoRanges returns the frame ranges of the video chunks of an input with one recipe.
func (c *ChunkCache) videoRanges(inputID string, recipe ...any) (ranges []media.FrameRange) {
	entries, err := os.ReadDir(filepath.Join(c.dir, inputID))
	if err != nil {
		return nil
	}
	prefix := cacheName(recipe...) + "-"
	for _, entry := range entries {
		name, ours := strings.CutPrefix(entry.Name(), prefix)
		if name, isVideo := strings.CutSuffix(name, videoSuffix); ours && isVideo {
			from, to, _ := strings.Cut(name, "-")
			in, errIn := strconv.ParseInt(from, 10, 64)
			if out, err := strconv.ParseInt(to, 10, 64); err == nil && errIn == nil && in < out {
				ranges = append(ranges, media.FrameRange{In: in, Out: out})
			}
		}
	}

	return ranges
}

func cacheName(recipe ...any) string {
	sum := sha256.Sum256(fmt.Appendln([]byte{cacheGeneration}, recipe...))
	return hex.EncodeToString(sum[:])
}

// share returns how many bytes of the cache one pre-render may fill, so that chunks of other
// exports stay.
func (c *ChunkCache) share() int64 { return c.budget / 4 }

// has reports whether there is a chunk at a path, and marks it as recently used. A process that may
// not set times sets the size of the chunk, which changes nothing else.
func (c *ChunkCache) has(path string) bool {
	now := time.Now()
	err := os.Chtimes(path, now, now)
	if !errors.Is(err, fs.ErrPermission) {
		return err == nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	if err == nil {
		err = file.Truncate(info.Size())
	}
	return errors.Join(err, file.Close()) == nil
}

// size returns the size of a chunk in bytes, 0 if it is gone.
func (c *ChunkCache) size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// read returns the packets of a chunk. It deletes a damaged chunk. Errors: errBadChunk.
func (c *ChunkCache) read(path string) ([]cachedPacket, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errBadChunk
	}
	if err != nil {
		return nil, fmt.Errorf("reading a cached chunk: %w", err)
	}
	packets, ok := parseChunk(path, data)
	if !ok {
		_ = os.Remove(path)
		return nil, errBadChunk
	}

	return packets, nil
}

// cacheSum returns the checksum of a chunk. It includes the file name, so a renamed file counts as
// damaged.
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

// write writes a chunk atomically. It does not flush the file: after a power cut, a damaged file
// fails its checksum.
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

// Trim deletes the least recently used chunks until the cache is within its budget.
func (c *ChunkCache) Trim() error {
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

// packet returns the packet in libav's form. The caller frees it.
func (p cachedPacket) packet() (*astiav.Packet, error) {
	own := astiav.AllocPacket()
	if err := own.FromData(p.data); err != nil {
		own.Free()
		return nil, fmt.Errorf("copying a packet: %w", err)
	}

	if p.key {
		own.SetFlags(astiav.NewPacketFlags(astiav.PacketFlagKey))
	}
	return own, nil
}
