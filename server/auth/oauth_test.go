package auth

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// forger is an OpenID provider whose responses a test can falsify.
type forger struct {
	http   *httptest.Server
	key    *rsa.PrivateKey
	about  map[string]any // overrides of the discovery document
	claims jwt.MapClaims  // of the ID token for every code
	key2   *rsa.PrivateKey
	info   map[string]any // response of the userinfo endpoint
	basic  bool           // whether the last exchange had the client secret in the header
}

func newForger(t *testing.T) *forger {
	t.Helper()
	f := &forger{about: map[string]any{}}
	var err error
	if f.key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		response := map[string]any{
			"issuer":                                f.http.URL,
			"authorization_endpoint":                f.http.URL + "/auth",
			"token_endpoint":                        f.http.URL + "/token",
			"jwks_uri":                              f.http.URL + "/keys",
			"userinfo_endpoint":                     f.http.URL + "/info",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		}
		maps.Copy(response, f.about)
		writeJSON(w, response)
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		e := big.NewInt(int64(f.key.E)).Bytes()
		writeJSON(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1",
			"n": base64.RawURLEncoding.EncodeToString(f.key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(e)}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		_, _, f.basic = r.BasicAuth()
		token := jwt.NewWithClaims(jwt.SigningMethodRS256, f.claims)
		token.Header["kid"] = "1"
		key := f.key
		if f.key2 != nil {
			key = f.key2
		}
		response := map[string]any{"access_token": "a", "token_type": "Bearer"}
		if f.claims != nil {
			response["id_token"], _ = token.SignedString(key)
		}
		writeJSON(w, response)
	})
	mux.HandleFunc("GET /info", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, f.info) })
	f.http = httptest.NewServer(mux)
	t.Cleanup(f.http.Close)
	return f
}

func writeJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

var testNow = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// try runs a flow. The claims of the ID token are valid except for the changes by spoil.
func (f *forger) try(t *testing.T, spoil func(jwt.MapClaims)) (StartedFlow, func() error) {
	t.Helper()
	o, err := NewOAuth(
		[]ProviderConfig{{Name: "p", Issuer: f.http.URL, ClientID: "client", ClientSecret: "secret"}},
		func() time.Time { return testNow },
	)
	if err != nil {
		t.Fatal(err)
	}
	started, err := o.Start(t.Context(), "p", "https://cut.example/back", testNow)
	if err != nil {
		t.Fatal(err)
	}
	f.claims = jwt.MapClaims{
		"iss":            f.http.URL,
		"aud":            "client",
		"sub":            "1",
		"exp":            testNow.Unix() + 60,
		"iat":            testNow.Unix(),
		"nonce":          started.Flow.Nonce,
		"email":          "ada@example.com",
		"email_verified": true,
	}
	spoil(f.claims)
	return started, func() error {
		who, err := o.Finish(t.Context(), started.Flow, Callback{Code: "c"})
		if err == nil &&
			(who.Subject != "1" || who.Issuer != f.http.URL || who.Email != "ada@example.com" || !who.EmailVerified ||
				who.Provider != "p") {
			t.Errorf("identity %+v", who)
		}
		return err
	}
}

func TestForgedIDTokensAreRefused(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	_, finish := f.try(t, func(jwt.MapClaims) {})
	if err := finish(); err != nil || !f.basic {
		t.Fatalf("valid sign-in: %v, secret in the header: %v", err, f.basic)
	}
	for name, spoil := range map[string]func(jwt.MapClaims){
		"another nonce":  func(c jwt.MapClaims) { c["nonce"] = "other" },
		"no nonce":       func(c jwt.MapClaims) { delete(c, "nonce") },
		"another client": func(c jwt.MapClaims) { c["aud"] = "other" },
		"another issuer": func(c jwt.MapClaims) { c["iss"] = "https://evil.example" },
		"expired":        func(c jwt.MapClaims) { c["exp"] = testNow.Unix() - 1 },
		"no subject":     func(c jwt.MapClaims) { delete(c, "sub") },
		"empty subject":  func(c jwt.MapClaims) { c["sub"] = " " },
		"long subject":   func(c jwt.MapClaims) { c["sub"] = strings.Repeat("1", 256) },
		"issued to another client": func(c jwt.MapClaims) {
			c["aud"], c["azp"] = []string{"client", "other"}, "other"
		},
		"issued to no named client":             func(c jwt.MapClaims) { c["aud"] = []string{"client", "other"} },
		"issued to another client for this one": func(c jwt.MapClaims) { c["azp"] = "other" },
		"another token":                         func(c jwt.MapClaims) { c["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" },
		"for another user": func(c jwt.MapClaims) {
			delete(c, "email")
			f.info = map[string]any{"sub": "2", "email": "eve@example.com"}
		},
	} {
		_, finish := f.try(t, spoil)
		if err := finish(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	_, finish = f.try(t, func(jwt.MapClaims) {})
	f.key2, _ = rsa.GenerateKey(rand.Reader, 2048)
	if finish() == nil {
		t.Error("a token with another key was accepted")
	}
	f.key2, f.claims = nil, nil
	if finish() == nil {
		t.Error("a response without a token was accepted")
	}
}

func TestProviderVariations(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	_, finish := f.try(t, func(c jwt.MapClaims) { c["email_verified"] = "true" })
	if err := finish(); err != nil {
		t.Errorf("email_verified as text: %v", err)
	}
	_, finish = f.try(t, func(c jwt.MapClaims) { c["aud"], c["azp"] = []string{"other", "client"}, "client" })
	if err := finish(); err != nil {
		t.Errorf("several audiences: %v", err)
	}
	f.info = map[string]any{"sub": "1", "email": "ada@example.com", "email_verified": true}
	_, finish = f.try(t, func(c jwt.MapClaims) { delete(c, "email"); delete(c, "email_verified") })
	if err := finish(); err != nil {
		t.Errorf("address only in userinfo: %v", err)
	}
	f.about["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
	_, finish = f.try(t, func(jwt.MapClaims) {})
	if err := finish(); err != nil || f.basic {
		t.Errorf("provider that needs the secret in the body: %v, in the header: %v", err, f.basic)
	}
}

func TestCheckNamesTheSpellingOfTheIssuer(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	for _, c := range []struct{ issuer, named, want string }{
		{f.http.URL, f.http.URL, "<nil>"},
		{f.http.URL, f.http.URL + "/", "exactly"},
		{f.http.URL + "/", f.http.URL, "exactly"},
		{f.http.URL + "/none", f.http.URL, "404"},
	} {
		f.about["issuer"] = c.named
		o, err := NewOAuth([]ProviderConfig{{Name: "p", Issuer: c.issuer, ClientID: "c", ClientSecret: "s"}}, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(o.Check(t.Context(), "p"))
		if !strings.Contains(text, c.want) {
			t.Errorf("issuer %s of %s: %s, want %s", c.issuer, c.named, text, c.want)
		}
	}
}

func TestSecretsNeedHTTPS(t *testing.T) {
	t.Parallel()
	for _, about := range []map[string]any{
		{"token_endpoint": "http://login.example.org/token"},
		{"authorization_endpoint": "http://login.example.org/auth"}, {"issuer": "https://evil.example"},
	} {
		f := newForger(t)
		f.about = about
		o, err := NewOAuth(
			[]ProviderConfig{{Name: "p", Issuer: f.http.URL, ClientID: "client", ClientSecret: "secret"}},
			time.Now,
		)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Start(t.Context(), "p", "https://cut.example/back", testNow); err == nil {
			t.Errorf("%v was accepted", about)
		}
	}
}

func TestFlowStoresOnlyHashes(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	started, _ := f.try(t, func(jwt.MapClaims) {})
	address, err := url.Parse(started.URL)
	if err != nil {
		t.Fatal(err)
	}
	state := address.Query().Get("state")
	if started.Flow.StateHash != HashToken(state) || started.Flow.BrowserHash != HashToken(started.Cookie) ||
		state == started.Cookie {
		t.Errorf("flow %+v", started.Flow)
	}
	if strings.Contains(started.URL, started.Flow.Verifier) ||
		!started.Flow.ExpiresAt.Equal(testNow.Add(OAuthFlowTTL)) {
		t.Errorf("address %s", started.URL)
	}
	var o OAuth
	if _, err := o.Start(t.Context(), "p", "", testNow); !errors.Is(err, ErrProvider) {
		t.Errorf("unknown provider: %v", err)
	}
	if _, err := o.Finish(t.Context(), started.Flow, Callback{Code: "c"}); !errors.Is(err, ErrProvider) {
		t.Errorf("removed provider: %v", err)
	}
}
