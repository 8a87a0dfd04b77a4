package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/server/problem"
	"roughcut/store"
)

// GetHealth says that the process is alive.
func (s handlers) GetHealth(context.Context, api.GetHealthRequestObject) (api.GetHealthResponseObject, error) {
	return api.GetHealth204Response{}, nil
}

// GetReadiness says whether the store is open and the queue is running. Why it is not is in the log
// only.
func (s handlers) GetReadiness(
	context.Context,
	api.GetReadinessRequestObject,
) (api.GetReadinessResponseObject, error) {
	err := s.Store.Ready()
	if err == nil && s.Ready != nil {
		err = s.Ready()
	}
	if err != nil {
		s.Log.Warn("not ready", "error", err)
		return nil, problem.Errorf(store.Unavailable, "unavailable", "The server is not ready yet.")
	}
	return api.GetReadiness204Response{}, nil
}
