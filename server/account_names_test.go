package server

import (
	"strings"
	"testing"
	"time"
)

func TestNamesMustBeOneNonBlankLine(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	project := "/api/v1/projects/" + f.ids["project_uuid"]
	asset, group := "/api/v1/assets/"+f.ids["asset_uuid"], "/api/v1/asset-groups/"+f.ids["asset_group_uuid"]
	for _, c := range []struct{ method, path, field string }{
		{"POST", "/api/v1/projects/", "name"}, {"PATCH", project, "name"}, {"POST", project + "/drafts/", "name"},
		{"PATCH", "/api/v1/drafts/" + f.ids["draft_uuid"], "name"},
		{"POST", project + "/exports/", "name"}, {"POST", "/api/v1/asset-groups/", "name"}, {"PATCH", group, "name"},
		{"PATCH", asset, "display_name"},
		{"POST", "/api/v1/users/me/presets", "name"},
		{"PATCH", "/api/v1/users/me/presets/" + f.ids["preset_uuid"], "name"},
		{"POST", "/api/v1/users/me/preview-presets", "name"}, {"POST", "/api/v1/users/me/tokens", "name"},
		{"PATCH", "/api/v1/users/me", "name"},
	} {
		for text, rule := range map[string]string{
			" \t ": "must not be empty", "two\nlines": "must be one line of text",
			"a\x00b": "must be one line of text",
		} {
			r := f.p.do(c.method, c.path, map[string]any{c.field: text}).want(422, "unprocessable")
			if r.text("errors", 0, "field") != c.field || r.text("errors", 0, "message") != rule {
				t.Errorf("%s with %q: response %s", r.what, text, r.body)
			}
		}
		if c.method == "PATCH" {
			f.p.do(c.method, c.path, map[string]any{c.field: "  in the middle  of it "}).want(
				200,
				"",
			).shows(map[string]any{c.field: "in the middle  of it"})
		}
	}
}

// File names may contain anything. The API shows them as one line.
func TestFileNamesAreShownAsOneLine(t *testing.T) {
	t.Parallel()
	p := newWorld(t).person("ada")
	project := p.project("Talk")
	for sent, shown := range map[string]string{"a\r\nb\x00.mp4": "a  b .mp4", "\n\n": "recording"} {
		clip := p.do(
			"POST",
			"/api/v1/projects/"+project+"/clips/presign",
			map[string]any{"filename": sent, "content_type": "video/mp4", "size_bytes": 5},
		).want(201, "").text("clip_uuid")
		list := p.do("GET", "/api/v1/projects/"+project+"/clips/", nil)
		if got := list.text("items", 0, "name"); got != shown {
			t.Errorf("%q is shown as %q, want %q", sent, got, shown)
		}
		p.do("DELETE", "/api/v1/clips/"+clip, nil).want(204, "")
	}
}

// Anyone can enter the address of a stranger. The server must not deliver their text to it.
func TestMailsToUnverifiedAddressesContainNoUserText(t *testing.T) {
	t.Parallel()
	const bait = "Prize at evil.example"
	w := newWorld(t)
	w.anonymous().do(
		"POST",
		"/api/v1/users/",
		map[string]any{
			"name":     bait + "\nsecond line",
			"username": "eve",
			"email":    "victim@example.com",
			"password": goodPassword,
		},
	).want(422, "unprocessable")
	w.anonymous().do(
		"POST",
		"/api/v1/users/",
		map[string]any{"name": bait, "username": "eve", "email": "victim@example.com", "password": goodPassword},
	).want(201, "")
	for _, operation := range []string{"send-verification", "request-password-reset"} {
		w.anonymous().do("POST", "/api/v1/auth/"+operation, map[string]any{"email": "victim@example.com"}).want(200, "")
	}
	ada := w.withPassword("ada")
	ada.do("PATCH", "/api/v1/users/me", map[string]any{"name": bait}).want(200, "")
	ada.do(
		"POST",
		"/api/v1/auth/request-email-change",
		map[string]any{"new_email": "victim@example.net", "password": goodPassword},
	).want(200, "")
	to := func() (sent []letter) {
		for _, m := range w.mails() {
			if strings.Contains(m.to, "victim@") {
				sent = append(sent, m)
			}
		}
		return sent
	}
	w.eventually("four mails arrive", func() bool { return len(to()) == 4 })
	for _, m := range to() {
		if strings.Contains(m.text+m.subject, "evil") || !strings.Contains(m.text, "Hello,") {
			t.Errorf("a stranger receives %q", m.text)
		}
	}
}

// Two verification links may both be opened, but only one welcome is sent.
func TestSecondVerificationLinkSendsNoSecondWelcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	signup(w.anonymous(), "ada").want(201, "")
	first := w.mailTo("ada@", "Confirm").token(t, "verify-email")
	w.clock.Advance(time.Second)
	w.anonymous().do("POST", "/api/v1/auth/send-verification", map[string]any{"email": "ada@example.com"}).want(200, "")
	var second string
	w.eventually("the second link arrives", func() bool {
		for _, m := range w.mails() {
			if token := m.token(t, "verify-email"); token != first {
				second = token
			}
		}
		return second != ""
	})
	for _, token := range []string{first, second} {
		w.anonymous().do("POST", "/api/v1/auth/verify-email", map[string]any{"token": token}).want(200, "")
	}
	welcomes := 0
	for _, m := range w.mails() {
		if strings.Contains(m.subject, "Welcome") {
			welcomes++
		}
	}
	if welcomes != 1 {
		t.Errorf("%d welcome mails", welcomes)
	}
}

// Browsers append codecs to a content type.
func TestContentTypeParametersAreIgnored(t *testing.T) {
	t.Parallel()
	p := newWorld(t).person("ada")
	project := p.project("Talk")
	for sent, taken := range map[string]string{"video/webm;codecs=vp9,opus": "video/webm", "Video/MP4": "video/mp4"} {
		clipPresign(p, project, sent, 10).want(201, "").shows(map[string]any{"content_type": taken})
		assetPresign(p, sent, 10).want(201, "").shows(map[string]any{"content_type": taken})
	}
	for _, sent := range []string{"video/mp4x", "video", "", ";", "text/html; a=video/mp4"} {
		if r := clipPresign(p, project, sent, 10); r.status != 422 {
			t.Errorf("%q: status %d", sent, r.status)
		}
	}
}

func TestRateLimitErrorsGiveWaitTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.withPassword("ada")
	for range 3 {
		ada.do("POST", "/api/v1/auth/request-email-change", map[string]any{}).want(422, "")
	}
	says := func(r *reply, want string) {
		t.Helper()
		if got := r.want(429, "").text("detail"); !strings.Contains(got, want) {
			t.Errorf("%s: detail %q, want %q", r.what, got, want)
		}
	}
	ask := func() *reply { return ada.do("POST", "/api/v1/auth/request-email-change", map[string]any{}) }
	says(ask(), "in 5 minutes")
	w.clock.Advance(299 * time.Second)
	says(ask(), "in 1 second.")
	for range 6 {
		login(w.anonymous(), "ada@example.com", "wrong")
	}
	says(login(w.anonymous(), "ada@example.com", goodPassword), "in 60 seconds")
}
