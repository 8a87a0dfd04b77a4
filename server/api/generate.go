// Package api holds the types and the routing that are generated from server/openapi.yaml. Only
// this file and the generator's settings are written by hand; `make generate` updates the rest.
// Package server registers files, uploads, the event stream and redirects itself, so they are not
// part of the generated routing.
package api

//go:generate go run ./tables ../openapi.yaml
//go:generate go run ./filetypes ../../web/src/api/filetypes.json
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config config.yaml ../openapi.yaml
