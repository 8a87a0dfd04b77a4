package server

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/labstack/echo/v4"

	"roughcut/store"
)

// Bounds on a request whose body is JSON or a form.
const (
	maxBodyBytes = 1 << 20
	bodyTime     = 30 * time.Second // to read the request
	answerTime   = 60 * time.Second // to read it and write the answer
)

// deadlines bounds how long a client may take over a request. It sets both deadlines anew for each
// request, since those of the one before stay on a connection that is used again.
func deadlines(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A connection without deadlines, as in a test with a recorder, is no reason to refuse.
		control, now := http.NewResponseController(w), time.Now()
		_ = control.SetReadDeadline(now.Add(bodyTime))
		_ = control.SetWriteDeadline(now.Add(answerTime))
		next.ServeHTTP(w, r)
	})
}

// bounds caps the body of an ordinary request, and takes the deadlines from files and streams,
// which set their own as they go on.
func bounds(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op := operationOf(c)
		if op != nil && (op.plain || op.local) { // what is local may wait for a person
			control := http.NewResponseController(c.Response().Writer)
			_ = control.SetReadDeadline(time.Time{})
			_ = control.SetWriteDeadline(time.Time{})
		}
		if op != nil && op.plain {
			return next(c)
		}
		c.Request().Body = http.MaxBytesReader(c.Response().Writer, c.Request().Body, maxBodyBytes)
		return next(c)
	}
}

// validate holds a request against the contract.
func validate(next echo.HandlerFunc) echo.HandlerFunc {
	options := &openapi3filter.Options{
		MultiError:          true,
		SkipSettingDefaults: true,
		AuthenticationFunc:  openapi3filter.NoopAuthenticationFunc,
	}
	return func(c echo.Context) error {
		op := operationOf(c)
		if op == nil || op.plain {
			return next(c)
		}
		params := map[string]string{}
		for _, name := range c.ParamNames() {
			params[name] = c.Param(name)
		}
		err := openapi3filter.ValidateRequest(c.Request().Context(), &openapi3filter.RequestValidationInput{
			Request: c.Request(), PathParams: params, Route: op.route, Options: options,
		})
		if err != nil {
			return contractError(err)
		}
		return next(c)
	}
}

// contractError turns what the validation found into one error that names the fields.
func contractError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	fields := fieldErrors("", err)
	if len(fields) == 0 {
		return refuse(
			store.Unprocessable,
			"unprocessable",
			"The request does not follow the contract in /api/v1/openapi.json.",
		)
	}
	e := refuseField(fields[0].Field, fields[0].Message)
	e.Fields = fields
	return e
}

// fieldErrors walks the tree of errors. Field is the name of the parameter or the path in the body
// so far.
func fieldErrors(field string, err error) []store.FieldError {
	switch e := err.(type) { //nolint:errorlint // the validator's tree of errors is walked level by level
	case openapi3.MultiError:
		var all []store.FieldError
		for _, one := range e {
			all = append(all, fieldErrors(field, one)...)
		}
		return all
	case *openapi3filter.RequestError:
		if e.Parameter != nil {
			field = e.Parameter.Name
		}
		switch {
		case errors.Is(e.Err, openapi3filter.ErrInvalidRequired):
			return []store.FieldError{{Field: orBody(field), Message: "is missing"}}
		case e.Err != nil:
			return fieldErrors(field, e.Err)
		case e.RequestBody != nil:
			kinds := slices.Sorted(maps.Keys(e.RequestBody.Content))
			return []store.FieldError{
				{
					Field:   orBody(field),
					Message: "must be sent with the header Content-Type: " + strings.Join(kinds, " or "),
				},
			}
		}
		return []store.FieldError{{Field: orBody(field), Message: e.Reason}}
	case *openapi3.SchemaError:
		path := strings.Join(e.JSONPointer(), ".")
		if path == "" {
			path = field
		}
		return []store.FieldError{{Field: orBody(path), Message: schemaRule(e)}}
	case *openapi3filter.ParseError:
		if field == "" {
			return []store.FieldError{{Field: orBody(field), Message: "is no JSON that can be read"}}
		}
		return []store.FieldError{{Field: field, Message: "cannot be read; see /api/docs for what it may be"}}
	}
	return []store.FieldError{{Field: orBody(field), Message: err.Error()}}
}

// schemaRule says which rule of the contract a value breaks, in words that can follow the name of
// its field. What a pattern means is said by the property x-rule beside it.
func schemaRule(e *openapi3.SchemaError) string {
	switch s := e.Schema; e.SchemaField {
	case "required":
		return "is missing"
	case "nullable":
		return "must not be null"
	case "type":
		return "must be " + strings.Join(each(s.Type.Slice(), withArticle), " or ")
	case "enum":
		return "must be one of " + strings.Join(each(s.Enum, func(v any) string { return fmt.Sprint(v) }), ", ")
	case "minimum":
		return "must be at least " + decimal(*s.Min)
	case "maximum":
		return "must be at most " + decimal(*s.Max)
	case "minLength":
		if s.MinLength == 1 {
			return "must not be empty"
		}
		return fmt.Sprintf("must have at least %d characters", s.MinLength)
	case "maxLength":
		return fmt.Sprintf("must have at most %d characters", *s.MaxLength)
	case "minItems":
		return fmt.Sprintf("must have at least %s", counted(s.MinItems, "item"))
	case "maxItems":
		return fmt.Sprintf("must have at most %s", counted(*s.MaxItems, "item"))
	case "format":
		return "must be " + formats[s.Format]
	case "pattern":
		if rule, ok := s.Extensions["x-rule"].(string); ok {
			return rule
		}
	}
	return e.Reason
}

// formats are those of the contract, in words.
var formats = map[string]string{
	"date-time": "a time such as 2026-01-31T12:00:00Z",
	"uuid":      "a UUID",
	"int64":     "a whole number",
}

func withArticle(kind string) string {
	switch kind {
	case openapi3.TypeInteger:
		return "a whole number"
	case openapi3.TypeArray:
		return "a list"
	case openapi3.TypeObject:
		return "an object"
	case openapi3.TypeBoolean:
		return "true or false"
	}
	return "a " + kind
}

func counted(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func orBody(field string) string {
	if field == "" {
		return "body"
	}
	return field
}

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// resolve finds what the path names and refuses what is not there (404) or not the caller's (403),
// before anything else of the request is looked at. Who is no admin does not even learn whether
// there is what an admin's operation is about.
func (s *Server) resolve(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op := operationOf(c)
		if op == nil {
			return next(c)
		}
		caller := factsOf(c.Request().Context()).caller.user
		if op.admin && !caller.IsAdmin {
			return refuse(store.Forbidden, "forbidden", "Only an admin may do this.")
		}
		for _, name := range op.things {
			noun := strings.TrimSuffix(name, "_uuid")
			if !uuidPattern.MatchString(c.Param(name)) {
				return refuse(store.NotFound, "not_found", "There is no such %s.", strings.ReplaceAll(noun, "_", " "))
			}
			if err := s.Store.Access(caller.UUID, noun, c.Param(name)); err != nil {
				return err
			}
		}
		if op.local && !s.atTheMachine(factsOf(c.Request().Context())) {
			return refuse(
				store.Forbidden,
				"local_only",
				"Only the owner may do this, at the machine itself: in the desktop window, or at the launch address that roughcut serve --owner prints.",
			)
		}
		return next(c)
	}
}

// atTheMachine reports whether a request comes from the owner, on this machine, with a session that
// a launch token began: from somebody who may read its files anyway. A personal access token proves
// less: it may be anywhere.
func (s *Server) atTheMachine(f *facts) bool {
	return s.Settings.Owner && f.here && f.caller.session.Launched && !f.caller.byToken &&
		f.caller.user.UUID == s.ownerUUID
}
