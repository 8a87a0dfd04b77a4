package interchange_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

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

// bundleOf returns a bundle of files and their checksums.
func bundleOf(t *testing.T, list ...interchange.BundleFile) *interchange.Bundle {
	t.Helper()
	bundle, err := interchange.NewBundle(t.Context(), list, time.Unix(0, 0), interchange.NewBundleSums())
	if err != nil {
		t.Fatal(err)
	}
	return bundle
}

// readRange reads a range of a bundle.
func readRange(bundle *interchange.Bundle, from, to int) ([]byte, error) {
	got := make([]byte, to-from)
	_, err := bundle.Seek(int64(from), io.SeekStart)
	if err == nil {
		_, err = io.ReadFull(bundle, got)
	}
	return got, err
}

// A range of a bundle reads the files in it. Only a checksum in the range needs another file, and
// that is its own.
func TestBundleRangesReadWhatTheyNeed(t *testing.T) {
	t.Parallel()
	var list []interchange.BundleFile
	counts := make([]int, 3)
	for i := range counts {
		data := bytes.Repeat([]byte{byte(i)}, 1_000_000+i)
		list = append(list, interchange.BundleFile{
			Name: string(rune('a' + i)), Size: int64(len(data)), ID: string(rune('a' + i)),
			Open: func() (io.ReadSeekCloser, error) { return countedFile{bytes.NewReader(data), &counts[i]}, nil },
		})
	}
	whole, err := io.ReadAll(bundleOf(t, list...))
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
		clear(counts)
		got, err := readRange(bundleOf(t, list...), c.from, c.to)
		if err != nil || !bytes.Equal(got, whole[c.from:c.to]) {
			t.Errorf("%s: %x, want %x: %v", c.name, got, whole[c.from:c.to], err)
		}
		if !slices.Equal(counts, c.want) {
			t.Errorf("%s: read %v bytes of the files, want %v", c.name, counts, c.want)
		}
	}
}

// The bundles of a server read a file once for its checksum, also if a bundle ends before it knows
// the checksum. Another file has its own checksum.
func TestBundlesShareChecksums(t *testing.T) {
	t.Parallel()
	const size = 1_000_000
	sums, count := interchange.NewBundleSums(), 0
	checksum := func(ctx context.Context, id string, fill byte) ([]byte, error) {
		data := bytes.Repeat([]byte{fill}, size)
		bundle, err := interchange.NewBundle(ctx, []interchange.BundleFile{{
			Name: "a", Size: size, ID: id,
			Open: func() (io.ReadSeekCloser, error) { return countedFile{bytes.NewReader(data), &count}, nil },
		}}, time.Unix(0, 0), sums)
		if err != nil {
			t.Fatal(err)
		}
		const at = 31 + size + 4 // after the header and the signature of the record behind the file
		if ctx.Err() == nil && count == 0 {
			if _, err := readRange(bundle, 31, 31+size/2); err != nil { // half of the file
				t.Fatal(err)
			}
		}
		return readRange(bundle, at, at+4)
	}
	first, err := checksum(t.Context(), "1", 1)
	if err != nil || count != size {
		t.Errorf("read %d bytes, want the size of the file once: %v", count, err)
	}
	again, err := checksum(t.Context(), "1", 1)
	if err != nil || count != size || !bytes.Equal(again, first) {
		t.Errorf("read %d bytes for %x, want none for %x: %v", count-size, again, first, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := checksum(ended, "2", 2); !errors.Is(err, context.Canceled) || count != size {
		t.Errorf("a bundle that has ended reads %d bytes: %v", count-size, err)
	}
	other, err := checksum(t.Context(), "2", 2)
	if err != nil || count != 2*size || bytes.Equal(other, first) {
		t.Errorf("another file: read %d bytes for %x: %v", count-size, other, err)
	}
}

// endlessFile calls a function for each read and for its end.
type endlessFile struct{ read, closed func() }

func (f endlessFile) Read(p []byte) (int, error) { f.read(); return len(p), nil }

func (endlessFile) Seek(int64, int) (int64, error) { return 0, nil }

func (f endlessFile) Close() error { f.closed(); return nil }

// checksumOf reads the checksum of a file of 1 TiB. The returned channel gets the error.
func checksumOf(
	ctx context.Context, t *testing.T, id string, file endlessFile, sums *interchange.BundleSums,
) (*interchange.Bundle, <-chan error) {
	t.Helper()
	bundle, err := interchange.NewBundle(ctx, []interchange.BundleFile{{
		Name: "a", Size: 1 << 40, ID: id, Open: func() (io.ReadSeekCloser, error) { return file, nil },
	}}, time.Unix(0, 0), sums)
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := readRange(bundle, int(bundle.Size())-170, int(bundle.Size()))
		failed <- err
	}()
	return bundle, failed
}

// One bundle at a time reads a file for its checksum only.
func TestChecksumsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var reading atomic.Int32
		sums, end := interchange.NewBundleSums(), make(chan struct{})
		file := endlessFile{func() { reading.Add(1); <-end; reading.Add(-1) }, func() {}}
		var all []<-chan error
		for _, id := range []string{"1", "2", "3"} {
			_, failed := checksumOf(ctx, t, id, file, sums)
			all = append(all, failed)
		}
		synctest.Wait()
		if n := reading.Load(); n != 1 {
			t.Errorf("%d files are read at a time", n)
		}
		cancel()
		close(end)
		for _, failed := range all {
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("after the end: %v", err)
			}
		}
	})
}

// Closing a bundle ends the reading of a checksum, and leaves no file open.
func TestClosingABundleEndsItsChecksum(t *testing.T) {
	t.Parallel()
	began, closed := make(chan struct{}), 0
	file := endlessFile{sync.OnceFunc(func() { close(began) }), func() { closed++ }}
	bundle, failed := checksumOf(t.Context(), t, "1", file, interchange.NewBundleSums())
	<-began
	if err := bundle.Close(); err != nil || closed != 1 {
		t.Errorf("the file is closed %d times: %v", closed, err)
	}
	if err := <-failed; !errors.Is(err, context.Canceled) || closed != 1 {
		t.Errorf("after the end, with %d files closed: %v", closed, err)
	}
}

// A bundle that a slow client holds keeps no text that it has deflated.
func TestBundlesKeepTextDeflatedOnly(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("a long timeline ", 1<<16))
	kept := weak.Make(&text[0])
	bundle := bundleOf(t, interchange.BundleFile{Name: "a", Write: func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}})
	text = nil
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the bundle keeps the text")
	}
	if size := bundle.Size(); size > 1<<14 {
		t.Errorf("the archive has %d bytes", size)
	}
}
