package auth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

func always() error { return nil }

func TestPasswords(t *testing.T) {
	t.Parallel()
	p, err := NewPasswords(2, DefaultHashCost)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := p.Hash(t.Context(), "", "correct horse")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=2,p=2$") {
		t.Fatalf("%q %v", hash, err)
	}
	if again, _ := p.Hash(t.Context(), "", "correct horse"); again == hash {
		t.Error("two hashes have the same salt")
	}
	for _, c := range []struct {
		hash, password string
		want           bool
	}{
		{hash, "correct horse", true}, {hash, "correct horsf", false}, {hash, "", false},
		{"", "correct horse", false}, {"", "", false},
	} {
		if got, err := p.Verify(t.Context(), "", c.hash, c.password, always); err != nil || got != c.want {
			t.Errorf("Verify(%.12q, %q) = %v, %v", c.hash, c.password, got, err)
		}
	}
	parts := strings.Split(hash, "$")
	for _, broken := range []string{"x", "$argon2i" +
		hash[len("$argon2id"):], strings.Replace(hash, "v=19", "v=18", 1),
		strings.Replace(hash, "m=65536", "m=99999999", 1),
		strings.Replace(hash, "t=2", "t=0", 1), strings.Replace(hash, "p=2", "p=0", 1),
		strings.TrimSuffix(hash, parts[5]),
		strings.TrimSuffix(hash, parts[5]) + "?",
	} {
		if _, err := p.Verify(t.Context(), "", broken, "correct horse", always); err == nil {
			t.Errorf("parsed the broken hash %q", broken)
		}
	}
}

func TestPasswordsLimitParallelHashes(t *testing.T) {
	t.Parallel()
	p, err := NewPasswords(1, DefaultHashCost)
	if err != nil {
		t.Fatal(err)
	}
	leave, err := p.gate.Enter(t.Context(), "holder")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Hash(ctx, "", "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("all slots taken: got %v", err)
	}
	leave()
	locked := errors.New("locked")
	if _, err := p.Verify(t.Context(), "", "", "x", func() error { return locked }); !errors.Is(err, locked) {
		t.Errorf("attempt after its permission ended: got %v", err)
	}
}

type fixedKeys struct{}

func (fixedKeys) Secret(purpose string) ([]byte, error) {
	key := sha256.Sum256([]byte(purpose))
	return key[:], nil
}

func TestTokens(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	s := NewSigner(fixedKeys{}, func() time.Time { return now })
	claims := Claims{
		ID:       "1",
		Purpose:  Media,
		User:     "u",
		Object:   "clip/proxy.mp4",
		NewEmail: "new@example.com",
		Epoch:    3,
		Expires:  now.Add(1500 * time.Millisecond),
	}
	token, err := s.Sign(claims)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Verify(token, Media); err != nil || got != claims {
		t.Errorf("%+v, %v", got, err)
	}
	for _, other := range []Purpose{Upload, Download, VerifyEmail, ResetPassword} {
		if _, err := s.Verify(token, other); !errors.Is(err, ErrToken) {
			t.Errorf("a media token is valid for %s: %v", other, err)
		}
	}
	parts := strings.Split(token, ".")
	for i := range parts {
		changed := append([]string{}, parts...)
		changed[i] = flip(changed[i])
		if _, err := s.Verify(strings.Join(changed, "."), Media); !errors.Is(err, ErrToken) {
			t.Errorf("a change of part %d is not detected: %v", i, err)
		}
	}
	now = now.Add(1499 * time.Millisecond)
	if _, err := s.Verify(token, Media); err != nil {
		t.Errorf("one millisecond before expiry: %v", err)
	}
	now = now.Add(time.Millisecond)
	if _, err := s.Verify(token, Media); !errors.Is(err, ErrToken) {
		t.Errorf("at expiry: %v", err)
	}
}

// flip changes one character in the middle, where every bit counts.
func flip(s string) string {
	middle := len(s) / 2
	replacement := byte('A')
	if s[middle] == 'A' {
		replacement = 'B'
	}
	return s[:middle] + string(replacement) + s[middle+1:]
}

func TestForgedTokens(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	s := NewSigner(fixedKeys{}, func() time.Time { return now })
	good := wireClaims{ID: "1", Audience: audience, Purpose: Media, User: "u", Expires: float64(now.Unix() + 60)}
	key, _ := s.key(Media)
	sign := func(method jwt.SigningMethod, key any, change func(*wireClaims)) string {
		c := good
		change(&c)
		token, err := jwt.NewWithClaims(method, c).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	same := func(*wireClaims) {}
	if _, err := s.Verify(sign(jwt.SigningMethodHS256, key, same), Media); err != nil {
		t.Fatalf("valid token: %v", err)
	}
	body, _ := json.Marshal(good)
	header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`))
	for name, token := range map[string]string{
		"no signature":   header + "." + base64.RawURLEncoding.EncodeToString(body) + ".",
		"none":           sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, same),
		"another method": sign(jwt.SigningMethodHS512, key, same),
		"another key":    sign(jwt.SigningMethodHS256, []byte("another key of thirty-two bytes!"), same),
		"audience":       sign(jwt.SigningMethodHS256, key, func(c *wireClaims) { c.Audience = "other" }),
		"purpose":        sign(jwt.SigningMethodHS256, key, func(c *wireClaims) { c.Purpose = Upload }),
		"no id":          sign(jwt.SigningMethodHS256, key, func(c *wireClaims) { c.ID = "" }),
		"no user":        sign(jwt.SigningMethodHS256, key, func(c *wireClaims) { c.User = "" }),
		"no expiry":      sign(jwt.SigningMethodHS256, key, func(c *wireClaims) { c.Expires = 0 }),
		"empty":          "", "dots": "..", "words": "a.b.c",
	} {
		if _, err := s.Verify(token, Media); !errors.Is(err, ErrToken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLaunchTokensStayValid(t *testing.T) {
	t.Parallel()
	var l LaunchTokens
	printed, err := l.New()
	if err != nil || len(printed) < 43 {
		t.Fatalf("%q %v", printed, err)
	}
	if l.Valid("") || l.Valid("x") {
		t.Error("an invented token was accepted")
	}
	second, _ := l.New()
	for range 2 {
		if !l.Valid(printed) || !l.Valid(second) {
			t.Error("a token works only once")
		}
	}
	for range maxLaunchTokens {
		if _, err := l.New(); err != nil {
			t.Fatal(err)
		}
	}
	if !l.Valid(printed) {
		t.Error("the printed link ended before the server")
	}
	if l.Valid(second) {
		t.Error("the number of launch tokens is unbounded")
	}
}

func TestSessionsAreRandomAndHashed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	a, valueA, err := NewSession("u", now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	b, valueB, _ := NewSession("u", now, time.Hour)
	if valueA == valueB || a.CSRF == b.CSRF || a.CSRF == valueA || len(valueA) != 43 {
		t.Error("two sessions have the same secrets")
	}
	if a.Hash != HashToken(valueA) || strings.Contains(a.Hash, valueA) || !a.ExpiresAt.Equal(now.Add(time.Hour)) {
		t.Errorf("session %+v", a)
	}
	if EqualTokens("", "") || EqualTokens("a", "b") || !EqualTokens("a", "a") {
		t.Error("EqualTokens")
	}
}
