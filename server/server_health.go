package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/server/problem"
	"roughcut/store"
)

// GetHealth reports that the process is running.
func (s handlers) GetHealth(context.Context, api.GetHealthRequestObject) (api.GetHealthResponseObject, error) {
	return api.GetHealth204Response{}, nil
}

// ready returns an error unless the store is open and the queue is running.
func (s *Server) ready() error {
	err := s.Store.Ready()
	if err == nil && s.Ready != nil {
		err = s.Ready()
	}
	return err
}

// GetReadiness reports whether the store is open and the queue is running. Only the log has the
// cause of a failure.
func (s handlers) GetReadiness(
	context.Context,
	api.GetReadinessRequestObject,
) (api.GetReadinessResponseObject, error) {
	if err := s.ready(); err != nil {
		s.Log.Warn("not ready", "error", err)
		return nil, problem.Errorf(
			store.Unavailable,
			"unavailable",
			"The server is not ready yet. Try again in a moment.",
		)
	}

	return api.GetReadiness204Response{}, nil
}
