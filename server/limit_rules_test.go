package server

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"roughcut/store/billing"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	provePromises(t, []promise{
		{"signup rate: 5 per IP per 10 minutes", func(t *testing.T) {
			w := behindProxy(t)
			limitPerIP(t, w, 5, 10*time.Minute, func(ip string) *reply {
				return w.from(
					ip,
					"POST",
					"/api/v1/users/",
					map[string]any{
						"name":     " ",
						"username": "ada",
						"email":    "ada@example.com",
						"password": goodPassword,
					},
				)
			})
		}},
		{
			"verification email rate: 3 per IP per 5 minutes",
			func(t *testing.T) { limitOnMails(t, "send-verification") },
		},
		{
			"password reset request rate: 3 per IP per 5 minutes",
			func(t *testing.T) { limitOnMails(t, "request-password-reset") },
		},
		{"change-password rate: 5 per 300 s", func(t *testing.T) {
			limitPerAccount(t, 5, func(p *person) *reply {
				return p.do("POST", "/api/v1/auth/change-password", map[string]any{"new_password": "a new passphrase"})
			})
		}},
		{"email-change request rate: 3 per 300 s", func(t *testing.T) {
			limitPerAccount(t, 3, func(p *person) *reply {
				return p.do("POST", "/api/v1/auth/request-email-change", map[string]any{"new_email": "new@example.com"})
			})
		}},
		{"reset token lifetime: 1 hour", linksCarrySignedTokens},
		{"trial: 7 days, 30 AI minutes, Creator tier", trialOfANewAccount},
		{"trial: once per email even across deleted accounts", trialOncePerAddress},
		{"login lockout: base x 2^round up to the maximum", lockoutDoublesUpToItsCap},
		{"login lockout: the sixth failure within 900 s locks for 60 s", lockoutByDefault},
		{"per-file upload maximum: 2 GiB", func(t *testing.T) {
			p := newWorld(t).person("ada")
			project := p.project("Talk")
			for _, send := range []func(int) *reply{
				func(size int) *reply { return clipPresign(p, project, "video/mp4", size) },
				func(size int) *reply { return assetPresign(p, "video/mp4", size) },
			} {
				send(2<<30).want(201, "")
				send(2<<30+1).want(422, "file_too_large")
			}
		}},
		{"tier storage quota: 500 MiB, 2, 25 and 100 GiB", func(t *testing.T) {
			p := newWorld(t, onRequest).person("ada")
			for price, quota := range []int{500 << 20, 2 << 30, 25 << 30, 100 << 30} {
				if price > 0 {
					p.upgrade(2*price-1).want(200, "")
				}
				p.billing().shows(map[string]any{"storage_quota_bytes": float64(quota)})
			}
		}},
		{"video import: 60 minutes", importsThatFail},
		{"pacing_level and false_start_sensitivity: 0-100", func(t *testing.T) {
			p := newWorld(t).person("ada")
			analyze := "/api/v1/projects/" + p.project("Talk") + "/analyze"
			for _, field := range []string{"pacing_level", "false_start_sensitivity"} {
				for value, allowed := range map[any]bool{
					-1: false, 0: true, 100: true, 101: false, 50.5: false, "50": false,
				} {
					body := map[string]any{"name": fmt.Sprint(field, value), field: value}
					preset := p.do("POST", "/api/v1/users/me/presets", body)
					if analysis := p.do("POST", analyze, body); allowed != (analysis.status == 400) ||
						allowed != (preset.status == 201) {
						t.Errorf("%s %v: analyze %d, presets %d", field, value, analysis.status, preset.status)
					}
				}
			}
		}},
		{"max_words: 2-20", func(t *testing.T) {
			p := newWorld(t).person("ada")
			// 409: no transcript
			for words, status := range map[any]int{1: 422, 2: 409, 20: 409, 21: 422, nil: 422} {
				p.do(
					"POST",
					"/api/v1/projects/"+p.project("Talk")+"/caption-lines/generate",
					map[string]any{"max_words": words},
				).want(status, "")
			}
		}},
		{"main_volume_percent: 0-100", func(t *testing.T) {
			p := newWorld(t).person("ada")
			project := p.project("Talk")
			p.readyClip(project)
			for volume, status := range map[any]int{-1: 422, 0: 202, 100: 202, 101: 422, 50.5: 422} {
				p.do(
					"POST",
					"/api/v1/projects/"+project+"/exports/",
					map[string]any{
						"name":            "e",
						"export_settings": map[string]any{"audio": map[string]any{"main_volume_percent": volume}},
					},
				).want(status, "")
			}
		}},
		{"event stream keepalive: 15 s", func(t *testing.T) {
			if got := newWorld(t).server.Settings.EventsKeepalive; got != 15*time.Second {
				t.Errorf("keepalive interval %v", got)
			}
		}},
		{"page size: 1-200, 50 by default", func(t *testing.T) {
			p := newWorld(t).person("ada")
			p.do("GET", "/api/v1/projects/", nil).want(
				200,
				"",
			).shows(map[string]any{"page": 1, "page_size": 50, "total": 0})
			for size, status := range map[string]int{"0": 422, "1": 200, "200": 200, "201": 422, "x": 422} {
				p.do("GET", "/api/v1/projects/?page_size="+size, nil).want(status, "")
			}
			p.do("GET", "/api/v1/projects/?page=0", nil).want(422, "")
		}},
	})
}

func lockoutByDefault(t *testing.T) {
	w := newWorld(t)
	w.withPassword("ada")
	fail := func() *reply { return login(w.anonymous(), "ada@example.com", "wrong") }
	for range 5 {
		fail().want(401, "invalid_credentials")
		w.clock.Advance(179 * time.Second) // the first failure is 895 s old at the sixth
	}
	limitedAs(t, fail(), "locked_out", "60")
	w.clock.Advance(59 * time.Second)
	limitedAs(t, login(w.anonymous(), "ada@example.com", goodPassword), "locked_out", "1")
	w.clock.Advance(time.Second)
	login(w.anonymous(), "ada@example.com", goodPassword).want(200, "")
	for range 6 { // six failures, but never six within the window
		fail().want(401, "invalid_credentials")
		w.clock.Advance(180 * time.Second)
	}
}

func limitedAs(t *testing.T, r *reply, code, seconds string) {
	t.Helper()
	if got := r.want(429, code).header.Get("Retry-After"); got != seconds {
		t.Errorf("%s: Retry-After %s s, want %s", r.what, got, seconds)
	}
}

func limitOnMails(t *testing.T, operation string) {
	w := behindProxy(t)
	limitPerIP(t, w, 3, 5*time.Minute, func(ip string) *reply {
		return w.from(ip, "POST", "/api/v1/auth/"+operation, map[string]any{"email": "ada@example.com"})
	})
}

// limitPerIP checks that a client address gets exactly the given number of requests per window, and
// that other addresses are unaffected. Rejected requests do not count.
func limitPerIP(t *testing.T, w *world, requests int, window time.Duration, send func(ip string) *reply) {
	t.Helper()
	proveWindow(t, w, requests, window, func() *reply { return send("203.0.113.1") })
	if r := send("203.0.113.2"); r.status == 429 {
		t.Errorf("another client was rejected: %s", r.body)
	}
}

// limitPerAccount checks the same for an account with a window of 300 s. The requests lack the
// password, which avoids hashing, and still count.
func limitPerAccount(t *testing.T, requests int, send func(*person) *reply) {
	t.Helper()
	w := newWorld(t)
	ada, eve := w.withPassword("ada"), w.withPassword("eve")
	proveWindow(t, w, requests, 300*time.Second, func() *reply { return send(ada) })
	send(eve).want(422, "unprocessable")
}

func proveWindow(t *testing.T, w *world, requests int, window time.Duration, send func() *reply) {
	t.Helper()
	for range requests {
		if r := send(); r.status == 429 {
			t.Fatalf("rejected too early: %s", r.body)
		}
		w.clock.Advance(time.Second)
	}
	left := window - time.Duration(requests)*time.Second
	limited(t, send(), strconv.Itoa(int(left.Seconds())))
	w.clock.Advance(left - time.Second)
	limited(t, send(), "1")
	w.clock.Advance(time.Second)
	if r := send(); r.status == 429 {
		t.Fatalf("rejected after the window: %s", r.body)
	}
	limited(t, send(), "1") // only the first request is outside the window
}

func trialOfANewAccount(t *testing.T) {
	w := newWorld(t)
	signup(w.anonymous(), "ada").want(201, "")
	w.anonymous().do(
		"POST",
		"/api/v1/auth/verify-email",
		map[string]any{"token": w.mailTo("ada@", "Confirm").token(t, "verify-email")},
	).want(200, "")
	user, err := w.store.UserByEmail("ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	ada := w.signIn(user)
	status := ada.do("GET", "/api/v1/payments/subscription/status", nil).want(200, "")
	for field, want := range map[string]string{
		"tier": "creator", "subscription_status": "trialing", "trial_used": "true",
		"trial_ends_at": timestamp(w.clock.Now().Add(7 * 24 * time.Hour)),
	} {
		if got := status.text(field); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
	if got := status.text("credits", "ai_minutes", "balance"); got != "30" {
		t.Errorf("balance %s", got)
	}
}

func trialOncePerAddress(t *testing.T) {
	w := newOAuthWorld(t)
	w.idp.set("1", "ada", "Ada@example.com", true)
	w.in(w.signInAs("1", ""), "/").do("DELETE", "/api/v1/users/me", map[string]any{}).want(204, "")
	w.idp.set("2", "other", "ADA@example.com", true) // another spelling of the same address
	again := w.in(w.signInAs("2", ""), "/")
	if got := again.do("GET", "/api/v1/payments/subscription/status", nil).want(
		200,
		"",
	); got.text("tier") != "free" ||
		got.text("trial_used") != "true" {
		t.Errorf("the second account of the address has the tier %s", got.body)
	}
}

func TestUserStates(t *testing.T) {
	t.Parallel()
	provePromises(t, []promise{
		{"email_verified=false: a valid token verifies, welcomes and grants the trial", func(t *testing.T) {
			w := newWorld(t)
			signup(w.anonymous(), "ada").want(201, "")
			verify := func(token string) *reply {
				return w.anonymous().do("POST", "/api/v1/auth/verify-email", map[string]any{"token": token})
			}
			token := w.mailTo("ada@", "Confirm").token(t, "verify-email")
			w.clock.Advance(24*time.Hour - time.Second)
			verify(tampered(token)).want(400, "invalid_token")
			verify(token).want(200, "")
			verify(token).want(400, "invalid_token")
			user, err := w.store.UserByEmail("ada@example.com")
			if err != nil || !user.EmailVerified {
				t.Fatalf("account %+v %v", user, err)
			}
			if b, err := w.store.Billing(user.UUID); err != nil || b.Tier != billing.Creator ||
				w.mailTo("ada@", "Welcome") == nil {
				t.Errorf("tier %+v %v", b, err)
			}
		}},
		{"email_verified=false: a link expires after 24 hours", func(t *testing.T) {
			w := newWorld(t)
			signup(w.anonymous(), "ada").want(201, "")
			token := w.mailTo("ada@", "Confirm").token(t, "verify-email")
			w.clock.Advance(24 * time.Hour)
			w.anonymous().do("POST", "/api/v1/auth/verify-email", map[string]any{"token": token}).want(
				400,
				"invalid_token",
			)
			login(w.anonymous(), "ada@example.com", goodPassword).want(403, "email_not_verified")
		}},
		{"new through OAuth: verified, trial granted, session established", func(t *testing.T) {
			w := newOAuthWorld(t)
			w.idp.set("1", "ada", "ada@example.com", true)
			ada := w.in(w.signInAs("1", ""), "/")
			if b, err := w.store.Billing(ada.user.UUID); err != nil || b.Tier != billing.Creator ||
				!ada.user.EmailVerified {
				t.Errorf("account %+v, billing %+v %v", ada.user, b, err)
			}
		}},
	})
}
