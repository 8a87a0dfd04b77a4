package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store"
	"roughcut/store/account"
)

// TestFieldRules checks rules about fields and defaults that no other test is named after.
func TestFieldRules(t *testing.T) {
	t.Parallel()
	provePromises(t, []promise{
		{"bodies: unknown fields are ignored, wrong types are 422", unknownFieldsAndWrongTypes},
		{"order of checks: 401, CSRF, 404, 403, 422, rules", orderOfChecks},
		{"sessions: 30 days, sliding; the cookie is Secure behind HTTPS", cookieOfASession},
		{"sessions: logout-all returns the number of ended sessions", func(t *testing.T) {
			w := newWorld(t)
			ada := w.withPassword("ada")
			w.signIn(ada.user)
			if got := ada.do("POST", "/api/v1/auth/logout-all", nil).want(
				200,
				"",
			); string(got.body) != "{\"terminated_count\":2}\n" {
				t.Errorf("logout-all responds with %s", got.body)
			}
		}},
		{"accounts: taken address or username, ignoring case", takenNames},
		{"accounts: passwords have 10 to 200 characters of any kind", lengthOfPasswords},
		{"tiers: the limits of every tier", numbersOfPlans},
		{"tiers: the prices", pricesOfPlans},
		{"projects: analyze checks its rules in order", rulesOfAnalyze},
		{"clips: accepted content types", typesOfUploads},
		{"clips: a file that is not media fails with the reason", func(t *testing.T) {
			w := newWorld(t)
			p := w.person("ada")
			project := p.project("Talk")
			clip, _ := p.upload(project, []byte("no media"))
			p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(
				202,
				"",
			).shows(map[string]any{"status": "processing", "duration_ms": nil, "waveform": false})
			if err := w.store.FailClip(w.claim(store.JobClip), "The file is not a video."); err != nil {
				t.Fatal(err)
			}
			got := p.do("GET", "/api/v1/projects/"+project+"/clips/", nil)
			if got.text("items", 0, "status") != "failed" ||
				got.text("items", 0, "error") != "The file is not a video." {
				t.Errorf("clip %s", got.body)
			}
			p.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(400, "no_clips")
			estimate := "/api/v1/projects/" + project + "/exports/estimate"
			p.do("POST", estimate, map[string]any{}).want(400, "no_clips")
		}},
		{"edits: rules of placed assets", rulesOfPlacedAssets},
		{"drafts: settings and overrides merge field by field", mergingOfSettings},
		{"exports: defaults are size and shape as recorded and no captions, frozen at creation", defaultsOfExports},
		{"exports: 404 after expiry", expiredExports},
		{"events: stream headers", headersOfTheStream},
		{"events: another user's stream is 403, an unknown one 404", func(t *testing.T) {
			w := newWorld(t)
			p, eve := w.person("ada"), w.person("eve")
			eve.do("GET", "/api/v1/projects/"+p.project("Talk")+"/events", nil).want(403, "forbidden")
			eve.do("GET", "/api/v1/projects/"+noSuchUUID+"/events", nil).want(404, "not_found")
		}},
		{"responses: operations without a documented body respond with 204", func(t *testing.T) {
			f := newFull(t)
			f.p.say("kept_plan").want(204, "")
			f.p.upgrade(3).want(200, "")
			f.p.downgrade(1).want(204, "")
			f.p.do(
				"DELETE",
				"/api/v1/asset-groups/"+f.ids["asset_group_uuid"]+"/assets/"+f.ids["asset_uuid"],
				nil,
			).want(204, "")
			for _, path := range []string{
				"/api/v1/drafts/" + f.ids["draft_uuid"], "/api/v1/users/me/presets/" + f.ids["preset_uuid"],
				"/api/v1/users/me/tokens/" + f.ids["token_uuid"],
			} {
				f.p.do("DELETE", path, nil).want(204, "")
			}
		}},
		{"limits count all permitted requests, successful or not", func(t *testing.T) {
			w := newWorld(t)
			for range 5 {
				w.anonymous().do("POST", "/api/v1/users/", map[string]any{"name": 3}).want(422, "")
			}
			limited(t, signup(w.anonymous(), "ada"), "600")
		}},
		{"owner mode: every account is on Viral and pays nothing", func(t *testing.T) {
			w := newWorld(t, ownerMode)
			further := w.person("ada")
			further.billing().shows(
				map[string]any{
					"tier":                "viral",
					"storage_quota_bytes": float64(100 << 30),
					balance:               2400,
					"can_watermark_free":  true,
					"can_use_ai_director": true,
				},
			)
			project := further.project("Talk")
			clip := further.readyClip(project)
			further.analyze(project, clip)
			further.billing().shows(map[string]any{balance: 2400, "credits.ai_minutes.reserved": 0})
			export := further.do(
				"POST",
				"/api/v1/projects/"+project+"/exports/",
				map[string]any{"name": "e"},
			).want(202, "")
			export.shows(map[string]any{"expires_at": nil, "watermark_required": false})
		}},
	})
}

func unknownFieldsAndWrongTypes(t *testing.T) {
	f := newFull(t)
	project := "/api/v1/projects/" + f.ids["project_uuid"]
	f.p.do(
		"POST",
		"/api/v1/projects/",
		map[string]any{"name": "x", "status": "analyzed", "uuid": noSuchUUID},
	).want(201, "").shows(map[string]any{"status": "created"})
	for _, c := range []struct{ method, path, field string }{
		{"PATCH", project, "name"}, {"PATCH", "/api/v1/edits/" + f.ids["edit_uuid"], "active"},
		{"PATCH", "/api/v1/drafts/" + f.ids["draft_uuid"], "edit_overrides"},
		{"PATCH", "/api/v1/assets/" + f.ids["asset_uuid"], "tags"},
		{"PATCH", "/api/v1/asset-groups/" + f.ids["asset_group_uuid"], "is_pinned"},
		{"PATCH", "/api/v1/caption-lines/" + f.ids["caption_line_uuid"], "text"},
		{"PATCH", "/api/v1/users/me/presets/" + f.ids["preset_uuid"], "pacing_level"},
		{"PATCH", "/api/v1/users/me", "name"}, {"POST", project + "/analyze", "language"},
		{"POST", project + "/exports/", "name"},
	} {
		r := f.p.do(c.method, c.path, map[string]any{c.field: 5.5}).want(422, "unprocessable")
		if got := r.text("errors", 0, "field"); got != c.field {
			t.Errorf("%s names the field %q, not %q", r.what, got, c.field)
		}
		f.p.do(c.method, c.path, []byte(`{"`+c.field)).want(422, "unprocessable")
		if c.method == "PATCH" && c.field != "text" {
			f.p.do(c.method, c.path, map[string]any{"no_such_field": 5.5}).want(200, "")
		}
	}
}

// orderOfChecks breaks every rule at once and then corrects them one by one.
func orderOfChecks(t *testing.T) {
	w := newWorld(t)
	ada, eve := w.person("ada"), w.person("eve")
	theirs, own := ada.project("Talk"), eve.project("Talk")
	path := func(project string) string { return "/api/v1/projects/" + project + "/analyze" }
	wrong, right := map[string]any{"pacing_level": "fast"}, map[string]any{"pacing_level": 50}
	w.anonymous().do("POST", path(noSuchUUID), wrong).want(401, "not_authenticated")
	(&person{w: w, cookie: eve.cookie}).do("POST", path(noSuchUUID), wrong).want(403, "csrf_failed")
	eve.do("POST", path(noSuchUUID), wrong).want(404, "not_found")
	eve.do("POST", path(theirs), wrong).want(403, "forbidden")
	eve.do("POST", path(own), wrong).want(422, "unprocessable")
	eve.do("POST", path(own), right).want(400, "no_clips")
}

func cookieOfASession(t *testing.T) {
	w := behindProxy(t)
	w.withPassword("ada")
	for proto, secure := range map[string]bool{"http": false, "https": true} {
		r := w.anonymous().request(
			"POST",
			"/api/v1/auth/login",
			url.Values{"username": {"ada@example.com"}, "password": {goodPassword}},
		)
		r.Header.Set("X-Forwarded-Proto", proto)
		c := sessionOf(t, w.send(r).want(200, ""))
		if c.Secure != secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
			c.MaxAge != 30*24*3600 {
			t.Errorf("by %s the cookie is %v", proto, c)
		}
	}
	ada := w.signIn(account.User{UUID: w.mustUser("ada@example.com")})
	for range 3 {
		w.clock.Advance(20 * day) // each use restarts the 30 days
		ada.do("GET", "/api/v1/users/me", nil).want(200, "")
	}
	w.clock.Advance(30 * day)
	ada.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
}

func (w *world) mustUser(email string) string {
	w.t.Helper()
	user, err := w.store.UserByEmail(email)
	if err != nil {
		w.t.Fatal(err)
	}
	return user.UUID
}

func takenNames(t *testing.T) {
	w := behindProxy(t)
	w.person("ada")
	n := 0
	ask := func(username, email string) *reply {
		n++
		return w.from(
			"203.0.113."+string(rune('0'+n)),
			"POST",
			"/api/v1/users/",
			map[string]any{"name": "A", "username": username, "email": email, "password": goodPassword},
		)
	}
	ask("other", "ADA@example.COM").want(409, "email_taken")
	ask("ADA", "other@example.com").want(409, "username_taken")
	for _, name := range []string{"ab", strings.Repeat("a", 41), "a b c", "äöü"} {
		ask(name, "other@example.com").want(422, "unprocessable")
	}
	made := ask("a.B-9_", "Other@example.com").want(201, "")
	made.shows(
		map[string]any{
			"email_verified":     false,
			"storage_used_bytes": 0,
			"username":           "a.B-9_",
			"email":              "Other@example.com",
		},
	)
	if _, told := made.value().(map[string]any)["password"]; told {
		t.Error("the response contains a password")
	}
}

func lengthOfPasswords(t *testing.T) {
	w := newWorld(t)
	ada := w.withPassword("ada")
	current := goodPassword
	for _, c := range []struct {
		password string
		status   int
	}{
		{strings.Repeat("x", 9), 422}, {strings.Repeat("x", 201), 422}, {strings.Repeat("ü", 200), 204},
		{"10 \t\x01  😀 ok", 204},
	} {
		ada.do(
			"POST",
			"/api/v1/auth/change-password",
			map[string]any{"current_password": current, "new_password": c.password},
		).want(c.status, "")
		if c.status == 204 {
			current = c.password
			in := login(w.anonymous(), "ada@example.com", current).want(200, "")
			ada = &person{w: w, cookie: sessionOf(t, in).Value, csrf: in.text("csrf_token")}
		}
	}
}

func numbersOfPlans(t *testing.T) {
	w := newWorld(t, onRequest)
	admin := w.person("admin")
	p := w.person("ada")
	project := p.project("Talk")
	p.readyClip(project)
	for price, plan := range []struct {
		tier                              string
		quotaMiB, projects, minutes, days int
		free, director, support           bool
	}{
		{"free", 500, 3, 30, 7, false, false, false}, {"hobby", 2 << 10, 20, 120, 30, true, false, true},
		{"creator", 25 << 10, 100, 600, 90, true, true, true}, {"viral", 100 << 10, 1000, 2400, 365, true, true, true},
	} {
		if price > 0 {
			p.upgrade(2*price-1).want(200, "")
		}
		p.billing().shows(
			map[string]any{
				"tier":                plan.tier,
				"storage_quota_bytes": float64(plan.quotaMiB << 20),
				"max_projects":        plan.projects,
				balance:               plan.minutes,
				"can_watermark_free":  plan.free,
				"can_use_ai_director": plan.director,
				"can_access_support":  plan.support,
				"has_active_plan":     price > 0,
				"project_count":       1,
			},
		)
		export := p.do("POST", "/api/v1/projects/"+project+"/exports/", map[string]any{"name": "e"}).want(202, "")
		export.shows(
			map[string]any{
				"watermark_required": !plan.free,
				"expires_at":         timestamp(w.clock.Now().Add(time.Duration(plan.days) * day)),
			},
		)
	}
	admin.billing().shows(map[string]any{"tier": "free", "subscription_status": "none"})
}

func pricesOfPlans(t *testing.T) {
	list := newWorld(t).person("ada").do("GET", "/api/v1/payments/prices", nil).want(200, "")
	list.shows(map[string]any{"total": 6})
	for i, want := range []struct {
		tier, interval string
		cents          int
	}{
		{"hobby", "month", 900}, {"hobby", "year", 9000}, {"creator", "month", 1900}, {"creator", "year", 19000},
		{"viral", "month", 4900}, {"viral", "year", 49000},
	} {
		for field, value := range map[string]any{
			"price_id": float64(i + 1), "tier": want.tier, "interval": want.interval,
			"amount_cents": float64(want.cents),
		} {
			if got := list.value("items", i, field); got != value {
				t.Errorf("price %d: %s is %v, want %v", i+1, field, got, value)
			}
		}
	}
}

func rulesOfAnalyze(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	analyze := func() *reply { return p.do("POST", base+"/analyze", map[string]any{}) }
	analyze().want(400, "no_clips")
	clip, _ := p.upload(project, []byte("waits for its confirm"))
	analyze().want(400, "no_clips")
	p.do("POST", base+"/clips/"+clip+"/confirm", nil).want(202, "")
	analyze().want(409, "clips_processing") // even before anything is ready
	w.finishClipOf(31 * 60_000)
	second, _ := p.upload(project, []byte("another"))
	p.do("POST", base+"/clips/"+second+"/confirm", nil).want(202, "")
	analyze().want(409, "clips_processing") // before the balance
	w.finishClipOf(1000)
	analyze().want(402, "insufficient_credits")
	p.do("DELETE", "/api/v1/clips/"+clip, nil).want(204, "")
	analyze().want(202, "")
	third, _ := p.upload(project, []byte("a third"))
	p.do("POST", base+"/clips/"+third+"/confirm", nil).want(202, "")
	analyze().want(409, "already_analyzing") // before the processing state
}

func typesOfUploads(t *testing.T) {
	p := newWorld(t).person("ada")
	project := p.project("Talk")
	recordings := "video/mp4 video/quicktime video/x-m4v video/webm video/x-matroska video/x-msvideo video/mpeg " +
		"video/mp2t audio/mpeg audio/mp4 audio/x-m4a audio/aac audio/wav audio/x-wav audio/flac audio/ogg"
	images := "image/png image/jpeg image/webp image/gif"
	for _, kind := range strings.Fields(recordings) {
		clipPresign(p, project, kind, 10).want(201, "")
	}
	for _, kind := range strings.Fields(images + " video/ogg application/octet-stream text/html") {
		clipPresign(p, project, kind, 10).want(422, "content_type_not_allowed")
	}
	for _, kind := range strings.Fields(recordings + " " + images) {
		assetPresign(p, kind, 10).want(201, "")
	}
	for _, kind := range strings.Fields("image/svg+xml application/pdf text/html none") {
		assetPresign(p, kind, 10).want(422, "content_type_not_allowed")
	}
	clips := "projects/" + project + "/clips"
	for _, c := range []struct{ name, kind, known string }{
		{"recording", "video/matroska", "video/x-matroska"}, {"recording", "video/avi", "video/x-msvideo"},
		{"recording", "audio/wave", "audio/wav"}, {"recording", "Video/DV", "video/x-dv"},
		{"recording", "audio/x-aiff;rate=48000", "audio/aiff"}, {"recording", "video/3gpp", "video/3gpp"},
		{"recording", "application/mxf", "application/mxf"}, {"a.mkv", "application/octet-stream", "video/x-matroska"},
		{"A.MTS", "", "video/mp2t"}, {"a.flv", "none", "video/x-flv"}, {"a.ts", "text/vnd.trolltech.linguist",
			"video/mp2t"},
		{"a.mov", "video/mp4", "video/mp4"},
	} {
		for _, to := range []string{clips, "assets"} {
			presignNamed(p, to, c.name, c.kind, 10).want(201, "").shows(map[string]any{"content_type": c.known})
		}
	}
	presignNamed(p, clips, "a.png", "application/octet-stream", 10).want(422, "content_type_not_allowed")
	presignNamed(p, clips, "a.mp4", "image/png", 10).want(422, "content_type_not_allowed")
	presignNamed(p, "assets", "a.png", "", 10).want(201, "").shows(map[string]any{"content_type": "image/png"})
	presignNamed(p, "assets", "a.pdf", "none", 10).want(422, "content_type_not_allowed")
}

func rulesOfPlacedAssets(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	p.readyClip(project)
	_, waiting := p.sendAsset("video/mp4", nil)
	asset := p.readyAsset("video/mp4")
	file := p.do("GET", "/api/v1/assets/", nil).text("items", 0, "asset_file_id")
	place := func(more map[string]any) *reply {
		body := map[string]any{"type": "asset", "asset_file_id": file, "start_ms": 0, "end_ms": 1000}
		for name, value := range more {
			body[name] = value
		}
		return p.do("POST", "/api/v1/projects/"+project+"/edits/", body)
	}
	for field, values := range map[string][2][]any{
		"visual_mode": {{"overlay", "cutaway", "none"}, {"full", 1}},
		"audio_mode":  {{"mute", "mix", "replace"}, {"loud"}},
		"overlay_position": {
			{
				"top_left", "top", "top_right", "left", "center", "right", "bottom_left", "bottom", "bottom_right",
				"custom",
			},
			{"middle"},
		},
		"overlay_size_percent":    {{1, 100}, {0, 101, 5.5}},
		"overlay_opacity_percent": {{0, 100}, {-1, 101}},
		"overlay_rotation_deg":    {{-180, 180}, {-181, 181}},
		"audio_volume_percent":    {{0, 200}, {-1, 201}},
		"overlay_x":               {{0, 0.5, 1}, {-0.1, 1.1}},
		"overlay_y":               {{0, 0.5, 1}, {-0.1, 1.1}},
	} {
		for _, value := range values[0] {
			place(map[string]any{field: value}).want(
				201,
				"",
			).shows(map[string]any{field: value, "type": "asset", "run_uuid": nil})
		}
		for _, value := range values[1] {
			place(map[string]any{field: value}).want(422, "unprocessable")
		}
	}
	place(map[string]any{"end_ms": clipMS + 1}).want(400, "out_of_bounds")
	place(map[string]any{"asset_offset_ms": assetMS + 1}).want(400, "out_of_bounds")
	place(map[string]any{"asset_offset_ms": -1}).want(422, "unprocessable")
	place(map[string]any{"asset_file_id": waiting}).want(409, "asset_not_ready")
	placed := "/api/v1/edits/" + place(nil).want(201, "").text("uuid")
	p.do("PATCH", placed, map[string]any{"asset_file_id": waiting}).want(409, "asset_not_ready")
	p.do("PATCH", placed, map[string]any{"asset_offset_ms": assetMS + 1}).want(400, "out_of_bounds")
	p.do("DELETE", placed, nil).want(204, "")
	p.do("GET", "/api/v1/assets/"+asset+"/video-url", nil).want(200, "")
}

func mergingOfSettings(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	clip := p.readyClip(project)
	p.analyze(project, clip)
	base := "/api/v1/projects/" + project
	first := p.do("GET", base+"/edits/", nil).text("items", 0, "uuid")
	second := p.do(
		"POST",
		base+"/edits/",
		map[string]any{"type": "manual", "start_ms": 5000, "end_ms": 6000},
	).text("uuid")
	draft := p.do(
		"POST",
		base+"/drafts/",
		map[string]any{
			"name": "d",
			"edit_overrides": map[string]any{
				first:  map[string]any{"active": false, "end_ms": 1900},
				second: map[string]any{"active": false},
			},
			"export_settings": map[string]any{
				"resolution":   "720p",
				"aspect_ratio": "9:16",
				"audio":        map[string]any{"normalize": true, "target_lufs": -16.5},
				"captions":     map[string]any{"enabled": true, "style": "boxed"},
			},
		},
	).want(201, "")
	export := p.do(
		"POST",
		base+"/exports/",
		map[string]any{
			"name":           "e",
			"draft_id":       draft.text("uuid"),
			"edit_overrides": map[string]any{first: map[string]any{"active": true}},
			"export_settings": map[string]any{
				"aspect_ratio": "1:1",
				"audio":        map[string]any{"noise_reduction": true},
				"captions":     map[string]any{"font_size": 30},
			},
		},
	).want(202, "")
	export.shows(
		map[string]any{
			"draft_id":                              draft.text("uuid"),
			"export_settings.resolution":            "720p",
			"export_settings.aspect_ratio":          "1:1",
			"export_settings.audio.normalize":       true,
			"export_settings.audio.target_lufs":     -16.5,
			"export_settings.audio.noise_reduction": true,
			"export_settings.captions.style":        "boxed",
			"export_settings.captions.font_size":    30,
			"export_settings.captions.enabled":      true,
		},
	)
	input, err := w.store.ExportInput(w.claim(store.JobExport))
	if err != nil {
		t.Fatal(err)
	}
	if want := []media.Span{{StartMS: 1000, EndMS: 1900}}; !slices.Equal(input.Cuts, want) {
		t.Errorf(
			"the export cuts %v, want %v: the first edit active again and shorter, the second not",
			input.Cuts,
			want,
		)
	}
}

func defaultsOfExports(t *testing.T) {
	w := newWorld(t, onRequest)
	p := w.person("ada")
	project := p.project("Talk")
	p.readyClip(project)
	export := p.do("POST", "/api/v1/projects/"+project+"/exports/", map[string]any{"name": "e"}).want(202, "")
	export.shows(
		map[string]any{
			"status":                                    "queued",
			"progress":                                  0,
			"step":                                      nil,
			"draft_id":                                  nil,
			"watermark_required":                        true,
			"expires_at":                                timestamp(w.clock.Now().Add(7 * day)),
			"storage_key":                               nil,
			"export_settings.resolution":                "source",
			"export_settings.aspect_ratio":              "source",
			"export_settings.fit":                       "letterbox",
			"export_settings.audio_censorship":          "none",
			"export_settings.video_flip_h":              false,
			"export_settings.video_flip_v":              false,
			"export_settings.captions.enabled":          false,
			"export_settings.audio.normalize":           false,
			"export_settings.audio.target_lufs":         -14,
			"export_settings.audio.noise_reduction":     false,
			"export_settings.audio.noise_floor":         -25,
			"export_settings.audio.main_volume_percent": 100,
			"export_settings.punch_in.scale_percent":    100,
			"export_settings.punch_in.ease":             false,
			"export_settings.punch_in.center":           "face",
			"export_settings.punch_in.x":                0.5,
			"export_settings.punch_in.y":                0.4,
			"export_settings.audio_clips.waveform":      true,
			"export_settings.audio_clips.color":         "#3ddbb0",
		},
	)
	p.upgrade(5).want(200, "") // the export keeps the values from its creation
	p.do("GET", "/api/v1/exports/"+export.text("uuid"), nil).shows(
		map[string]any{"watermark_required": true, "expires_at": timestamp(w.clock.Now().Add(7 * day))},
	)
}

func expiredExports(t *testing.T) {
	w := newWorld(t, onRequest)
	p := w.person("ada")
	project := p.project("Talk")
	p.readyClip(project)
	export := "/api/v1/exports/" + p.export(project)
	address := p.do("GET", export+"/download-url", nil).want(200, "").text("url")
	w.clock.Advance(7 * day)
	w.anonymous().do("GET", address, nil).want(401, "not_authenticated")
	if _, err := w.store.SweepExpired(); err != nil {
		t.Fatal(err)
	}
	p.do("GET", export, nil).want(200, "").shows(map[string]any{"status": "expired"})
	p.do("GET", export+"/download-url", nil).want(404, "not_found")
}

func headersOfTheStream(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	conn := w.dial(
		"GET /api/v1/projects/" + p.project(
			"Talk",
		) + "/events HTTP/1.1\r\nHost: localhost\r\nCookie: " + sessionCookie + "=" + p.cookie + "\r\n\r\n",
	)
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	head := readUntil(t, conn, "\r\n\r\n")
	for _, want := range []string{
		"HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Cache-Control: no-cache", "Connection: keep-alive",
		"X-Accel-Buffering: no",
	} {
		if !strings.Contains(head, want+"\r\n") {
			t.Errorf("the stream header lacks %q: %s", want, head)
		}
	}
}
