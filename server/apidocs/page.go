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

// fontFace declares the font of the UI, whose address it gets.
const fontFace = `
@font-face {
  font-family: "Inter Variable"; font-weight: 100 900; font-display: swap; src: url("%s") format("woff2");
}`

// Page is a rendered page with the Content-Security-Policy that it needs.
type Page struct {
	HTML   []byte
	Policy string
}

// Render returns the API reference of a server whose public paths start with base. The page embeds
// its style sheet, and the policy permits only that one by its hash. The page runs nothing, and
// loads only font, a WOFF2 file of this server at a path below base. Without font, the page uses
// the fonts of the system.
func Render(c *contract.Contract, base, font string) (Page, error) {
	parsed, err := template.New("page").Parse(layout)
	if err != nil {
		return Page{}, fmt.Errorf("parse the template of the API reference: %w", err)
	}
	data, err := newReference(c)
	if err != nil {
		return Page{}, err
	}
	sheet, fonts := style, ""
	if font != "" {
		sheet = fmt.Sprintf(fontFace, base+"/"+font) + style
		fonts = "; font-src 'self'"
	}

	var page bytes.Buffer
	err = parsed.Execute(&page, struct {
		*reference
		Base  string
		Style template.CSS
	}{data, base, template.CSS(sheet)}) //nolint:gosec // the style sheet and the font are embedded
	if err != nil {
		return Page{}, fmt.Errorf("render the API reference: %w", err)
	}
	hash := sha256.Sum256([]byte(sheet))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'" + fonts + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return Page{page.Bytes(), policy}, nil
}
