package pages_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"roughcut/store/pages"
)

// database returns the bytes of a database with large and small buckets, nested ones, large values
// and free pages.
func database(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	db, err := bolt.Open(path, 0o600, &bolt.Options{FreelistType: bolt.FreelistMapType, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for round := range 6 {
		err := db.Update(func(tx *bolt.Tx) error {
			for b := range 4 {
				bucket, err := tx.CreateBucketIfNotExists(fmt.Appendf(nil, "bucket %d", b))
				if err != nil {
					return err
				}
				inner, err := bucket.CreateBucketIfNotExists([]byte("inner"))
				if err != nil {
					return err
				}
				for range 200 * b {
					key := fmt.Appendf(nil, "key %d", random.IntN(5000))
					if err := inner.Put(key, make([]byte, random.IntN(300))); err != nil {
						return err
					}
					if random.IntN(3) == 0 {
						err = bucket.Delete(key)
					} else {
						err = bucket.Put(key, make([]byte, random.IntN(100)))
					}
					if err != nil {
						return err
					}
				}
				if err := bucket.Put(fmt.Appendf(nil, "large %d", round), make([]byte, 20_000)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSoundDatabasePasses(t *testing.T) {
	data := database(t)
	unused, err := pages.Check(bytes.NewReader(data))
	if err != nil || unused != 0 {
		t.Errorf("%d unused pages, %v", unused, err)
	}
	if err := pages.CheckHead(bytes.NewReader(data)); err != nil {
		t.Error(err)
	}
}

// Every page of a sound database is overwritten in turn. Only free pages may hold anything.
func TestOverwrittenPagesAreFound(t *testing.T) {
	data := database(t)
	size := os.Getpagesize()
	random := rand.New(rand.NewPCG(2, 2))
	missed := 0
	for at := 2 * size; at < len(data); at += size {
		damaged := bytes.Clone(data)
		for i := range size {
			damaged[at+i] = byte(random.Uint32())
		}
		if _, err := pages.Check(bytes.NewReader(damaged)); err == nil {
			missed++
		}
	}
	free, in := countFree(t, data)
	if missed > free+in {
		t.Errorf("damage of %d pages was missed, but only %d are free and %d hold parts of values", missed, free, in)
	}
}

// countFree returns the number of pages that are free or not yet in use, and of those that only
// hold the values of other pages.
func countFree(t *testing.T, data []byte) (free, in int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "count.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, PreLoadFreelist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bolt.Tx) error {
		used := tx.Size() / int64(db.Info().PageSize)
		free = (len(data) - int(tx.Size())) / db.Info().PageSize
		for id := int64(0); id < used; id++ {
			info, err := tx.Page(int(id))
			switch {
			case err != nil:
				return err
			case info == nil:
			case info.Type == "free":
				free++
			default:
				in += info.OverflowCount
				id += int64(info.OverflowCount)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return free, in
}

// What passes the check, bbolt reads without a panic and without end.
func TestWhatPassesCanBeRead(t *testing.T) {
	data := database(t)
	random := rand.New(rand.NewPCG(3, 3))
	passed := 0
	for range 100 {
		damaged := bytes.Clone(data)
		for range 1 + random.IntN(3) {
			page := 2 + random.IntN(len(damaged)/os.Getpagesize()-2)
			at := page*os.Getpagesize() + random.IntN(64)&^1 // the header and the first elements
			binary.NativeEndian.PutUint16(damaged[at:], uint16(random.Uint32()))
		}
		if _, err := pages.Check(bytes.NewReader(damaged)); err != nil {
			continue
		}
		passed++
		readAll(t, damaged)
	}
	if passed == 0 || passed == 100 {
		t.Errorf("%d of 100 damaged databases passed", passed)
	}
}

func readAll(t *testing.T, data []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "read.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{FreelistType: bolt.FreelistMapType, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bolt.Tx) error {
		for fault := range tx.Check() {
			t.Error(fault)
		}
		b, err := tx.CreateBucketIfNotExists([]byte("new"))
		if err != nil {
			return err
		}
		return b.Put([]byte("key"), make([]byte, 10_000))
	})
	if err != nil {
		t.Error(err)
	}
}

// A loop in a tree would keep bbolt busy for ever.
func TestLoopIsFound(t *testing.T) {
	data := database(t)
	size := os.Getpagesize()
	for at := 2 * size; at < len(data); at += size {
		if binary.NativeEndian.Uint16(data[at+8:]) != 1 {
			continue
		}
		damaged := bytes.Clone(data)
		binary.NativeEndian.PutUint64(damaged[at+16+8:], uint64(at/size)) // its first child is the page itself
		if _, err := pages.Check(bytes.NewReader(damaged)); err != nil {
			return // free pages can look like branches as well
		}
	}
	t.Error("no loop was found")
}

func TestDamagedHeadIsFound(t *testing.T) {
	data := database(t)
	size := os.Getpagesize()
	for at := range len(data) / size {
		page := data[at*size:]
		if binary.NativeEndian.Uint16(page[8:]) != 0x10 {
			continue
		}
		damaged := bytes.Clone(data)
		binary.NativeEndian.PutUint32(damaged[at*size+12:], 1<<31)
		if pages.CheckHead(bytes.NewReader(damaged)) != nil {
			return
		}
	}
	t.Error("no damaged list of free pages was found")
}

func TestTruncatedDatabaseIsFound(t *testing.T) {
	data := database(t)
	for _, size := range []int{0, 10, 4096, 3 * 4096, len(data) / 2} {
		if _, err := pages.Check(bytes.NewReader(data[:size])); err == nil {
			t.Errorf("%d of %d bytes pass", size, len(data))
		}
	}
}
