package server

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"roughcut/server/payments"
	"roughcut/store"
)

// The tests of this file bring about the answers of the contract that every operation of a kind
// gives.

func TestEveryListRefusesPagesThatAreNone(t *testing.T) {
	f := newFull(t)
	lists := 0
	for _, op := range sortedOperations(f.w) {
		if op.route.Operation.Parameters.GetByInAndName("query", "page") == nil {
			continue
		}
		lists++
		for _, query := range []string{"page=0", "page=x", "page_size=0", "page_size=201"} {
			f.p.do(op.route.Method, fill(op, f.ids)+"?q=hello&"+query, nil).want(422, "unprocessable")
		}
	}
	if lists < 12 {
		t.Errorf("only %d lists have pages", lists)
	}
}

func TestPagesOfOtherSitesReachNothingThatNeedsNoSession(t *testing.T) {
	w := newWorld(t, ownerMode)
	for _, op := range sortedOperations(w) {
		if op.access != anybody || op.plain || !isUnsafe(op.route.Method) || op.id == "stripeWebhook" {
			continue
		}
		r := w.nobody().request(op.route.Method, op.route.Path, []byte("{}"))
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		w.send(r).want(403, "csrf_failed")
	}
}

func TestEveryRateIsHeld(t *testing.T) {
	w := newWorld(t)
	p := w.withPassword("ada")
	ids := map[string]string{"project_uuid": p.project("Talk"), "provider": "none"}
	for _, op := range sortedOperations(w) {
		rate, limited := rates[op.id]
		if !limited {
			continue
		}
		for n := range rate.requests + 1 {
			r := p.do(op.route.Method, fill(op, ids), []byte("{}"))
			if (r.status == 429) != (n == rate.requests) {
				t.Fatalf("request %d of %s is answered %d %s", n+1, op.id, r.status, r.body)
			}
		}
		w.clock.Advance(rate.window)
		if r := p.do(op.route.Method, fill(op, ids), []byte("{}")); r.status == 429 {
			t.Errorf("%s is still refused after %v", op.id, rate.window)
		}
	}
}

// files are the addresses of everything that is sent as a file, by operation. A HEAD is asked for
// where the contract has one.
func (f *full) files() map[string]string {
	project := f.ids["project_uuid"]
	video := f.p.do("GET", "/api/v1/assets/", nil).text("items", 0, "uuid")
	return map[string]string{
		"media": f.p.do("GET", "/api/v1/clips/"+f.ids["clip_uuid"]+"/proxy-url", nil).text("url"),
		"download": f.p.do(
			"GET",
			"/api/v1/exports/"+f.p.do("GET", "/api/v1/projects/"+project+"/exports/", nil).text(
				"items",
				0,
				"uuid",
			)+"/download-url",
			nil,
		).text("url"),
		"asset":  f.p.do("GET", "/api/v1/assets/"+video+"/video-url", nil).text("url"),
		"poster": "/api/v1/assets/" + video + "/poster",
	}
}

func TestFilesAnswerRangesAndConditions(t *testing.T) {
	f := newFull(t)
	for name, address := range f.files() {
		for _, method := range []string{"GET", "HEAD"} {
			ask := func(header, value string, status int) *reply {
				t.Helper()
				r := f.p.request(method, address, nil)
				if header != "" {
					r.Header.Set(header, value)
				}
				got := f.w.send(r)
				if got.status != status || method == "HEAD" && len(got.body) > 0 {
					t.Errorf(
						"%s %s with %s: %s is answered %d %q, want %d",
						method,
						name,
						header,
						value,
						got.status,
						got.body,
						status,
					)
				}
				return got
			}
			whole := ask("", "", 200)
			tag := whole.header.Get("ETag")
			if tag == "" || whole.header.Get("Accept-Ranges") != "bytes" ||
				whole.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s %s is sent with %v", method, name, whole.header)
			}
			if part := ask("Range", "bytes=0-2", 206); part.header.Get("Content-Length") != "3" ||
				!strings.HasPrefix(part.header.Get("Content-Range"), "bytes 0-2/") {
				t.Errorf("a part of %s is sent with %v", name, part.header)
			}
			ask("Range", "bytes=900000-", 416)
			ask("If-None-Match", tag, 304)
			ask("If-Match", `"another"`, 412)
			ask("If-Match", tag, 200)
		}
	}
}

func TestFilesThatAreGoneAreNotFound(t *testing.T) {
	f := newFull(t)
	addresses := f.files()
	if err := os.RemoveAll(f.w.so.Dir + "/media"); err != nil {
		t.Fatal(err)
	}
	for name, address := range addresses {
		for _, method := range []string{"GET", "HEAD"} {
			if r := f.p.do(method, address, nil); r.status != 404 {
				t.Errorf("%s %s is answered %d", method, name, r.status)
			}
		}
	}
}

// TestLongRequestsAreBoundedAndEndWithTheServer: no more of them act for one account than maxLive,
// and none begins while the server closes.
func TestLongRequestsAreBoundedAndEndWithTheServer(t *testing.T) {
	f := newFull(t)
	addresses := f.files()
	addresses["stream"] = "/api/v1/projects/" + f.ids["project_uuid"] + "/events"
	upload := f.p.resumable(f.ids["project_uuid"], 10)
	all := func(status int, code string) {
		t.Helper()
		for name, address := range addresses {
			for _, method := range []string{"GET", "HEAD"} {
				if name == "stream" && method == "HEAD" {
					continue // which opens none
				}
				r := f.p.do(method, address, nil)
				if r.status != status || method == "GET" && r.text("code") != code {
					t.Errorf("%s %s is answered %d %s, want %d", method, name, r.status, r.body, status)
				}
			}
		}
		f.w.nobody().do("PUT", f.w.http.URL+upload.path, []byte("0123456789")).want(status, code)
		for _, method := range []string{"OPTIONS", "HEAD", "PATCH"} {
			if r := f.w.send(upload.request(method, "0", []byte("0123456789"))); r.status != status {
				t.Errorf("%s of an upload is answered %d %s, want %d", method, r.status, r.body, status)
			}
		}
	}
	var leave []func()
	for range maxLive {
		_, done, err := f.w.server.live.join(context.Background(), liveFor{user: f.p.user.UUID})
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, done)
	}
	all(429, "rate_limited")
	for _, done := range leave {
		done()
	}
	f.w.server.live.close()
	all(503, "unavailable")
}

func TestUploadsOfWhatIsGoneOrTooMany(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	gone := p.resumable(project, 10)
	p.do("DELETE", "/api/v1/clips/"+gone.clip, nil).want(204, "")
	w.nobody().do("PUT", w.http.URL+gone.path, []byte("0123456789")).want(404, "not_found")
	gone.patch(0, "0123456789").want(404, "not_found")
	if r := w.send(gone.request("HEAD", "", nil)); r.status != 404 {
		t.Errorf("HEAD is answered %d", r.status)
	}
	large := p.resumable(project, 3)
	large.patch(0, "more than three").want(413, "too_large")
	for range 5 {
		p.resumable(project, 10).patch(0, "abc").want(204, "")
	}
	sixth := p.resumable(project, 10)
	sixth.patch(0, "abc").want(429, "rate_limited")
	for range 5 { // plain ones that are open
		if _, err := w.store.OpenUpload(clipFile(p, p.resumable(project, 10).clip)); err != nil {
			w.nobody().do("PUT", w.http.URL+sixth.path, []byte("0123456789")).want(429, "rate_limited")
			return
		}
	}
	w.nobody().do("PUT", w.http.URL+sixth.path, []byte("0123456789")).want(429, "rate_limited")
}

// An upload that ends before its time, while somebody still listens, is told so.
func TestAnUploadThatEndsEarlyIsRefused(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	u := p.resumable(project, 10)
	conn := w.dial("PUT " + u.path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != 400 {
		t.Fatalf("the upload is answered %v %v", response, err)
	}
	answered.note("upload", response.StatusCode)
	u.confirm().want(409, "not_uploaded")
}

func clipFile(p *person, clip string) string {
	p.w.t.Helper()
	c, err := p.w.store.Clip(p.user.UUID, clip)
	if err != nil {
		p.w.t.Fatal(err)
	}
	return c.ClipFileID
}

// TestAFullDiskRefusesWhatNeedsSpaceAndNothingElse: what would fill the disk is answered 507, and
// what frees it works.
func TestAFullDiskRefusesWhatNeedsSpaceAndNothingElse(t *testing.T) {
	shell := &window{}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Shell = shell })
	p := w.launched()
	ids := everything(p)
	project := "/api/v1/projects/" + ids["project_uuid"]
	video := p.readyAsset("video/mp4")
	waiting := p.resumable(ids["project_uuid"], 6)
	waiting.patch(0, "abc").want(204, "")
	kept, err := w.store.ResumeUpload(clipFile(p, waiting.clip))
	if err == nil {
		_, err = kept.Write([]byte("def"))
	}
	if err := errors.Join(err, kept.Abort()); err != nil { // all of it is there, and not stored yet
		t.Fatal(err)
	}
	w.restart(func(so *store.Options) { so.MinFreeBytes = 1 << 60 })
	for _, c := range []struct {
		path string
		body any
	}{
		{project + "/clips/presign", map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 5}},
		{project + "/clips/video-import", map[string]any{"url": "https://example.org/talk.mp4"}},
		{project + "/clips/reference", map[string]any{"path": recordingAt(t, "talk.mp4")}},
		{project + "/exports/", map[string]any{"name": "e"}},
		{"/api/v1/assets/presign", map[string]any{"filename": "a.png", "content_type": "image/png", "size_bytes": 5}},
		{"/api/v1/assets/import-video", map[string]any{"url": "https://example.org/talk.mp4"}},
		{"/api/v1/assets/" + video + "/edit", map[string]any{"start_ms": 1000}},
	} {
		p.do("POST", c.path, c.body).want(507, "storage_full")
	}
	w.nobody().do("PUT", w.http.URL+waiting.path, []byte("abcdef")).want(507, "storage_full")
	for _, method := range []string{"HEAD", "PATCH"} {
		if r := w.send(waiting.request(method, "3", []byte("def"))); r.status != 507 {
			t.Errorf("%s of an upload that could not be stored is answered %d %s", method, r.status, r.body)
		}
	}
	p.do("GET", project, nil).want(200, "")
	p.do("PATCH", project, map[string]any{"name": "still there"}).want(200, "")
	p.do("DELETE", "/api/v1/exports/"+ids["export_uuid"], nil).want(204, "")
	p.do("DELETE", project, nil).want(204, "")
}

// TestConflictsThatNoOtherTestIsAbout holds the rules of single operations.
func TestConflictsThatNoOtherTestIsAbout(t *testing.T) {
	f := newFull(t)
	base := "/api/v1/projects/" + f.ids["project_uuid"]
	unsent, _ := f.p.sendAsset("image/png", nil)
	group := f.ids["asset_group_uuid"]
	f.p.do("POST", "/api/v1/asset-groups/"+group+"/assets", map[string]any{"asset_uuid": unsent}).want(
		409,
		"asset_not_ready",
	)
	f.p.do("POST", "/api/v1/assets/"+unsent+"/groups/bulk", map[string]any{"group_ids": []string{group}}).want(
		409,
		"asset_not_ready",
	)

	f.p.do("GET", base+"/edits/?active_only=perhaps", nil).want(422, "unprocessable")
	f.p.do(
		"PATCH",
		base+"/edits/",
		map[string]any{"edits": []any{map[string]any{"uuid": f.ids["edit_uuid"], "end_ms": clipMS + 1}}},
	).want(400, "out_of_bounds")
	queued := f.p.do("POST", base+"/analyze", map[string]any{}).want(202, "").text("run_uuid")
	f.p.do(
		"POST",
		base+"/analysis-runs/"+queued+"/replan",
		map[string]any{"pacing_level": 50, "false_start_sensitivity": 50},
	).want(409, "conflict")
	f.p.do("POST", base+"/analysis-runs/"+queued+"/cancel", nil).want(202, "")

	unheard := f.p.project("never analysed")
	processing, _ := f.p.upload(unheard, []byte("bytes"))
	f.p.do("POST", "/api/v1/projects/"+unheard+"/clips/"+processing+"/confirm", nil).want(202, "")
	f.p.do("POST", "/api/v1/projects/"+unheard+"/exports/", map[string]any{"name": "e"}).want(409, "clips_processing")
	f.w.finishClip()
	all := f.p.do(
		"POST",
		base+"/edits/",
		map[string]any{"type": "manual", "start_ms": 0, "end_ms": clipMS},
	).want(201, "").text("uuid")
	for _, kind := range []string{"srt", "vtt", "txt"} {
		f.p.do("GET", "/api/v1/projects/"+unheard+"/captions."+kind, nil).want(409, "no_transcript")
		f.p.do("GET", base+"/captions."+kind, nil).want(422, "unprocessable") // everything is cut
	}
	f.p.do("DELETE", "/api/v1/edits/"+all, nil).want(204, "")
	f.p.do("DELETE", "/api/v1/clips/"+f.ids["clip_uuid"], nil).want(204, "")
	for _, kind := range []string{"srt", "vtt", "txt"} {
		f.p.do("GET", base+"/captions."+kind, nil).want(400, "no_clips")
	}
	for range 99 { // one is there
		if _, err := f.w.store.CreateAccessToken(
			store.AccessToken{UserUUID: f.p.user.UUID, Name: "t", Hash: f.w.store.NewID()},
			f.p.user.Epoch,
		); err != nil {
			t.Fatal(err)
		}
	}
	f.p.do("POST", "/api/v1/users/me/tokens", map[string]any{"name": "one too many"}).want(409, "conflict")
}

func TestRecordingsThatWentAwayAreNotExported(t *testing.T) {
	w := newWorld(t, ownerMode)
	p := w.launched()
	project := "/api/v1/projects/" + p.project("Talk")
	path := recordingAt(t, "talk.mp4")
	p.do("POST", project+"/clips/reference", map[string]any{"path": path}).want(202, "")
	w.finishClip()
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.do("POST", project+"/exports/", map[string]any{"name": "e"}).want(409, "reference_changed")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p.do("POST", project+"/exports/", map[string]any{"name": "e"}).want(409, "reference_missing")
}

func TestSearchSaysThatItsIndexIsBeingBuilt(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	ids := everything(p)
	p.do("GET", "/api/v1/search?q=hello", nil).want(200, "")
	w.close()
	if err := os.RemoveAll(w.so.Dir + "/index"); err != nil {
		t.Fatal(err)
	}
	w.start(w.o, w.so)
	w.eventually("it is found again", func() bool {
		r := p.do("GET", "/api/v1/search?q=hello", nil)
		if r.status != 200 {
			r.want(503, "unavailable")
		}
		return r.status == 200 && r.text("total") != "0"
	})
	p.do("GET", "/api/v1/projects/"+ids["project_uuid"], nil).want(200, "")
}

// cardCompany stands for a company that takes cards, as its API is; Stripe itself is in payments.
type cardCompany struct {
	*httptest.Server
	answer func(w http.ResponseWriter, path string)
}

func stripeOf(t *testing.T, w *world) *cardCompany {
	t.Helper()
	bank := &cardCompany{}
	bank.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		bank.answer(w, r.URL.Path)
	}))
	t.Cleanup(bank.Close)
	w.server.Payments.Provider = payments.NewStripe("sk_test_1", bank.URL, "whsec_1")
	return bank
}

func say(status int, body string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestUpgradesThatTheCardCompanyDecides(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	bank := stripeOf(t, w)
	pages := map[string]string{
		"/v1/customers":         `{"id":"cus_1","object":"customer"}`,
		"/v1/checkout/sessions": `{"id":"cs_1","object":"checkout.session","url":"https://checkout.stripe.com/c/pay/cs_1"}`,
	}
	bank.answer = func(w http.ResponseWriter, path string) { say(200, pages[path])(w, path) }
	if got := p.do("POST", "/api/v1/payments/subscription/payment-method", nil).want(
		200,
		"",
	).text("url"); !strings.HasPrefix(
		got,
		"https://checkout.stripe.com/",
	) {
		t.Errorf("the page for a card is %s", got)
	}
	if err := w.store.SetCustomer(p.user.UUID, "cus_1"); err != nil {
		t.Fatal(err)
	}
	bank.answer = func(w http.ResponseWriter, path string) {
		if strings.Contains(path, "payment_methods") {
			say(200, `{"object":"list","data":[{"id":"pm_1","object":"payment_method"}]}`)(w, path)
			return
		}
		say(402, `{"error":{"type":"card_error","code":"card_declined","message":"Your card was declined."}}`)(w, path)
	}
	p.upgrade(1).want(402, "payment_declined")
	bank.answer = say(500, `{"error":{"type":"api_error","message":"not now"}}`)
	p.upgrade(1).want(503, "unavailable")
	p.upgrade(1).want(409, "conflict") // the one before is not decided
	p.do("GET", subscription+"upgrade-quote?price_id=1", nil).want(409, "conflict")
	p.billing().shows(map[string]any{"tier": "creator", "subscription_status": "trialing"})
}
