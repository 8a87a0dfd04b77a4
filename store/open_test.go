//go:build unix

package store

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"

	"roughcut/media"
	"roughcut/store/table"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		do   func(t *testing.T, dir string)
		want error
	}{
		{
			"empty database",
			func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "roughcut.db"), 0)) },
			ErrDamaged,
		},
		{
			"cut off",
			func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "roughcut.db"), 3*4096)) },
			ErrDamaged,
		},
		{"garbage", func(t *testing.T, dir string) {
			must(
				t,
				os.WriteFile(
					filepath.Join(dir, "roughcut.db"),
					[]byte(strings.Repeat("no database at all. ", 5000)),
					0o600,
				),
			)
		}, ErrDamaged},
		{"garbage behind the head", func(t *testing.T, dir string) {
			f := get(os.OpenFile(filepath.Join(dir, "roughcut.db"), os.O_RDWR, 0))(t)
			st := get(f.Stat())(t)
			get(f.WriteAt([]byte(strings.Repeat("\xff", int(st.Size()-2*4096))), 2*4096))(t)
			must(t, f.Close())
		}, ErrDamaged},
		{
			"lost while media is there",
			func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "roughcut.db"))) },
			ErrDamaged,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := open(t)
			p := w.project(w.user("ada"))
			w.ready(p, 1000)
			must(t, w.Close())
			before := w.filesUnder("media")
			c.do(t, w.opts.Dir)
			_, err := Open(context.Background(), w.opts)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if after := w.filesUnder("media"); len(after) != len(before) {
				t.Errorf("%d of %d files are left", len(after), len(before))
			}
		})
	}
}

func TestOpenInUse(t *testing.T) {
	t.Parallel()
	w := open(t)
	if _, err := Open(context.Background(), w.opts); !errors.Is(err, ErrInUse) {
		t.Fatalf("got %v", err)
	}
	must(t, w.Close())
	w.start()
}

func TestMigrations(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.user("ada")
	steps := append(append([]func(*txn) error{}, migrations...), func(t *txn) error {
		_, err := t.CreateBucket([]byte("new"))
		return err
	})
	must(t, w.migrate(steps))
	if _, err := os.Stat(filepath.Join(w.opts.Dir, fmt.Sprintf("roughcut.db.before-%d", len(steps)))); err != nil {
		t.Error(err)
	}
	must(t, w.migrate(steps))
	boom := errors.New("boom")
	err := w.migrate(append(steps, func(t *txn) error {
		if _, err := t.CreateBucket([]byte("half")); err != nil {
			return err
		}
		return boom
	}))
	if !errors.Is(err, boom) {
		t.Fatalf("got %v", err)
	}
	must(t, w.view(func(tx *txn) error {
		version, err := tx.schemaVersion()
		if int(version) != len(steps) || tx.Bucket([]byte("half")) != nil || tx.Bucket([]byte("new")) == nil {
			t.Errorf("schema %d", version)
		}
		return err
	}))
	must(t, w.Close())
	if _, err := Open(context.Background(), w.opts); !errors.Is(err, ErrNewer) {
		t.Fatalf("got %v", err)
	}
}

// A new bucket needs a migration that creates it, or older databases lack it. After adding one to
// migrations, correct the file.
func TestBucketsBelongToASchema(t *testing.T) {
	t.Parallel()
	got := []string{fmt.Sprintf("schema-%d", len(migrations))}
	for _, tab := range tables() {
		got = append(got, tab.Buckets()...)
	}
	want := strings.Fields(string(get(os.ReadFile(filepath.Join("testdata", "buckets.txt")))(t)))
	slices.Sort(got[1:])
	if !slices.Equal(got, want) {
		t.Errorf(
			"the buckets are\n%s\nand testdata/buckets.txt has\n%s",
			strings.Join(got, "\n"), strings.Join(want, "\n"),
		)
	}
}

// A database from an older version is migrated with a copy kept, and no data is lost.
func TestMigrationOfOldData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	packed := get(os.Open(filepath.Join("testdata", "schema-1.db.gz")))(t)
	defer packed.Close()
	old := get(io.ReadAll(get(gzip.NewReader(packed))(t)))(t)
	must(t, os.WriteFile(filepath.Join(dir, "roughcut.db"), old, 0o600))
	media := filepath.Join(dir, "media", "clips")
	ready, pending := filepath.Join(media, "5a14d61f-55cd-4e7b-ac19-fde343c79dd9"), filepath.Join(
		media,
		"cf4941e8-1437-4626-b126-3d795530a925",
	)
	must(t, errors.Join(os.MkdirAll(ready, 0o700), os.MkdirAll(pending, 0o700)))
	for path, size := range map[string]int{
		ready + "/original":   1000,
		ready + "/proxy.mp4":  50,
		ready + "/sprite.jpg": 20,
		ready + "/speech.s16": 30,
		ready + "/peaks.u8":   3,
		pending + "/original": 10,
	} {
		must(t, os.WriteFile(path, make([]byte, size), 0o600))
	}
	w := open(t, func(o *Options) { o.Dir = dir })
	u := get(w.UserByEmail("ada@example.org"))(t)
	list, _, err := w.Projects(u.UUID, ProjectFilter{}, Page{})
	must(t, err)
	if len(list) != 1 || list[0].Status != ProjectAnalyzed || list[0].ClipCount != 2 {
		t.Fatalf("projects %+v", list)
	}
	found := get(w.Edits(u.UUID, list[0].UUID, false))(t)
	run, transcript, err := w.Run(u.UUID, list[0].UUID, list[0].ActiveRunUUID)
	must(t, err)
	if len(found) != 1 || found[0].StartMS != 2000 || run.Model != "ggml-base.en.bin" || len(transcript.Words) != 3 {
		t.Errorf("edits %+v, run %+v, transcript %+v", found, run, transcript)
	}
	if billing := get(w.Billing(u.UUID))(t); billing.SubscriptionStatus != "trialing" || billing.Balance != 29.83 {
		t.Errorf("billing %+v", billing)
	}
	if j := w.claim(); j.Kind != JobExport {
		t.Errorf("the next job is %+v", j)
	}
	w.clean()
	kept := get(
		bolt.Open(
			filepath.Join(dir, fmt.Sprintf("roughcut.db.before-%d", len(migrations))),
			0o600,
			&bolt.Options{ReadOnly: true},
		),
	)(t)
	defer kept.Close()
	must(t, kept.View(func(tx *bolt.Tx) error {
		if version := tx.Bucket([]byte(bucketMeta)).Get(
			[]byte(metaSchema),
		); string(version) != string(table.Key(uint64(1))) ||
			tx.Bucket([]byte("movements")) != nil {
			t.Errorf("the copy has schema %v", version)
		}
		return nil
	}))
}

// A database of schema 11 loses what accounts learned from their exports. Its runs and edits stay.
func TestMigrationDropsCutDefaults(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	clip := w.ready(p, 100_000)
	found := []DetectedEdit{silence(clip.UUID, 1000, 2000), silence(clip.UUID, 3000, 4000)}
	run := w.analyzed(p, AnalysisResult{Edits: found, Evidence: []byte("evidence")})
	edit := get(w.Edits(p.UserUUID, p.UUID, false))(t)[0].UUID
	get(w.UpdateEdit(p.UserUUID, edit, EditChange{Active: ptr(false)}))(t)
	served := func() string {
		t.Helper()
		list := get(w.Edits(p.UserUUID, p.UUID, false))(t)
		settings := get(w.ReplanInput(p.UserUUID, p.UUID, run.UUID))(t).Run.AnalysisSettings
		return string(get(json.Marshal([]any{list, settings}))(t))
	}
	want := served()
	must(t, w.db.Update(func(tx *bolt.Tx) error {
		learned := []byte(`{"UserUUID":"` + p.UserUUID + `","Types":{"silence":{"Rejected":[0,0,0,0,0,20]}}}`)
		for _, name := range []string{"cut_defaults", "cut_defaults.by_user"} {
			must(t, get(tx.CreateBucket([]byte(name)))(t).Put([]byte(p.UserUUID), learned))
		}
		add := func(bucket, key, field string) {
			b := tx.Bucket([]byte(bucket))
			row := strings.TrimSuffix(string(b.Get([]byte(key))), "}") + "," + field + "}"
			must(t, b.Put([]byte(key), []byte(row)))
		}
		add(edits.Name, edit, `"Judged":{"Verdict":"rejected","Bin":9}`)
		add(runs.Name, run.UUID, `"ActiveFrom":{"silence":0.8}`)
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(metaSchema), table.Key(uint64(11)))
	}))
	w.reopen()
	w.clean()
	if got := served(); got != want {
		t.Errorf("after the migration\n%s\nwant\n%s", got, want)
	}
	must(t, w.view(func(tx *txn) error {
		if tx.Bucket([]byte("cut_defaults")) != nil || tx.Bucket([]byte("cut_defaults.by_user")) != nil {
			t.Error("the counts are still stored")
		}
		return nil
	}))
	get(w.CreateExport(p.UserUUID, p.UUID, NewExport{}))(t)
	w.clean()
}

func TestSecretsAreStableAndDistinct(t *testing.T) {
	t.Parallel()
	w := open(t)
	a, b := get(w.Secret("links"))(t), get(w.Secret("media"))(t)
	w.reopen()
	if again := get(w.Secret("links"))(t); string(a) != string(again) || string(a) == string(b) || len(a) != 32 {
		t.Error("a secret changed, or two purposes share one")
	}
	must(t, w.Ready())
}

// TestCrashIsSweptAtOpen opens data directories in each state that a crash can leave.
func TestCrashIsSweptAtOpen(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	kept, gone, pending := w.ready(p, 1000), w.ready(p, 1000), w.uploaded(p, 10)
	must(t, w.Close())
	media := filepath.Join(w.opts.Dir, "media")
	write := func(path string, size int) {
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, make([]byte, size), 0o600))
	}
	write(filepath.Join(w.opts.Dir, "tmp", "half.upload"), 5)
	write(filepath.Join(media, "clips", "unknown", "original"), 5)
	write(filepath.Join(media, "exports", "unknown.mp4"), 5)
	// replaced, but its row not yet updated
	write(filepath.Join(media, "clips", pending.ClipFileID, "original"), 25)
	w.start()
	w.clean()
	// A tombstone whose file still exists.
	must(t, w.db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketTombstones)).Put([]byte(clipKey(gone.ClipFileID, "left.bin")), nil)
	}))
	write(w.FilePath(clipKey(gone.ClipFileID, "left.bin")), 5)
	w.reopen()
	w.clean()
	if left := w.filesUnder("tmp"); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
	if n := len(w.filesUnder("media")); n != 7+7+1 {
		t.Errorf("%d files are left: %v", n, w.filesUnder("media"))
	}
	c := get(w.ConfirmClip(u.UUID, p.UUID, pending.UUID))(t)
	if c.SizeBytes != 25 {
		t.Errorf("size %d", c.SizeBytes)
	}
	must(t, w.DeleteClip(u.UUID, kept.UUID))
	w.clean()
}

// TestInterruptedJobsAreRetried crashes during each kind of job. The store retries the job, and
// fails it after maxAttempts.
func TestInterruptedJobsAreRetried(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	clip := w.uploaded(p, 100)
	get(w.ConfirmClip(u.UUID, p.UUID, clip.UUID))(t)
	stale := w.claim()
	w.reopen()
	j := w.claim()
	if j.Attempt != 2 || j.Subject != clip.UUID {
		t.Fatalf("job %+v", j)
	}
	if _, err := w.FinishClip(stale, w.ingested(1000)); !errors.Is(err, ErrStaleJob) {
		t.Fatalf("a late attempt: %v", err)
	}
	w.reopen()
	for range maxAttempts - 2 {
		w.claim()
		w.reopen()
	}
	c := get(w.Clip(u.UUID, clip.UUID))(t)
	if c.Status != ClipFailed || c.Error == "" {
		t.Fatalf("clip %+v", c)
	}
	w.ready(p, 60_000)
	run := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	for range maxAttempts {
		get(w.StartRun(w.claim()))(t)
		w.reopen()
	}
	if got := get(w.Runs(u.UUID, p.UUID))(t); got[0].UUID != run.UUID || got[0].Status != StatusFailed {
		t.Fatalf("run %+v", got[0])
	}
	export := get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
	for range maxAttempts {
		must(t, w.StartExport(w.claim()))
		w.reopen()
	}
	if got := get(w.Export(u.UUID, export.UUID))(t); got.Status != StatusFailed || got.Error == "" {
		t.Fatalf("export %+v", got)
	}
	events, _, err := w.EventsSince(p.UUID, 0)
	must(t, err)
	var types []string
	for _, e := range events {
		types = append(types, e.Type)
	}
	if strings.Join(types, " ") != "CLIP_FAILED ANALYSIS_FAILED EXPORT_FAILED" {
		t.Errorf("events %v", types)
	}
	w.clean()
}

// fullDiskEnv makes the test binary work with a limit on the file size, which makes writes fail as
// on a full disk.
const fullDiskEnv = "ROUGHCUT_STORE_FULL"

func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(fullDiskEnv); dir != "" {
		fullDisk(t, dir)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), fullDiskEnv+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func fullDisk(t *testing.T, dir string) {
	w := open(t, func(o *Options) { o.Dir = dir })
	u := w.user("ada")
	p := w.project(u)
	ready := w.ready(p, 1000)
	c := w.uploaded(p, 10)
	resumed := get(w.PresignClip(p.UserUUID, p.UUID, "a.mp4", "video/mp4", 6))(t)
	w.send(resumed, []byte("abc"))
	whole := w.sendAll(resumed)
	limitFileSize(t, 1<<10)
	up := get(w.OpenUpload(c.ClipFileID))(t)
	_, err := up.Write(make([]byte, 1<<20))
	wantCode(t, err, StorageFull, "storage_full")
	must(t, up.Abort())
	_, err = w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{})
	wantCode(t, err, StorageFull, "storage_full")
	if got := get(w.Project(u.UUID, p.UUID))(t); got.Status != ProjectCreated {
		t.Errorf("the project is %s", got.Status)
	}
	wantCode(t, whole.Commit(), StorageFull, "storage_full")
	limitFileSize(t, 1<<40)
	w.finishAfterFullDisk(resumed)
	get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	w.put(c, 2000)
	get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	w.clean()
	if !IsKind(userError(&os.PathError{Op: "write", Err: syscall.ENOSPC}), StorageFull) {
		t.Error("ENOSPC is not storage_full")
	}
	for _, broken := range []error{
		&os.PathError{Op: "write", Err: syscall.EIO},
		errors.New("write roughcut.db: input/output error"), // bbolt drops the cause
	} {
		err := userError(broken)
		wantCode(t, err, Unavailable, "unavailable")
		if !errors.Is(err, ErrDisk) || err.Error() != broken.Error() {
			t.Errorf("%v hides the fault of the disk", err)
		}
	}
	get(w.CancelRun(u.UUID, p.UUID, get(w.Runs(u.UUID, p.UUID))(t)[0].UUID))(t)
	must(t, w.DeleteClip(u.UUID, ready.UUID))
	w.clean()
}

func TestFreeSpaceFloor(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 1000)
	c := w.uploaded(p, 10)
	w.Store.o.MinFreeBytes = 1 << 60
	_, err := w.PresignClip(u.UUID, p.UUID, "a.mp4", "video/mp4", 1)
	wantCode(t, err, StorageFull, "storage_full")
	_, err = w.OpenUpload(c.ClipFileID)
	wantCode(t, err, StorageFull, "storage_full")
	_, err = w.CreateExport(u.UUID, p.UUID, NewExport{})
	wantCode(t, err, StorageFull, "storage_full")
	must(t, w.DeleteClip(u.UUID, c.UUID))
	w.Store.o.MinFreeBytes = 1
	e := get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
	get(w.FinishExport(w.claim(), w.temp(5), media.RenderResult{}))(t)
	must(t, w.DeleteExport(u.UUID, e.UUID))
	w.clean()
}

// A file where the folder of the search index belongs moves aside, because the index is a cache.
func TestFileInPlaceOfTheIndexMovesAside(t *testing.T) {
	t.Parallel()
	w := open(t)
	must(t, w.Close())
	path := filepath.Join(w.opts.Dir, "index")
	must(t, os.RemoveAll(path))
	must(t, os.WriteFile(path, []byte("mine"), 0o600))
	w.start()
	w.settled()
	w.clean()
	if text := get(os.ReadFile(path + ".moved"))(t); string(text) != "mine" {
		t.Errorf("the moved file holds %q", text)
	}
}
