package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

// GetHealth says that the process is alive.
func (s operations) GetHealth(context.Context, api.GetHealthRequestObject) (api.GetHealthResponseObject, error) {
	return api.GetHealth204Response{}, nil
}

// GetReadiness says whether the store is open and the queue is running. Why it is not is in the log
// only.
func (s operations) GetReadiness(
	context.Context,
	api.GetReadinessRequestObject,
) (api.GetReadinessResponseObject, error) {
	err := s.Store.Ready()
	if err == nil && s.Ready != nil {
		err = s.Ready()
	}
	if err != nil {
		s.Log.Warn("not ready", "error", err)
		return nil, refuse(store.Unavailable, "unavailable", "The server is not ready yet.")
	}
	return api.GetReadiness204Response{}, nil
}

// GetContract answers with openapi.yaml as JSON.
func (s operations) GetContract(context.Context, api.GetContractRequestObject) (api.GetContractResponseObject, error) {
	document, err := s.contract.document()
	return api.GetContract200JSONResponse(document), err
}
