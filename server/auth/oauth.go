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

	"roughcut/store"
)

// ProviderConfig is a service at which people may sign in, as the operator writes it.
type ProviderConfig struct {
	Name string // in addresses and on the button; unique
	Type string // "oidc", also where it is empty, or "github"
	// of an OpenID provider; for GitHub the address of an Enterprise server, empty for github.com
	Issuer       string
	ClientID     string   // as the provider gave it
	ClientSecret string   // as the provider gave it
	Scopes       []string // what is asked for; empty: what is needed to know name and address
}

// FlowTTL is how long somebody may take to sign in at a provider.
const OAuthFlowTTL = 10 * time.Minute

// providerTimeout bounds each request to a provider.
const providerTimeout = 10 * time.Second

// The ways in which a sign-in at a provider can fail. Any other error of OAuth means that the
// provider did not answer as it should.
var (
	// ErrProvider says that there is no provider of that name.
	ErrProvider = errors.New("no such provider is configured")
	// ErrDenied says that the person, or the provider, said no.
	ErrDenied = errors.New("the provider denied the sign-in")
)

// OAuth signs people in at providers.
type OAuth struct {
	names     []string
	providers map[string]provider
}

// provider is one service that can vouch for people.
type provider interface {
	// issuer is what its answers to browsers are to name as their author, or empty where they do
	// not.
	issuer() string
	// config returns endpoints and client; it may ask the provider.
	config(ctx context.Context) (*oauth2.Config, error)
	// identify returns whom an answer of the token endpoint is about.
	identify(ctx context.Context, token *oauth2.Token, nonce string) (store.ProviderProfile, error)
}

var providerName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// NewOAuth returns the OAuth of the configured providers. It asks none of them. Errors name the
// field that is wrong, as "[1].issuer".
func NewOAuth(configs []ProviderConfig, now func() time.Time) (*OAuth, error) {
	o := &OAuth{names: []string{}, providers: map[string]provider{}}
	for i, c := range configs {
		p, err := newProvider(c, now)
		if err == nil && o.providers[c.Name] != nil {
			err = fieldError("name", "%q is there twice", c.Name)
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
		return nil, fieldError("client_id", "is missing; the provider shows it where the application is registered")
	}
	if c.ClientSecret == "" {
		return nil, fieldError("client_secret", "is missing; the provider shows it where the application is registered")
	}
	switch c.Type {
	case "", "oidc":
		if c.Issuer == "" {
			return nil, fieldError(
				"issuer",
				"is missing; it is the address under which the provider has /.well-known/openid-configuration",
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

// checkAddress lets secrets travel by HTTPS only, or within this machine.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("is %q, which is no address such as https://login.example.org", address)
	}
	ip := net.ParseIP(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback) {
		return fmt.Errorf(
			"is %q; it must begin with https://, since only a provider on this machine may do without",
			address,
		)
	}
	return nil
}

// Names returns the names of the providers in the order of the settings.
func (o *OAuth) Names() []string { return o.names }

// Started is a flow that begins: what the store keeps, where the browser goes, and the cookie that
// ties the two.
type StartedFlow struct {
	Flow   store.OAuthFlow
	URL    string
	Cookie string
}

// Start begins a flow at a provider, which sends the browser back to redirectURL. Errors:
// ErrProvider; others where the provider does not answer.
func (o *OAuth) Start(ctx context.Context, name, redirectURL string, now time.Time) (StartedFlow, error) {
	p := o.providers[name]
	if p == nil {
		return StartedFlow{}, ErrProvider
	}
	config, err := p.config(ctx)
	if err != nil {
		return StartedFlow{}, fmt.Errorf("ask the provider %s for its endpoints: %w", name, err)
	}
	var secrets [3]string
	for i := range secrets {
		if secrets[i], err = randomToken(); err != nil {
			return StartedFlow{}, err
		}
	}
	state, cookie, nonce := secrets[0], secrets[1], secrets[2]
	flow := store.OAuthFlow{
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

// Answer is what a provider sent back with the browser.
type Callback struct {
	Code, Error, Issuer string // parameters code, error and iss
}

// Finish exchanges the answer to a flow, which was used up before, for whom the provider vouches.
// Errors: ErrProvider, ErrDenied; others where the provider does not answer as it should.
func (o *OAuth) Finish(ctx context.Context, flow store.OAuthFlow, a Callback) (store.ProviderProfile, error) {
	p := o.providers[flow.Provider]
	if p == nil {
		return store.ProviderProfile{}, ErrProvider
	}
	if a.Error == "access_denied" {
		return store.ProviderProfile{}, ErrDenied
	}
	if a.Error != "" || a.Code == "" {
		return store.ProviderProfile{}, fmt.Errorf("the provider %s sent no code, but the error %q", flow.Provider, a.Error)
	}
	if a.Issuer != "" && p.issuer() != "" && a.Issuer != p.issuer() {
		return store.ProviderProfile{}, fmt.Errorf(
			"the answer of the provider %s came in the name of %q",
			flow.Provider,
			a.Issuer,
		)
	}
	config, err := p.config(ctx)
	if err != nil {
		return store.ProviderProfile{}, fmt.Errorf("ask the provider %s for its endpoints: %w", flow.Provider, err)
	}
	config.RedirectURL = flow.RedirectURL
	ctx = context.WithValue(ctx, oauth2.HTTPClient, providerClient())
	token, err := config.Exchange(ctx, a.Code, oauth2.VerifierOption(flow.Verifier))
	if err != nil {
		return store.ProviderProfile{}, fmt.Errorf("exchange the code of %s: %w", flow.Provider, err)
	}
	who, err := p.identify(ctx, token, flow.Nonce)
	if err != nil {
		return store.ProviderProfile{}, fmt.Errorf("read whom %s vouches for: %w", flow.Provider, err)
	}
	return who, nil
}

// providerClient makes requests to providers. It keeps no connection, so that none outlives a
// sign-in.
func providerClient() *http.Client {
	return &http.Client{
		Timeout:   providerTimeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
	}
}
