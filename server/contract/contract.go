// Package contract reads the OpenAPI document of the service. It finds the operation behind a
// route, says who may call it, and turns broken rules of the document into errors that name the
// fields.
package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
)

// Contract is an OpenAPI document. It does not change after Read, so goroutines may share it.
type Contract struct {
	Spec       *openapi3.T
	operations map[string]*Operation // by method and path template: "GET /api/v1/projects"
	document   func() (map[string]any, error)
}

// Access says which callers may use an operation.
type Access int

// Values of Access.
const (
	SignedIn        Access = iota // needs a session or an access token
	Public                        // ignores sessions
	OptionalSession               // accepts calls with and without a session
)

// Operation is one operation of the contract.
type Operation struct {
	ID         string
	Access     Access
	Streams    bool     // files, events, redirects: plain routes without compression or a JSON body; also x-go-streams
	FileBody   bool     // the body of a request is a file
	AdminOnly  bool     // needs an admin
	OwnerLocal bool     // needs the owner at the machine itself
	Resources  []string // path parameters that name a resource with an owner, in order: "project_uuid", …
	Route      *routers.Route
	BodyBytes  int64    // largest body; 0 for the usual limit
	Costs      bool     // starts a media engine or reads a large body
	Trashed    bool     // also accepts a project in the trash
	TakesKey   bool     // accepts an Idempotency-Key
	Secret     bool     // the response holds a secret that is shown only once, and the UUID of what it belongs to
	ErrorCodes []string // in the order of their table; nil for HEAD, whose responses have no body
}

// Read parses an OpenAPI document in YAML.
func Read(yaml []byte) (*Contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(yaml)
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	linkExamples(doc)
	c := &Contract{Spec: doc, operations: map[string]*Operation{}}
	c.document = sync.OnceValues(c.asJSON)
	for path, item := range doc.Paths.Map() {
		for method, spec := range item.Operations() {
			c.operations[method+" "+TrimPath(path)] = newOperation(doc, path, item, method, spec)
		}
	}

	return c, nil
}

// Document returns the contract as JSON, without the hints for our own code generator and with the
// error codes of each operation in its description. Callers must not change it.
func (c *Contract) Document() (map[string]any, error) { return c.document() }

// Operation returns the operation of a method and a path template, or nil. Trailing slashes do not
// matter.
func (c *Contract) Operation(method, path string) *Operation {
	return c.operations[method+" "+TrimPath(path)]
}

// Operations returns every operation, in no particular order.
func (c *Contract) Operations() []*Operation {
	all := make([]*Operation, 0, len(c.operations))
	for _, op := range c.operations {
		all = append(all, op)
	}
	return all
}

// ErrorCodes returns the meaning of each error code, by HTTP status and code.
func (c *Contract) ErrorCodes() (map[string]map[string]string, error) {
	text, err := json.Marshal(c.Spec.Extensions["x-error-codes"])
	if err != nil {
		return nil, fmt.Errorf("read the error codes of the contract: %w", err)
	}
	var codes map[string]map[string]string
	if err := json.Unmarshal(text, &codes); err != nil {
		return nil, fmt.Errorf("read the error codes of the contract: %w", err)
	}
	return codes, nil
}

func (c *Contract) asJSON() (document map[string]any, err error) {
	text, err := json.Marshal(c.Spec)
	if err != nil {
		return nil, fmt.Errorf("write the contract as JSON: %w", err)
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("read the contract as JSON: %w", err)
	}
	dropGeneratorHints(document)
	c.describeErrorCodes(document)
	return document, nil
}

// describeErrorCodes adds the error codes of each operation to its description, because generators
// copy descriptions to clients and ignore extensions.
func (c *Contract) describeErrorCodes(document map[string]any) {
	paths, _ := document["paths"].(map[string]any)
	for _, op := range c.operations {
		item, _ := paths[op.Route.Path].(map[string]any)
		spec, _ := item[strings.ToLower(op.Route.Method)].(map[string]any)
		if spec == nil || op.ErrorCodes == nil {
			continue
		}
		codes := "Error codes: `" + strings.Join(op.ErrorCodes, "`, `") + "`."
		if about := op.Route.Operation.Description; about != "" {
			codes = strings.TrimSpace(about) + "\n\n" + codes
		}
		spec["description"] = codes
	}
}

// linkExamples adds the example of a component to each body with that component's schema. The
// contract therefore names each example only once.
func linkExamples(doc *openapi3.T) {
	link := func(contents openapi3.Content) {
		for _, media := range contents {
			name := ComponentName(media.Schema)
			if example := doc.Components.Examples[name]; example != nil && media.Examples == nil {
				media.Examples = openapi3.Examples{
					name: &openapi3.ExampleRef{Ref: "#/components/examples/" + name, Value: example.Value},
				}
			}
		}
	}
	for _, item := range doc.Paths.Map() {
		for _, spec := range item.Operations() {
			if spec.RequestBody != nil {
				link(spec.RequestBody.Value.Content)
			}
			for _, response := range spec.Responses.Map() {
				link(response.Value.Content)
			}
		}
	}
}

// ComponentName returns the name of the component that a schema refers to, or "".
func ComponentName(s *openapi3.SchemaRef) string {
	if s == nil {
		return ""
	}
	name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/")
	if !ok {
		return ""
	}
	return name
}

// CheckExample returns how an example breaks a schema, or nil.
func CheckExample(s *openapi3.Schema, example any) error {
	text, err := json.Marshal(example)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return s.VisitJSON(value, openapi3.EnableFormatValidation(), openapi3.MultiErrors())
}

// dropGeneratorHints removes the x-go- properties, which only the code generator reads.
func dropGeneratorHints(node any) {
	switch n := node.(type) {
	case map[string]any:
		for key, value := range n {
			if strings.HasPrefix(key, "x-go-") {
				delete(n, key)
				continue
			}

			dropGeneratorHints(value)
		}
	case []any:
		for _, value := range n {
			dropGeneratorHints(value)
		}
	}
}

func newOperation(
	doc *openapi3.T,
	path string,
	item *openapi3.PathItem,
	method string,
	spec *openapi3.Operation,
) *Operation {
	op := &Operation{
		ID:    spec.OperationID,
		Route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: spec},
	}
	if spec.Security != nil {
		op.Access = Public
		for _, requirement := range *spec.Security {
			if len(requirement) > 0 {
				op.Access = OptionalSession
			}
		}
	}

	if body := spec.RequestBody; body != nil && body.Value != nil {
		op.FileBody = body.Value.Content["application/octet-stream"] != nil
	}
	if limit, ok := spec.Extensions["x-max-body-bytes"].(float64); ok {
		op.BodyBytes = int64(limit)
	}
	op.Costs, _ = spec.Extensions["x-cost"].(bool)
	op.Trashed, _ = spec.Extensions["x-trashed"].(bool)
	op.Secret, _ = spec.Extensions["x-secret"].(bool)
	codes, _ := spec.Extensions["x-error-codes"].([]any)
	for _, code := range codes {
		op.ErrorCodes = append(op.ErrorCodes, fmt.Sprint(code))
	}
	op.TakesKey = spec.Parameters.GetByInAndName(openapi3.ParameterInHeader, "Idempotency-Key") != nil
	for _, tag := range spec.Tags {
		op.Streams = op.Streams || tag == "files" || tag == "events" || tag == "redirects"
		op.AdminOnly = op.AdminOnly || tag == "admin"
		op.OwnerLocal = op.OwnerLocal || tag == "desktop"
	}

	if streams, ok := spec.Extensions["x-go-streams"].(bool); ok {
		op.Streams = op.Streams || streams
	}
	for _, part := range strings.Split(path, "/") {
		if name := strings.Trim(part, "{}"); name != part && strings.HasSuffix(name, "_uuid") {
			op.Resources = append(op.Resources, name)
		}
	}

	return op
}

// TrimPath removes trailing slashes from a path.
func TrimPath(path string) string { return "/" + strings.Trim(path, "/") }

// IsUnsafe reports whether requests with a method may change data.
func IsUnsafe(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}
