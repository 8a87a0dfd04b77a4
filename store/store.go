package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"roughcut/store/account"
	"roughcut/store/billing"
	"roughcut/store/pages"
	"roughcut/store/search"
	"roughcut/store/table"
)

// Options configures a Store. Only Dir is required.
type Options struct {
	Dir            string            // the data directory; Open creates it
	Now            func() time.Time  // default time.Now
	NewID          func() string     // default newID
	TierTable      billing.TierTable // default billing.DefaultTierTable()
	MaxUploadBytes int64             // largest upload, default 2 GiB, or no limit if the tiers are unlimited
	// free space that uploads and renders must leave on the disk, default 512 MiB
	MinFreeBytes int64
	// Isolated says that media engines run in other processes. A job is then not the cause of a
	// crash of the server.
	Isolated bool
	// TRIAL_AUTO_GRANT=false: verifying the address grants a month of Free instead of the trial
	TrialOnRequest bool
	MaxQueuedJobs  int // most jobs of one user in the queue, 0 for no limit
	// most bytes of derived files and exports of a user, in percent of the tier's storage quota; no
	// limit if 0
	GeneratedPercent int64
	Signup           account.SignupMode // who may create an account, default account.SignupOpen
	UploadURLTTL     time.Duration      // time to confirm an upload, default one hour
	Log              *slog.Logger       // default slog.Default()
}

const (
	defaultMaxUpload = 2 << 30
	defaultMinFree   = 512 << 20
	lockWait         = time.Second // for bbolt's file lock
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
		o.TierTable.Tiers = billing.DefaultTierTable().Tiers
	}
	o.TierTable.Currency = cmp.Or(o.TierTable.Currency, billing.DefaultTierTable().Currency)
	if o.MaxUploadBytes == 0 && !o.TierTable.Unlimited {
		o.MaxUploadBytes = defaultMaxUpload
	}
	o.MinFreeBytes = cmp.Or(o.MinFreeBytes, defaultMinFree)
	o.Signup = cmp.Or(o.Signup, account.SignupOpen)
	o.UploadURLTTL = cmp.Or(o.UploadURLTTL, time.Hour)
	o.Log = cmp.Or(o.Log, slog.Default())
	return o
}

// Store is an open data directory. Several goroutines may call its methods at once.
type Store struct {
	o      Options
	db     *bolt.DB
	file   *os.File // of the database, for checks of its pages
	lock   *flock.Flock
	cache  *table.Cache
	master []byte // key that Secret derives keys from

	queued         [lanes]chan struct{} // a token for the workers of each lane
	mailQueued     chan struct{}
	cancellations  chan string
	editedProjects chan string
	onHistory      atomic.Pointer[func(HistoryEntry)]
	writer         chan struct{} // holds a value while a write transaction runs
	group          group
	damage         damage
	uploads        uploads
	opened         time.Time
	reserve        *diskReserve
	// locked while a backup takes its snapshot, so that no file of a deleted row is removed then
	removal  sync.RWMutex
	erasing  sync.RWMutex // locked while rows of a deletion must not be left
	progress progressLog
	recent   recentUse
	index    *search.Index
	closed   sync.Once
}

// cancellationsKept is how many cancellations the channel holds. A worker that misses one learns of
// it from JobCancelled.
const cancellationsKept = 1024

// Open opens a data directory for this process only. It takes the lock, migrates the schema,
// returns interrupted jobs to the queue, removes what a crash left, and starts the search index in
// the background. Errors: ErrInUse, ErrDamaged, ErrNewer.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Dir == "" {
		return nil, errors.New("opening the store: no data directory given")
	}
	o = o.withDefaults()
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	if err := clearIndexPath(filepath.Join(o.Dir, "index")); err != nil {
		return nil, fmt.Errorf("creating the data directory: %w", userError(err))
	}
	for _, dir := range []string{
		"index",
		"media/assets",
		"media/clips",
		"media/exports",
		"models",
		"outbox",
		"tmp",
		"uploads",
	} {
		if err := os.MkdirAll(filepath.Join(o.Dir, dir), 0o700); err != nil {
			return nil, fmt.Errorf("creating the data directory: %w", userError(err))
		}
	}

	s := &Store{
		o:              o,
		cache:          table.NewCache(tables()...),
		mailQueued:     make(chan struct{}, 1),
		cancellations:  make(chan string, cancellationsKept),
		editedProjects: make(chan string, editedProjectsKept),
		writer:         make(chan struct{}, 1),
		damage:         damage{found: make(chan struct{})},
	}
	for i := range s.queued {
		s.queued[i] = make(chan struct{}, 1)
	}
	if s.index, err = search.New(filepath.Join(o.Dir, "index"), searchSource{s}, o.Log); err != nil {
		return nil, err
	}
	s.progress.projects = map[string]*projectProgress{}
	s.opened = s.Now()
	s.uploads.open, s.uploads.seed = map[string]*Upload{}, maphash.MakeSeed()
	s.lock = flock.New(filepath.Join(o.Dir, lockFile))
	if ok, err := s.lock.TryLock(); err != nil {
		return nil, fmt.Errorf("locking the data directory: %w", err)
	} else if !ok {
		return nil, ErrInUse
	}

	s.reserve = newDiskReserve(o.Dir)
	if err := s.openData(ctx); err != nil {
		_ = s.closeData() // err is the cause
		return nil, err
	}

	s.reserve.fill()
	s.index.Start()
	for _, queued := range s.queued {
		wake(queued)
	}
	wake(s.mailQueued)
	return s, nil
}

// clearIndexPath moves a file aside that is in the place of the folder of the search index.
func clearIndexPath(path string) error {
	st, err := os.Stat(path)
	if err != nil || st.IsDir() {
		return nil // MkdirAll reports other faults
	}
	return os.Rename(path, path+".moved")
}

// openData opens the database and cleans up after the last process.
func (s *Store) openData(ctx context.Context) (err error) {
	if err := s.openDB(); err != nil {
		return err
	}
	if err := s.migrate(migrations); err != nil {
		return err
	}
	if err := s.checkKeys(); err != nil {
		return err
	}
	if err := s.loadSecret(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.requeueJobs(); err != nil {
		return fmt.Errorf("requeuing interrupted jobs: %w", err)
	}
	if err := s.eraseLeft(); err != nil {
		return fmt.Errorf("finishing interrupted deletions: %w", err)
	}
	if err := s.duplicateLeft(); err != nil {
		return fmt.Errorf("finishing interrupted duplicates: %w", err)
	}
	if err := os.RemoveAll(filepath.Join(s.o.Dir, restoring)); err != nil {
		return fmt.Errorf("removing an unfinished restore: %w", err)
	}
	if err := s.sweepFiles(); err != nil {
		return fmt.Errorf("sweeping the data directory: %w", err)
	}
	return nil
}

// DatabaseFile is the name of the database in the data directory.
const DatabaseFile = "roughcut.db"

// openDB opens the database. It creates a new database under another name and renames it, so that a
// crash never leaves a partial one.
func (s *Store) openDB() error {
	path := filepath.Join(s.o.Dir, DatabaseFile)
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

	err = s.guard(func() (err error) {
		s.db, err = bolt.Open(path, 0o600, boltOptions())
		return err
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return ErrInUse
	case errors.Is(err, ErrDamaged):
		return err
	case errors.Is(err, berrors.ErrVersionMismatch):
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	case err != nil:
		return fmt.Errorf("opening the database: %w", userError(err))
	}

	return s.checkOpened(path)
}

func boltOptions() *bolt.Options {
	return &bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType}
}

// createDB creates an empty database. It refuses when there are files of a lost database, because
// opening would remove them as orphans. Errors: ErrDamaged.
func (s *Store) createDB(path string) error {
	if _, err := os.Stat(filepath.Join(s.o.Dir, restoring)); err == nil {
		return fmt.Errorf("%w (a restore into it was interrupted; run it again)", ErrDamaged)
	}
	for _, dir := range []string{"assets", "clips", "exports"} {
		entries, err := os.ReadDir(filepath.Join(s.o.Dir, "media", dir))
		if err != nil {
			return fmt.Errorf("listing media: %w", err)
		}
		if len(entries) > 0 {
			return fmt.Errorf("%w (roughcut.db is missing, but media/%s is not empty)", ErrDamaged, dir)
		}
	}

	temp := filepath.Join(s.o.Dir, "tmp", "new.db")
	if err := removeIfExists(temp); err != nil {
		return fmt.Errorf("creating the database: %w", err)
	}
	db, err := bolt.Open(temp, 0o600, boltOptions())
	if err != nil {
		return fmt.Errorf("creating the database: %w", userError(err))
	}
	if err := db.Close(); err != nil {
		return fmt.Errorf("creating the database: %w", userError(err))
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("creating the database: %w", userError(err))
	}
	return syncDir(s.o.Dir)
}

// checkOpened checks all pages of the database before anything relies on them. bbolt holds its
// lock, so no other process writes. Errors: ErrDamaged.
func (s *Store) checkOpened(path string) (err error) {
	if s.file, err = os.Open(path); err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	if _, err := pages.Check(s.file); err != nil {
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return nil
}

// Close waits for the search index, closes the database and releases the lock. Open uploads are
// lost, except resumable ones.
func (s *Store) Close() error {
	var err error
	s.closed.Do(func() {
		s.index.Close()
		err = s.closeData()
	})
	return err
}

// closeData closes the database and the lock of the directory, if they are open.
func (s *Store) closeData() error {
	var faults []error
	if s.db != nil && s.Damage() == nil { // otherwise a transaction may hold the locks of bbolt for ever
		faults = append(faults, s.db.Close())
	}
	if s.file != nil {
		faults = append(faults, s.file.Close())
	}
	if s.lock != nil {
		faults = append(faults, s.lock.Close())
	}
	return errors.Join(faults...)
}

// Ready returns nil while the database can be read.
func (s *Store) Ready() error {
	return s.view(func(t *txn) error {
		_, err := t.schemaVersion()
		return err
	})
}

// Now returns the time of the store's clock, in UTC and whole milliseconds.
func (s *Store) Now() time.Time { return s.o.Now().UTC().Truncate(time.Millisecond) }

// newID returns a UUID of version 7, which grows with time. Rows that are created together, such as
// the edits of a run, are therefore adjacent in their bucket, and a transaction that changes many
// of them writes few pages. 62 of its bits are random.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// NewID returns a new unique id.
func (s *Store) NewID() string { return s.o.NewID() }
