package store

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"roughcut/store/table"
)

// migrations lists the steps from each schema version to the next: the first one leads from version
// 0 to 1. Each runs in one transaction. New steps go to the end. A version that only has more
// buckets has createBuckets as its step.
var migrations = []func(*txn) error{
	createDatabase,
	ledgerOfCredits,
	createBuckets,
	createBuckets,
	createBuckets,
	createBuckets,
	countGenerated,
	renameCopyJobs,
	addIndexes, // several clips can have one file
	splitDrafts,
	addIndexes, // deletions in several transactions
	dropCutDefaults,
	journalHistory,
	createBuckets, // settings of accounts, projects in the trash
	addIndexes,    // shorts, counts of projects in lists
	createBuckets, // responses to requests with a key
}

// createDatabase creates schema 1.
func createDatabase(t *txn) error {
	if err := createBuckets(t); err != nil {
		return err
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	meta := t.Bucket([]byte(bucketMeta))
	if err := meta.Put([]byte(metaSecret), secret); err != nil {
		return err
	}
	return meta.Put([]byte(metaInstance), []byte(rand.Text()))
}

// addIndexes creates the missing buckets, and writes all indexes again.
func addIndexes(t *txn) error {
	if err := createBuckets(t); err != nil {
		return err
	}
	return table.Rebuild(t, tables()...)
}

// dropCutDefaults migrates schema 11 to schema 12: no account learns from its exports.
func dropCutDefaults(t *txn) (err error) {
	for _, name := range []string{"cut_defaults", "cut_defaults.by_user"} {
		if t.Bucket([]byte(name)) != nil {
			if err == nil {
				err = t.DeleteBucket([]byte(name))
			}
		}
	}

	return err
}

// migrate runs the steps that the database lacks. A database with data is copied first, to
// roughcut.db.before-N, where N is the version that it migrates to.
func (s *Store) migrate(steps []func(*txn) error) error {
	var version uint64
	if err := s.view(func(t *txn) (err error) { version, err = t.schemaVersion(); return err }); err != nil {
		return err
	}
	target := uint64(len(steps))
	if version > target {
		return fmt.Errorf("%w (schema %d, this version supports %d)", ErrNewer, version, target)
	}
	if version > 0 && version < target {
		if err := s.keepCopy(target); err != nil {
			return fmt.Errorf("copying the database before the migration: %w", userError(err))
		}
	}

	for ; version < target; version++ {
		err := s.update(func(t *txn) error {
			if err := steps[version](t); err != nil {
				return err
			}
			return t.Bucket([]byte(bucketMeta)).Put([]byte(metaSchema), binary.BigEndian.AppendUint64(nil, version+1))
		})
		if err != nil {
			return fmt.Errorf("migrating the database to schema %d: %w", version+1, err)
		}
	}

	return nil
}

// keepCopy copies the database next to itself, durably.
func (s *Store) keepCopy(target uint64) error {
	temp, err := s.TempPath(".db")
	if err != nil {
		return err
	}
	if err := s.view(func(t *txn) error { return t.CopyFile(temp, 0o600) }); err != nil {
		return dropTemp(temp, err)
	}
	if _, err := syncFile(temp); err != nil {
		return dropTemp(temp, err)
	}
	if err := os.Rename(temp, filepath.Join(s.o.Dir, fmt.Sprintf("roughcut.db.before-%d", target))); err != nil {
		return err
	}
	return syncDir(s.o.Dir)
}

// schemaVersion returns the schema version of the data, 0 for a new database. Errors: ErrDamaged.
func (t *txn) schemaVersion() (uint64, error) {
	meta := t.Bucket([]byte(bucketMeta))
	if meta == nil {
		return 0, nil
	}
	value := meta.Get([]byte(metaSchema))
	if len(value) != 8 {
		return 0, fmt.Errorf("%w (the schema version is unreadable)", ErrDamaged)
	}
	return binary.BigEndian.Uint64(value), nil
}

func (s *Store) loadSecret() error {
	return s.view(func(t *txn) error {
		s.master = append([]byte(nil), t.Bucket([]byte(bucketMeta)).Get([]byte(metaSecret))...)
		if len(s.master) != 32 {
			return fmt.Errorf("%w (the secret key is unreadable)", ErrDamaged)
		}
		return nil
	})
}

// Secret returns a 32-byte key for a purpose. It is the same for the life of the data directory.
func (s *Store) Secret(purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, s.master, nil, "roughcut "+purpose, 32)
}
