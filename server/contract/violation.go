package contract

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"roughcut/server/problem"
	"roughcut/store"
)

// CheckSchema returns an error that names the fields of value that break a schema of the contract.
func (c *Contract) CheckSchema(schema string, value any) error {
	if err := c.Spec.Components.Schemas[schema].Value.VisitJSON(value, openapi3.MultiErrors()); err != nil {
		return Violation(err)
	}
	return nil
}

// Violation turns an error of the OpenAPI validator into one *store.Error that names the fields. A
// body beyond the size limit keeps its *http.MaxBytesError.
func Violation(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	fields := fieldErrors("", err)
	if len(fields) == 0 {
		return problem.Errorf(
			store.Unprocessable,
			"unprocessable",
			"The request does not match the contract in /api/v1/openapi.json.",
		)
	}

	e := problem.FieldError(fields[0].Field, fields[0].Message)
	e.Fields = fields
	return e
}

// fieldErrors collects the fields of an error tree. field is the name of the parameter or the path
// in the body so far.
func fieldErrors(field string, err error) []store.FieldError {
	one := func(field, message string) []store.FieldError {
		return []store.FieldError{{Field: problem.FieldOrBody(field), Message: message}}
	}
	switch e := err.(type) { //nolint:errorlint // the loop visits the validator's tree of errors level by level
	case openapi3.MultiError:
		var all []store.FieldError
		for _, child := range e {
			all = append(all, fieldErrors(field, child)...)
		}
		return all
	case *openapi3filter.RequestError:
		if e.Parameter != nil {
			field = e.Parameter.Name
		}
		switch {
		case errors.Is(e.Err, openapi3filter.ErrInvalidRequired):
			return one(field, "is missing")
		case e.Err != nil:
			return fieldErrors(field, e.Err)
		case e.RequestBody != nil:
			types := slices.Sorted(maps.Keys(e.RequestBody.Content))
			return one(field, "must be sent with the header Content-Type: "+strings.Join(types, " or "))
		}

		return one(field, e.Reason)
	case *openapi3.SchemaError:
		path := strings.Join(e.JSONPointer(), ".")
		if path == "" {
			path = field
		}
		return one(path, schemaRule(e))
	case *openapi3filter.ParseError:
		if field == "" {
			return one(field, "is not valid JSON")
		}
		return one(field, "cannot be parsed; see /api/docs for the values that it accepts")
	}

	return one(field, err.Error())
}

// schemaRule returns the rule that a value breaks, as words that follow the field's name. The
// property x-rule next to a pattern holds its meaning.
func schemaRule(e *openapi3.SchemaError) string {
	switch s := e.Schema; e.SchemaField {
	case "required":
		return "is missing"
	case "nullable":
		return "must not be null"
	case "type":
		var names []string
		for _, name := range s.Type.Slice() {
			names = append(names, typeName(name))
		}
		return "must be " + strings.Join(names, " or ")
	case "enum":
		var values []string
		for _, value := range s.Enum {
			values = append(values, fmt.Sprint(value))
		}
		return "must be one of " + strings.Join(values, ", ")
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
		return fmt.Sprintf("must have at least %s", countNoun(s.MinItems, "item"))
	case "maxItems":
		return fmt.Sprintf("must have at most %s", countNoun(*s.MaxItems, "item"))
	case "format":
		return "must be " + formatName(s.Format)
	case "pattern":
		if rule, ok := s.Extensions["x-rule"].(string); ok {
			return rule
		}
	}

	return e.Reason
}

// formatName returns the words for a format of the contract, or "".
func formatName(format string) string {
	switch format {
	case "date-time":
		return "a time such as 2026-01-31T12:00:00Z"
	case "uuid":
		return "a UUID"
	case "int64":
		return "a whole number"
	case "binary":
		return "a file"
	}

	return ""
}

func typeName(kind string) string {
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

func countNoun(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
