package store

import (
	"time"

	"roughcut/store/table"
)

// OAuthFlow is a sign-in that waits for the browser to return from a provider. It can be redeemed
// once.
type OAuthFlow struct {
	StateHash   string // SHA-256 of the state parameter
	BrowserHash string // SHA-256 of the cookie that ties the flow to the browser
	Provider    string // its name in the settings
	Verifier    string // PKCE verifier
	Nonce       string
	RedirectURL string          // address that the provider redirects to
	Next        string          // page of the UI to open after the sign-in
	Invitation  InvitationProof `json:"Invited"`
	ExpiresAt   time.Time
}

var oauthFlows = &table.Table[OAuthFlow]{
	Name: "oauth_flows",
	Noun: "sign-in",
	Key:  func(r *OAuthFlow) []byte { return []byte(r.StateHash) },
}

// BeginOAuth stores a flow until it is redeemed or expires.
func (s *Store) BeginOAuth(flow OAuthFlow) error {
	return s.update(func(t *txn) error { return oauthFlows.Put(t, &flow) })
}

// FinishOAuth redeems a flow, even when it refuses it. Errors: Invalid oauth_expired for an unknown
// or expired flow, or for another provider or browser.
func (s *Store) FinishOAuth(stateHash, browserHash, provider string) (OAuthFlow, error) {
	var flow OAuthFlow
	take := func(t *txn) error {
		row, err := oauthFlows.Find(t, stateHash)
		if err != nil || row == nil {
			flow = OAuthFlow{}
			return err
		}

		flow = *row
		if !t.Writable() {
			return nil
		}
		return oauthFlows.Delete(t, stateHash)
	}
	err := s.view(take) // an invented state causes no write
	if err == nil && flow.StateHash != "" {
		err = s.update(take)
	}
	if err != nil {
		return OAuthFlow{}, err
	}
	if flow.StateHash == "" || flow.BrowserHash != browserHash || flow.Provider != provider ||
		!flow.ExpiresAt.After(s.Now()) {
		return OAuthFlow{}, fail(
			Invalid,
			"oauth_expired",
			"This sign-in took too long, was already used, or started in another browser. Start again.",
		)
	}

	return flow, nil
}
