package store

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"roughcut/store/account"
)

func TestAccounts(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := get(
		w.CreateUser(
			account.User{Name: "Ada", Username: "Ada", Email: "Ada@Example.org", PasswordHash: "secret"},
			Mail{To: "ada@example.org"},
		),
	)(t)
	if !first.IsAdmin || first.UUID == "" || first.PasswordHash != "secret" {
		t.Errorf("user %+v", first)
	}
	if raw, _ := json.Marshal(first); strings.Contains(string(raw), "secret") {
		t.Error("the password hash is in the JSON")
	}
	if second := w.user("eve"); second.IsAdmin {
		t.Error("the second account is an admin")
	}
	_, err := w.CreateUser(account.User{Username: "x", Email: "ADA@example.org"}, Mail{To: "nobody"})
	wantCode(t, err, Conflict, "email_taken")
	_, err = w.CreateUser(account.User{Username: "aDA", Email: "x@example.org"})
	wantCode(t, err, Conflict, "username_taken")
	if got := get(w.UserByEmail("aDa@example.ORG"))(t); got.UUID != first.UUID || got.PasswordHash != "secret" {
		t.Errorf("user %+v", got)
	}
	_, err = w.UserByEmail("none@example.org")
	wantCode(t, err, NotFound, "not_found")
	_, err = w.UpdateProfile(first.UUID, "Ada", "EVE")
	wantCode(t, err, Conflict, "username_taken")
	if got := get(w.UpdateProfile(first.UUID, "Ada L", "adal"))(t); got.Name != "Ada L" {
		t.Errorf("user %+v", got)
	}
	get(w.CreateUser(account.User{Username: "ada", Email: "y@example.org"}))(t)
	due := get(w.DueMails(10))(t)
	if len(due) != 1 || due[0].To != "ada@example.org" {
		t.Errorf("mails %+v", due)
	}
	w.clean()
}

func TestMailsAreRetried(t *testing.T) {
	t.Parallel()
	w := open(t)
	must(t, w.QueueMails(Mail{To: "ada@example.org"}))
	<-w.MailQueued()
	m := get(w.DueMails(10))(t)[0]
	must(t, w.MailFailed(m.UUID, "no route"))
	if due := get(w.DueMails(10))(t); len(due) != 0 {
		t.Errorf("due at once: %+v", due)
	}
	w.reopen()
	w.clock.Advance(mailBackoff)
	if due := get(w.DueMails(10))(t); len(due) != 1 || due[0].Attempts != 1 {
		t.Errorf("due: %+v", due)
	}
	for range mailAttempts - 1 {
		must(t, w.MailFailed(m.UUID, "no route"))
	}
	w.clock.Advance(24 * time.Hour)
	if due := get(w.DueMails(10))(t); len(due) != 0 {
		t.Errorf("the mail was not dropped: %+v", due)
	}
	must(t, w.MailSent(m.UUID))
}

func TestSessions(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	ttl := 30 * 24 * time.Hour
	must(
		t,
		w.CreateSession(
			account.Session{Hash: "one", UserUUID: u.UUID, CSRF: "c", CreatedAt: w.Now(), ExpiresAt: w.Now().Add(ttl)},
			0,
		),
	)
	two := account.Session{Hash: "two", UserUUID: u.UUID, CreatedAt: w.Now(), ExpiresAt: w.Now().Add(ttl)}
	must(t, w.CreateSession(two, 0))
	start := w.Now()
	w.clock.Advance(ttl / 25)
	if s, owner, err := w.Session("one", ttl); err != nil || owner.UUID != u.UUID || s.CSRF != "c" ||
		!s.ExpiresAt.Equal(start.Add(ttl)) {
		t.Errorf("session %+v %v", s, err)
	}
	w.clock.Advance(ttl / 2)
	if s, _, err := w.Session("one", ttl); err != nil || !s.ExpiresAt.Equal(w.Now().Add(ttl)) {
		t.Errorf("session %+v %v", s, err)
	}
	w.clock.Advance(ttl / 2)
	if _, _, err := w.Session("two", ttl); !IsKind(err, NotFound) {
		t.Errorf("an expired session: %v", err)
	}
	if n := get(w.DeleteSessions(u.UUID))(t); n != 1 {
		t.Errorf("%d sessions ended", n)
	}
	if got := get(w.User(u.UUID))(t); got.Epoch != u.Epoch+1 {
		t.Errorf("epoch %d", got.Epoch)
	}
	if _, _, err := w.Session("one", ttl); !IsKind(err, NotFound) {
		t.Errorf("an ended session: %v", err)
	}
	wantCode(
		t,
		w.CreateSession(account.Session{Hash: "late", UserUUID: u.UUID, ExpiresAt: w.Now().Add(ttl)}, 0),
		Unauthenticated,
		"not_authenticated",
	)
	must(t, w.CreateSession(account.Session{Hash: "three", UserUUID: u.UUID, ExpiresAt: w.Now().Add(ttl)}, 1))
	must(t, w.ResetPassword("reset", w.Now().Add(time.Hour), u.UUID, "new"))
	wantCode(t, w.ResetPassword("reset", w.Now().Add(time.Hour), u.UUID, "newer"), Invalid, "invalid_token")
	wantCode(t, w.update(func(t *txn) error { return t.registry().UseToken("old", t.Now) }), Invalid, "invalid_token")
	if _, _, err := w.Session("three", ttl); !IsKind(err, NotFound) {
		t.Errorf("a session after the reset: %v", err)
	}
	if got := get(w.User(u.UUID))(t); got.PasswordHash != "new" {
		t.Errorf("user %+v", got)
	}
	must(t, w.DeleteSession("three"))
}

func TestLockout(t *testing.T) {
	t.Parallel()
	w := open(t)
	l := account.Lockout{MaxAttempts: 5, Window: 15 * time.Minute, Base: time.Minute, Max: time.Hour}
	wait := func(err error) time.Duration {
		t.Helper()
		wantCode(t, err, RateLimited, "locked_out")
		var e *Error
		errors.As(err, &e)
		return e.RetryAfter
	}
	lock := func() time.Duration {
		t.Helper()
		for range 5 {
			must(t, w.LoginAttempt(l, "ip", "name"))
			must(t, w.LoginFailed(l, "ip", "name"))
		}
		return wait(w.LoginFailed(l, "ip", "name"))
	}
	for round, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		if got := lock(); got != want*time.Minute {
			t.Fatalf("round %d lasts %v, want %v", round, got, want*time.Minute)
		}
		w.reopen()
		w.clock.Advance(30 * time.Second)
		if got := wait(w.LoginAttempt(l, "other", "name")); got != want*time.Minute-30*time.Second {
			t.Fatalf("round %d has %v left", round, got)
		}
		wait(w.LoginFailed(l, "ip", "name")) // does not count
		w.clock.Advance(want*time.Minute - 30*time.Second)
		must(t, w.LoginAttempt(l, "ip", "name"))
	}
	w.clock.Advance(2 * time.Hour)
	if got := lock(); got != time.Minute {
		t.Errorf("after two hours without failures a lock lasts %v", got)
	}
	must(t, w.LoginSucceeded("ip", "name"))
	must(t, w.LoginAttempt(l, "ip", "name"))
	if got := lock(); got != time.Minute {
		t.Errorf("after a success a lock lasts %v", got)
	}
	must(t, w.LoginSucceeded("ip", "name"))
	for range 5 {
		must(t, w.LoginFailed(l, "ip"))
		w.clock.Advance(4 * time.Minute)
	}
	must(t, w.LoginFailed(l, "ip")) // the first failures have left the window
}

func TestLockoutRoundExpiresWithAnyWindow(t *testing.T) {
	t.Parallel()
	w := open(t)
	l := account.Lockout{MaxAttempts: 0, Window: time.Hour, Base: time.Minute, Max: 4 * time.Minute}
	for _, c := range []struct{ after, want time.Duration }{
		{0, time.Minute},
		{7 * time.Minute, 2 * time.Minute},
		{8 * time.Minute, time.Minute},
	} {
		w.clock.Advance(c.after)
		var e *Error
		if err := w.LoginFailed(l, "ip"); !errors.As(err, &e) || e.RetryAfter != c.want {
			t.Errorf("after %v: %v, want a lock of %v", c.after, err, c.want)
		}
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 3 {
		must(t, w.Allow("signup:ip", 3, 10*time.Minute))
		w.clock.Advance(time.Minute)
	}
	for range 2 {
		err := w.Allow("signup:ip", 3, 10*time.Minute)
		wantCode(t, err, RateLimited, "rate_limited")
		var e *Error
		if errors.As(err, &e); e.RetryAfter != 7*time.Minute {
			t.Errorf("wait %v", e.RetryAfter)
		}
	}
	must(t, w.Allow("signup:other", 3, 10*time.Minute))
	w.reopen()
	wantCode(t, w.Allow("signup:ip", 3, 10*time.Minute), RateLimited, "rate_limited")
	w.clock.Advance(7 * time.Minute)
	must(t, w.Allow("signup:ip", 3, 10*time.Minute))
	wantCode(t, w.Allow("signup:ip", 3, 10*time.Minute), RateLimited, "rate_limited")
}

func TestProjectsAreSorted(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	var made []Project
	for i, name := range []string{"beta", "Alpha", "gamma"} {
		made = append(made, get(w.CreateProject(u.UUID, name, nil))(t))
		w.clock.Advance(time.Minute)
		w.ready(made[i], int64(1000*(3-i)))
		w.clock.Advance(time.Minute)
	}
	get(w.UpdateProject(u.UUID, made[0].UUID, ProjectChange{Name: ptr("beta")}))(t)
	for sort, want := range map[string]string{
		"":        "gamma Alpha beta",
		"newest":  "gamma Alpha beta",
		"oldest":  "beta Alpha gamma",
		"changed": "beta gamma Alpha",
		"name":    "Alpha beta gamma",
		"longest": "beta Alpha gamma",
	} {
		var names []string
		for page := range 3 {
			list, total, err := w.Projects(u.UUID, ProjectFilter{Sort: sort}, Page{Number: page + 1, Size: 1})
			if err != nil || total != 3 || len(list) != 1 {
				t.Fatalf("%s: %v of %d, %v", sort, list, total, err)
			}
			names = append(names, list[0].Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: got %s, want %s", sort, got, want)
		}
	}
}

func TestProjectLists(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	names := []string{"First Talk", "Second", "third talk"}
	for _, name := range names {
		get(w.CreateProject(u.UUID, name, json.RawMessage(`{"a":1}`)))(t)
	}
	get(w.CreateProject(stranger.UUID, "Talk of another", nil))(t)
	list, total, err := w.Projects(u.UUID, ProjectFilter{}, Page{Number: 2, Size: 2})
	if err != nil || total != 3 || len(list) != 1 || list[0].Name != "First Talk" ||
		string(list[0].Settings) != `{"a":1}` {
		t.Errorf("page 2: %+v of %d, %v", list, total, err)
	}
	list, total, err = w.Projects(u.UUID, ProjectFilter{Query: "TALK"}, Page{Number: 1, Size: 1})
	if err != nil || total != 2 || len(list) != 1 || list[0].Name != "third talk" {
		t.Errorf("found %+v of %d, %v", list, total, err)
	}
	p := list[0]
	changed := get(w.UpdateProject(u.UUID, p.UUID, ProjectChange{Name: ptr("Renamed")}))(t)
	if changed.Name != "Renamed" || string(changed.Settings) != `{"a":1}` {
		t.Errorf("project %+v", changed)
	}
	_, read := w.Project(stranger.UUID, p.UUID)
	for _, err := range []error{read, w.DeleteProject(stranger.UUID, p.UUID)} {
		wantCode(t, err, Forbidden, "forbidden")
	}
	_, err = w.Project(u.UUID, "none")
	wantCode(t, err, NotFound, "not_found")
}

func TestSweepDeletesExpiredRows(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	must(t, w.CreateSession(account.Session{Hash: "one", UserUUID: u.UUID, ExpiresAt: w.Now().Add(time.Hour)}, 0))
	must(t, w.Allow("key", 1, time.Hour))
	limits := account.Lockout{MaxAttempts: 5, Window: time.Minute, Base: time.Minute, Max: time.Minute}
	must(t, w.LoginFailed(limits, "ip"))
	rows := func() int {
		n := 0
		must(t, w.view(func(tx *txn) error {
			for _, name := range []string{"tokens", "sessions", "windows", "lockouts"} {
				n += tx.Bucket([]byte(name)).Stats().KeyN
			}
			return nil
		}))
		return n
	}
	get(w.SweepExpired())(t)
	if n := rows(); n != 4 {
		t.Fatalf("%d rows before they expire", n)
	}
	w.clock.Advance(time.Hour)
	get(w.SweepExpired())(t)
	if n := rows(); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}
