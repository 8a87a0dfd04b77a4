package server

import (
	"strings"
	"testing"

	"roughcut/media"
)

// Pages show these messages next to the field, so they must read as sentences.
func TestContractViolationsReadAsSentences(t *testing.T) {
	t.Parallel()
	p := newWorld(t).person("ada")
	project := "/api/v1/projects/" + p.project("Talk")
	account := func(field, value string) string {
		fields := map[string]string{
			"name":     `"Ada"`,
			"username": `"ada"`,
			"email":    `"a@b.c"`,
			"password": `"long enough"`,
		}
		fields[field] = value
		return `{"name":` + fields["name"] + `,"username":` + fields["username"] + `,"email":` + fields["email"] +
			`,"password":` + fields["password"] + `}`
	}
	for _, c := range []struct{ method, path, body, detail string }{
		{"POST", "/api/v1/users/", account("password", `"short"`), "password: must have at least 10 characters."},
		{"POST", "/api/v1/users/", account("name", `""`), "name: must not be empty."},
		{"POST", "/api/v1/users/", account("name", `null`), "name: must not be null."},
		{
			"POST", "/api/v1/users/", account("username", `"a b"`),
			"username: may contain only letters from a to z, digits, dots, dashes and underscores.",
		},
		{"POST", "/api/v1/users/", account("email", `"nobody"`), "email: must be an email address."},
		{"POST", "/api/v1/projects/", `{}`, "name: is missing."},
		{"POST", "/api/v1/projects/", `{"name":5}`, "name: must be a string."},
		{
			"POST", "/api/v1/projects/", `{"name":"` + strings.Repeat("x", 201) + `"}`,
			"name: must have at most 200 characters.",
		},
		{"POST", "/api/v1/projects/", `{"name":"x","settings":[]}`, "settings: must be an object."},
		{"POST", "/api/v1/projects/", `{"name":`, "body: is not valid JSON."},
		{"POST", "/api/v1/projects/", ``, "body: is missing."},
		{"POST", project + "/analyze", `{"pacing_level":101}`, "pacing_level: must be at most 100."},
		{"POST", project + "/analyze", `{"pacing_level":1.5}`, "pacing_level: must be a whole number."},
		{"POST", project + "/analyze", `{"language":"klingon!"}`, "language: must be a language such as en or pt-BR."},
		{
			"POST", project + "/analyze", `{"language":"xx"}`,
			`"xx" is not a language of speech models. Use one of these codes: ` +
				strings.Join(media.SpeechLanguages(), ", ") + ".",
		},
		{
			"POST", "/api/v1/users/me/presets", `{"name":"x","language":"xx-BR"}`,
			`"xx-BR" is not a language of speech models. Use one of these codes: ` +
				strings.Join(media.SpeechLanguages(), ", ") + ".",
		},
		{
			"POST", project + "/edits/", `{"type":"silence","start_ms":0,"end_ms":5}`,
			"type: must be one of manual, asset.",
		},
		{"POST", project + "/edits/", `{"type":"manual","start_ms":-1,"end_ms":5}`, "start_ms: must be at least 0."},
		{
			"POST", project + "/edits/", `{"type":"manual","start_ms":0,"end_ms":5,"active":1}`,
			"active: must be true or false.",
		},
		{
			"POST", project + "/exports/", `{"name":"e","export_settings":{"letterbox_background":"red"}}`,
			"export_settings.letterbox_background: must be a color such as #1a2b3c.",
		},
		{"PUT", project + "/clips/order", `{"clip_uuids":"x"}`, "clip_uuids: must be a list."},
		{
			"GET", "/api/v1/projects/?page=x", ``,
			"page: cannot be parsed; see /api/docs for the values that it accepts.",
		},
		{"GET", "/api/v1/projects/?page=1000001", ``, "page: must be at most 1000000."},
		{"GET", "/api/v1/search", ``, "q: is missing."},
	} {
		if got := p.do(c.method, c.path, []byte(c.body)).want(422, "unprocessable").text("detail"); got != c.detail {
			t.Errorf("%s %s %s: %q, want %q", c.method, c.path, c.body, got, c.detail)
		}
	}
	r := p.request("POST", "/api/v1/projects/", []byte(`{"name":"x"}`))
	r.Header.Set("Content-Type", "text/plain")
	if got := p.w.send(r).want(
		422,
		"unprocessable",
	).text("detail"); got != "body: must be sent with the header Content-Type: application/json." {
		t.Errorf("another content type: detail %q", got)
	}
}

// The contract bounds few numbers and accepts 1.0 and 1e3 as whole. Numbers that overflow Go types
// must cause the same kind of error, without Go terms.
func TestOverflowingNumbersReadAsSentences(t *testing.T) {
	t.Parallel()
	p := newWorld(t).person("ada")
	project := "/api/v1/projects/" + p.project("Talk")
	for _, c := range []struct{ path, body, field string }{
		{
			project + "/clips/presign",
			`{"filename":"a.mp4","content_type":"video/mp4","size_bytes":9223372036854775808}`, "size_bytes",
		},
		{project + "/edits/", `{"type":"manual","start_ms":0,"end_ms":9223372036854775808}`, "end_ms"},
		{project + "/edits/", `{"type":"manual","start_ms":0,"end_ms":1000.0}`, "end_ms"},
		{"/api/v1/payments/subscription/upgrade", `{"price_id":1e300}`, "price_id"},
	} {
		got := p.do("POST", c.path, []byte(c.body)).want(422, "unprocessable")
		if detail := got.text(
			"detail",
		); !strings.HasPrefix(detail, c.field+": ") || strings.Contains(detail, "int64") ||
			!strings.Contains(string(got.body), `"field":"`+c.field+`"`) {
			t.Errorf("%s: response %s", c.body, got.body)
		}
	}
}

func TestEveryListRejectsInvalidPages(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	lists := 0
	for _, op := range sortedOperations(f.w) {
		if op.Route.Operation.Parameters.GetByInAndName("query", "page") == nil {
			continue
		}
		lists++
		for _, query := range []string{"page=0", "page=x", "page_size=0", "page_size=201"} {
			f.p.do(op.Route.Method, fill(op, f.ids)+"?q=hello&"+query, nil).want(422, "unprocessable")
		}
	}
	if lists < 12 {
		t.Errorf("only %d lists have pages", lists)
	}
}

func TestMalformedJSONIsRejected(t *testing.T) {
	t.Parallel()
	p := newWorld(t).person("ada")
	project := "/api/v1/projects/" + p.project("Talk")
	for _, body := range []string{
		`{"name":"Talk"} trailing`,
		`{"name":"Talk"}{"name":"Talk"}`,
		`{"name":"Talk"}]`,
		`{"name":"Talk"`,
		`{"name":"Talk",}`,
		"{\"name\":\"Talk\"}\x00",
		`name=Talk`,
	} {
		for method, path := range map[string]string{"POST": "/api/v1/projects/", "PATCH": project} {
			got := p.do(method, path, []byte(body)).want(422, "unprocessable")
			if detail := got.text("detail"); detail != "body: is not valid JSON." {
				t.Errorf("%s %s with %q: detail %q", method, path, body, detail)
			}
		}
	}
	for _, body := range []string{" {\"name\":\"Talk\"}\r\n\t ", "\n{\"name\":\"Talk\"}"} {
		p.do("POST", "/api/v1/projects/", []byte(body)).want(201, "")
	}
	p.do("GET", project, nil).want(200, "")
}
