package server

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"roughcut/server/contract"
	"roughcut/store"
)

// element is an HTML element with its attributes.
type element struct {
	name  string
	attrs map[string]string
}

// elements parses a page strictly enough to find what a browser would load or run.
func elements(t *testing.T, page []byte) []element {
	t.Helper()
	var all []element
	z := html.NewTokenizer(strings.NewReader(string(page)))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			return all
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			e := element{token.Data, map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Key] = a.Val
			}
			all = append(all, e)
		}
	}
}

func TestDocsShowEveryOperationAndSchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.anonymous().do("GET", "/api/docs/", nil).want(200, "")
	if got := r.header.Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("content type %q", got)
	}
	ids := map[string]int{}
	for _, e := range elements(t, r.body) {
		if id := e.attrs["id"]; id != "" {
			ids[id]++
		}
	}
	for _, op := range sortedOperations(w) {
		if ids[op.Route.Operation.OperationID] != 1 {
			t.Errorf("%s occurs %d times", op.ID, ids[op.ID])
		}
		for _, text := range []string{op.Route.Path, html.EscapeString(op.Route.Operation.Summary)} {
			if !strings.Contains(string(r.body), text) {
				t.Errorf("%s: the page lacks %q", op.ID, text)
			}
		}
	}
	for name := range w.server.contract.Spec.Components.Schemas {
		if ids["schema-"+name] != 1 {
			t.Errorf("the schema %s occurs %d times", name, ids["schema-"+name])
		}
	}
	for _, part := range []string{
		"session and X-CSRF-Token", "plan_limit_presets", `<a href="#schema-NewPreset">NewPreset</a>`, "0 to 100",
		"one of none, mute, bleep",
		"at most 100 characters", "default 50", "null or ", "list of ", "Ada Lovelace",
		"&lt;mark&gt;brave&lt;/mark&gt;", `<a href="#status-409">codes of 409</a>`, "<td>CLIP_READY</td>",
		"Retry-After",
	} {
		if !strings.Contains(string(r.body), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
}

func TestDocsAreSelfContained(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.anonymous().do("GET", "/api/docs", nil).want(200, "")
	ids, links := map[string]bool{}, []string{}
	for _, e := range elements(t, r.body) {
		if id := e.attrs["id"]; id != "" {
			if ids[id] {
				t.Errorf("the id %s is a duplicate", id)
			}
			ids[id] = true
		}
		for name, value := range e.attrs {
			if strings.HasPrefix(name, "on") || name == "src" || name == "style" || name == "srcset" {
				t.Errorf("<%s %s=%q>", e.name, name, value)
			}
			if name == "href" {
				links = append(links, value)
			}
			if strings.HasPrefix(name, "aria-labelledby") {
				links = append(links, "#"+value)
			}
		}
		switch e.name {
		case "script", "link", "img", "iframe", "object", "form", "base":
			t.Errorf("the page has a <%s>", e.name)
		}
	}
	for _, link := range links {
		if target, ok := strings.CutPrefix(link, "#"); (ok && !ids[target]) ||
			(!ok && link != "/api/v1/openapi.json" && link != "/") {
			t.Errorf("the page links to %q", link)
		}
	}
	sheet := checkDocsPolicy(t, r, "")
	outside := strings.Contains(sheet, "url(") || strings.Contains(sheet, "@import")
	if !strings.Contains(sheet, "light-dark(") || outside {
		t.Error("the style sheet lacks dark mode or loads something")
	}
}

// The API reference has the font of the UI, and loads nothing else.
func TestDocsHaveTheFontOfTheUI(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) { o.UIFont = "assets/inter.woff2" })
	sheet := checkDocsPolicy(t, w.anonymous().do("GET", "/api/docs/", nil).want(200, ""), "; font-src 'self'")
	loads := regexp.MustCompile(`url\([^)]*\)`).FindAllString(sheet, -1)
	if len(loads) != 1 || loads[0] != `url("/assets/inter.woff2")` {
		t.Errorf("the style sheet loads %q", loads)
	}
}

// checkDocsPolicy checks that the policy of the page permits its style sheet and fonts alone. It
// returns the style sheet.
func checkDocsPolicy(t *testing.T, r *reply, fonts string) string {
	t.Helper()
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllSubmatch(r.body, -1)
	if len(style) != 1 {
		t.Fatalf("got %d style sheets", len(style))
	}
	hash := sha256.Sum256(style[0][1])
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'" + fonts +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if got := r.header.Values("Content-Security-Policy"); len(got) != 1 || got[0] != want {
		t.Errorf("policy %q, want %q", got, want)
	}
	return string(style[0][1])
}

func TestDocsAreAccessible(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	counts := map[string]int{}
	level := 0
	page := w.anonymous().do("GET", "/api/docs", nil).want(200, "").body
	if empty := regexp.MustCompile(`<th[^>]*></th>`).Find(page); empty != nil {
		t.Errorf("a table header is empty: %s", empty)
	}
	for _, e := range elements(t, page) {
		counts[e.name]++
		if e.attrs["role"] == "region" {
			t.Errorf("a landmark has the name of others: %v", e.attrs)
		}
		if len(e.name) == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6' {
			next := int(e.name[1] - '0')
			if next > level+1 && level > 0 {
				t.Errorf("a heading of level %d follows one of level %d", next, level)
			}
			level = next
		}
		if e.name == "th" && e.attrs["scope"] == "" {
			t.Error("a table header has no scope")
		}
		if (e.name == "html" && e.attrs["lang"] != "en") || (e.name == "nav" && e.attrs["aria-label"] == "") {
			t.Errorf("<%s> has %v", e.name, e.attrs)
		}
		if (e.attrs["class"] == "wide" || e.name == "pre") && e.attrs["tabindex"] != "0" {
			t.Errorf("<%s> scrolls but is not focusable", e.name)
		}
	}
	if counts["main"] != 1 || counts["h1"] != 1 || counts["title"] != 1 || counts["nav"] != 1 {
		t.Errorf("the page has %v", counts)
	}
}

func TestExamplesFollowTheirSchemas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc := w.server.contract.Spec
	for name, example := range doc.Components.Examples {
		schema := doc.Components.Schemas[name]
		if schema == nil {
			t.Errorf("the example %s has no schema", name)
			continue
		}
		if err := contract.CheckExample(schema.Value, example.Value.Value); err != nil {
			t.Errorf("the example %s breaks its schema: %v", name, err)
		}
		more := schema.Value.AdditionalProperties
		isMap := more.Schema != nil || (more.Has != nil && *more.Has) // its fields have any name
		for field := range example.Value.Value.(map[string]any) {
			if !isMap && schema.Value.Properties[field] == nil {
				t.Errorf("the example %s has a field %s that its schema lacks", name, field)
			}
		}
	}
	page := string(w.anonymous().do("GET", "/api/docs", nil).body)
	shown := 0
	for _, op := range sortedOperations(w) {
		for status, response := range op.Route.Operation.Responses.Map() {
			for kind, media := range response.Value.Content {
				if kind != "application/json" || contract.ComponentName(media.Schema) == "" {
					continue
				}
				if media.Examples == nil {
					t.Logf("%s %s has no example", op.ID, status)
					continue
				}
				shown++
			}
		}
	}
	if shown < 40 || strings.Count(page, "<summary>Example</summary>") < 100 {
		t.Errorf(
			"only %d responses have an example, and the page shows %d",
			shown,
			strings.Count(page, "<summary>Example</summary>"),
		)
	}
	links := w.anonymous().do("GET", "/api/v1/openapi.json", nil).want(200, "")
	if got := links.text(
		"paths",
		"/api/v1/projects",
		"post",
		"responses",
		"201",
		"content",
		"application/json",
		"examples",
		"Project",
		"$ref",
	); got != "#/components/examples/Project" {
		t.Errorf("openapi.json links to %q", got)
	}
}

func TestDocsAreCompressedAndAnswerHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.anonymous().request("GET", "/api/docs", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	if got := w.send(r).want(http.StatusOK, "").header.Get("Content-Encoding"); got != "gzip" {
		t.Errorf("encoding %q", got)
	}
	if head := w.anonymous().do("HEAD", "/api/docs", nil).want(200, ""); len(head.body) != 0 {
		t.Errorf("HEAD responds with %d bytes", len(head.body))
	}
}
