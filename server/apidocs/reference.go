package apidocs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"roughcut/server/contract"
	"roughcut/server/problem"
)

// reference is the contract as page.html renders it.
type reference struct {
	Title, Version string
	Intro          []block
	Groups         []group
	Schemas        []namedSchema
	Statuses       []statusCodes
}

// group is the operations of one tag, ordered by path.
type group struct {
	Tag, Title string
	Operations []shownOperation
}

type shownOperation struct {
	ID, Method, Path, Summary string
	Description               []block
	Access                    string
	Parameters                []shownField
	Body                      *shownRequest
	Responses                 []shownResponse
}

type shownRequest struct {
	Required bool
	Contents []content
}

// content is a body in one content type.
type content struct {
	Type    string
	Schema  schemaType
	Example string // indented JSON; empty without an example that matches the schema
}

type shownResponse struct {
	Status, Title string
	Description   []inline
	Headers       []shownField
	Contents      []content
	Codes         []string // the error codes that the operation has with this status
}

// schemaType describes a type: words and the name of a component, such as "list of" and "Clip".
type schemaType struct{ Prefix, Name string }

// shownField is a property, parameter or header.
type shownField struct {
	Name, In    string
	Type        schemaType
	Required    bool
	Facts       []string // bounds, choices, default
	Description []inline
}

type namedSchema struct {
	Name        string
	Type        schemaType
	Facts       []string
	Description []inline
	Fields      []shownField
	Example     string
}

type statusCodes struct {
	Status, Title string
	Codes         []errorCode
}

type errorCode struct {
	Code    string
	Meaning []inline
}

func newReference(c *contract.Contract) (*reference, error) {
	doc := c.Spec
	r := &reference{Title: doc.Info.Title, Version: doc.Info.Version, Intro: blocks(doc.Info.Description)}
	codes, err := c.ErrorCodes()
	if err != nil {
		return nil, err
	}
	for _, status := range slices.Sorted(maps.Keys(codes)) {
		shown := statusCodes{Status: status, Title: statusTitle(status)}
		for _, code := range slices.Sorted(maps.Keys(codes[status])) {
			shown.Codes = append(shown.Codes, errorCode{code, inlines(codes[status][code])})
		}
		r.Statuses = append(r.Statuses, shown)
	}

	for _, tag := range doc.Tags {
		g := group{Tag: tag.Name, Title: tag.Description}
		for _, path := range doc.Paths.InMatchingOrder() {
			item := doc.Paths.Value(path)
			for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
				if op := c.Operation(method, path); slices.Contains(op.Route.Operation.Tags, tag.Name) {
					g.Operations = append(g.Operations, showOperation(op, codes))
				}
			}
		}

		slices.SortStableFunc(
			g.Operations,
			func(a, b shownOperation) int {
				return strings.Compare(contract.TrimPath(a.Path), contract.TrimPath(b.Path))
			},
		)
		if len(g.Operations) > 0 {
			r.Groups = append(r.Groups, g)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		r.Schemas = append(r.Schemas, showSchema(name, doc))
	}
	return r, nil
}

func statusTitle(status string) string {
	n, _ := strconv.Atoi(status)
	return http.StatusText(n)
}

func showOperation(op *contract.Operation, codes map[string]map[string]string) shownOperation {
	spec := op.Route.Operation
	shown := shownOperation{ID: spec.OperationID, Method: op.Route.Method, Path: op.Route.Path, Summary: spec.Summary,
		Description: blocks(spec.Description), Access: accessText(op)}
	for _, list := range []openapi3.Parameters{op.Route.PathItem.Parameters, spec.Parameters} {
		for _, p := range list {
			field := showField(p.Value.Name, p.Value.Schema, p.Value.Required, p.Value.Description)
			field.In = p.Value.In
			shown.Parameters = append(shown.Parameters, field)
		}
	}

	if spec.RequestBody != nil {
		body := spec.RequestBody.Value
		shown.Body = &shownRequest{body.Required, showContents(op.Route.Spec, body.Content)}
	}

	responses := spec.Responses.Map()
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		response := showResponse(op.Route.Spec, status, responses[status].Value)
		for _, code := range op.ErrorCodes {
			if codes[status][code] != "" {
				response.Codes = append(response.Codes, code)
			}
		}

		shown.Responses = append(shown.Responses, response)
	}

	return shown
}

func accessText(op *contract.Operation) string {
	switch {
	case op.Access == contract.Public:
		return "public"
	case op.Access == contract.OptionalSession:
		return "with or without a session"
	case contract.IsUnsafe(op.Route.Method):
		return "session and X-CSRF-Token"
	}

	return "session"
}

func showResponse(doc *openapi3.T, status string, r *openapi3.Response) shownResponse {
	shown := shownResponse{Status: status, Title: statusTitle(status), Contents: showContents(doc, r.Content)}
	if r.Description != nil {
		shown.Description = inlines(*r.Description)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		h := r.Headers[name].Value
		shown.Headers = append(shown.Headers, showField(name, h.Schema, h.Required, h.Description))
	}

	return shown
}

func showContents(doc *openapi3.T, contents openapi3.Content) []content {
	var list []content
	for _, kind := range slices.Sorted(maps.Keys(contents)) {
		shown := content{Type: kind, Schema: typeOf(contents[kind].Schema)}
		if kind != problem.ContentType {
			shown.Example = exampleOf(doc, contents[kind].Schema)
		}
		list = append(list, shown)
	}

	return list
}

// exampleOf returns the contract's example of a component as indented JSON. It returns "" for an
// example that breaks the schema of the component.
func exampleOf(doc *openapi3.T, s *openapi3.SchemaRef) string {
	name := contract.ComponentName(s)
	example := doc.Components.Examples[name]
	if example == nil || contract.CheckExample(s.Value, example.Value.Value) != nil {
		return ""
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // the template escapes
	encoder.SetIndent("", "  ")
	if encoder.Encode(example.Value.Value) != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

func showSchema(name string, doc *openapi3.T) namedSchema {
	ref := doc.Components.Schemas[name]
	s := ref.Value
	shown := namedSchema{
		Name:        name,
		Type:        typeOf(&openapi3.SchemaRef{Value: s}),
		Facts:       demands(s),
		Description: inlines(s.Description),
		Example:     exampleOf(doc, &openapi3.SchemaRef{Ref: "#/components/schemas/" + name, Value: s}),
	}
	for _, part := range append([]*openapi3.SchemaRef{ref}, s.AllOf...) {
		for _, field := range fieldNames(part.Value) {
			p := part.Value.Properties[field]
			shown.Fields = append(
				shown.Fields,
				showField(field, p, slices.Contains(part.Value.Required, field), p.Value.Description),
			)
		}
	}

	return shown
}

// fieldNames returns the properties of a schema: first the required ones in their order, then the
// others by name.
func fieldNames(s *openapi3.Schema) []string {
	var names []string
	for _, name := range s.Required {
		if s.Properties[name] != nil {
			names = append(names, name)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}

	return names
}

func showField(name string, s *openapi3.SchemaRef, required bool, description string) shownField {
	shown := shownField{Name: name, Type: typeOf(s), Required: required, Description: inlines(description)}
	if s != nil && s.Value != nil {
		shown.Facts = demands(s.Value)
		if items := s.Value.Items; items != nil && contract.ComponentName(items) == "" {
			shown.Facts = append(shown.Facts, demands(items.Value)...)
		}
	}

	return shown
}

// typeOf describes the type of a schema.
func typeOf(s *openapi3.SchemaRef) schemaType {
	if s == nil || s.Value == nil {
		return schemaType{}
	}
	if name := contract.ComponentName(s); name != "" {
		return schemaType{Name: name}
	}
	v := s.Value
	switch {
	case len(v.AllOf) == 1:
		t := typeOf(v.AllOf[0])
		if v.Nullable {
			t.Prefix += "null or "
		}
		return t
	case v.Items != nil:
		t := typeOf(v.Items)
		t.Prefix = "list of " + t.Prefix
		return t
	case v.AdditionalProperties.Schema != nil:
		t := typeOf(v.AdditionalProperties.Schema)
		t.Prefix = "map to " + t.Prefix
		return t
	}

	text := "any"
	if v.Type != nil && len(v.Type.Slice()) > 0 {
		text = v.Type.Slice()[0]
	} else if len(v.AllOf) > 0 {
		text = "object"
	}

	if v.Format != "" && !strings.HasPrefix(v.Format, "int") && v.Format != "double" {
		text += " (" + v.Format + ")"
	}
	if v.Nullable {
		text += " or null"
	}
	return schemaType{Prefix: text}
}

// demands returns the constraints of a schema apart from its type.
func demands(s *openapi3.Schema) []string {
	var list []string
	if len(s.Enum) > 0 {
		choices := make([]string, 0, len(s.Enum))
		for _, v := range s.Enum {
			choices = append(choices, fmt.Sprint(v))
		}
		list = append(list, "one of "+strings.Join(choices, ", "))
	}

	switch {
	case s.Min != nil && s.Max != nil:
		list = append(list, number(*s.Min)+" to "+number(*s.Max))
	case s.Min != nil:
		list = append(list, "at least "+number(*s.Min))
	case s.Max != nil:
		list = append(list, "at most "+number(*s.Max))
	}

	switch {
	case s.MinLength > 0 && s.MaxLength != nil:
		list = append(list, fmt.Sprintf("%d to %d characters", s.MinLength, *s.MaxLength))
	case s.MaxLength != nil:
		list = append(list, fmt.Sprintf("at most %d characters", *s.MaxLength))
	case s.MinLength > 0:
		list = append(list, fmt.Sprintf("at least %d characters", s.MinLength))
	}

	if s.Pattern != "" {
		list = append(list, "pattern "+s.Pattern)
	}
	if s.MaxItems != nil {
		list = append(list, fmt.Sprintf("at most %d items", *s.MaxItems))
	}
	if s.Default != nil {
		text, err := json.Marshal(s.Default)
		if err == nil {
			list = append(list, "default "+string(text))
		}
	}

	return list
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// fieldTable is a table of fields with its caption.
type fieldTable struct {
	Caption string
	Fields  []shownField
}

// ParameterTable returns the parameters of the operation, for the template.
func (o shownOperation) ParameterTable() fieldTable { return fieldTable{"Parameters", o.Parameters} }

// HeaderTable returns the headers of the response, for the template.
func (r shownResponse) HeaderTable() fieldTable {
	return fieldTable{"Response headers", r.Headers}
}

// FieldTable returns the fields of the schema, for the template.
func (s namedSchema) FieldTable() fieldTable { return fieldTable{"Fields of " + s.Name, s.Fields} }
