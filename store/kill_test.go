package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store/account"
	"roughcut/store/billing"
)

// killEnv makes the test binary the process to kill. Its value is the data directory.
const killEnv = "ROUGHCUT_STORE_KILL"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killEnv); dir != "" {
		victim(dir)
		return
	}
	os.Exit(m.Run())
}

// ack is an operation that succeeded. It is printed only after the store returned.
type ack struct {
	// user project uploaded confirmed ready failed deleted started completed runfailed exported
	// exportdone
	Op   string
	ID   string
	Size int64
}

// victim performs random operations on a data directory and prints those that succeeded, until it
// is killed.
func victim(dir string) {
	s, err := Open(context.Background(), Options{
		Dir:          dir,
		MinFreeBytes: 1,
		TierTable: billing.TierTable{Tiers: map[billing.Tier]billing.Entitlements{
			billing.Free:    {StorageQuotaBytes: 1 << 40, MaxProjects: 1 << 20},
			billing.Creator: {StorageQuotaBytes: 1 << 40, MaxProjects: 1 << 20, ExportRetention: time.Hour},
		}},
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		fmt.Println("open:", err)
		os.Exit(1)
	}
	v := &killed{s: s, random: rand.New(rand.NewPCG(uint64(os.Getpid()), 1)), out: json.NewEncoder(os.Stdout)}
	fmt.Println(`{"Op":"open"}`)
	for {
		if err := v.step(); err != nil {
			var e *Error
			if !errors.As(err, &e) && !errors.Is(err, ErrStaleJob) {
				fmt.Println("fault:", err)
				os.Exit(1)
			}
		}
	}
}

// killed is the state of the process to kill.
type killed struct {
	s       *Store
	random  *rand.Rand
	out     *json.Encoder
	user    string
	project string
}

func (v *killed) ack(op, id string, size int64) error { return v.out.Encode(ack{op, id, size}) }

// step performs one random operation.
func (v *killed) step() error {
	if v.user == "" || v.random.IntN(40) == 0 {
		return v.newUser()
	}
	if v.project == "" || v.random.IntN(15) == 0 {
		p, err := v.s.CreateProject(v.user, "Talk", nil)
		if err != nil {
			return err
		}
		v.project = p.UUID
		return v.ack("project", p.UUID, 0)
	}
	switch v.random.IntN(11) {
	case 10:
		return v.throwAway()
	case 0, 1, 2:
		return v.upload()
	case 3:
		return v.deleteClip()
	case 4:
		return v.analyze()
	case 5:
		e, err := v.s.CreateExport(v.user, v.project, NewExport{Name: "out"})
		if err != nil {
			return err
		}
		return v.ack("exported", e.UUID, 0)
	default:
		return v.work()
	}
}

func (v *killed) newUser() error {
	name := v.s.NewID()
	u, err := v.s.CreateUser(account.User{Name: name, Username: name, Email: name + "@example.org"})
	if err != nil {
		return err
	}
	if err := v.s.VerifyEmail("token-"+u.UUID, u.UUID, v.s.Now().Add(time.Hour)); err != nil {
		return err
	}
	v.user, v.project = u.UUID, ""
	return v.ack("user", u.UUID, 0)
}

func (v *killed) upload() error {
	size := int64(1 + v.random.IntN(5000))
	c, err := v.s.PresignClip(v.user, v.project, "talk.mp4", "video/mp4", size)
	if err != nil {
		return err
	}
	up, err := v.s.OpenUpload(c.ClipFileID)
	if err != nil {
		return err
	}
	if _, err := up.Write(make([]byte, size)); err != nil {
		return err
	}
	if v.random.IntN(8) == 0 {
		return up.Abort()
	}
	if err := errors.Join(up.Commit(), v.ack("uploaded", c.UUID, size)); err != nil {
		return err
	}
	if v.random.IntN(8) == 0 {
		return nil // never confirmed
	}
	if _, _, err := v.s.ConfirmClip(v.user, v.project, c.UUID); err != nil {
		return err
	}
	return v.ack("confirmed", c.UUID, size)
}

// throwAway creates a project with content and deletes it without an acknowledgement.
func (v *killed) throwAway() error {
	p, err := v.s.CreateProject(v.user, "Not wanted", nil)
	if err != nil {
		return err
	}
	c, err := v.s.PresignClip(v.user, p.UUID, "talk.mp4", "video/mp4", 10)
	if err != nil {
		return err
	}
	up, err := v.s.OpenUpload(c.ClipFileID)
	if err != nil {
		return err
	}
	if _, err := up.Write(make([]byte, 10)); err != nil {
		return err
	}
	if err := up.Commit(); err != nil {
		return err
	}
	if _, _, err := v.s.ConfirmClip(v.user, p.UUID, c.UUID); err != nil {
		return err
	}
	if err := v.s.update(func(t *txn) error { return manyMarkers(t, p.UUID) }); err != nil {
		return err
	}
	return v.s.DeleteProject(v.user, p.UUID)
}

// manyMarkers gives a project more rows than one transaction of a deletion may delete.
func manyMarkers(t *txn, projectUUID string) (err error) {
	for range 3 * erasedAtOnce {
		row := &markerRow{Marker: Marker{UUID: t.NewID(), ProjectUUID: projectUUID}}
		err = errors.Join(err, markers.Put(t, row))
	}
	return err
}

func (v *killed) deleteClip() error {
	list, err := v.s.Clips(v.user, v.project)
	if err != nil || len(list) == 0 {
		return err
	}
	c := list[v.random.IntN(len(list))]
	if err := v.s.DeleteClip(v.user, c.UUID); err != nil {
		return err
	}
	if err := v.ack("deleted", c.UUID, 0); err != nil || v.random.IntN(2) == 0 {
		return err
	}
	return v.s.EmptyTrash(v.user, v.project)
}

func (v *killed) analyze() error {
	run, err := v.s.StartAnalysis(v.user, v.project, AnalysisSettings{})
	if err != nil {
		return err
	}
	return v.ack("started", run.UUID, 0)
}

// work claims a job and finishes, fails or releases it.
func (v *killed) work() error {
	j, ok, err := v.s.ClaimJob(context.Background())
	if err != nil || !ok {
		return err
	}
	switch fate := v.random.IntN(10); {
	case fate == 0:
		return v.s.ReleaseJob(j)
	case fate == 1:
		return v.fail(j)
	}
	switch j.Kind {
	case JobClip:
		return v.finishClip(j)
	case JobAnalysis:
		return v.finishRun(j)
	}
	if err := v.s.StartExport(j); err != nil {
		return err
	}
	path, err := v.temp(300)
	if err != nil {
		return err
	}
	if _, err := v.s.FinishExport(j, path, media.RenderResult{DurationMS: 1000}); err != nil {
		return err
	}
	return v.ack("exportdone", j.Subject, 0)
}

func (v *killed) fail(j Job) error {
	switch j.Kind {
	case JobClip:
		return errors.Join(v.s.FailClip(j, "no video"), v.ack("failed", j.Subject, 0))
	case JobAnalysis:
		return errors.Join(v.s.FailAnalysis(j, "no speech"), v.ack("runfailed", j.Subject, 0))
	}
	return v.s.FailExport(j, "no render")
}

func (v *killed) temp(size int) (string, error) {
	path, err := v.s.TempPath(".bin")
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, make([]byte, size), 0o600)
}

func (v *killed) finishClip(j Job) error {
	proxy, err := v.temp(200)
	if err != nil {
		return err
	}
	r := ClipResult{
		ProxyTemp: proxy,
		Ingested:  media.IngestResult{Info: media.Info{DurationMS: 2000}, Peaks: []byte{1}},
	}
	if _, err := v.s.FinishClip(j, r); err != nil {
		return err
	}
	return v.ack("ready", j.Subject, 0)
}

func (v *killed) finishRun(j Job) error {
	in, err := v.s.StartRun(j)
	if err != nil {
		return err
	}
	r := AnalysisResult{Language: "en"}
	for _, c := range in.Clips {
		r.Transcripts = append(r.Transcripts, speech(c.UUID, "hello", "again"))
		r.Edits = append(r.Edits, silence(c.UUID, 500, 900))
	}
	if _, err := v.s.FinishAnalysis(j, r); err != nil {
		return err
	}
	return v.ack("completed", j.Subject, 0)
}

// TestKilledAtRandom kills a working process many times. After each kill all invariants hold, and
// all acknowledged operations have taken effect.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	rounds := 55
	if testing.Short() {
		rounds = 10
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(7, 7))
	truth := newTruth()
	acked := 0
	for round := range rounds {
		acks := killOnce(t, dir, 4+random.IntN(32), time.Duration(random.IntN(4000))*time.Microsecond)
		acked += len(acks)
		for _, a := range acks {
			truth.learn(a)
		}
		truth.check(t, dir)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	t.Logf("%d kills, %d acknowledged operations", rounds, acked)
	if acked < rounds*4 {
		t.Errorf("only %d operations were acknowledged", acked)
	}
}

// killOnce waits until a process has acknowledged some operations, kills it shortly after, and
// returns all acknowledgements.
func killOnce(t *testing.T, dir string, after int, delay time.Duration) []ack {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	var acks []ack
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		var a ack
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			if strings.HasPrefix(lines.Text(), "{") {
				break // truncated by the kill
			}
			t.Errorf("the process says: %s", lines.Text())
			break
		}
		acks = append(acks, a)
		if n == after {
			timer := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
			defer timer.Stop()
		}
	}
	_ = cmd.Process.Kill()
	if err := cmd.Wait(); err == nil {
		t.Error("the process ended before it was killed")
	}
	return acks
}

// truth is the state that the acknowledged operations promise.
type truth struct {
	last     map[string]ack // by subject
	size     map[string]int64
	vanished int // clips that this kill may have deleted without an acknowledgement
}

func newTruth() *truth {
	return &truth{last: map[string]ack{}, size: map[string]int64{}}
}

func (w *truth) learn(a ack) {
	w.last[a.ID] = a
	if a.Size > 0 {
		w.size[a.ID] = a.Size
	}
}

// check opens the data directory, checks all invariants, and compares the data with every promise.
func (w *truth) check(t *testing.T, dir string) {
	t.Helper()
	s, err := Open(context.Background(), Options{Dir: dir, MinFreeBytes: 1, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	found, err := s.Check(context.Background())
	must(t, err)
	for _, f := range found {
		t.Errorf("%s: %s", f.Code, f.Message)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
	w.vanished = 0
	must(t, s.view(func(tx *txn) error {
		if n := deletions.Len(tx) + markers.Len(tx)%(3*erasedAtOnce); n > 0 {
			t.Errorf("%d rows of deleted projects are left", n)
		}
		for id, a := range w.last {
			if problem := w.broken(tx, id, a); problem != "" {
				t.Errorf("%s of %s was acknowledged, but %s", a.Op, id, problem)
			}
		}
		return jobs.Each(tx, func(r *jobRow) error {
			if r.State != jobQueued {
				t.Errorf("job %s is %s after a start", r.UUID, r.State)
			}
			return nil
		})
	}))
}

// broken returns how the data breaks a promise. A later operation may have succeeded without its
// acknowledgement, so the data may be ahead of a promise, but never behind it.
func (w *truth) broken(t *txn, id string, a ack) string {
	state := func(status string, allowed ...string) string {
		for _, ok := range allowed {
			if status == ok {
				return ""
			}
		}
		return "it is " + status
	}
	switch a.Op {
	case "user":
		if u, _ := t.registry().User(id); !u.EmailVerified {
			return "the account is not there"
		}
	case "project":
		if row, _ := projects.Find(t, id); row == nil {
			return "the project is not there"
		}
	case "uploaded", "confirmed", "ready", "failed", "deleted":
		row, _ := clips.Find(t, id)
		return w.brokenClip(t, a, row, state)
	case "started", "completed", "runfailed":
		row, _ := runs.Find(t, id)
		if row == nil {
			return "the run is not there"
		}
		allowed := map[string][]string{
			"started":   {RunQueued, StatusCompleted, StatusFailed},
			"completed": {StatusCompleted},
			"runfailed": {StatusFailed},
		}
		return state(row.Status, allowed[a.Op]...)
	case "exported", "exportdone":
		row, _ := exports.Find(t, id)
		if row == nil {
			return "the export is not there"
		}
		if a.Op == "exportdone" {
			return state(row.Status, StatusCompleted)
		}
	}
	return ""
}

func (w *truth) brokenClip(t *txn, a ack, row *clipRow, state func(string, ...string) string) string {
	if a.Op == "deleted" {
		if row != nil && row.Trashed == nil {
			return "the clip is still there"
		}
		return ""
	}
	if row == nil {
		return w.missing(a)
	}
	if a.Op != "failed" && row.Status != ClipFailed {
		size := w.size[row.UUID] // 0 for a clip that throwAway was about to delete
		if file, _ := files.Find(t, clipKey(row.ClipFileID, fileOriginal)); file == nil ||
			(size > 0 && file.Size != size) {
			return "its file is not there"
		}
	}
	allowed := map[string][]string{
		"uploaded": {
			ClipPending,
			ClipProcessing,
			ClipReady,
			ClipFailed,
		},
		"confirmed": {ClipProcessing, ClipReady, ClipFailed},
		"ready":     {ClipReady},
		"failed":    {ClipFailed},
	}
	return state(row.Status, allowed[a.Op]...)
}

// missing judges a missing clip. The only explanation is one deletion that succeeded without its
// acknowledgement when the process was killed.
func (w *truth) missing(a ack) string {
	w.vanished++
	delete(w.last, a.ID)
	if w.vanished > 1 {
		return "the clip is not there"
	}
	return ""
}
