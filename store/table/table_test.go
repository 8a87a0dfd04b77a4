package table_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"roughcut/store/table"
)

type talk struct {
	ID, Speaker string
	Seq         uint64
	Tags        []string
}

var (
	bySpeaker = &table.Index[talk]{
		Name:    "talks.by_speaker",
		Counted: true,
		Keys:    func(r *talk) [][]byte { return table.Entry(r.Speaker, r.Seq) },
	}
	byTag = &table.Index[talk]{Name: "talks.by_tag", Keys: func(r *talk) (keys [][]byte) {
		for _, tag := range r.Tags {
			keys = append(keys, table.Key(tag))
		}
		return keys
	}}
	talks = &table.Table[talk]{
		Name:       "talks",
		Noun:       "talk",
		Key:        func(r *talk) []byte { return []byte(r.ID) },
		Owner:      func(r *talk) string { return r.Speaker },
		Indexes:    []*table.Index[talk]{bySpeaker, byTag},
		Subject:    func(r *talk) string { return r.ID },
		CachedRows: 4,
		Clone:      func(r talk) talk { r.Tags = slices.Clone(r.Tags); return r },
	}
)

// tx is a transaction that records the subjects of its changes.
type tx struct {
	table.Tx
	changed []string
}

// database returns a function that runs another one in a write transaction.
func database(t *testing.T) func(fn func(*tx) error) error {
	t.Helper()
	db, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	cache := table.NewCache(talks)
	update := func(fn func(*tx) error) error {
		return db.Update(func(b *bolt.Tx) error {
			t := &tx{Tx: table.Tx{Tx: b, Cache: cache}}
			t.Changed = func(subject string) error { t.changed = append(t.changed, subject); return nil }
			return fn(t)
		})
	}
	err = update(func(t *tx) error {
		for _, name := range append(talks.Buckets(), table.CountsBucket) {
			if _, err := t.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return update
}

// add stores talks of a speaker.
func add(t *tx, speaker string, ids ...string) error {
	for _, id := range ids {
		seq, err := talks.NextSeq(t)
		if err != nil {
			return err
		}
		if err := talks.Put(t, &talk{ID: id, Speaker: speaker, Seq: seq, Tags: []string{"go"}}); err != nil {
			return err
		}
	}
	return nil
}

func ids(rows []*talk) (list []string) {
	for _, row := range rows {
		list = append(list, row.ID)
	}
	return list
}

func TestListsFollowTheirIndex(t *testing.T) {
	update := database(t)
	err := update(func(tx *tx) error {
		if err := errors.Join(add(tx, "ada", "a", "b", "c"), add(tx, "adam", "d")); err != nil {
			return err
		}
		rows, err := talks.List(tx, bySpeaker, "ada")
		if err != nil || !slices.Equal(ids(rows), []string{"a", "b", "c"}) {
			t.Errorf("list: %v, %v", ids(rows), err)
		}
		page, total, err := talks.Page(tx, table.Page{Number: 1, Size: 2}, bySpeaker, "ada")
		if err != nil || !slices.Equal(ids(page), []string{"c", "b"}) || total != 3 {
			t.Errorf("page: %v of %d, %v", ids(page), total, err)
		}
		first, err := talks.First(tx, bySpeaker, "ada")
		if err != nil || first == nil || first.ID != "a" {
			t.Errorf("first: %v, %v", first, err)
		}
		if n := talks.Count(tx, byTag, "go"); n != 4 {
			t.Errorf("%d talks have the tag, want 4", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDeleteRemovesTheIndexEntries(t *testing.T) {
	update := database(t)
	err := update(func(tx *tx) error {
		if err := errors.Join(add(tx, "ada", "a", "b"), talks.Delete(tx, "a"), talks.Delete(tx, "none")); err != nil {
			return err
		}
		if n := talks.Count(tx, bySpeaker, "ada"); n != 1 {
			t.Errorf("the index counts %d entries, want 1", n)
		}
		if row, err := talks.Find(tx, "a"); row != nil || err != nil {
			t.Errorf("found %v, %v", row, err)
		}
		var missing *table.NotFoundError
		if _, err := talks.Get(tx, "a"); !errors.As(err, &missing) || missing.Noun != "talk" {
			t.Errorf("got %v, want a NotFoundError", err)
		}
		if want := []string{"a", "b", "a"}; !slices.Equal(tx.changed, want) {
			t.Errorf("changed subjects %v, want %v", tx.changed, want)
		}
		return talks.Verify(tx, func(code, message string) { t.Errorf("%s: %s", code, message) })
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A rolled-back transaction leaves decoded rows in the cache, which must not be found again.
func TestCacheForgetsARollback(t *testing.T) {
	update := database(t)
	if err := update(func(tx *tx) error { return add(tx, "ada", "a") }); err != nil {
		t.Fatal(err)
	}
	errUndo := errors.New("undo")
	err := update(func(tx *tx) error {
		return errors.Join(talks.Put(tx, &talk{ID: "a", Speaker: "eve"}), errUndo)
	})
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
	err = update(func(tx *tx) error {
		row, err := talks.Get(tx, "a")
		if err == nil && row.Speaker != "ada" {
			t.Errorf("the speaker is %q, want ada", row.Speaker)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBytesOfAnOwner(t *testing.T) {
	update := database(t)
	err := update(func(tx *tx) error {
		if err := add(tx, "ada", "a", "b"); err != nil {
			return err
		}
		if err := add(tx, "bob", "c"); err != nil {
			return err
		}
		size := func(id string) int { return len(tx.Bucket([]byte(talks.Name)).Get([]byte(id))) }
		if got, want := talks.Bytes(tx, "ada"), size("a")+size("b"); got != want || got == 0 {
			t.Errorf("two rows have %d bytes, want %d", got, want)
		}
		row, err := talks.Get(tx, "a")
		if err != nil {
			return err
		}
		row.Tags = append(row.Tags, "more")
		if err := errors.Join(talks.Put(tx, row), talks.Delete(tx, "b")); err != nil {
			return err
		}
		if got, want := talks.Bytes(tx, "ada"), size("a"); got != want {
			t.Errorf("one row has %d bytes, want %d", got, want)
		}
		err = talks.Delete(tx, "a")
		if ada, bob := talks.Bytes(tx, "ada"), talks.Bytes(tx, "bob"); ada != 0 || bob != size("c") {
			t.Errorf("ada has %d bytes and bob %d", ada, bob)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRebuildRepairsIndexes(t *testing.T) {
	update := database(t)
	err := update(func(tx *tx) error {
		if err := add(tx, "ada", "a", "b"); err != nil {
			return err
		}
		damage := errors.Join(
			tx.Bucket([]byte(byTag.Name)).Put([]byte("stray"), []byte("a")),
			tx.Bucket([]byte(table.CountsBucket)).Put(table.Key(bySpeaker.Name, "ada"), table.Key(uint64(9))),
			tx.Bucket([]byte(table.CountsBucket)).Delete(table.Key(talks.Name, "ada")))
		if damage != nil {
			return damage
		}
		var codes []string
		note := func(code, _ string) { codes = append(codes, code) }
		if err := talks.Verify(tx, note); err != nil {
			return err
		}
		if slices.Sort(codes); !slices.Equal(codes, []string{"index_count", "index_entry", "row_bytes"}) {
			t.Errorf("findings %v", codes)
		}
		codes = nil
		if err := errors.Join(table.Rebuild(tx, talks), talks.Verify(tx, note)); err != nil {
			return err
		}
		if len(codes) > 0 {
			t.Errorf("findings after the rebuild: %v", codes)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestKeysSortByTheirParts(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	keys := [][]byte{
		table.Key("a", uint64(2)), table.Key("a", uint64(10)), table.Key("a", at), table.Key("a", at.Add(time.Second)),
		table.Key("ab"),
	}
	if !slices.IsSortedFunc(keys, slices.Compare[[]byte]) {
		t.Errorf("keys %q are not sorted", keys)
	}
}

func ExampleCut() {
	fmt.Println(table.Cut([]string{"a", "b", "c"}, table.Page{Number: 2, Size: 2}))
	// Output: [c]
}
