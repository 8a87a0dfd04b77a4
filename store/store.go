package store

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Options is what a Store is opened with. Only Dir has no default.
type Options struct {
	Dir            string           // the data directory; made where it is missing
	Now            func() time.Time // default time.Now
	NewID          func() string    // default newID
	TierTable      TierTable        // default DefaultPlans()
	MaxUploadBytes int64            // largest upload, default 2 GiB; ignored in owner mode
	MinFreeBytes   int64            // what uploads and renders must leave free on the disk, default 512 MiB
	// TRIAL_AUTO_GRANT=false: verification grants a month of Free instead of the trial
	TrialOnRequest bool
	Signup         SignupMode    // who may make an account, default SignupOpen
	UploadURLTTL   time.Duration // how long an upload may go unconfirmed, default one hour
	Log            *slog.Logger  // default slog.Default()
}

const (
	defaultMaxUpload = 2 << 30
	defaultMinFree   = 512 << 20
	lockWait         = time.Second // for the file lock of bbolt
	lockFile         = "roughcut.lock"
)

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	if o.TierTable.Tiers == nil {
		o.TierTable.Tiers = DefaultTierTable().Tiers
	}
	if o.TierTable.Currency == "" {
		o.TierTable.Currency = DefaultTierTable().Currency
	}
	if o.MaxUploadBytes == 0 {
		o.MaxUploadBytes = defaultMaxUpload
	}
	if o.MinFreeBytes == 0 {
		o.MinFreeBytes = defaultMinFree
	}
	if o.Signup == "" {
		o.Signup = SignupOpen
	}
	if o.UploadURLTTL == 0 {
		o.UploadURLTTL = time.Hour
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// Store is an open data directory. Its methods may be called from many goroutines at once.
type Store struct {
	o      Options
	db     *bolt.DB
	lock   *flock.Flock
	master []byte // the key from which Secret derives

	jobQueued     chan struct{}
	importQueued  chan struct{}
	mailQueued    chan struct{}
	cancellations chan string
	edited        chan string
	uploads       uploads
	removal       sync.RWMutex // locked while a backup takes its view: no file of a deleted row goes meanwhile
	news          news
	index         *searchIndex
	lexicon       *lexicon
	closed        sync.Once
}

// cancellationsKept is how many unread cancellations wait in the channel; workers that miss one
// learn it from JobCancelled.
const cancellationsKept = 1024

// Open opens a data directory for this process alone: it takes the lock, brings the schema up to
// date, puts interrupted work back in the queue, sweeps what a crash left, and starts the search
// index in the background. Errors: ErrInUse, ErrDamaged, ErrNewer.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Dir == "" {
		return nil, errors.New("opening the store: no data directory given")
	}
	o = o.withDefaults()
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	for _, dir := range []string{"index", "media/assets", "media/clips", "media/exports", "models", "outbox", "tmp", "uploads"} {
		if err := os.MkdirAll(filepath.Join(o.Dir, dir), 0o700); err != nil {
			return nil, fmt.Errorf("making the data directory: %w", userError(err))
		}
	}
	s := &Store{
		o:             o,
		jobQueued:     make(chan struct{}, 1),
		importQueued:  make(chan struct{}, 1),
		mailQueued:    make(chan struct{}, 1),
		cancellations: make(chan string, cancellationsKept),
		edited:        make(chan string, editedKept),
		index:         newSearchIndex(),
	}
	if s.lexicon, err = newLexicon(); err != nil {
		return nil, err
	}
	s.news.projects = map[string]*projectNews{}
	s.uploads.open, s.uploads.seed = map[string]*Upload{}, maphash.MakeSeed()
	s.lock = flock.New(filepath.Join(o.Dir, lockFile))
	if ok, err := s.lock.TryLock(); err != nil {
		return nil, fmt.Errorf("locking the data directory: %w", err)
	} else if !ok {
		return nil, ErrInUse
	}
	if err := s.openData(ctx); err != nil {
		return nil, errors.Join(err, s.closeData())
	}
	s.startIndex()
	wake(s.jobQueued)
	wake(s.importQueued)
	wake(s.mailQueued)
	return s, nil
}

// openData opens the database and settles what the last process left. A database whose pages are
// damaged may panic, or fault where a page lies past the end of the file: both become ErrDamaged.
func (s *Store) openData(ctx context.Context) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w (%v)", ErrDamaged, r)
		}
	}()
	if err := s.openDB(); err != nil {
		return err
	}
	if err := s.migrate(migrations); err != nil {
		return err
	}
	if err := s.loadSecret(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.requeueJobs(); err != nil {
		return fmt.Errorf("putting interrupted work back in the queue: %w", err)
	}
	if err := os.RemoveAll(filepath.Join(s.o.Dir, restoring)); err != nil {
		return fmt.Errorf("removing what a restore left: %w", err)
	}
	if err := s.sweepFiles(); err != nil {
		return fmt.Errorf("sweeping the data directory: %w", err)
	}
	return nil
}

// openDB opens roughcut.db. A new one is made under another name and renamed, so that a crash never
// leaves half of one.
func (s *Store) openDB() error {
	path := filepath.Join(s.o.Dir, "roughcut.db")
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := s.createDB(path); err != nil {
			return err
		}
	case err != nil:
		return fmt.Errorf("opening the database: %w", err)
	case st.Size() < int64(2*os.Getpagesize()):
		return fmt.Errorf("%w (roughcut.db has only %d bytes)", ErrDamaged, st.Size())
	}
	s.db, err = bolt.Open(path, 0o600, boltOptions())
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return ErrInUse
	case errors.Is(err, berrors.ErrInvalid),
		errors.Is(err, berrors.ErrChecksum),
		errors.Is(err, berrors.ErrVersionMismatch):
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	case err != nil:
		return fmt.Errorf("opening the database: %w", userError(err))
	}
	s.db.MaxBatchDelay = 2 * time.Millisecond
	return s.checkLength(path)
}

func boltOptions() *bolt.Options {
	return &bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType}
}

// createDB makes an empty database, unless there are files that a lost one must have known: opening
// would sweep them away.
func (s *Store) createDB(path string) error {
	if _, err := os.Stat(filepath.Join(s.o.Dir, restoring)); err == nil {
		return fmt.Errorf("%w (a restore into it was interrupted; run it again)", ErrDamaged)
	}
	for _, dir := range []string{"assets", "clips", "exports"} {
		entries, err := os.ReadDir(filepath.Join(s.o.Dir, "media", dir))
		if err != nil {
			return fmt.Errorf("looking for media: %w", err)
		}
		if len(entries) > 0 {
			return fmt.Errorf("%w (roughcut.db is missing, but media/%s is not empty)", ErrDamaged, dir)
		}
	}
	temp := filepath.Join(s.o.Dir, "tmp", "new.db")
	if err := remove(temp); err != nil {
		return fmt.Errorf("making the database: %w", err)
	}
	db, err := bolt.Open(temp, 0o600, boltOptions())
	if err != nil {
		return fmt.Errorf("making the database: %w", userError(err))
	}
	if err := db.Close(); err != nil {
		return fmt.Errorf("making the database: %w", userError(err))
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("making the database: %w", userError(err))
	}
	return syncDir(s.o.Dir)
}

// checkLength finds a database that was cut off.
func (s *Store) checkLength(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	return s.db.View(func(tx *bolt.Tx) error {
		if tx.Size() > st.Size() {
			return fmt.Errorf("%w (roughcut.db has %d bytes of %d)", ErrDamaged, st.Size(), tx.Size())
		}
		return nil
	})
}

// Close waits for the index, closes the database and gives the lock back. Open uploads are lost,
// but for the resumable ones.
func (s *Store) Close() error {
	var err error
	s.closed.Do(func() {
		s.stopIndex()
		err = s.closeData()
	})
	return err
}

func (s *Store) closeData() error {
	var err error
	if s.db != nil {
		err = s.db.Close()
	}
	return errors.Join(err, s.lock.Close())
}

// Ready returns nil while the database answers.
func (s *Store) Ready() error {
	return s.view(func(t *txn) error {
		_, err := t.schemaVersion()
		return err
	})
}

// Now returns the time by the store's clock, in UTC and whole milliseconds.
func (s *Store) Now() time.Time { return s.o.Now().UTC().Truncate(time.Millisecond) }

// newID returns a UUID of version 7, which grows with time: rows that are made together, such as
// the edits of a run, lie next to each other in their bucket, so that a transaction that changes
// many of them writes few pages. 62 of its bits are random.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// NewID returns a new unique id.
func (s *Store) NewID() string { return s.o.NewID() }
