package store

import (
	"math"
	"sync"
	"time"
)

// useHalfLife is the half-life of a user's work in recentUse.
const useHalfLife = 10 * time.Minute

// recentUse is how much work the jobs of each user have recently taken. It decides whose turn is
// next, and is lost when the process ends. The zero value is ready to use.
type recentUse struct {
	mu    sync.Mutex
	users map[string]use
}

// importsPerUser is the maximum number of imports of one user that run at the same time, so that
// slow downloads do not block other users.
const importsPerUser = 3

// use is an amount of work at a time.
type use struct {
	seconds float64
	at      time.Time
}

func (u use) after(now time.Time) float64 {
	return u.seconds * math.Exp2(-float64(max(0, now.Sub(u.at)))/float64(useHalfLife))
}

// add adds work of a user, and forgets users whose work no longer counts.
func (r *recentUse) add(user string, took time.Duration, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, u := range r.users {
		if u.after(now) < 0.01 {
			delete(r.users, name)
		}
	}

	if r.users == nil {
		r.users = map[string]use{}
	}
	r.users[user] = use{r.users[user].after(now) + took.Seconds(), now}
}

// of returns the recent work of a user in seconds.
func (r *recentUse) of(user string, now time.Time) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.users[user].after(now)
}

// JobEnded says that a worker has ended a job, whatever its outcome, and how long it took. The
// time counts against the user's next turns. Workers that wait for the end of a job wake up.
func (s *Store) JobEnded(j Job, took time.Duration) {
	s.recent.add(j.UserUUID, took, s.Now())
	for _, queued := range s.queued {
		wake(queued)
	}
}

// nextJob returns the job to start next, or nil. It prefers the user with the fewest running jobs,
// then the user with the least recent work, then the oldest job. A user has at most importsPerUser
// imports at the same time.
//
// A suspect is a job that ran when the server crashed. It runs alone, so if the server crashes
// again, the suspect is the cause. When it is a suspect's turn, or a suspect of the other workers
// is older than the next job, no job starts until the running ones have ended.
func (t *txn) nextJob(mine lane) (*jobRow, error) {
	running, err := jobs.List(t, jobsByState, jobRunning)
	if err != nil {
		return nil, err
	}
	busy := map[string]int{}
	for _, row := range running {
		if row.Suspect {
			return nil, nil
		}
		if row.Kind.lane() == mine {
			busy[row.UserUUID]++
		}
	}

	queued, err := jobs.List(t, jobsByState, jobQueued)
	if err != nil {
		return nil, err
	}
	var best, suspect *jobRow // suspect: the oldest of the other workers
	least := 0.0
	for _, row := range queued {
		if row.Kind.lane() != mine {
			if row.Suspect && suspect == nil {
				suspect = row
			}
			continue
		}

		if mine == laneImports && busy[row.UserUUID] >= importsPerUser {
			continue
		}
		used := t.s.recent.of(row.UserUUID, t.Now)
		if best == nil || busy[row.UserUUID] < busy[best.UserUUID] ||
			(busy[row.UserUUID] == busy[best.UserUUID] && used < least) {
			best, least = row, used
		}
	}

	if best != nil && ((best.Suspect && len(running) > 0) || (suspect != nil && suspect.Seq < best.Seq)) {
		return nil, nil
	}
	return best, nil
}

// admitJob refuses another job of a user who has too many in the queue. Errors: RateLimited
// too_many_jobs.
func (t *txn) admitJob(userUUID string) error {
	most := t.s.o.MaxQueuedJobs
	if most == 0 {
		return nil
	}
	queued, err := jobs.List(t, jobsByState, jobQueued)
	if err != nil {
		return err
	}
	for _, row := range queued {
		if row.UserUUID == userUUID {
			most--
		}
	}

	if most > 0 {
		return nil
	}
	e := fail(
		RateLimited, "too_many_jobs",
		"You have %d jobs in the queue, which is the maximum. Wait until some have ended, then try again.",
		t.s.o.MaxQueuedJobs,
	)
	e.RetryAfter = time.Minute
	return e
}
