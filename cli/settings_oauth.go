package cli

import (
	"fmt"
	"roughcut/server/auth"
	"time"
)

// oauthProvider is one entry of OAUTH_PROVIDERS.
type oauthProvider struct {
	Name         string   `json:"name"`
	Type         string   `json:"type"`
	Issuer       string   `json:"issuer"`
	ClientID     string   `json:"client_id"`
	ClientSecret string   `json:"client_secret"`
	Scopes       []string `json:"scopes"`
}

// oauthProviders decodes OAUTH_PROVIDERS: a JSON array in the environment, tables of the same
// fields in the settings file.
func (s settings) oauthProviders() ([]auth.ProviderConfig, error) {
	var list []oauthProvider
	if err := decodeSetting(s.OAuthProviders, &list); err != nil {
		const example = `[{"name": "…", "issuer": "https://…", "client_id": "…", "client_secret": "…"}]`
		return nil, usageError{fmt.Errorf("OAUTH_PROVIDERS must be a list such as %s: %w", example, err)}
	}

	configs := make([]auth.ProviderConfig, 0, len(list))
	for _, p := range list {
		configs = append(configs, auth.ProviderConfig(p))
	}
	if _, err := auth.NewOAuth(configs, time.Now); err != nil {
		return nil, usageError{fmt.Errorf("OAUTH_PROVIDERS%w", err)}
	}
	return configs, nil
}
