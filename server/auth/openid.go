package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"roughcut/store/account"
)

// discoveryPause is the wait after a failed discovery, so that requests do not queue up behind a
// provider that is down.
const discoveryPause = 5 * time.Second

// maxMetadata is how much of the metadata of a provider namedIssuer reads, in bytes.
const maxMetadata = 1 << 20

// openID is a provider with OpenID Connect. It runs discovery at the first use and repeats it some
// time after a failure.
type openID struct {
	c   ProviderConfig
	now func() time.Time

	mu       sync.Mutex
	found    *oidc.Provider
	failure  error // of the last attempt
	failedAt time.Time
}

func (p *openID) issuer() string { return p.c.Issuer }

// discover returns the metadata of the provider. Concurrent callers share one request, and a
// waiting caller does not wait longer than that request.
func (p *openID) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	if p.failure != nil && p.now().Sub(p.failedAt) < discoveryPause {
		return nil, p.failure
	}
	p.found, p.failure = p.loadProvider(context.WithoutCancel(ctx))
	p.failedAt = p.now()
	return p.found, p.failure
}

func (p *openID) loadProvider(ctx context.Context) (*oidc.Provider, error) {
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, providerClient()), p.c.Issuer)
	if err != nil {
		return nil, p.explained(ctx, err)
	}
	for _, address := range []string{found.Endpoint().AuthURL, found.Endpoint().TokenURL} {
		if err := checkAddress(address); err != nil {
			return nil, fmt.Errorf("an endpoint %w", err)
		}
	}

	return found, nil
}

// explained returns an error of discovery, or the right spelling of the issuer.
func (p *openID) explained(ctx context.Context, err error) error {
	named := p.namedIssuer(ctx)
	if named == "" || named == p.c.Issuer {
		return err
	}
	return fmt.Errorf("the provider calls itself %s; set its issuer to exactly that, not to %s", named, p.c.Issuer)
}

// namedIssuer returns the issuer that the metadata of the provider names, empty without metadata.
func (p *openID) namedIssuer(ctx context.Context) string {
	address := strings.TrimSuffix(p.c.Issuer, "/") + "/.well-known/openid-configuration"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return ""
	}
	response, err := providerClient().Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	var metadata struct {
		Issuer string `json:"issuer"`
	}
	if json.NewDecoder(io.LimitReader(response.Body, maxMetadata)).Decode(&metadata) != nil {
		return ""
	}
	return metadata.Issuer
}

func (p *openID) check(ctx context.Context) error {
	_, err := p.discover(ctx)
	return err
}

func (p *openID) config(ctx context.Context) (*oauth2.Config, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	var offers struct {
		AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := found.Claims(&offers); err != nil {
		return nil, err
	}
	// oauth2 would probe an unknown style, which consumes the code.
	endpoint := found.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if len(offers.AuthMethods) > 0 && !slices.Contains(offers.AuthMethods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	scopes := p.c.Scopes
	if len(scopes) == 0 {
		scopes = []string{"profile", "email"}
	}
	if !slices.Contains(scopes, oidc.ScopeOpenID) {
		scopes = append([]string{oidc.ScopeOpenID}, scopes...)
	}
	return &oauth2.Config{
		ClientID:     p.c.ClientID,
		ClientSecret: p.c.ClientSecret,
		Endpoint:     endpoint,
		Scopes:       scopes,
	}, nil
}

// person is the identity of a user in the ID token or at the userinfo endpoint.
type person struct {
	Email         string `json:"email"`
	EmailVerified any    `json:"email_verified"` // true; some providers send "true"
	Name          string `json:"name"`
	Username      string `json:"preferred_username"`
	// AuthorizedParty is the client that the ID token was issued to.
	AuthorizedParty string `json:"azp"`
}

func (p *openID) identify(ctx context.Context, token *oauth2.Token, nonce string) (account.ProviderProfile, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return account.ProviderProfile{}, err
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return account.ProviderProfile{}, errors.New("the response has no ID token")
	}
	id, err := found.Verifier(&oidc.Config{ClientID: p.c.ClientID, Now: p.now}).Verify(ctx, raw)
	if err != nil {
		return account.ProviderProfile{}, err
	}
	if err := checkSubject(id.Subject); err != nil {
		return account.ProviderProfile{}, err
	}
	if !EqualTokens(id.Nonce, nonce) {
		return account.ProviderProfile{}, errors.New("the ID token belongs to another sign-in")
	}
	if id.AccessTokenHash != "" {
		if err := id.VerifyAccessToken(token.AccessToken); err != nil {
			return account.ProviderProfile{}, err
		}
	}

	var who person
	if err := id.Claims(&who); err != nil {
		return account.ProviderProfile{}, err
	}
	if err := p.checkParty(id.Audience, who.AuthorizedParty); err != nil {
		return account.ProviderProfile{}, err
	}
	if who.Email == "" && found.UserInfoEndpoint() != "" {
		if err := userInfo(ctx, found, token, id.Subject, &who); err != nil {
			return account.ProviderProfile{}, err
		}
	}

	return account.ProviderProfile{
		Issuer:   id.Issuer,
		Subject:  id.Subject,
		Provider: p.c.Name,
		Email:    who.Email,
		EmailVerified: who.EmailVerified == true ||
			who.EmailVerified == "true",
		Name:     who.Name,
		Username: who.Username,
	}, nil
}

// maxSubject is the greatest length of a subject in bytes (OpenID Connect Core 1.0, section 2).
const maxSubject = 255

// checkSubject refuses a subject that does not identify one user.
func checkSubject(subject string) error {
	switch {
	case strings.TrimSpace(subject) == "":
		return errors.New("the ID token has no subject (sub), so it identifies no user")
	case len(subject) > maxSubject:
		return fmt.Errorf("the subject (sub) of the ID token has %d bytes, more than %d", len(subject), maxSubject)
	}

	return nil
}

// checkParty checks that the ID token was issued to this client (OpenID Connect Core 1.0, section
// 3.1.3.7, rules 4 and 5). The verifier has already found the client in the audience.
func (p *openID) checkParty(audience []string, party string) error {
	onlyAudience := party == "" && len(audience) == 1
	if onlyAudience || party == p.c.ClientID {
		return nil
	}
	return fmt.Errorf("the ID token for %q was issued to the client %q (azp), not to %q", audience, party, p.c.ClientID)
}

// userInfo adds the claims of the userinfo endpoint to who.
func userInfo(ctx context.Context, found *oidc.Provider, token *oauth2.Token, subject string, who *person) error {
	info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return err
	}
	if info.Subject != subject {
		return errors.New("the userinfo endpoint returned another user than the ID token")
	}
	return info.Claims(who)
}
