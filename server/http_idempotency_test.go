package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/server/contract"
	"roughcut/store"
)

// retry sends a request with an Idempotency-Key.
func (p *person) retry(key, method, path string, body any) *reply {
	p.w.t.Helper()
	r := p.request(method, path, body)
	r.Header.Set(idempotencyHeader, key)
	return p.w.send(r)
}

// wantReplay checks that a reply is a kept response, the same as the first one.
func (r *reply) wantReplay(first *reply) {
	r.t.Helper()
	if r.status != first.status || !bytes.Equal(r.body, first.body) || r.header.Get(replayedHeader) != "true" ||
		r.header.Get("Content-Type") != first.header.Get("Content-Type") || first.header.Get(replayedHeader) != "" {
		r.t.Errorf("%s: %d %s %v; the first time %d %s", r.what, r.status, r.body, r.header, first.status, first.body)
	}
}

func TestRetryGivesTheFirstAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.person("ada"), w.person("bob")
	talk := map[string]any{"name": "Talk"}
	create := func(key string) *reply { return ada.retry(key, "POST", "/api/v1/projects/", talk) }
	first := create("one").want(201, "")
	create("one").wantReplay(first)
	create(`"one"`).wantReplay(first)
	ada.retry("one", "POST", "/api/v1/projects", talk).wantReplay(first)
	bob.retry("one", "POST", "/api/v1/projects/", talk).want(201, "")
	ada.scopedToken(map[string]any{}).retry("one", "POST", "/api/v1/projects/", talk).wantReplay(first)
	total := func(want string) {
		t.Helper()
		if got := ada.do("GET", "/api/v1/projects/", nil).want(200, "").text("total"); got != want {
			t.Errorf("%s projects, want %s", got, want)
		}
	}
	total("1")
	ada.retry("one", "POST", "/api/v1/projects/", map[string]any{"name": "Other"}).want(422, "key_reused")
	ada.retry("one", "POST", "/api/v1/projects/?a=b", talk).want(422, "key_reused")
	ada.retry("one", "POST", "/api/v1/asset-groups/", talk).want(422, "key_reused")
	w.restart(func(*store.Options) {})
	w.clock.Advance(store.ResponseTime - time.Second)
	create("one").wantReplay(first)
	total("1")
	w.clock.Advance(time.Second)
	if again := create("one").want(201, ""); again.text("uuid") == first.text("uuid") {
		t.Error("the response is kept for more than a day")
	}
	total("2")
}

func TestRetryOfWhatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	project := "/api/v1/projects/" + ada.project("Talk")
	// A rule refuses it again, although the project has a recording by now.
	first := ada.retry("rule", "POST", project+"/analyze", map[string]any{}).want(400, "no_clips")
	ada.readyClip(strings.TrimPrefix(project, "/api/v1/projects/"))
	ada.retry("rule", "POST", project+"/analyze", map[string]any{}).wantReplay(first)
	// What comes before the operation leaves the key as new.
	ada.retry("shape", "POST", "/api/v1/projects/", map[string]any{"name": 1}).want(422, "unprocessable")
	ada.retry("shape", "POST", "/api/v1/projects/", map[string]any{"name": "Talk"}).want(201, "")
	for _, key := range []string{"", `""`, "two words", strings.Repeat("k", 256), "ü"} {
		ada.retry(key, "POST", "/api/v1/projects/", map[string]any{"name": "Talk"}).want(422, "unprocessable")
	}
	twice := ada.request("POST", "/api/v1/projects/", map[string]any{"name": "Talk"})
	twice.Header[idempotencyHeader] = []string{"a", "b"}
	w.send(twice).want(422, "unprocessable")
}

// A retry changes nothing again, even if the first request took away what its path names.
func TestRetryChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	ids := everything(ada)
	project := "/api/v1/projects/" + ids["project_uuid"]
	state := func() (all string) {
		for _, list := range []string{"/edit-history", "/edits/", "/clips/", "/trash"} {
			all += string(ada.do("GET", project+list, nil).want(200, "").body)
		}
		return all
	}
	ada.do("DELETE", "/api/v1/exports/"+ids["trashed_uuid"], nil).want(204, "")
	for n, c := range []struct {
		path string
		body map[string]any
	}{
		{project + "/trash/" + ids["trashed_uuid"] + "/restore", nil},
		{project + "/edit-history/undo", nil},
		{project + "/edits/", map[string]any{"type": "manual", "start_ms": 100, "end_ms": 200}},
		{project + "/transcript/replace", map[string]any{"find": "new", "replace": "old"}},
		{project + "/clips/presign", map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 9}},
		{"/api/v1/users/me/presets", map[string]any{"name": "slow"}},
	} {
		key := fmt.Sprint(n)
		first := ada.retry(key, "POST", c.path, c.body)
		if first.status >= 300 {
			t.Errorf("%s: %d %s", c.path, first.status, first.body)
		}
		before := state()
		ada.retry(key, "POST", c.path, c.body).wantReplay(first)
		if after := state(); after != before {
			t.Errorf("%s: the retry made of\n%s\nthis:\n%s", c.path, before, after)
		}
	}
}

// Two requests with one key never run at once. A request goes on when its client leaves, and the
// client can come back for the response.
func TestRetryWhileTheFirstRequestRuns(t *testing.T) {
	t.Parallel()
	began, end := make(chan bool), make(chan bool)
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.LookUpImport = func(ctx context.Context, address string) (store.NewImport, error) {
			began <- true
			select {
			case <-end:
			case <-ctx.Done():
				return store.NewImport{}, ctx.Err()
			}
			return lookUpTalk(ctx, address)
		}
	})
	ada := w.person("ada")
	path := "/api/v1/projects/" + ada.project("Talk") + "/clips/video-import"
	body := map[string]any{"url": "https://example.org/talk.mp4"}

	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error)
	r := ada.request("POST", path, body).WithContext(leaving)
	r.Header.Set(idempotencyHeader, "key")
	go func() {
		response, err := w.client.Do(r)
		if err == nil {
			response.Body.Close()
		}
		left <- err
	}()
	<-began
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Fatalf("the client that left got %v", err)
	}

	running := ada.retry("key", "POST", path, body).want(409, "request_in_progress")
	if running.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", running.header.Get("Retry-After"))
	}
	end <- true
	var again *reply
	for again == nil || again.status == http.StatusConflict { // until the first request has ended
		again = ada.retry("key", "POST", path, body)
	}
	again.want(202, "")
	ada.retry("key", "POST", path, body).want(202, "").wantReplay(&reply{
		t: again.t, status: again.status, body: again.body,
		header: http.Header{"Content-Type": again.header["Content-Type"]},
	})
	ada.do("GET", strings.TrimSuffix(path, "video-import"), nil).shows(map[string]any{"total": 1.0})
}

// Of many copies of a request, exactly one acts.
func TestCopiesOfARequestActOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			r := ada.retry("key", "POST", "/api/v1/projects/", map[string]any{"name": "Talk"})
			if r.status != http.StatusCreated && r.text("code") != "request_in_progress" {
				t.Errorf("%d %s", r.status, r.body)
			}
		})
	}
	group.Wait()
	ada.do("GET", "/api/v1/projects/", nil).shows(map[string]any{"total": 1.0})
}

// A refusal for a reason that passes leaves the key as new.
func TestRetryAfterWhatPasses(t *testing.T) {
	t.Parallel()
	var refusal error
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.LookUpImport = func(ctx context.Context, address string) (store.NewImport, error) {
			if refusal != nil {
				return store.NewImport{}, refusal
			}
			return lookUpTalk(ctx, address)
		}
	})
	ada := w.person("ada")
	path := "/api/v1/projects/" + ada.project("Talk") + "/clips/video-import"
	body := map[string]any{"url": "https://example.org/talk.mp4"}
	refusal = &store.Error{
		Kind: store.RateLimited, Code: "rate_limited", Message: "Try later.", RetryAfter: time.Second,
	}
	ada.retry("key", "POST", path, body).want(429, "rate_limited")
	refusal = &store.Error{Kind: store.StorageFull, Code: "storage_full", Message: "Try later."}
	ada.retry("key", "POST", path, body).want(507, "storage_full")
	refusal = nil
	ada.retry("key", "POST", path, body).want(202, "")
}

func TestRetryAfterACrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	path, body := "/api/v1/projects/", map[string]any{"name": "Talk"}
	first := ada.retry("key", "POST", path, body).want(201, "")
	kept, err := w.store.Response(ada.user.UUID, "key")
	if err == nil {
		err = w.store.BeginResponse(ada.user.UUID, "key", kept.Request) // as before the server had acted
	}
	if err != nil {
		t.Fatal(err)
	}
	ada.retry("key", "POST", path, body).want(409, "response_unknown")
	ada.do("GET", path+first.text("uuid"), nil).want(200, "")
}

// A fault of the server may have come after a change, so its key is not as new.
func TestRetryAfterAFault(t *testing.T) {
	t.Parallel()
	broken := true
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Replan = func(in store.ReplanInput) (store.Proposal, error) {
			if broken {
				return store.Proposal{}, errors.New("broken")
			}
			return replanTwo(in)
		}
	})
	w.faulty = true
	ada := w.person("ada")
	project := ada.project("Talk")
	run := ada.analyze(project, ada.readyClip(project))
	path := "/api/v1/projects/" + project + "/analysis-runs/" + run + "/replan"
	body := map[string]any{"pacing_level": 80, "false_start_sensitivity": 50}
	ada.retry("key", "POST", path, body).want(500, "internal")
	broken = false
	ada.retry("key", "POST", path, body).want(409, "response_unknown")
	ada.retry("another-key", "POST", path, body).want(200, "")
}

// A response with a secret is not in the database, and its retry says what to revoke.
func TestResponsesWithSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	for _, path := range []string{"/api/v1/users/me/tokens", "/api/v1/admin/invitations"} {
		body := map[string]any{"name": "ci"}
		first := ada.retry(path, "POST", path, body).want(201, "")
		ada.retry(path, "POST", path, body).want(409, "response_not_kept").
			shows(map[string]any{"created_uuid": first.text("uuid")})
		kept, err := w.store.Response(ada.user.UUID, path)
		if err != nil || kept.Body != nil {
			t.Errorf("%s: %q is kept, %v", path, kept.Body, err)
		}
		ada.do("DELETE", path+"/"+first.text("uuid"), nil).want(204, "")
	}
}

// Every operation that takes a key refuses one that another request has or had, before it looks at
// what the path names. Operations that change nothing ignore keys.
func TestEveryPostTakesAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	owner := w.launched()
	user := owner.user.UUID
	if err := w.store.BeginResponse(user, "old", []byte("another request")); err != nil {
		t.Fatal(err)
	}
	w.server.keysInUse.Store(user+" running", true)
	without := map[string]string{
		"compareTimeline": "changes nothing",
		"estimateExport":  "changes nothing",
		"getStill":        "changes nothing",
		"verifyPassword":  "changes nothing",
		"changePassword":  "ends the session",
		"logout":          "ends the session",
		"logoutAll":       "ends the session",
	}
	for _, op := range sortedOperations(w) {
		if op.Access != contract.SignedIn || op.Route.Method != http.MethodPost || without[op.ID] != "" {
			if op.TakesKey {
				t.Errorf("%s takes a key", op.ID)
			}
			continue
		}
		owner.retry("old", "POST", op.Route.Path, map[string]any{}).want(422, "key_reused")
		owner.retry("running", "POST", op.Route.Path, map[string]any{}).want(409, "request_in_progress")
	}
}
