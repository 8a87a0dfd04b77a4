package store

import "time"

// OAuthFlow is a sign-in through a provider that is under way: the browser is there and is to come
// back once, with the state.
type OAuthFlow struct {
	StateHash   string // SHA-256 of the state that goes to the provider and comes back
	BrowserHash string // SHA-256 of the cookie that the browser was given
	Provider    string // its name in the settings
	Verifier    string // of PKCE
	Nonce       string
	RedirectURL string          // where the provider sends the browser
	Next        string          // page of the UI to go on with
	Invitation  InvitationProof `json:"Invited"`
	ExpiresAt   time.Time
}

var oauthFlows = &table[OAuthFlow]{
	name: "oauth_flows",
	what: "sign-in",
	key:  func(r *OAuthFlow) []byte { return []byte(r.StateHash) },
}

// BeginOAuth keeps a flow until it is taken or expires.
func (s *Store) BeginOAuth(flow OAuthFlow) error {
	return s.update(func(t *txn) error { return oauthFlows.put(t, &flow) })
}

// TakeOAuth uses a flow up, also where it is refused. Errors: Invalid oauth_expired unless it is
// under way, with this provider, in this browser.
func (s *Store) FinishOAuth(stateHash, browserHash, provider string) (OAuthFlow, error) {
	var flow OAuthFlow
	take := func(t *txn) error {
		row, err := oauthFlows.find(t, stateHash)
		if err != nil || row == nil {
			flow = OAuthFlow{}
			return err
		}
		flow = *row
		if !t.Writable() {
			return nil
		}
		return oauthFlows.delete(t, stateHash)
	}
	err := s.view(take) // a made-up state costs no write
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
			"This sign-in took too long, was used before, or began in another browser; start again.",
		)
	}
	return flow, nil
}
