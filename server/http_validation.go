package server

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/labstack/echo/v4"

	"roughcut/server/contract"
	"roughcut/server/problem"
	"roughcut/store"
)

// Limits of a request with a JSON or form body. The contract may allow an operation a larger body.
const (
	maxBodyBytes = 1 << 20
	bodyTime     = 30 * time.Second // for reading the request
	responseTime = 60 * time.Second // for reading the request and writing the response
)

// deadlines limits the time of a request. It sets both deadlines for each request, because a reused
// connection keeps the old ones.
func deadlines(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Connections without deadlines, as in tests with a recorder, are fine.
		control, now := http.NewResponseController(w), time.Now()
		_ = control.SetReadDeadline(now.Add(bodyTime))
		_ = control.SetWriteDeadline(now.Add(responseTime))
		next.ServeHTTP(w, r)
	})
}

// limitRequests limits the body of an ordinary request. It clears the deadlines of files and
// streams, which set their own.
func limitRequests(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op := operationOf(c)
		if op != nil && (op.Streams || op.OwnerLocal) { // local operations may wait for a dialog
			control := http.NewResponseController(c.Response().Writer)
			_ = control.SetReadDeadline(time.Time{})
			_ = control.SetWriteDeadline(time.Time{})
		}

		if op != nil && op.Streams {
			return next(c)
		}
		limit := int64(maxBodyBytes)
		if op != nil && op.BodyBytes > 0 {
			limit = op.BodyBytes
		}
		if c.Request().ContentLength > limit {
			return &http.MaxBytesError{Limit: limit}
		}
		c.Request().Body = http.MaxBytesReader(c.Response().Writer, c.Request().Body, limit)
		return next(c)
	}
}

// validateRequests checks a request against the contract.
func validateRequests(next echo.HandlerFunc) echo.HandlerFunc {
	options := &openapi3filter.Options{
		MultiError:          true,
		SkipSettingDefaults: true,
		AuthenticationFunc:  openapi3filter.NoopAuthenticationFunc,
	}
	return func(c echo.Context) error {
		op := operationOf(c)
		if op == nil || op.Streams {
			return next(c)
		}
		if !op.FileBody {
			body, err := readJSON(c.Request())
			if err != nil {
				return err
			}
			if unknown := op.UnknownFields(body); len(unknown) > 0 {
				c.Response().Header().Set(unknownHeader, quotedList(unknown))
			}
		}

		params := map[string]string{}
		for _, name := range c.ParamNames() {
			params[name] = c.Param(name)
		}
		checks := *options
		checks.ExcludeRequestBody = op.FileBody // the handler reads the file
		err := openapi3filter.ValidateRequest(c.Request().Context(), &openapi3filter.RequestValidationInput{
			Request: c.Request(), PathParams: params, Route: op.Route, Options: &checks,
		})
		if err != nil {
			return contract.Violation(err)
		}
		return next(c)
	}
}

// readJSON returns a JSON body, and nil for a body of another kind. The body can be read again.
// readJSON returns an error unless the body is empty or holds exactly one value. The decoders
// behind it stop after the first value and would ignore the rest.
func readJSON(r *http.Request) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if len(body) > 0 && !json.Valid(body) {
		return nil, problem.FieldError("", "is not valid JSON")
	}
	return body, nil
}

// unknownHeader names the fields of a JSON body that the operation does not know.
const unknownHeader = "Unknown-Fields"

// mostUnknown is the largest number of fields in unknownHeader.
const mostUnknown = 20

// quotedList returns texts as a list of strings for a header (RFC 9651), at most mostUnknown of
// them. It replaces characters that such strings cannot have.
func quotedList(texts []string) string {
	quoted := make([]string, 0, mostUnknown)
	for _, text := range texts[:min(len(texts), mostUnknown)] {
		text = strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' || r == '"' || r == '\\' {
				return '?'
			}
			return r
		}, text)
		quoted = append(quoted, `"`+text[:min(len(text), 100)]+`"`)
	}

	return strings.Join(quoted, ", ")
}

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// checkResources checks the resources in the path before anything else of the request. A missing
// resource gets 404, a resource of another user gets 403. Without admin rights, operations for
// admins are always 403, so that they do not reveal what exists.
func (s *Server) checkResources(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op := operationOf(c)
		if op == nil {
			return next(c)
		}
		caller := infoOf(c.Request().Context()).caller.user
		if op.AdminOnly && !caller.IsAdmin {
			return problem.Errorf(store.Forbidden, "forbidden", "Only admins can do this.")
		}
		for _, name := range op.Resources {
			noun := strings.TrimSuffix(name, "_uuid")
			if !uuidPattern.MatchString(c.Param(name)) {
				return problem.NotFoundf(
					"The %s does not exist.",
					strings.ReplaceAll(noun, "_", " "),
				)
			}

			if op.Trashed && noun == "project" {
				noun = "trashed_project"
			}
			if err := s.Store.Access(caller.UUID, noun, c.Param(name)); err != nil {
				return err
			}
		}

		if op.OwnerLocal && !s.atTheMachine(infoOf(c.Request().Context())) {
			return problem.Errorf(
				store.Forbidden,
				"local_only",
				"Only the owner can do this, on the machine itself: in the desktop window, or at the launch address "+
					"that roughcut serve --owner prints.",
			)
		}

		return next(c)
	}
}

// atTheMachine reports whether a request comes from the owner on this machine with a session from a
// launch token. Such a user can read the machine's files anyway. A personal access token is not
// enough, because it may be used elsewhere.
func (s *Server) atTheMachine(f *requestInfo) bool {
	return s.Settings.Owner && f.fromThisMachine && f.caller.session.Launched && !f.caller.byToken &&
		f.caller.user.UUID == s.ownerUUID
}
