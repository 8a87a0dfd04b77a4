package account

import (
	"time"

	"roughcut/store/fault"
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
	Name:  "oauth_flows",
	Noun:  "sign-in",
	Key:   func(r *OAuthFlow) []byte { return []byte(r.StateHash) },
	Stale: func(r *OAuthFlow, now time.Time) bool { return !r.ExpiresAt.After(now) },
}

// BeginOAuth stores a flow until it is redeemed or expires.
func (r Registry) BeginOAuth(flow OAuthFlow) error { return oauthFlows.Put(r, &flow) }

// TakeOAuth returns the flow of a state, and deletes it in a write transaction. It returns the zero
// value for an unknown state.
func (r Registry) TakeOAuth(stateHash string) (OAuthFlow, error) {
	row, err := oauthFlows.Find(r, stateHash)
	if err != nil || row == nil {
		return OAuthFlow{}, err
	}
	if !r.Writable() {
		return *row, nil
	}
	return *row, oauthFlows.Delete(r, stateHash)
}

// Redeem refuses an unknown or expired flow, and one of another provider or browser. Errors:
// Invalid oauth_expired.
func (f OAuthFlow) Redeem(browserHash, provider string, now time.Time) error {
	if f.StateHash != "" && f.BrowserHash == browserHash && f.Provider == provider && f.ExpiresAt.After(now) {
		return nil
	}
	return fault.New(
		fault.Invalid,
		"oauth_expired",
		"This sign-in took too long, was already used, or started in another browser. Start again.",
	)
}
