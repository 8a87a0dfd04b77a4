// Package api holds the types and the routing that are generated from server/openapi.yaml, the
// contract. Nothing in it is written by hand except this file; `make generate` renews it. Files,
// uploads, the event stream and addresses that only redirect are plain routes of package server and
// are left out here.
package api

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config config.yaml ../openapi.yaml
