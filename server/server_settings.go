package server

import (
	"cmp"
	"net"
	"net/url"
	"runtime"
	"strings"
	"time"

	"roughcut/server/auth"
	"roughcut/store/account"
)

// Settings holds the operator's settings. The zero value of a field means its default.
type Settings struct {
	BaseURL string // public address without trailing slash; default: the address in the request
	Owner   bool   // PLAN_MODE=owner: enables launch tokens and the host check
	// host names accepted in owner mode, in addition to localhost, IP addresses and BaseURL's; with
	// accounts and without BaseURL, host names that mails may link to
	AllowedHosts        []string
	CORSOrigins         []string     // origins whose pages may call the API, with access tokens
	TrustedProxies      []*net.IPNet // proxies with trusted X-Forwarded headers
	SupportEmail        string       // recipient of support requests; default roughcut@localhost
	SessionTTL          time.Duration
	VerifyTokenTTL      time.Duration
	ResetTokenTTL       time.Duration
	EmailChangeTokenTTL time.Duration // of links that confirm a new address
	UploadURLTTL        time.Duration
	MediaTokenTTL       time.Duration
	DownloadURLTTL      time.Duration
	AssetURLTTL         time.Duration // of addresses that play an asset
	EventsKeepalive     time.Duration
	Lockout             account.Lockout
	OAuthProviders      []auth.ProviderConfig // sign-in providers; New checks them
	HashConcurrency     int                   // parallel password hashes; default 2, or 1 on a single processor
	HashCost            auth.HashCost         // of new password hashes; default auth.DefaultHashCost, 64 MiB each
}

// BasePath returns the path prefix of all public addresses: "", or a prefix such as /cut that a
// proxy removes.
func (s Settings) BasePath() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.Path, "/")
}

func (s Settings) withDefaults() Settings {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&s.SessionTTL, 30 * 24 * time.Hour},
		{&s.VerifyTokenTTL, 24 * time.Hour},
		{&s.ResetTokenTTL, time.Hour},
		{&s.EmailChangeTokenTTL, 24 * time.Hour},
		{&s.UploadURLTTL, time.Hour},
		{&s.MediaTokenTTL, 300 * time.Second},
		{&s.DownloadURLTTL, time.Hour},
		{&s.AssetURLTTL, time.Hour},
		{&s.EventsKeepalive, 15 * time.Second},
		{&s.Lockout.Window, 900 * time.Second},
		{&s.Lockout.Base, 60 * time.Second},
		{&s.Lockout.Max, 3600 * time.Second},
	} {
		*d.field = cmp.Or(*d.field, d.value)
	}

	s.Lockout.MaxAttempts = cmp.Or(s.Lockout.MaxAttempts, 5)
	s.SupportEmail = cmp.Or(s.SupportEmail, "roughcut@localhost")
	s.HashConcurrency = cmp.Or(s.HashConcurrency, min(2, runtime.NumCPU()))
	s.HashCost = cmp.Or(s.HashCost, auth.DefaultHashCost)
	return s
}
