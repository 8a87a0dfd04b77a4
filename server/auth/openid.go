package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"roughcut/store"
)

// discoveryPause is how long a provider that did not answer is left alone, so that requests do not
// queue up for it.
const discoveryPause = 5 * time.Second

// openID is a provider that speaks OpenID Connect. What it says of itself is asked for when it is
// first needed, and again some time after a failure.
type openID struct {
	c   ProviderConfig
	now func() time.Time

	mu       sync.Mutex
	found    *oidc.Provider
	failure  error // of the last try
	failedAt time.Time
}

func (p *openID) issuer() string { return p.c.Issuer }

// discover returns what the provider says of itself. Who waits for the answer to another request is
// not kept waiting longer.
func (p *openID) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	if p.failure != nil && p.now().Sub(p.failedAt) < discoveryPause {
		return nil, p.failure
	}
	p.found, p.failure = p.ask(context.WithoutCancel(ctx))
	p.failedAt = p.now()
	return p.found, p.failure
}

func (p *openID) ask(ctx context.Context) (*oidc.Provider, error) {
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, providerClient()), p.c.Issuer)
	if err != nil {
		return nil, err
	}
	for _, address := range []string{found.Endpoint().AuthURL, found.Endpoint().TokenURL} {
		if err := checkAddress(address); err != nil {
			return nil, fmt.Errorf("an endpoint %w", err)
		}
	}
	return found, nil
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
	// A style that is left open is tried out, which uses the code up.
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

// person is what providers say of somebody, in the token or at the endpoint for it.
type person struct {
	Email         string `json:"email"`
	EmailVerified any    `json:"email_verified"` // true, or for some providers "true"
	Name          string `json:"name"`
	Username      string `json:"preferred_username"`
}

func (p *openID) identify(ctx context.Context, token *oauth2.Token, nonce string) (store.ProviderProfile, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return store.ProviderProfile{}, err
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return store.ProviderProfile{}, errors.New("there is no ID token in the answer")
	}
	id, err := found.Verifier(&oidc.Config{ClientID: p.c.ClientID, Now: p.now}).Verify(ctx, raw)
	if err != nil {
		return store.ProviderProfile{}, err
	}
	if !EqualTokens(id.Nonce, nonce) {
		return store.ProviderProfile{}, errors.New("the ID token is for another sign-in")
	}
	if id.AccessTokenHash != "" {
		if err := id.VerifyAccessToken(token.AccessToken); err != nil {
			return store.ProviderProfile{}, err
		}
	}
	var who person
	if err := id.Claims(&who); err != nil {
		return store.ProviderProfile{}, err
	}
	if who.Email == "" && found.UserInfoEndpoint() != "" {
		if err := userInfo(ctx, found, token, id.Subject, &who); err != nil {
			return store.ProviderProfile{}, err
		}
	}
	return store.ProviderProfile{
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

// userInfo asks the provider for what is not in the token.
func userInfo(ctx context.Context, found *oidc.Provider, token *oauth2.Token, subject string, who *person) error {
	info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return err
	}
	if info.Subject != subject {
		return errors.New("the provider told of another person than the one who signed in")
	}
	return info.Claims(who)
}
