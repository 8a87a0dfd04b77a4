package interchange

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sort"
	"sync"
	"time"
)

// BundleFile is a file of a bundle: what Write writes, or Size bytes that Open reads.
type BundleFile struct {
	Name  string // with slashes
	Write func(w io.Writer) error
	Size  int64
	Open  func() (io.ReadSeekCloser, error) // nil for Write
	ID    string                            // changes with the bytes that Open reads
}

// Bundle is a ZIP archive that is computed while it is read, so that it can be sent in ranges
// without a copy of its files. Files with Open are stored uncompressed. Files with Write stay in
// memory in deflated form only, because a slow client keeps its bundle for hours. Another goroutine
// may close a bundle.
type Bundle struct {
	mu    sync.Mutex // held while the bundle is read
	ctx   context.Context
	stop  context.CancelFunc
	sums  *BundleSums
	files []bundled
	parts []bundlePart
	size  int64
	at    int64
	stamp [4]byte // modification time and date of all files

	open   io.ReadSeekCloser // of the file openOf, at openAt
	openOf int
	openAt int64
}

// bundled is a file with its place in the archive.
type bundled struct {
	BundleFile
	packed int64 // bytes in the archive
	method uint16
	crc    uint32 // of a file of Write
	sum    *fileSum
	offset int64
}

// bundlePart is a range of the archive: bytes, or a file.
type bundlePart struct {
	from, to int64
	bytes    func() ([]byte, error)
	file     int
}

// Signatures and limits of the ZIP format (APPNOTE 6.3).
const (
	zipLocal      = 0x04034b50
	zipDescriptor = 0x08074b50
	zipCentral    = 0x02014b50
	zipEnd        = 0x06054b50
	zip64End      = 0x06064b50
	zip64Locator  = 0x07064b50
	zipStored     = 0
	zipDeflated   = 8
	zipFlags      = 0x0800 // names are UTF-8
	zipFollows    = 0x0008 // the CRC follows the data
	zipMax32      = 0xffffffff
	zip64Extra    = 0x0001
)

// NewBundle returns an archive of files that were modified at a time. Its files can be read until
// ctx ends. Errors: as BundleFile.Write.
func NewBundle(ctx context.Context, files []BundleFile, modified time.Time, sums *BundleSums) (*Bundle, error) {
	b := &Bundle{sums: sums, openOf: -1}
	b.ctx, b.stop = context.WithCancel(ctx)
	modified = modified.UTC()
	binary.LittleEndian.PutUint16(b.stamp[:], uint16(modified.Hour()<<11|modified.Minute()<<5|modified.Second()/2))
	day := max(0, modified.Year()-1980)<<9 | int(modified.Month())<<5 | modified.Day()
	binary.LittleEndian.PutUint16(b.stamp[2:], uint16(day))
	for _, f := range files {
		entry := bundled{BundleFile: f, packed: f.Size, method: zipStored, offset: b.size}
		var data []byte
		if f.Open == nil {
			var err error
			if data, err = entry.deflate(); err != nil {
				return nil, err
			}
		} else {
			entry.sum = sums.of(f.ID)
		}

		b.files = append(b.files, entry)
		i := len(b.files) - 1
		b.literal(b.localHeader(i))
		if f.Open == nil {
			b.literal(data)
			continue
		}

		b.append(f.Size, nil, i)
		b.withSum(i, b.descriptor(i), 4)
	}

	start := b.size
	for i := range b.files {
		b.withSum(i, b.centralHeader(i), 16)
	}
	b.literal(b.end(start))
	return b, nil
}

// withSum appends a record whose CRC-32 of a file is at a position. Only reading the CRC reads the
// file.
func (b *Bundle) withSum(i int, data []byte, at int) {
	b.literal(data[:at])
	b.append(4, func() ([]byte, error) {
		crc, err := b.sum(i)
		return binary.LittleEndian.AppendUint32(nil, crc), err
	}, -1)
	b.literal(data[at+4:])
}

// deflate returns what Write writes, deflated.
func (f *bundled) deflate() ([]byte, error) {
	var out bytes.Buffer
	f.sum = &fileSum{}
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err == nil {
		err = errors.Join(f.Write(io.MultiWriter(w, f.sum)), w.Close())
	}
	f.method, f.packed, f.Write = zipDeflated, int64(out.Len()), nil
	f.crc, f.Size = f.sum.known()
	return bytes.Clone(out.Bytes()), err
}

func (b *Bundle) literal(data []byte) {
	b.append(int64(len(data)), func() ([]byte, error) { return data, nil }, -1)
}

func (b *Bundle) append(size int64, read func() ([]byte, error), file int) {
	b.parts = append(b.parts, bundlePart{from: b.size, to: b.size + size, bytes: read, file: file})
	b.size += size
}

// Size returns the length of the archive in bytes.
func (b *Bundle) Size() int64 { return b.size }

// Tag identifies the content of the archive by everything but the bytes of files of Open.
func (b *Bundle) Tag() string {
	sum := crc32.NewIEEE()
	for i, f := range b.files {
		fmt.Fprint(sum, i, f.Name, f.Size, f.packed, f.offset, b.stamp)
		if f.Open == nil {
			fmt.Fprint(sum, f.crc)
		}
	}

	return fmt.Sprintf("%08x-%x", sum.Sum32(), b.size)
}

// record builds a record of little-endian numbers.
type record struct{ bytes.Buffer }

func (r *record) short(values ...uint16) {
	for _, v := range values {
		r.Write(binary.LittleEndian.AppendUint16(nil, v))
	}
}

func (r *record) long(values ...uint32) {
	for _, v := range values {
		r.Write(binary.LittleEndian.AppendUint32(nil, v))
	}
}

func (r *record) huge(values ...int64) {
	for _, v := range values {
		r.Write(binary.LittleEndian.AppendUint64(nil, uint64(v)))
	}
}

// is64 reports whether the sizes of a file need 64 bits.
func (f bundled) is64() bool { return f.Size >= zipMax32 || f.packed >= zipMax32 }

// versionNeeded returns the version of the format that a reader needs.
func versionNeeded(is64 bool) uint16 {
	if is64 {
		return 45
	}
	return 20
}

func (f bundled) flags() uint16 {
	if f.Open != nil {
		return zipFlags | zipFollows
	}
	return zipFlags
}

// localHeader returns the header before the data of a file. Its CRC is zero if it follows the data;
// the sizes are always there, which helps readers of streams.
func (b *Bundle) localHeader(i int) []byte {
	f := b.files[i]
	var r, extra record
	sizes := []uint32{uint32(f.packed), uint32(f.Size)}
	if f.is64() {
		extra.short(zip64Extra, 16)
		extra.huge(f.Size, f.packed)
		sizes = []uint32{zipMax32, zipMax32}
	}

	r.long(zipLocal)
	r.short(versionNeeded(f.is64()), f.flags(), f.method)
	r.Write(b.stamp[:])
	r.long(f.crc)
	r.long(sizes...)
	r.short(uint16(len(f.Name)), uint16(extra.Len()))
	r.WriteString(f.Name)
	r.Write(extra.Bytes())
	return r.Bytes()
}

// descriptor returns the record after the data of a file.
func (b *Bundle) descriptor(i int) []byte {
	f := b.files[i]
	var r record
	r.long(zipDescriptor, f.crc)
	if f.is64() {
		r.huge(f.packed, f.Size)
	} else {
		r.long(uint32(f.packed), uint32(f.Size))
	}

	return r.Bytes()
}

// centralHeader returns the record of a file in the central directory.
func (b *Bundle) centralHeader(i int) []byte {
	f := b.files[i]
	var r, extra record
	size, packed, offset := uint32(f.Size), uint32(f.packed), uint32(f.offset)
	if f.is64() || f.offset >= zipMax32 {
		extra.short(zip64Extra, 24)
		extra.huge(f.Size, f.packed, f.offset)
		size, packed, offset = zipMax32, zipMax32, zipMax32
	}

	needs := versionNeeded(extra.Len() > 0)
	r.long(zipCentral)
	r.short(needs, needs, f.flags(), f.method)
	r.Write(b.stamp[:])
	r.long(f.crc, packed, size)
	r.short(uint16(len(f.Name)), uint16(extra.Len()), 0, 0, 0)
	r.long(0, offset)
	r.WriteString(f.Name)
	r.Write(extra.Bytes())
	return r.Bytes()
}

// end returns the records after the central directory, which starts at an offset and ends here.
func (b *Bundle) end(start int64) []byte {
	var r record
	length := b.size - start
	count, at := uint16(min(len(b.files), 0xffff)), uint32(min(start, zipMax32))
	if start >= zipMax32 || len(b.files) >= 0xffff {
		r.long(zip64End)
		r.huge(44)
		r.short(45, 45)
		r.long(0, 0)
		r.huge(int64(len(b.files)), int64(len(b.files)), length, start)
		r.long(zip64Locator, 0)
		r.huge(start + length)
		r.long(1)
	}

	r.long(zipEnd)
	r.short(0, 0, count, count)
	r.long(uint32(length), at)
	r.short(0)
	return r.Bytes()
}

// Seek implements io.Seeker.
func (b *Bundle) Seek(offset int64, whence int) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch whence {
	case io.SeekCurrent:
		offset += b.at
	case io.SeekEnd:
		offset += b.size
	}

	if offset < 0 {
		return b.at, errors.New("seek before the start of a bundle")
	}
	b.at = offset
	return offset, nil
}

// Read implements io.Reader.
func (b *Bundle) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at >= b.size {
		return 0, io.EOF
	}
	i := sort.Search(len(b.parts), func(i int) bool { return b.parts[i].to > b.at })
	part := b.parts[i]
	p = p[:min(int64(len(p)), part.to-b.at)]
	if part.bytes != nil {
		data, err := part.bytes()
		if err != nil {
			return 0, err
		}
		n := copy(p, data[b.at-part.from:])
		b.at += int64(n)
		return n, nil
	}

	n, err := b.readFile(part.file, b.at-part.from, p)
	b.at += int64(n)
	return n, err
}

// readFile reads from a position of a file, and adds the bytes to the CRC of the file.
func (b *Bundle) readFile(i int, at int64, p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	f := &b.files[i]
	if b.openOf != i {
		if err := b.closeFile(); err != nil {
			return 0, err
		}
		file, err := f.Open()
		if err != nil {
			return 0, err
		}
		b.open, b.openOf, b.openAt = file, i, 0
	}

	if b.openAt != at {
		if _, err := b.open.Seek(at, io.SeekStart); err != nil {
			return 0, err
		}
		b.openAt = at
	}

	n, err := b.open.Read(p)
	f.sum.add(at, p[:n])
	b.openAt += int64(n)
	if n == 0 && errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("%s has only %d of %d bytes: %w", f.Name, b.openAt, f.Size, io.ErrUnexpectedEOF)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// sum returns the CRC of a file. It reads what no bundle has read of the file yet.
func (b *Bundle) sum(i int) (uint32, error) {
	f := &b.files[i]
	for {
		crc, at := f.sum.known()
		if at == f.Size {
			return crc, nil
		}
		if err := b.sumMore(i); err != nil {
			return 0, err
		}
	}
}

// sumMore adds a part of a file to its CRC when it is the turn of the bundle.
func (b *Bundle) sumMore(i int) error {
	select {
	case buffer := <-b.sums.turn:
		defer func() { b.sums.turn <- buffer }()
		f := &b.files[i]
		_, at := f.sum.known()
		if at == f.Size {
			return nil
		}
		_, err := b.readFile(i, at, buffer[:min(int64(len(buffer)), f.Size-at)])
		return err
	case <-b.ctx.Done():
		return b.ctx.Err()
	}
}

// Close ends the reading of the bundle and closes the file that it reads.
func (b *Bundle) Close() error {
	b.stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closeFile()
}

func (b *Bundle) closeFile() error {
	if b.open == nil {
		return nil
	}
	err := b.open.Close()
	b.open, b.openOf = nil, -1
	return err
}
