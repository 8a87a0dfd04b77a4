package store

import (
	"time"

	"roughcut/store/account"
)

// CreateSession stores a new session. Epoch is the user's epoch when the sign-in was checked.
// Errors: Unauthenticated when the user's sessions have ended since, for example by a new password.
func (s *Store) CreateSession(row account.Session, epoch int64) error {
	return s.updateOnReserve(func(t *txn) error { return t.registry().CreateSession(row, epoch) })
}

// Session returns a session and its user, and extends the session to ttl from now. It writes the
// new end only after 1/24 of ttl has passed. Errors: NotFound for an unknown or expired session.
func (s *Store) Session(hash string, ttl time.Duration) (session account.Session, user account.User, err error) {
	slide := false
	err = s.view(func(t *txn) (err error) {
		session, user, slide, err = t.registry().Session(hash, ttl)
		return err
	})
	if err == nil && slide {
		err = s.batchOnReserve(func(t *txn) (err error) {
			session, err = t.registry().ExtendSession(hash, ttl)
			return err
		})
	}

	if err != nil {
		return account.Session{}, account.User{}, err
	}
	return session, user, nil
}

// DeleteSession ends a session. It ignores an unknown session.
func (s *Store) DeleteSession(hash string) error {
	return s.updateOnReserve(func(t *txn) error { return t.registry().DeleteSession(hash) })
}

// DeleteSessions ends all sessions and signed addresses of a user and returns the number of live
// sessions.
func (s *Store) DeleteSessions(userUUID string) (n int, err error) {
	return resultOf(s.updateOnReserve, func(t *txn) (int, error) {
		return t.registry().EndSessions(userUUID)
	})
}

// CreateAccessToken stores a new token and sets its UUID and CreatedAt. Epoch is the user's epoch
// when the request was checked. Errors: Conflict for a user with too many tokens; Unauthenticated
// when the user's sessions have ended since, for example by a new password; NotFound, Forbidden for
// the project of the token.
func (s *Store) CreateAccessToken(
	token account.AccessToken, epoch int64, mails ...Mail,
) (account.AccessToken, error) {
	return updated(s, func(t *txn) (account.AccessToken, error) {
		if err := t.registry().CheckEpoch(token.UserUUID, epoch); err != nil {
			return token, err
		}
		if token.ProjectUUID != "" {
			if _, err := t.ownProject(token.UserUUID, token.ProjectUUID); err != nil {
				return token, err
			}
		}

		token, err := t.registry().AddAccessToken(token)
		if err != nil {
			return token, err
		}
		return token, t.queueMails(mails)
	})
}

// AccessTokens returns a user's tokens that have not expired, newest first.
func (s *Store) AccessTokens(userUUID string) ([]account.AccessToken, error) {
	return viewed(s, func(t *txn) ([]account.AccessToken, error) { return t.registry().AccessTokens(userUUID) })
}

// UseAccessToken returns the token with a hash and its user, and records the time of use to the
// minute. Errors: NotFound for an unknown or expired token.
func (s *Store) UseAccessToken(hash string) (token account.AccessToken, user account.User, err error) {
	stale := false
	err = s.view(func(t *txn) (err error) {
		token, user, stale, err = t.registry().FindAccessToken(hash)
		return err
	})
	if err == nil && stale {
		err = s.batchOnReserve(func(t *txn) (err error) {
			token, err = t.registry().TouchAccessToken(hash)
			return err
		})
	}

	if err != nil {
		return account.AccessToken{}, account.User{}, err
	}
	return token, user, nil
}

// RevokeAccessToken deletes a token of a user and returns its hash. Errors: NotFound, Forbidden.
func (s *Store) RevokeAccessToken(userUUID, uuid string) (hash string, err error) {
	return resultOf(s.updateOnReserve, func(t *txn) (string, error) {
		return t.registry().RevokeAccessToken(userUUID, uuid)
	})
}

// CreateInvitation stores an invitation and queues its mails. It sets CreatedAt. The caller sets
// the UUID, because the link contains it. Errors: see [account.Registry.CreateInvitation].
func (s *Store) CreateInvitation(row account.Invitation, mails ...Mail) (account.Invitation, error) {
	return updated(s, func(t *txn) (account.Invitation, error) {
		row, err := t.registry().CreateInvitation(row)
		if err != nil {
			return row, err
		}
		return row, t.queueMails(mails)
	})
}

// Invitations returns the open invitations, newest first.
func (s *Store) Invitations() ([]account.Invitation, error) {
	return viewed(s, func(t *txn) ([]account.Invitation, error) { return t.registry().Invitations() })
}

// Invitation returns an open invitation. Errors: Invalid invitation_invalid for an invitation that
// was used or revoked, or has expired.
func (s *Store) Invitation(uuid string) (account.Invitation, error) {
	return viewed(s, func(t *txn) (account.Invitation, error) { return t.registry().Invitation(uuid) })
}

// RevokeInvitation deletes an invitation, so that its link stops working. Errors: NotFound.
func (s *Store) RevokeInvitation(uuid string) error {
	return s.updateOnReserve(func(t *txn) error { return t.registry().RevokeInvitation(uuid) })
}

// BeginOAuth stores a flow until it is redeemed or expires.
func (s *Store) BeginOAuth(flow account.OAuthFlow) error {
	return s.update(func(t *txn) error { return t.registry().BeginOAuth(flow) })
}

// FinishOAuth redeems a flow, even when it refuses it. Errors: see [account.OAuthFlow.Redeem].
func (s *Store) FinishOAuth(stateHash, browserHash, provider string) (account.OAuthFlow, error) {
	take := func(t *txn) (account.OAuthFlow, error) { return t.registry().TakeOAuth(stateHash) }
	flow, err := viewed(s, take) // an invented state causes no write
	if err == nil && flow.StateHash != "" {
		flow, err = updated(s, take)
	}
	if err == nil {
		err = flow.Redeem(browserHash, provider, s.Now())
	}
	if err != nil {
		return account.OAuthFlow{}, err
	}
	return flow, nil
}

// LoginAttempt refuses a sign-in when one of the keys is locked. Call it before the password is
// checked. Errors: RateLimited locked_out.
func (s *Store) LoginAttempt(_ account.Lockout, keys ...string) error {
	return s.view(func(t *txn) error { return t.registry().LoginAttempt(keys...) })
}

// LoginFailed counts a failure for each key that is not locked. The last key names the account.
// Errors: RateLimited locked_out when one of the keys is locked now.
func (s *Store) LoginFailed(l account.Lockout, keys ...string) error {
	var wait time.Duration
	err := s.updateOnReserve(func(t *txn) (err error) {
		wait, err = t.registry().LoginFailed(l, keys...)
		return err
	})
	if err != nil {
		return err
	}
	return account.LockedOut(wait)
}

// LoginSucceeded deletes the failures that a sign-in forgives, see [account.Registry.Forgiven].
func (s *Store) LoginSucceeded(keys ...string) error {
	done, err := viewed(s, func(t *txn) ([]string, error) { return t.registry().Forgiven(keys...) })
	if err != nil || len(done) == 0 {
		return err
	}
	return s.updateOnReserve(func(t *txn) error { return t.registry().Forgive(done) })
}

// Allow counts a request against a sliding window of limit requests. Refused requests do not count.
// Errors: RateLimited rate_limited, with the time until the oldest request leaves the window.
func (s *Store) Allow(key string, limit int, span time.Duration) error {
	return s.batchOnReserve(func(t *txn) error { return t.registry().Allow(key, limit, span) })
}
