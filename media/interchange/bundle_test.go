package interchange_test

import (
	"archive/zip"
	"bytes"
	"io"
	"slices"
	"testing"
	"time"

	"roughcut/media/interchange"
)

// countedFile counts the bytes that are read from a file.
type countedFile struct {
	*bytes.Reader
	count *int
}

func (f countedFile) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	*f.count += n
	return n, err
}

func (countedFile) Close() error { return nil }

// A range of a bundle reads the files in it. Only a checksum in the range needs another file, and
// that is its own.
func TestBundleRangesReadWhatTheyNeed(t *testing.T) {
	t.Parallel()
	var list []interchange.BundleFile
	counts := make([]int, 3)
	for i := range counts {
		data := bytes.Repeat([]byte{byte(i)}, 1_000_000+i)
		list = append(list, interchange.BundleFile{
			Name: string(rune('a' + i)), Size: int64(len(data)),
			Open: func() (io.ReadSeekCloser, error) { return countedFile{bytes.NewReader(data), &counts[i]}, nil },
		})
	}
	open := func() *interchange.Bundle {
		t.Helper()
		bundle, err := interchange.NewBundle(list, time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		clear(counts)
		return bundle
	}
	whole, err := io.ReadAll(open())
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, content); err != nil { // checks the CRC
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	const header, crcAt, end = 47, 16, 22 // bytes of a record in the central directory, of the end
	directory := len(whole) - end - 3*header
	for _, c := range []struct {
		name     string
		from, to int
		want     []int
	}{
		{"last byte", len(whole) - 1, len(whole), []int{0, 0, 0}},
		{"end of the archive", len(whole) - end, len(whole), []int{0, 0, 0}},
		{"name of the second file", directory + 2*header - 1, directory + 2*header, []int{0, 0, 0}},
		{"checksum of the second file", directory + header + crcAt, directory + header + crcAt + 4,
			[]int{0, 1_000_001, 0}},
		{"first byte of the first file", 31, 32, []int{1, 0, 0}},
	} {
		bundle, got := open(), make([]byte, c.to-c.from)
		if _, err := bundle.Seek(int64(c.from), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(bundle, got); err != nil || !bytes.Equal(got, whole[c.from:c.to]) {
			t.Errorf("%s: %x, want %x: %v", c.name, got, whole[c.from:c.to], err)
		}
		if !slices.Equal(counts, c.want) {
			t.Errorf("%s: read %v bytes of the files, want %v", c.name, counts, c.want)
		}
	}
}
