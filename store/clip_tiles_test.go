package store

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"roughcut/media"
)

// leaving uploads a clip whose ingest leaves the tiles.
func (w *world) leaving(p Project) Clip {
	w.t.Helper()
	c := w.uploaded(p, 1000)
	get(w.ConfirmClip(p.UserUUID, p.UUID, c.UUID))(w.t)
	r := w.ingested(60_000)
	r.ProxyTemp, r.SpriteTemp, r.Ingested.Sprite, r.Ingested.Motion = "", "", media.Sprite{}, nil
	r.Ingested.TilesLeft = true
	return get(w.FinishClip(w.claim(), r))(w.t)
}

// claimTiles claims the tiles job of a clip.
func (w *world) claimTiles(c Clip) Job {
	w.t.Helper()
	j, ok, err := w.ClaimTiles(w.t.Context())
	if err != nil || !ok || j.Kind != JobTiles || j.Subject != c.ClipFileID {
		w.t.Fatalf("job %+v, %v %v", j, ok, err)
	}
	return j
}

func tilesOf(motion ...byte) media.TilesResult {
	return media.TilesResult{
		Sprite: media.Sprite{TileWidth: 160, TileHeight: 90, TilesPerRow: 10, TotalTiles: 60, SecondsPerTile: 1},
		Motion: motion,
	}
}

// A clip is ready before its sprite sheet. A restart, a crash, the trash and a failure in between
// leave a clip that works.
func TestClipsGetTheirTilesLater(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.leaving(p)
	if c.Status != ClipReady || c.SpriteKey() != "" {
		t.Fatalf("the clip is %s with %q", c.Status, c.SpriteKey())
	}
	if j, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Fatalf("tiles occupy a worker: %+v %v", j, err)
	}
	w.claimTiles(c)
	w.clean()
	w.reopen() // as after a crash
	w.clean()

	must(t, w.DeleteClip(u.UUID, c.UUID))
	w.clean()
	if _, ok, err := w.ClaimTiles(t.Context()); ok || err != nil {
		t.Errorf("tiles of a clip in the trash: %v", err)
	}
	must(t, w.RestoreTrashed(u.UUID, p.UUID, c.UUID))
	w.clean()

	j := w.claimTiles(c)
	got := get(w.FinishTiles(j, w.temp(20), tilesOf(0, 90)))(t)
	if got.SpriteKey() == "" || gone(w.FilePath(got.SpriteKey())) || got.Sprite.TotalTiles != 60 {
		t.Errorf("the clip has the sprite %+v", got.Sprite)
	}
	_, err := w.FinishTiles(j, w.temp(20), tilesOf())
	if !errors.Is(err, ErrStaleJob) {
		t.Errorf("a second result: %v", err)
	}
	w.clean()

	other := w.leaving(p)
	get(w.FailTiles(w.claimTiles(other), "It broke."))(t)
	if got := get(w.Clip(u.UUID, other.UUID))(t); got.Status != ClipReady {
		t.Errorf("a clip without tiles is %s", got.Status)
	}
	w.clean()

	third := w.leaving(p)
	must(t, w.RemakeClip(w.claimTiles(third)))
	w.clean()
	again := w.ingest(61_000)
	if *again.DurationMS != 60_000 || again.SpriteKey() == "" || gone(w.FilePath(again.ProxyKey())) {
		t.Errorf("the clip was made again as %+v of %d ms", again.Sprite, *again.DurationMS)
	}
	w.clean()

	last := w.leaving(p)
	w.claimTiles(last)
	must(t, w.DeleteClip(u.UUID, last.UUID))
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	w.clean()
}

// An analysis that keeps demonstrations waits for the motion, any other does not.
func TestAnalysisWaitsForTheMotionItNeeds(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.leaving(p)
	run := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	job := w.claim()
	if job.Subject != run.UUID {
		t.Fatalf("job %+v", job)
	}
	get(w.StartRun(job))(t)
	must(t, w.SaveEvidence(job, []byte("evidence")))
	if in := get(w.ReplanInput(u.UUID, p.UUID, run.UUID))(t); !in.MotionLeft || len(in.Motion) != 0 {
		t.Errorf("the input of a replan says %v, %v", in.MotionLeft, in.Motion)
	}
	get(w.CancelRun(u.UUID, p.UUID, run.UUID))(t)

	careful := AnalysisSettings{CutOptions: media.CutOptions{KeepDemonstrations: true}}
	run = get(w.StartAnalysis(u.UUID, p.UUID, careful))(t)
	if j, ok, err := w.ClaimJob(t.Context()); ok || err != nil || !run.WaitsForClips {
		t.Fatalf("the analysis started without the motion: %+v %v", j, err)
	}
	w.clean()
	get(w.FinishTiles(w.claimTiles(c), w.temp(20), tilesOf(0, 90, 3)))(t)
	job = w.claim()
	in := get(w.StartRun(job))(t)
	must(t, w.SaveEvidence(job, []byte("evidence")))
	if !slices.Equal(in.Clips[0].Motion, []byte{0, 90, 3}) {
		t.Errorf("the analysis gets the motion %v", in.Clips[0].Motion)
	}
	if in := get(w.ReplanInput(u.UUID, p.UUID, run.UUID))(t); in.MotionLeft || len(in.Motion[c.UUID]) != 3 {
		t.Errorf("the input of a replan says %v, %v", in.MotionLeft, in.Motion)
	}
	w.clean()
}

// A clip without tiles says why, in each of its duplicates. A person can repeat the job, and edits
// that keep demonstrations wait for it then.
func TestFailedTilesCanBeRepeated(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.leaving(p)
	get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	job := w.claim()
	get(w.StartRun(job))(t)
	run := get(w.FinishAnalysis(job, AnalysisResult{Evidence: []byte("evidence")}))(t)
	other := get(w.DuplicateClip(u.UUID, c.UUID, Change{UUID: w.NewID()}))(t)
	careful := AnalysisSettings{CutOptions: media.CutOptions{KeepDemonstrations: true}}
	_, _, err := w.ReplaceDetectedEdits(u.UUID, p.UUID, run.UUID, careful, Proposal{MotionLeft: true})
	must(t, err)
	_, err = w.RetryTiles(u.UUID, c.UUID)
	wantCode(t, err, Conflict, "conflict")

	for range maxAttempts { // three crashes
		w.claimTiles(c)
		w.reopen()
	}
	w.clean()
	for _, id := range []string{c.UUID, other.UUID} {
		got := get(w.Clip(u.UUID, id))(t)
		if got.TilesLeft || got.TilesError != poisonReason || got.Status != ClipReady {
			t.Errorf("after three crashes the clip is %s with %q", got.Status, got.TilesError)
		}
	}
	events, _, err := w.EventsSince(p.UUID, 0)
	must(t, err)
	if last := events[len(events)-1]; last.Type != "CLIP_TILES_FAILED" || !bytes.Contains(last.Data, []byte(c.UUID)) {
		t.Errorf("the last event is %s %s", last.Type, last.Data)
	}
	if list := get(w.MotionRuns(""))(t); len(list) != 1 || list[0].UUID != run.UUID {
		t.Fatalf("runs to derive without the motion: %+v", list)
	}
	_, _, err = w.ReplaceDetectedEdits(u.UUID, p.UUID, run.UUID, careful, Proposal{})
	must(t, err)
	if list := get(w.MotionRuns(""))(t); len(list) != 0 {
		t.Fatalf("runs to derive without the motion: %+v", list)
	}

	if got := get(w.RetryTiles(u.UUID, other.UUID))(t); !got.TilesLeft || got.TilesError != "" {
		t.Errorf("the repetition makes %+v", got)
	}
	w.clean()
	_, err = w.RetryTiles(u.UUID, c.UUID)
	wantCode(t, err, Conflict, "conflict")
	get(w.FinishTiles(w.claimTiles(c), w.temp(20), tilesOf(0, 90, 3)))(t)
	if list := get(w.MotionRuns(""))(t); len(list) != 1 || list[0].UUID != run.UUID {
		t.Errorf("runs to derive with the motion: %+v", list)
	}
	w.clean()
}
