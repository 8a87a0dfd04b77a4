package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// A database of a hostile backup can name files outside the data directory. No such file is
// removed or read.
func TestKeysNeverLeaveTheDataDirectory(t *testing.T) {
	t.Parallel()
	for _, bucket := range []string{bucketTombstones, files.Name, uploadParts.Name} {
		t.Run(bucket, func(t *testing.T) {
			root := t.TempDir()
			w := open(t, func(o *Options) { o.Dir = filepath.Join(root, "data") })
			w.ready(w.project(w.user("ada")), 1000)
			victim := filepath.Join(root, "victim")
			must(t, os.WriteFile(victim, []byte("mine"), 0o600))
			const key = "clips/../../../victim"
			must(t, w.db.Update(func(tx *bolt.Tx) error {
				return tx.Bucket([]byte(bucket)).Put([]byte(key), []byte(`{"Key":"`+key+`","FileID":"`+key+`"}`))
			}))
			must(t, w.Close())
			s, err := Open(context.Background(), w.opts)
			if err == nil {
				must(t, s.Close())
			}
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "victim") {
				t.Errorf("opening: %v", err)
			}
			if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
				t.Errorf("the file outside: %q, %v", text, err)
			}
		})
	}
	w := open(t)
	inside := w.opts.Dir + string(filepath.Separator)
	for _, key := range []string{"../x", "clips/../../x", "/etc/passwd", "clips/../../../x", `clips\..\..\x`, "", "."} {
		for _, path := range []string{w.FilePath(key), w.partPath(key)} {
			if _, err := os.Lstat(path); !strings.HasPrefix(path, inside) || !os.IsNotExist(err) {
				t.Errorf("the key %q names %s (%v)", key, path, err)
			}
		}
	}
}
