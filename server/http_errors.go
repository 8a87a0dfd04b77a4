package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"roughcut/server/problem"
)

// problemOf returns the problem that answers an error. internal reports a fault of the server.
func problemOf(err error, method string) (p problem.Problem, internal bool) {
	var routing *echo.HTTPError
	if p, internal = problem.Of(err); !internal || !errors.As(err, &routing) {
		return p, internal
	}
	switch routing.Code {
	case http.StatusNotFound:
		return problem.NotFound(), false
	case http.StatusMethodNotAllowed:
		return problem.MethodNotAllowed(method), false
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		return problem.Problem{
			Status: http.StatusUnprocessableEntity,
			Code:   "unprocessable",
			Detail: "The request could not be parsed: " + fmt.Sprint(routing.Message),
		}, false
	}

	return p, internal
}

// handleError answers an error of a handler or middleware. Internal faults are logged here and
// nowhere else.
func (s *Server) handleError(err error, c echo.Context) {
	r := c.Request()
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the client has left
	}
	p, internal := problemOf(err, r.Method)
	if internal {
		s.Log.Error("request failed",
			"error", err, "method", r.Method, "route", c.Path(), "request_id", infoOf(r.Context()).id)
	}

	if c.Response().Committed {
		return
	}
	problem.Write(c.Response(), p)
}
