package auth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"golang.org/x/oauth2"

	"roughcut/store/account"
)

// ProviderConfig is a sign-in provider in the operator's settings.
type ProviderConfig struct {
	Name string // unique; part of addresses and of the button's label
	Type string // "oidc" (the default) or "github"
	// address of an OpenID provider or of a GitHub Enterprise server; empty for github.com
	Issuer       string
	ClientID     string   // issued by the provider
	ClientSecret string   // issued by the provider
	Scopes       []string // requested scopes; default: those that name and address need
}

// OAuthFlowTTL is how long a user may take to sign in at a provider.
const OAuthFlowTTL = 10 * time.Minute

// providerTimeout bounds each request to a provider.
const providerTimeout = 10 * time.Second

// Reasons for a failed sign-in at a provider. Any other error of OAuth means that the provider
// returned an invalid response or none.
var (
	// ErrProvider means that no provider has the given name.
	ErrProvider = errors.New("no such provider is configured")
	// ErrDenied means that the user or the provider denied the sign-in.
	ErrDenied = errors.New("the provider denied the sign-in")
)

// OAuth signs users in at providers.
type OAuth struct {
	names     []string
	providers map[string]provider
}

// provider is one service that can identify users.
type provider interface {
	// issuer returns the iss parameter that the provider's responses must carry, or "" if it sends
	// none.
	issuer() string
	// check returns an error if the provider does not answer as its settings say.
	check(ctx context.Context) error
	// config returns endpoints and client credentials. It may send a request to the provider.
	config(ctx context.Context) (*oauth2.Config, error)
	// identify returns the user behind a token.
	identify(ctx context.Context, token *oauth2.Token, nonce string) (account.ProviderProfile, error)
}

var providerName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// NewOAuth returns the OAuth of the configured providers without contacting them. Errors name the
// invalid field, as in "[1].issuer".
func NewOAuth(configs []ProviderConfig, now func() time.Time) (*OAuth, error) {
	o := &OAuth{names: []string{}, providers: map[string]provider{}}
	for i, c := range configs {
		p, err := newProvider(c, now)
		if err == nil && o.providers[c.Name] != nil {
			err = fieldError("name", "%q is a duplicate; give each provider a unique name", c.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("[%d]%w", i, err)
		}
		o.names, o.providers[c.Name] = append(o.names, c.Name), p
	}

	return o, nil
}

func fieldError(field, format string, args ...any) error {
	return fmt.Errorf(".%s "+format, append([]any{field}, args...)...)
}

func newProvider(c ProviderConfig, now func() time.Time) (provider, error) {
	if !providerName.MatchString(c.Name) {
		return nil, fieldError("name", "is %q; it must be 1 to 40 letters, digits, dashes or underscores", c.Name)
	}
	if c.ClientID == "" {
		return nil, fieldError("client_id", "is missing; the provider shows it after you register an application")
	}
	if c.ClientSecret == "" {
		return nil, fieldError("client_secret", "is missing; the provider shows it after you register an application")
	}
	switch c.Type {
	case "", "oidc":
		if c.Issuer == "" {
			return nil, fieldError(
				"issuer",
				"is missing; set it to the address that serves /.well-known/openid-configuration",
			)
		}

		if err := checkAddress(c.Issuer); err != nil {
			return nil, fieldError("issuer", "%w", err)
		}
		return &openID{c: c, now: now}, nil
	case "github":
		if c.Issuer == "" {
			return newGitHub(c, publicGitHub, publicGitHubAPI), nil
		}
		if err := checkAddress(c.Issuer); err != nil {
			return nil, fieldError("issuer", "%w", err)
		}
		return newGitHub(c, c.Issuer, ""), nil
	}

	return nil, fieldError("type", "is %q; it must be oidc or github", c.Type)
}

// checkAddress accepts HTTPS addresses, and HTTP on this machine, so that secrets never cross a
// network in the clear.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("is %q; it must be an address such as https://login.example.org", address)
	}
	loopback := u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback) {
		return fmt.Errorf(
			"is %q; it must start with https:// unless the provider is on this machine",
			address,
		)
	}

	return nil
}

// Names returns the names of the providers in the order of the settings.
func (o *OAuth) Names() []string { return o.names }

// Check contacts a provider and returns why it cannot sign users in. It cannot check the client
// credentials, which a provider accepts only in a sign-in. It returns ErrProvider for unknown
// providers.
func (o *OAuth) Check(ctx context.Context, name string) error {
	p := o.providers[name]
	if p == nil {
		return ErrProvider
	}
	return p.check(ctx)
}

// StartedFlow is a new sign-in flow: the record for the store, the address for the browser, and the
// cookie that connects both.
type StartedFlow struct {
	Flow   account.OAuthFlow
	URL    string
	Cookie string
}

// Start starts a flow at a provider, which later redirects the browser to redirectURL. It returns
// ErrProvider for unknown providers, and other errors if the provider does not answer.
func (o *OAuth) Start(ctx context.Context, name, redirectURL string, now time.Time) (StartedFlow, error) {
	p := o.providers[name]
	if p == nil {
		return StartedFlow{}, ErrProvider
	}
	config, err := p.config(ctx)
	if err != nil {
		return StartedFlow{}, fmt.Errorf("get the endpoints of provider %s: %w", name, err)
	}
	var secrets [3]string
	for i := range secrets {
		if secrets[i], err = randomToken(); err != nil {
			return StartedFlow{}, err
		}
	}

	state, cookie, nonce := secrets[0], secrets[1], secrets[2]
	flow := account.OAuthFlow{
		StateHash:   HashToken(state),
		BrowserHash: HashToken(cookie),
		Provider:    name,
		Verifier:    oauth2.GenerateVerifier(),
		Nonce:       nonce,
		RedirectURL: redirectURL,
		ExpiresAt:   now.Add(OAuthFlowTTL),
	}
	config.RedirectURL = redirectURL
	address := config.AuthCodeURL(
		state,
		oauth2.S256ChallengeOption(flow.Verifier),
		oauth2.SetAuthURLParam("nonce", nonce),
	)
	return StartedFlow{Flow: flow, URL: address, Cookie: cookie}, nil
}

// Callback is what a provider passes back through the browser.
type Callback struct {
	Code, Error, Issuer string // query parameters code, error and iss
}

// Finish exchanges the callback of a consumed flow for the identity of the user. It returns
// ErrProvider, ErrDenied, or another error for an invalid response of the provider.
func (o *OAuth) Finish(ctx context.Context, flow account.OAuthFlow, a Callback) (account.ProviderProfile, error) {
	p := o.providers[flow.Provider]
	if p == nil {
		return account.ProviderProfile{}, ErrProvider
	}
	if a.Error == "access_denied" {
		return account.ProviderProfile{}, ErrDenied
	}
	if a.Error != "" || a.Code == "" {
		return account.ProviderProfile{}, fmt.Errorf(
			"provider %s returned the error %q instead of a code",
			flow.Provider,
			a.Error,
		)
	}

	if a.Issuer != "" && p.issuer() != "" && a.Issuer != p.issuer() {
		return account.ProviderProfile{}, fmt.Errorf(
			"the callback of provider %s names the issuer %q",
			flow.Provider,
			a.Issuer,
		)
	}

	config, err := p.config(ctx)
	if err != nil {
		return account.ProviderProfile{}, fmt.Errorf("get the endpoints of provider %s: %w", flow.Provider, err)
	}
	config.RedirectURL = flow.RedirectURL
	ctx = context.WithValue(ctx, oauth2.HTTPClient, providerClient())
	token, err := config.Exchange(ctx, a.Code, oauth2.VerifierOption(flow.Verifier))
	if err != nil {
		return account.ProviderProfile{}, fmt.Errorf("exchange the code of provider %s: %w", flow.Provider, err)
	}
	who, err := p.identify(ctx, token, flow.Nonce)
	if err != nil {
		return account.ProviderProfile{}, fmt.Errorf("identify the user at provider %s: %w", flow.Provider, err)
	}
	return who, nil
}

// providerClient returns a client for requests to providers. It keeps no idle connections, so none
// outlives a sign-in.
func providerClient() *http.Client {
	return &http.Client{
		Timeout:   providerTimeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
	}
}
