package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	html "html/template"

	"roughcut/server/api"
)

//go:embed docs.html
var docsTemplate string

//go:embed docs.css
var docsStyle string

// docsPage is a rendered page with the policy that lets a browser show it.
type docsPage struct {
	html   []byte
	policy string
}

// renderDocs makes the page to read from the contract, for a server whose public addresses begin
// with the path base. The style is part of the page, and the policy names its hash: the page loads
// and runs nothing.
func renderDocs(c *contract, base string) (docsPage, error) {
	layout, err := html.New("docs").Parse(docsTemplate)
	if err != nil {
		return docsPage{}, fmt.Errorf("read the template of the API reference: %w", err)
	}
	shown, err := newReference(c)
	if err != nil {
		return docsPage{}, err
	}
	var page bytes.Buffer
	err = layout.Execute(&page, struct {
		*reference
		Base  string
		Style html.CSS
	}{shown, base, html.CSS(docsStyle)}) //nolint:gosec // our own style
	if err != nil {
		return docsPage{}, fmt.Errorf("render the API reference: %w", err)
	}
	hash := sha256.Sum256([]byte(docsStyle))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(
		hash[:],
	) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return docsPage{page.Bytes(), policy}, nil
}

// GetDocs answers with the contract as a page to read.
func (s operations) GetDocs(context.Context, api.GetDocsRequestObject) (api.GetDocsResponseObject, error) {
	page, err := s.docs()
	if err != nil {
		return nil, err
	}
	return api.GetDocs200TextHTMLCharsetUTF8Response{
		Body:    bytes.NewReader(page.html),
		Headers: api.GetDocs200ResponseHeaders{ContentSecurityPolicy: page.policy},
	}, nil
}
