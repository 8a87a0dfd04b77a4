package server

import (
	"context"
	"time"

	"roughcut/server/api"
	"roughcut/server/auth"
	"roughcut/server/mail"
	"roughcut/store"
	"roughcut/store/account"
)

func tokenRecord(t account.AccessToken) api.AccessToken {
	return api.AccessToken{
		UUID:        t.UUID,
		Name:        t.Name,
		ReadOnly:    t.ReadOnly,
		ProjectUUID: orNull(t.ProjectUUID),
		CreatedAt:   timestamp(t.CreatedAt),
		ExpiresAt:   timestampOrNull(t.ExpiresAt),
		LastUsedAt:  timestampOrNull(t.LastUsedAt),
	}
}

// ListTokens returns the caller's personal access tokens.
func (s handlers) ListTokens(
	ctx context.Context,
	_ api.ListTokensRequestObject,
) (api.ListTokensResponseObject, error) {
	list, err := s.Store.AccessTokens(userOf(ctx))
	return api.ListTokens200JSONResponse(wholePage(list, tokenRecord)), err
}

// CreateToken creates a personal access token. Only this response contains its text.
func (s handlers) CreateToken(
	ctx context.Context,
	request api.CreateTokenRequestObject,
) (api.CreateTokenResponseObject, error) {
	name, err := store.ValidName("name", request.Body.Name)
	if err != nil {
		return nil, err
	}
	text, err := auth.NewAccessToken()
	if err != nil {
		return nil, err
	}
	token := account.AccessToken{UserUUID: userOf(ctx), Name: name, Hash: auth.HashToken(text)}
	token.ReadOnly = valueOr(request.Body.ReadOnly, false)
	token.ProjectUUID = valueOr(request.Body.ProjectUUID, "")
	if days := request.Body.ExpiresInDays; days != nil {
		token.ExpiresAt = new(s.Store.Now().Add(time.Duration(*days) * 24 * time.Hour))
	}

	f, user := infoOf(ctx), infoOf(ctx).caller.user
	notice := s.notice(user, mail.TokenCreated(user.Name, name, mailedPage(f, "/settings/security")))
	if token, err = s.Store.CreateAccessToken(token, user.Epoch, notice...); err != nil {
		return nil, err
	}
	response := api.CreateToken201JSONResponse{Token: text}
	recode(tokenRecord(token), &response)
	return response, nil
}

// RevokeToken revokes a personal access token and ends its streams.
func (s handlers) RevokeToken(
	ctx context.Context,
	request api.RevokeTokenRequestObject,
) (api.RevokeTokenResponseObject, error) {
	hash, err := s.Store.RevokeAccessToken(userOf(ctx), request.TokenUUID)
	if err != nil {
		return nil, err
	}
	s.transfers.endSession(hash)
	return api.RevokeToken204Response{}, nil
}
