package server

import (
	"bytes"
	"context"
	_ "embed"
	"maps"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"roughcut/server/api"
	"roughcut/server/contract"
)

//go:embed openapi.yaml
var contractYAML []byte

// parseContract parses openapi.yaml once.
var parseContract = sync.OnceValues(func() (*contract.Contract, error) { return contract.Read(contractYAML) })

// Contract returns the parsed openapi.yaml.
func Contract() (*contract.Contract, error) { return parseContract() }

// operationKey is where noteRoute leaves the operation for the stages after it.
const operationKey = "operation"

// operationOf returns the operation that the router chose, or nil for routes outside the contract.
func operationOf(c echo.Context) *contract.Operation {
	op, _ := c.Get(operationKey).(*contract.Operation)
	return op
}

// skipsCompression excludes files, streams and routes outside the contract from compression.
func skipsCompression(c echo.Context) bool {
	op := operationOf(c)
	return op == nil || op.Streams
}

// noteRoute finds the operation of a request and keeps the pattern of its path for the log.
func (s *Server) noteRoute(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if op := s.contract.Operation(c.Request().Method, pathTemplate(c.Path())); op != nil {
			c.Set(operationKey, op)
			infoOf(c.Request().Context()).route = c.Path()
		}

		c.Response().Header().Set("Cache-Control", "no-store")
		return next(c)
	}
}

// pathTemplate turns a pattern of the router into a path of the contract: /clips/:clip_uuid becomes
// /clips/{clip_uuid}.
func pathTemplate(pattern string) string {
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, ":") {
			parts[i] = "{" + part[1:] + "}"
		}
	}

	return strings.Join(parts, "/")
}

// GetContract responds with openapi.yaml as JSON, and names the address of this server.
func (s handlers) GetContract(
	ctx context.Context,
	_ api.GetContractRequestObject,
) (api.GetContractResponseObject, error) {
	document, err := s.contract.Document()
	if err != nil {
		return nil, err
	}
	named := maps.Clone(document)
	named["servers"] = []any{map[string]any{"url": infoOf(ctx).baseURL}}
	return api.GetContract200JSONResponse(named), nil
}

// GetDocs responds with the API reference as an HTML page.
func (s handlers) GetDocs(context.Context, api.GetDocsRequestObject) (api.GetDocsResponseObject, error) {
	page, err := s.docs()
	if err != nil {
		return nil, err
	}
	return api.GetDocs200TextHTMLCharsetUTF8Response{
		Body:    bytes.NewReader(page.HTML),
		Headers: api.GetDocs200ResponseHeaders{ContentSecurityPolicy: page.Policy},
	}, nil
}
