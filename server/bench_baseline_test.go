//go:build unix

package server

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"roughcut/server/api"
	"roughcut/store"
	"roughcut/store/account"
)

// bare is the smallest program with the same responses: bbolt and net/http, rows that already hold
// the response, a session lookup, one account, no contract. The benchmarks compare the server with
// it.
type bare struct {
	db   *bolt.DB
	http *httptest.Server
}

var (
	bareSessions = []byte("sessions")
	bareOne      = []byte("one")
	bareList     = []byte("list")
	bareEdits    = []byte("edits")
)

// newBare copies the data of a site into a bare program.
func newBare(tb testing.TB, w *site, edits []api.Edit) *bare {
	tb.Helper()
	db, err := bolt.Open(
		filepath.Join(tb.TempDir(), "bare.db"),
		0o600,
		&bolt.Options{FreelistType: bolt.FreelistMapType},
	)
	if err != nil {
		tb.Fatal(err)
	}
	db.MaxBatchDelay = 2 * time.Millisecond
	p := &bare{db: db}
	list, _, err := w.store.Projects(w.user.UUID, store.ProjectFilter{}, store.Page{})
	if err != nil {
		tb.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		put := func(bucket, key []byte, value any) error {
			b, err := tx.CreateBucketIfNotExists(bucket)
			if err != nil {
				return err
			}
			raw, err := json.Marshal(value)
			if err != nil {
				return err
			}
			return b.Put(key, raw)
		}
		sum := sha256.Sum256([]byte(w.session.Value))
		if err := put(bareSessions, []byte(hex.EncodeToString(sum[:])), w.user); err != nil {
			return err
		}
		for i, project := range list {
			if err := put(
				bareList,
				binary.BigEndian.AppendUint64(nil, uint64(i)),
				projectSummary(project),
			); err != nil {
				return err
			}
			if err := put(bareOne, []byte(project.UUID), projectRecord(project)); err != nil {
				return err
			}
		}
		for _, edit := range edits {
			if err := put(bareEdits, []byte(edit.UUID), edit); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/projects/{uuid}", p.signedIn(p.one))
	mux.HandleFunc("GET /api/v1/projects", p.signedIn(p.list))
	mux.HandleFunc("PATCH /api/v1/edits/{uuid}", p.signedIn(p.toggle))
	p.http = httptest.NewServer(mux)
	tb.Cleanup(func() {
		p.http.Close()
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return p
}

func (p *bare) signedIn(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(sessionCookie)
		if err != nil {
			http.Error(w, "no session", http.StatusUnauthorized)
			return
		}
		sum := sha256.Sum256([]byte(cookie.Value))
		err = p.db.View(func(tx *bolt.Tx) error {
			var user account.User
			return json.Unmarshal(tx.Bucket(bareSessions).Get([]byte(hex.EncodeToString(sum[:]))), &user)
		})
		if err != nil {
			http.Error(w, "no session", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		next(w, r)
	}
}

func (p *bare) one(w http.ResponseWriter, r *http.Request) {
	_ = p.db.View(func(tx *bolt.Tx) error {
		_, err := w.Write(append([]byte(nil), tx.Bucket(bareOne).Get([]byte(r.PathValue("uuid")))...))
		return err
	})
}

func (p *bare) list(w http.ResponseWriter, r *http.Request) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	out := []byte(`{"items":[`)
	_ = p.db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(bareList).Cursor()
		k, v := c.Last()
		for range (page - 1) * defaultPageSize {
			k, v = c.Prev()
		}
		for i := 0; k != nil && i < defaultPageSize; i++ {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, v...)
			k, v = c.Prev()
		}
		out = append(out, `],"total":`...)
		out = strconv.AppendUint(out, scaleProjects, 10)
		return nil
	})
	_, _ = w.Write(append(out, `,"page":1,"page_size":50}`...))
}

func (p *bare) toggle(w http.ResponseWriter, r *http.Request) {
	var change api.EditChange
	if err := json.NewDecoder(r.Body).Decode(&change); err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	var raw []byte
	err := p.db.Batch(func(tx *bolt.Tx) error {
		b, key := tx.Bucket(bareEdits), []byte(r.PathValue("uuid"))
		var row api.Edit
		err := json.Unmarshal(b.Get(key), &row)
		if err != nil {
			return err
		}
		row.Active = *change.Active
		if raw, err = json.Marshal(row); err != nil {
			return err
		}
		return b.Put(key, raw)
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(raw)
}
