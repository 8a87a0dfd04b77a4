package store

import (
	"testing"
	"time"
)

// Three crashes fail only the job that causes them, although others run at the same time.
func TestOnlyTheJobThatCrashesTheServerFails(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	bomb, good := w.uploaded(p, 10), w.uploaded(p, 10)
	for _, c := range []Clip{bomb, good} {
		get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	}
	for range 4 * maxAttempts {
		// Two workers claim jobs. The server crashes whenever the bomb runs.
		crash := false
		for range 2 {
			j, ok, err := w.ClaimJob(t.Context())
			must(t, err)
			crash = crash || (ok && j.Subject == bomb.UUID)
			if ok && j.Subject == good.UUID && !crash {
				get(w.FinishClip(j, w.ingested(1000)))(t)
			}
		}
		if crash {
			w.reopen()
		}
	}
	if got := get(w.Clip(u.UUID, bomb.UUID))(t); got.Status != ClipFailed || got.Error != poisonReason {
		t.Errorf("the clip that crashes the server is %s: %s", got.Status, got.Error)
	}
	if got := get(w.Clip(u.UUID, good.UUID))(t); got.Status != ClipReady {
		t.Errorf("the other clip is %s: %s", got.Status, got.Error)
	}
	w.clean()
}

// Workers that always have other jobs still come to a suspect.
func TestSuspectDoesNotStarveBehindOtherJobs(t *testing.T) {
	t.Parallel()
	w := open(t)
	ada, eve := w.user("ada"), w.user("eve")
	pa, pe := w.project(ada), w.project(eve)
	confirm := func(p Project) Clip {
		c := w.uploaded(p, 10)
		get(w.ConfirmClip(p.UserUUID, p.UUID, c.UUID))(t)
		return c
	}
	suspect := confirm(pa)
	w.claim()
	w.reopen() // a crash
	w.JobEnded(Job{UserUUID: ada.UUID}, time.Minute)
	confirm(pe)
	confirm(pe)
	j := w.claim()
	if j.UserUUID != eve.UUID {
		t.Fatal("the user with the least recent work is not first")
	}
	if other, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("job %s starts before the suspect, %v", other.Subject, err)
	}
	get(w.FinishClip(j, w.ingested(1000)))(t)
	w.JobEnded(j, 2*time.Minute)
	if j := w.claim(); j.Subject != suspect.UUID {
		t.Errorf("job %s runs in the turn of the suspect", j.Subject)
	}
}

// With isolation, a job that ran alone when the server crashed fails no earlier than others.
func TestIsolatedJobsAreNotBlamedForCrashes(t *testing.T) {
	t.Parallel()
	for _, isolated := range []bool{false, true} {
		w := open(t, func(o *Options) { o.Isolated = isolated })
		u := w.user("ada")
		p := w.project(u)
		c := w.uploaded(p, 10)
		get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
		for range maxAttempts {
			w.claim()
			w.reopen()
		}
		want := ClipFailed
		if isolated {
			want = ClipProcessing
		}
		if got := get(w.Clip(u.UUID, c.UUID))(t); got.Status != want {
			t.Errorf("isolated %t: after %d crashes the clip is %s: %s", isolated, maxAttempts, got.Status, got.Error)
		}
		crashes := maxAttempts
		for {
			if _, ok, err := w.ClaimJob(t.Context()); err != nil || !ok || crashes > 100 {
				break
			}
			crashes++
			w.reopen()
		}
		if isolated && crashes != freeReleases+maxAttempts {
			t.Errorf("a job that always ends the server fails after %d crashes", crashes)
		}
	}
}

// A job whose engine the system killed runs once more, alone.
func TestJobsRunAloneAfterTheSystemKilledTheirEngine(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	for range 2 {
		c := w.uploaded(p, 10)
		get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	}
	j, other := w.claim(), w.claim()
	if again := get(w.RetryAlone(j))(t); !again {
		t.Fatal("the job does not run again")
	}
	if _, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("the job runs beside another, %v", err)
	}
	get(w.FinishClip(other, w.ingested(1000)))(t)
	second := w.claim()
	if again := get(w.RetryAlone(second))(t); again || second.Subject != j.Subject {
		t.Errorf("the job of %s runs a third time: %t", second.Subject, again)
	}
}

// A job that never ends fails after some regular restarts. Quick restarts do not count.
func TestJobThatNeverEndsFailsAfterRestarts(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.uploaded(p, 10)
	get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	for range 20 {
		must(t, w.ReleaseJob(w.claim()))
	}
	restarts := 0
	for {
		j, ok, err := w.ClaimJob(t.Context())
		must(t, err)
		if !ok || restarts > 100 {
			break
		}
		restarts++
		w.clock.Advance(time.Hour)
		must(t, w.ReleaseJob(j))
	}
	got := get(w.Clip(u.UUID, c.UUID))(t)
	if got.Status != ClipFailed || restarts != freeReleases+maxAttempts {
		t.Errorf("after %d restarts the clip is %s: %s", restarts, got.Status, got.Error)
	}
	w.clean()
}

// A hundred queued jobs of one user delay another user by no more than the job that is running.
func TestJobsOfAnotherUserDoNotWaitForAHundred(t *testing.T) {
	t.Parallel()
	w := open(t)
	ada, eve := w.user("ada"), w.user("eve")
	pa, pe := w.project(ada), w.project(eve)
	confirm := func(p Project) {
		c := w.uploaded(p, 10)
		get(w.ConfirmClip(p.UserUUID, p.UUID, c.UUID))(t)
	}
	for range 3 {
		confirm(pa)
	}
	run := func() string {
		j := w.claim()
		w.clock.Advance(time.Minute)
		get(w.FinishClip(j, w.ingested(1000)))(t)
		w.JobEnded(j, time.Minute)
		return j.UserUUID
	}
	if run() != ada.UUID {
		t.Error("the first job is not ada's")
	}
	confirm(pe)
	if run() != eve.UUID {
		t.Error("eve waits for the second job of ada")
	}
	confirm(pe)
	if run() != ada.UUID {
		t.Error("ada waits although both had a turn and hers is longer ago")
	}
}

// A user cannot queue more jobs than allowed, and others still can.
func TestQueuedJobsOfAUserAreLimited(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) { o.MaxQueuedJobs = 2 })
	ada, eve := w.user("ada"), w.user("eve")
	pa, pe := w.project(ada), w.project(eve)
	for n := range 3 {
		c := w.uploaded(pa, 10)
		_, err := w.ConfirmClip(ada.UUID, pa.UUID, c.UUID)
		if n < 2 {
			must(t, err)
		} else {
			wantCode(t, err, RateLimited, "too_many_jobs")
		}
	}
	c := w.uploaded(pe, 10)
	get(w.ConfirmClip(eve.UUID, pe.UUID, c.UUID))(t)
	w.clean()
}

// Slow imports of one user leave slots to others.
func TestImportsOfAUserLeaveSlotsToOthers(t *testing.T) {
	t.Parallel()
	w := open(t)
	ada, eve := w.user("ada"), w.user("eve")
	pa, pe := w.project(ada), w.project(eve)
	for range importsPerUser + 1 {
		w.importing(pa, 10)
	}
	for range importsPerUser {
		w.claimImport()
	}
	if j, ok, err := w.ClaimImport(t.Context()); ok || err != nil {
		t.Errorf("import %s is the fourth of a user, %v", j.Subject, err)
	}
	w.importing(pe, 10)
	if j := w.claimImport(); j.UserUUID != eve.UUID {
		t.Error("eve waits for the imports of ada")
	}
}
