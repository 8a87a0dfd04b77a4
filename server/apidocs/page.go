// Package apidocs renders the contract as the API reference: one HTML page without scripts.
package apidocs

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"

	"roughcut/server/contract"
)

//go:embed page.html
var layout string

//go:embed page.css
var style string

// Page is a rendered page with the Content-Security-Policy that it needs.
type Page struct {
	HTML   []byte
	Policy string
}

// Render returns the API reference of a server whose public paths start with base. The page embeds
// its style sheet, and the policy permits only that one by its hash. The page loads and runs
// nothing.
func Render(c *contract.Contract, base string) (Page, error) {
	parsed, err := template.New("page").Parse(layout)
	if err != nil {
		return Page{}, fmt.Errorf("parse the template of the API reference: %w", err)
	}
	data, err := newReference(c)
	if err != nil {
		return Page{}, err
	}
	var page bytes.Buffer
	err = parsed.Execute(&page, struct {
		*reference
		Base  string
		Style template.CSS
	}{data, base, template.CSS(style)}) //nolint:gosec // the style sheet is embedded
	if err != nil {
		return Page{}, fmt.Errorf("render the API reference: %w", err)
	}
	hash := sha256.Sum256([]byte(style))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return Page{page.Bytes(), policy}, nil
}
