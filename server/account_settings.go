package server

import (
	"context"

	"roughcut/server/api"
)

// GetAccountSettings returns the settings of the caller's account.
func (s handlers) GetAccountSettings(
	ctx context.Context,
	_ api.GetAccountSettingsRequestObject,
) (api.GetAccountSettingsResponseObject, error) {
	values, err := s.Store.AccountSettings(userOf(ctx))
	return api.GetAccountSettings200JSONResponse(values), err
}

// ChangeAccountSettings sets some settings of the caller's account.
func (s handlers) ChangeAccountSettings(
	ctx context.Context,
	request api.ChangeAccountSettingsRequestObject,
) (api.ChangeAccountSettingsResponseObject, error) {
	values, err := s.Store.ChangeAccountSettings(userOf(ctx), *request.Body)
	return api.ChangeAccountSettings200JSONResponse(values), err
}
