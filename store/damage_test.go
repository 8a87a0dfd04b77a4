package store

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// damagePages overwrites all pages of a type, with a whole page or only its header, in the file of
// an open database. It returns their number.
func (s *world) damagePages(kind string, whole bool) (count int) {
	s.t.Helper()
	file := get(os.OpenFile(s.db.Path(), os.O_RDWR, 0))(s.t)
	defer file.Close()
	size := s.db.Info().PageSize
	garbage := make([]byte, size)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range garbage {
		garbage[i] = byte(random.Uint32())
	}
	if !whole {
		garbage = garbage[:16]
	}
	var at []int
	must(s.t, s.db.View(func(tx *bolt.Tx) error {
		for id := range int(tx.Size()) / size {
			if info, err := tx.Page(id); err != nil || info == nil {
				return err
			} else if id > 1 && info.Type == kind {
				at = append(at, id)
			}
		}
		return nil
	}))
	for _, id := range at {
		get(file.WriteAt(garbage, int64(id)*int64(size)))(s.t)
	}
	return len(at)
}

// Damage of an open database ends all work with one error: the transaction that meets it, all later
// ones, and those that wait.
func TestDamageUnderAnOpenStore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  string
		whole bool
	}{{"leaf", true}, {"leaf", false}, {"branch", true}, {"branch", false}, {"freelist", true}, {"freelist", false}} {
		name := c.kind
		if !c.whole {
			name += " header"
		}
		t.Run(name, func(t *testing.T) {
			w := open(t, ownerMode)
			user := w.user("ada")
			for range 300 { // enough for branch pages
				w.project(user)
			}
			if w.Damage() != nil || w.damagePages(c.kind, c.whole) == 0 {
				t.Fatalf("%v, or no %s page", w.Damage(), c.kind)
			}
			var work sync.WaitGroup
			for range 4 {
				work.Go(func() {
					_, err := w.CreateProject(user.UUID, "new", nil)
					if !errors.Is(err, ErrDamaged) || !IsKind(err, Unavailable) {
						t.Errorf("CreateProject: %v", err)
					}
				})
				work.Go(func() {
					err := w.batch(func(t *txn) error { return projects.Each(t, ignore) })
					if !errors.Is(err, ErrDamaged) {
						t.Errorf("batch: %v", err)
					}
				})
			}
			work.Wait()
			select {
			case <-w.Damaged():
			default:
				t.Error("Damaged says nothing")
			}
			if err := w.Ready(); !errors.Is(err, ErrDamaged) {
				t.Errorf("Ready: %v", err)
			}
			if err := w.Damage(); err == nil || !strings.Contains(err.Error(), "roughcut restore") {
				t.Errorf("Damage: %v", err)
			}
			again := w.opts
			again.Dir = t.TempDir()
			data := get(os.ReadFile(w.db.Path()))(t)
			must(t, os.WriteFile(filepath.Join(again.Dir, DatabaseFile), data, 0o600))
			must(t, w.Close())
			if _, err := Open(t.Context(), again); !errors.Is(err, ErrDamaged) {
				t.Errorf("Open: %v", err)
			}
		})
	}
}

func ignore(*projectRow) error { return nil }

// A programming error in a transaction does not count as damage. Its panic reaches the caller, also
// from a shared transaction, and the other parts of that transaction succeed.
func TestPanicsOfOthersPassThrough(t *testing.T) {
	t.Parallel()
	w := open(t)
	user := w.user("ada")
	for name, run := range map[string]func(func(*txn) error) error{
		"view": w.view, "update": w.update, "batch": w.batch,
	} {
		for fault, fn := range map[string]func(*txn) error{
			"panic":       func(*txn) error { panic("a fault of ours") },
			"nil pointer": func(*txn) error { var row *projectRow; row.Name = "x"; return nil },
		} {
			var value any
			var work sync.WaitGroup
			work.Go(func() {
				defer func() { value = recover() }()
				_ = run(fn)
			})
			work.Go(func() {
				_ = w.batch(func(*txn) error { return nil })
			})
			work.Wait()
			if value == nil || w.Damage() != nil {
				t.Errorf("%s in %s: recovered %v, damage %v", fault, name, value, w.Damage())
			}
		}
	}
	if _, err := w.CreateProject(user.UUID, "new", nil); err != nil {
		t.Error(err)
	}
}
