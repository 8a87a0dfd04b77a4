package server

import (
	"strings"
	"testing"
)

func TestAccountSettings(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/users/me/settings"
	w := newWorld(t)
	p, other := w.person("p"), w.person("other")
	for _, c := range []struct {
		who    *person
		method string
		body   any
		status int
		code   string
		answer string
	}{
		{p, "GET", nil, 200, "", `{}`},
		{p, "PATCH", map[string]any{"theme": "dark", "keys": map[string]any{"play": []string{"K"}}}, 200, "", ``},
		{p, "PATCH", map[string]any{"theme": nil, "size": 12345678901234567}, 200, "", ``},
		{p, "GET", nil, 200, "", `{"keys":{"play":["K"]},"size":12345678901234567}`},
		{other, "GET", nil, 200, "", `{}`},
		{p, "PATCH", map[string]any{"Theme": "dark"}, 422, "unprocessable", ``},
		{p, "PATCH", map[string]any{"theme": strings.Repeat("x", 32<<10)}, 422, "unprocessable", ``},
		{p, "PATCH", []string{"theme"}, 422, "unprocessable", ``},
		{p, "GET", nil, 200, "", `{"keys":{"play":["K"]},"size":12345678901234567}`},
		{w.anonymous(), "GET", nil, 401, "not_authenticated", ``},
	} {
		got := c.who.do(c.method, path, c.body).want(c.status, c.code)
		if c.answer != "" && strings.TrimSpace(string(got.body)) != c.answer {
			t.Errorf("%s %v gives %s, want %s", c.method, c.body, got.body, c.answer)
		}
	}
}
