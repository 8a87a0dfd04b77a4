package server

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/labstack/echo/v4"
)

//go:embed openapi.yaml
var contractYAML []byte

// contract is openapi.yaml, read once, with its operations by the route that serves them.
type contract struct {
	spec *openapi3.T
	// as GET /api/v1/openapi.json answers it; made when it is first asked for
	document   func() (map[string]any, error)
	operations map[string]*operation
}

// access says who may call an operation.
type access int

const (
	signedIn access = iota // a session
	anybody                // no session is looked at
	optional               // a session is looked at; the operation decides
)

// operation is one operation of the contract.
type operation struct {
	id     string
	access access
	plain  bool     // files, events and redirects: served by a plain route, never compressed, no JSON body
	admin  bool     // for admins only
	local  bool     // for the owner at the machine itself only
	things []string // path parameters that name something with an owner, in order: "project_uuid", …
	route  *routers.Route
}

// loadContract reads the contract the first time; nobody changes it after that.
var loadContract = sync.OnceValues(readContract)

func readContract() (*contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(contractYAML)
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	linkExamples(doc)
	c := &contract{spec: doc, operations: map[string]*operation{}}
	c.document = sync.OnceValues(func() (map[string]any, error) { return asJSON(doc) })
	for path, item := range doc.Paths.Map() {
		for method, spec := range item.Operations() {
			c.operations[method+" "+trimPath(path)] = newOperation(doc, path, item, method, spec)
		}
	}
	return c, nil
}

// asJSON returns the contract for others to read.
func asJSON(doc *openapi3.T) (document map[string]any, err error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("write the contract as JSON: %w", err)
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("read the contract as JSON: %w", err)
	}
	dropGeneratorHints(document)
	return document, nil
}

// linkExamples gives each body the example of the component that it is, so that the contract needs
// to name each only once.
func linkExamples(doc *openapi3.T) {
	link := func(contents openapi3.Content) {
		for _, media := range contents {
			name := componentOf(media.Schema)
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

// dropGeneratorHints takes out what only our code generator reads.
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
) *operation {
	op := &operation{
		id:    spec.OperationID,
		route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: spec},
	}
	if spec.Security != nil {
		op.access = anybody
		for _, requirement := range *spec.Security {
			if len(requirement) > 0 {
				op.access = optional
			}
		}
	}
	for _, tag := range spec.Tags {
		op.plain = op.plain || tag == "files" || tag == "events" || tag == "redirects"
		op.admin = op.admin || tag == "admin"
		op.local = op.local || tag == "desktop"
	}
	for _, part := range strings.Split(path, "/") {
		if name := strings.Trim(part, "{}"); name != part && strings.HasSuffix(name, "_uuid") {
			op.things = append(op.things, name)
		}
	}
	return op
}

// operationKey is where noteRoute leaves the operation for the stages after it.
const operationKey = "operation"

// operationOf returns what the request was routed to, or nil where the contract has nothing there.
func operationOf(c echo.Context) *operation {
	op, _ := c.Get(operationKey).(*operation)
	return op
}

// uncompressed says what the compression leaves alone: files and streams, and what is no operation.
func uncompressed(c echo.Context) bool {
	op := operationOf(c)
	return op == nil || op.plain
}

// noteRoute finds the operation that the request was routed to, and keeps the pattern of its path
// for the log.
func (s *Server) noteRoute(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if op := s.contract.operations[c.Request().Method+" "+template(c.Path())]; op != nil {
			c.Set(operationKey, op)
			factsOf(c.Request().Context()).route = c.Path()
		}
		c.Response().Header().Set("Cache-Control", "no-store")
		return next(c)
	}
}

// template turns a pattern of the router into a path of the contract: /clips/:clip_uuid into
// /clips/{clip_uuid}.
func template(pattern string) string {
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, ":") {
			parts[i] = "{" + part[1:] + "}"
		}
	}
	return strings.Join(parts, "/")
}

// isUnsafe tells the methods that change something.
func isUnsafe(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}
