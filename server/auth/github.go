package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/oauth2"

	"roughcut/store/account"
)

// Addresses of GitHub. A GitHub Enterprise server has both below its own address.
const (
	publicGitHub    = "https://github.com"
	publicGitHubAPI = "https://api.github.com"
)

// maxGitHubResponse bounds the size of one response in bytes.
const maxGitHubResponse = 1 << 20

// gitHub is GitHub or a GitHub Enterprise server. Both support OAuth but not OpenID Connect.
type gitHub struct {
	c         ProviderConfig
	site, api string // without trailing slash
}

// newGitHub returns the provider for a site. An empty api means the API of an Enterprise server.
func newGitHub(c ProviderConfig, site, api string) *gitHub {
	site = strings.TrimRight(site, "/")
	api = cmp.Or(api, site+"/api/v3")
	return &gitHub{c: c, site: site, api: api}
}

func (p *gitHub) issuer() string { return "" }

func (p *gitHub) check(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.site, nil)
	if err != nil {
		return err
	}
	response, err := providerClient().Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("%s responds with %s", p.site, response.Status)
	}
	return nil
}

func (p *gitHub) config(context.Context) (*oauth2.Config, error) {
	scopes := p.c.Scopes
	if len(scopes) == 0 {
		scopes = []string{"read:user", "user:email"}
	}
	return &oauth2.Config{
		ClientID:     p.c.ClientID,
		ClientSecret: p.c.ClientSecret,
		Scopes:       scopes,
		Endpoint: oauth2.Endpoint{
			AuthURL:   p.site + "/login/oauth/authorize",
			TokenURL:  p.site + "/login/oauth/access_token",
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}, nil
}

// identify asks for the user of the token. GitHub has no nonce; state and PKCE tie the response to
// the flow.
func (p *gitHub) identify(ctx context.Context, token *oauth2.Token, _ string) (account.ProviderProfile, error) {
	var user struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
		Name  string `json:"name"`
	}
	if err := p.get(ctx, token, "/user", &user); err != nil {
		return account.ProviderProfile{}, err
	}
	if user.ID <= 0 {
		return account.ProviderProfile{}, fmt.Errorf("%s returned %d as the ID of the user", p.api, user.ID)
	}
	var emails []struct {
		Email    string `json:"email"`
		Primary  bool   `json:"primary"`
		Verified bool   `json:"verified"`
	}
	if err := p.get(ctx, token, "/user/emails", &emails); err != nil {
		return account.ProviderProfile{}, err
	}
	who := account.ProviderProfile{
		Issuer:   p.site,
		Subject:  strconv.FormatInt(user.ID, 10),
		Provider: p.c.Name,
		Name:     user.Name,
		Username: user.Login,
	}
	for _, e := range emails {
		if e.Primary {
			who.Email, who.EmailVerified = e.Email, e.Verified
		}
	}

	return who, nil
}

// get decodes one resource of the API.
func (p *gitHub) get(ctx context.Context, token *oauth2.Token, path string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.api+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/vnd.github+json")
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	token.SetAuthHeader(r)
	response, err := providerClient().Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s%s responded with %s", p.api, path, response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxGitHubResponse)).Decode(into); err != nil {
		return fmt.Errorf("read %s%s: %w", p.api, path, err)
	}
	return nil
}
