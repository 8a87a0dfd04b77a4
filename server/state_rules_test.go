package server

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/server/problem"
	"roughcut/store"
)

// TestResourceStates checks the state transitions of projects, runs and assets. TestUserStates and
// the TestState functions check the state transitions of users and subscriptions.
func TestResourceStates(t *testing.T) {
	t.Parallel()
	provePromises(t, []promise{
		{"project: none, create: created", func(t *testing.T) {
			p := newWorld(t).person("ada")
			made := p.do("POST", "/api/v1/projects/", map[string]any{"name": "Talk"}).want(201, "")
			made.shows(
				map[string]any{
					"status":        "created",
					"error":         nil,
					"active_run_id": nil,
					"duration_ms":   0,
					"clip_count":    0,
				},
			)
			p.do("GET", "/api/v1/projects/"+made.text("uuid"), nil).want(
				200,
				"",
			).shows(map[string]any{"status": "created", "transcript": nil})
		}},
		{"project: created, analyze: analyzing, credits reserved, pipeline queued", projectIsAnalyzing},
		{"project: analyzing, failure or cancel: previous state", projectReturns},
		{"run: completed, activate: active, transcript copied", activatedRunIsServed},
		{"run: any other, activate: unchanged and 422", otherRunsAreNotActivated},
		{"asset: pending, processing finishes: uploaded", func(t *testing.T) {
			w := newWorld(t)
			p := w.person("ada")
			asset, _ := p.sendAsset("video/mp4", nil)
			p.do("POST", "/api/v1/assets/"+asset+"/confirm", nil).want(
				202,
				"",
			).shows(map[string]any{"status": "pending"})
			p.do("GET", "/api/v1/assets/", nil).shows(map[string]any{"total": 1})
			w.finishAsset("video/mp4")
			if got := p.do("GET", "/api/v1/assets/", nil); got.text("items", 0, "status") != "uploaded" {
				t.Errorf("library %s", got.body)
			}
		}},
		{"asset: pending, processing fails: failed with the reason", func(t *testing.T) {
			w := newWorld(t)
			p := w.person("ada")
			asset, _ := p.sendAsset("video/mp4", nil)
			p.do("POST", "/api/v1/assets/"+asset+"/confirm", nil).want(202, "")
			if err := w.store.FailAsset(w.claim(store.JobAsset), "The file is not a video."); err != nil {
				t.Fatal(err)
			}
			got := p.do("GET", "/api/v1/assets/", nil)
			if got.text("items", 0, "status") != "failed" ||
				got.text("items", 0, "error") != "The file is not a video." {
				t.Errorf("library %s", got.body)
			}
			p.do("GET", "/api/v1/assets/"+asset+"/video-url", nil).want(409, "asset_not_ready")
		}},
		{"asset: copy: pending, then uploaded", func(t *testing.T) {
			w := newWorld(t)
			p := w.person("ada")
			asset := p.readyAsset("video/mp4")
			copied := p.do(
				"POST",
				"/api/v1/assets/"+asset+"/edit",
				map[string]any{"start_ms": 1000, "save_mode": "copy"},
			).want(202, "").text("new_asset_uuid")
			statuses := func() string {
				list := p.do("GET", "/api/v1/assets/", nil).want(200, "")
				return list.text("items", 0, "uuid") + " " + list.text(
					"items",
					0,
					"status",
				) + " " + list.text("items", 1, "status")
			}
			if got := statuses(); got != copied+" pending uploaded" {
				t.Errorf("library %s", got)
			}
			made := store.AssetResult{
				FileTemp: w.temp("trimmed"),
				Asset: media.Asset{
					Kind:        media.KindVideo,
					ContentType: "video/mp4",
					Info:        media.Info{Format: "mov", DurationMS: 7000},
				},
			}
			if _, err := w.store.FinishAsset(w.claim(store.JobAsset), made); err != nil {
				t.Fatal(err)
			}
			if got := statuses(); got != copied+" uploaded uploaded" {
				t.Errorf("library %s", got)
			}
		}},
	})
}

func projectIsAnalyzing(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	clip := p.readyClip(project)
	base := "/api/v1/projects/" + project
	started := p.do("POST", base+"/analyze", map[string]any{}).want(202, "")
	started.shows(map[string]any{"status": "analyzing", "estimated_minutes": 0.17})
	if len(started.value().(map[string]any)) != 3 {
		t.Errorf("analyze responds with %s", started.body)
	}
	p.do("GET", base, nil).shows(map[string]any{"status": "analyzing", "active_run_id": nil})
	p.billing().shows(map[string]any{"credits.ai_minutes.reserved": 0.17, balance: 29.83})
	run := p.do("GET", base+"/analysis-runs/"+started.text("run_uuid"), nil).want(200, "")
	run.shows(
		map[string]any{
			"status":                  "queued",
			"pacing_level":            50,
			"false_start_sensitivity": 50,
			"language":                nil,
			"transcript":              nil,
			"model":                   nil,
		},
	)
	p.do("POST", base+"/analyze", map[string]any{}).want(409, "already_analyzing")
	w.finishAnalysis(clip)
	p.do("GET", base, nil).shows(map[string]any{"status": "analyzed", "active_run_id": started.text("run_uuid")})
}

func projectReturns(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	clip := p.readyClip(project)
	base := "/api/v1/projects/" + project
	start := func() string {
		return p.do("POST", base+"/analyze", map[string]any{}).want(202, "").text("run_uuid")
	}
	fail := func() {
		if err := w.store.FailAnalysis(w.claim(store.JobAnalysis), "broken"); err != nil {
			t.Fatal(err)
		}
	}
	p.do("POST", base+"/analysis-runs/"+start()+"/cancel", nil).want(
		202,
		"",
	).shows(map[string]any{"status": "cancelled", "credits_charged": 0})
	p.do("GET", base, nil).shows(map[string]any{"status": "created"})
	start()
	fail()
	p.do("GET", base, nil).shows(map[string]any{"status": "failed", "error": "broken"})
	p.billing().shows(map[string]any{balance: 30, "credits.ai_minutes.reserved": 0})
	run := p.analyze(project, clip)
	start()
	fail()
	p.do("GET", base, nil).shows(map[string]any{"status": "analyzed", "active_run_id": run})
	p.do("POST", base+"/analysis-runs/"+start()+"/cancel", nil).want(202, "")
	p.do("GET", base, nil).shows(map[string]any{"status": "analyzed", "active_run_id": run})
}

func activatedRunIsServed(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	clip := p.readyClip(project)
	base := "/api/v1/projects/" + project
	first := p.analyze(project, clip)
	w.clock.Advance(time.Second)
	second := p.analyze(project, clip)
	edits := func() string { return p.do("GET", base+"/edits/", nil).text("items", 0, "run_uuid") }
	p.do("GET", base, nil).shows(map[string]any{"active_run_id": second})
	list := p.do("GET", base+"/analysis-runs", nil).want(200, "")
	if list.text("items", 0, "uuid") != second || list.text("items", 1, "uuid") != first {
		t.Errorf("runs %s", list.body)
	}
	for _, left := range []string{"transcript", "timings"} {
		if _, there := list.value("items", 0).(map[string]any)[left]; there {
			t.Errorf("the list of runs contains %s", left)
		}
	}
	if got := edits(); got != second {
		t.Errorf("edits of the run %s", got)
	}
	p.do("POST", base+"/analysis-runs/"+first+"/activate", nil).want(
		200,
		"",
	).shows(map[string]any{"uuid": first, "status": "completed"})
	got := p.do("GET", base, nil).want(200, "")
	got.shows(map[string]any{"active_run_id": first, "transcript.language": "en"})
	if got.text("transcript", "words", 0, "text") != "hello" ||
		got.text("transcript", "words", 0, "clip_uuid") != clip ||
		edits() != first {
		t.Errorf("project after the activation: %s", got.body)
	}
}

func otherRunsAreNotActivated(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	clip := p.readyClip(project)
	base := "/api/v1/projects/" + project
	active := p.analyze(project, clip)
	start := func() string {
		return p.do("POST", base+"/analyze", map[string]any{}).want(202, "").text("run_uuid")
	}
	refused := func(run, status string) {
		t.Helper()
		p.do("GET", base+"/analysis-runs/"+run, nil).shows(map[string]any{"status": status})
		p.do("POST", base+"/analysis-runs/"+run+"/activate", nil).want(422, "run_not_activatable")
		p.do("GET", base, nil).shows(map[string]any{"active_run_id": active})
	}
	run := start()
	refused(run, "queued")
	job := w.claim(store.JobAnalysis)
	if _, err := w.store.StartRun(job); err != nil {
		t.Fatal(err)
	}
	refused(run, "running")
	if err := w.store.FailAnalysis(job, "broken"); err != nil {
		t.Fatal(err)
	}
	refused(run, "failed")
	run = start()
	p.do("POST", base+"/analysis-runs/"+run+"/cancel", nil).want(202, "")
	refused(run, "cancelled")
	p.do("POST", base+"/analysis-runs/"+noSuchUUID+"/activate", nil).want(404, "not_found")
}

// TestConcurrentRequestsCountOnce sends requests that count or charge fifty times at once.
func TestConcurrentRequestsCountOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	clip, _ := p.upload(project, []byte("bytes of a recording"))
	asset, _ := p.sendAsset("video/mp4", nil)
	responses := func(path string, body any) string {
		var by [600]atomic.Int64
		atOnce(50, func() bool { by[p.do("POST", path, body).status].Add(1); return true })
		var all []string
		for status := range by {
			if n := by[status].Load(); n > 0 {
				all = append(all, fmt.Sprintf("%d of %d", n, status))
			}
		}
		return strings.Join(all, ", ")
	}
	for _, confirm := range []string{base + "/clips/" + clip + "/confirm", "/api/v1/assets/" + asset + "/confirm"} {
		if got := responses(confirm, nil); got != "49 of 200, 1 of 202" {
			t.Errorf("confirms: %s", got)
		}
	}
	if got := p.do("GET", "/api/v1/users/me", nil).text("storage_used_bytes"); got != "40" {
		t.Errorf("%s bytes count towards the quota, want 40", got)
	}
	w.finishClipOf(60_000)
	w.finishAsset("video/mp4")
	if _, again, err := w.store.ClaimJob(t.Context()); again || err != nil {
		t.Errorf("a job was queued twice: %v", err)
	}
	if got := responses(base+"/analyze", map[string]any{}); got != "1 of 202, 49 of 409" {
		t.Errorf("analyses: %s", got)
	}
	p.billing().shows(map[string]any{balance: 29, "credits.ai_minutes.reserved": 1})
	w.finishAnalysis(clip)
	p.billing().shows(map[string]any{balance: 29, "credits.ai_minutes.reserved": 0})
	// 409 while the first payment is in progress
	if got := responses(subscription+"upgrade", map[string]any{"price_id": 1}); !regexp.MustCompile(
		`^1 of 200(, \d+ of 409)?(, \d+ of 422)?$`,
	).MatchString(got) {
		t.Errorf("upgrades: %s", got)
	}
	if got := p.do("GET", "/api/v1/payments/invoices", nil); got.text("total") != "2" ||
		got.text("items", 0, "amount_cents") != "900" {
		t.Errorf("ledger %s", got.body)
	}
	w.later(0)
}

// shortPlans is a server with small limits (see smallPlans) and uploads of at most 200 bytes.
func shortPlans(o *Options, so *store.Options) {
	smallPlans(o, so)
	so.MaxUploadBytes = 200
}

func clipPresign(p *person, project string, kind string, size int) *reply {
	return presignNamed(p, "projects/"+project+"/clips", "recording", kind, size)
}

func assetPresign(p *person, kind string, size int) *reply {
	return presignNamed(p, "assets", "recording", kind, size)
}

// presignNamed presigns an upload of a file with a name, without a content type if kind is "none".
func presignNamed(p *person, to, name, kind string, size int) *reply {
	body := map[string]any{"filename": name, "content_type": kind, "size_bytes": size}
	if kind == "none" {
		delete(body, "content_type")
	}
	return p.do("POST", "/api/v1/"+to+"/presign", body)
}

// TestErrorConditions checks one condition for each error status.
func TestErrorConditions(t *testing.T) {
	t.Parallel()
	provePromises(t, []promise{
		{"400: bounds past the clips, or no clips", boundsOfTheTimeline},
		{"400: imports that are too long, time out or cannot be looked up", importsThatFail},
		{"400: wrong password on verify-password", func(t *testing.T) {
			newWorld(t).withPassword(
				"ada",
			).do("POST", "/api/v1/auth/verify-password", map[string]any{"password": "wrong"}).want(
				400,
				"wrong_password",
			)
		}},
		{"401: no valid session, expired media address", func(t *testing.T) {
			w := newWorld(t)
			p := w.person("ada")
			clip := p.readyClip(p.project("Talk"))
			address := p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).text("url")
			w.anonymous().do("GET", "/api/v1/projects/", nil).want(401, "not_authenticated")
			w.clock.Advance(300 * time.Second)
			w.anonymous().do("GET", address, nil).want(401, "not_authenticated")
			w.clock.Advance(30 * day)
			p.do("GET", "/api/v1/projects/", nil).want(401, "not_authenticated")
		}},
		{"402: need X AI minutes, have Y", func(t *testing.T) {
			w := newWorld(t)
			p := w.person("ada")
			project := p.project("Talk")
			clip, _ := p.upload(project, []byte("long"))
			p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
			w.finishClipOf(31*60_000 + 1)
			short := p.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(
				402,
				"insufficient_credits",
			)
			if got := short.text("detail"); !strings.Contains(got, "need 31.01 AI minutes, have 30") {
				t.Errorf("detail %q", got)
			}
			p.do("GET", "/api/v1/projects/"+project, nil).shows(map[string]any{"status": "created"})
		}},
		{"403: another user's resource, and login before verification", func(t *testing.T) {
			anotherUsersProjectIsForbidden(t)
			noLoginBeforeVerification(t)
		}},
		{"404: no such resource", func(t *testing.T) {
			p := newWorld(t).person("ada")
			p.do("GET", "/api/v1/projects/"+noSuchUUID, nil).want(404, "not_found")
			p.do("GET", "/api/v1/projects/no-uuid", nil).want(404, "not_found")
		}},
		{"409: already analyzing", projectIsAnalyzing},
		{"422: size, type and quota at presign", presignRefusals},
		{"422: end_ms <= start_ms", func(t *testing.T) {
			p := newWorld(t).person("ada")
			project := p.project("Talk")
			p.readyClip(project)
			for _, span := range [][2]int{{10, 10}, {10, 9}, {-1, 5}} {
				p.do(
					"POST",
					"/api/v1/projects/"+project+"/edits/",
					map[string]any{"type": "manual", "start_ms": span[0], "end_ms": span[1]},
				).want(422, "unprocessable")
			}
		}},
		{"422: activating a run that is not completed", otherRunsAreNotActivated},
		{"429: locked out, with Retry-After", lockoutDoublesUpToItsCap},
		{"confirm over the quota fails and deletes the object", confirmOverTheQuota},
		{"errors are problems with type, title, status, detail and code", shapeOfErrors},
	})
}

func boundsOfTheTimeline(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	edit := func(end int) *reply {
		return p.do("POST", base+"/edits/", map[string]any{"type": "manual", "start_ms": 0, "end_ms": end})
	}
	draft := func(id string, override map[string]any) *reply {
		return p.do(
			"POST",
			base+"/drafts/",
			map[string]any{"name": "d", "edit_overrides": map[string]any{id: override}},
		)
	}
	export := func(id string, override map[string]any) *reply {
		return p.do(
			"POST",
			base+"/exports/",
			map[string]any{"name": "e", "edit_overrides": map[string]any{id: override}},
		)
	}
	edit(5).want(400, "no_clips")
	draft(noSuchUUID, map[string]any{"end_ms": 5}).want(400, "no_clips") // before any check of the edits
	export(noSuchUUID, map[string]any{"end_ms": 5}).want(400, "no_clips")
	p.do("POST", base+"/exports/", map[string]any{"name": "e"}).want(400, "no_clips")
	p.do("POST", base+"/drafts/", map[string]any{"name": "without overrides"}).want(201, "")
	p.upload(project, []byte("waits for its confirm and does not count"))
	edit(5).want(400, "no_clips")

	p.readyClip(project)
	id := edit(clipMS).want(201, "").text("uuid")
	edit(clipMS+1).want(400, "out_of_bounds")
	p.do("PATCH", "/api/v1/edits/"+id, map[string]any{"end_ms": clipMS + 1}).want(400, "out_of_bounds")
	saved := draft(id, map[string]any{"start_ms": clipMS - 1, "end_ms": clipMS}).want(201, "").text("uuid")
	change := func(id string, override map[string]any) *reply {
		return p.do("PATCH", "/api/v1/drafts/"+saved, map[string]any{"edit_overrides": map[string]any{id: override}})
	}
	for _, send := range []func(string, map[string]any) *reply{draft, export, change} {
		send(id, map[string]any{"start_ms": clipMS + 1}).want(400, "out_of_bounds") // each bound alone
		send(id, map[string]any{"end_ms": clipMS + 1}).want(400, "out_of_bounds")
		send(id, map[string]any{"start_ms": 5, "end_ms": 5}).want(422, "unprocessable")
		send(id, map[string]any{"start_ms": -1}).want(422, "unprocessable")
		send(id, map[string]any{"active": "no"}).want(422, "unprocessable")
		send(noSuchUUID, map[string]any{"active": false}).want(422, "unknown_edit")
	}

	clip, _ := p.upload(project, []byte("another")) // bounds are not checked while the length is unknown
	p.do("POST", base+"/clips/"+clip+"/confirm", nil).want(202, "")
	p.do("GET", base, nil).shows(map[string]any{"duration_ms": nil})
	edit(clipMS+1).want(201, "")
	draft(id, map[string]any{"end_ms": clipMS + 1}).want(201, "")
	draft(id, map[string]any{"start_ms": 5, "end_ms": 5}).want(422, "unprocessable")
}

func importsThatFail(t *testing.T) {
	failures := map[string]string{
		"timeout": "import_metadata_timeout",
		"failed":  "import_metadata_failed",
		"long":    "import_too_long",
	}
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.LookUpImport = func(_ context.Context, address string) (store.NewImport, error) {
			code := failures[address[strings.LastIndex(address, "/")+1:]]
			return store.NewImport{}, problem.Errorf(store.Invalid, code, "It failed.")
		}
	})
	p := w.person("ada")
	project := p.project("Talk")
	for name, code := range failures {
		p.importClip(project, "https://example.org/"+name).want(400, code)
		p.do(
			"POST",
			"/api/v1/assets/import-video",
			map[string]any{"url": "https://example.org/" + name},
		).want(400, code)
	}
	p.do("GET", "/api/v1/projects/"+project+"/clips/", nil).shows(map[string]any{"total": 0})
	p.do("GET", "/api/v1/assets/", nil).shows(map[string]any{"total": 0})
}

func presignRefusals(t *testing.T) {
	p := newWorld(t, shortPlans).person("ada")
	project := p.project("Talk")
	for _, send := range []func(kind string, size int) *reply{
		func(kind string, size int) *reply { return clipPresign(p, project, kind, size) },
		func(kind string, size int) *reply { return assetPresign(p, kind, size) },
	} {
		send("video/mp4", 201).want(422, "file_too_large")
		send("text/html", 10).want(422, "content_type_not_allowed")
		send("video/mp4", 101).want(422, "quota_exceeded")
		send("video/mp4", 100).want(201, "").shows(map[string]any{"content_type": "video/mp4", "expires_in": 3600})
	}
	clipPresign(p, project, "image/png", 10).want(422, "content_type_not_allowed") // images are not clips
	assetPresign(p, "image/png", 10).want(201, "")
}

func confirmOverTheQuota(t *testing.T) {
	w := newWorld(t, smallPlans)
	p := w.person("ada")
	project := p.project("Talk")
	for _, c := range []struct{ presigned *reply }{
		{clipPresign(p, project, "video/mp4", 10)}, {assetPresign(p, "video/mp4", 10)},
	} {
		r := c.presigned.want(201, "")
		confirm := "/api/v1/assets/" + r.text("user_asset_id") + "/confirm"
		if clip := r.text("clip_uuid"); clip != "" {
			confirm = "/api/v1/projects/" + project + "/clips/" + clip + "/confirm"
		}
		// the declared size is only an estimate
		w.anonymous().do("PUT", r.text("upload_url"), make([]byte, 101)).want(200, "")
		p.do("POST", confirm, nil).want(422, "quota_exceeded")
		if again := p.do("POST", confirm, nil); again.status < 400 {
			t.Errorf("a second confirm responds with %d %s", again.status, again.body)
		}
	}
	p.billing().shows(map[string]any{"storage_used_bytes": 0, "storage_quota_bytes": 100})
	report, err := w.store.Check(t.Context())
	if err != nil || len(report) > 0 {
		t.Errorf("doctor reports %v %v", report, err)
	}
	clipPresign(p, project, "video/mp4", 100).want(201, "")
}

func shapeOfErrors(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	for status, r := range map[int]*reply{
		401: w.anonymous().do("GET", "/api/v1/projects/", nil),
		403: (&person{w: w, cookie: p.cookie}).do("POST", "/api/v1/projects/", nil),
		404: p.do("GET", "/api/v1/projects/x", nil), 405: p.do("PUT", "/api/v1/projects/", nil),
		422: p.do("POST", "/api/v1/projects/", map[string]any{"name": 5}),
		409: p.do("POST", subscription+"schedule-downgrade", map[string]any{"price_id": 1}),
	} {
		if r.status != status || r.header.Get("Content-Type") != "application/problem+json" ||
			r.text("status") != strconv.Itoa(status) ||
			r.text("title") != http.StatusText(status) {
			t.Errorf("%d: response %d %s %s", status, r.status, r.header.Get("Content-Type"), r.body)
		}
		if r.text("type") == "" || len(r.text("detail")) < 10 || strings.ToLower(r.text("code")) != r.text("code") {
			t.Errorf("%d: problem %s", status, r.body)
		}
		if _, fields := r.value().(map[string]any)["errors"]; fields != (status == 422) {
			t.Errorf("%d has fields: %v", status, fields)
		}
	}
}
