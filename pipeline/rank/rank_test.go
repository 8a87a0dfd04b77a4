package rank

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// model starts a chat endpoint that responds with a fixed text, and records the last request.
func model(t *testing.T, status int, content string) (*Client, *map[string]any) {
	t.Helper()
	asked := map[string]any{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("unexpected request %s %s", r.Method, r.URL)
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(
			map[string]any{
				"choices": []any{map[string]any{"message": map[string]string{"role": "assistant", "content": content}}},
			},
		)
	}))
	t.Cleanup(server.Close)
	return New(server.URL+"/v1/", "llama"), &asked
}

var two = []Candidate{
	{ID: 0, Said: "espresso", Context: "an espresso a day", Asset: "Espresso"},
	{ID: 1, Said: "milk", Asset: "Cow"},
}

func TestRankReturnsFitsInCandidateOrder(t *testing.T) {
	for _, content := range []string{
		`{"ranking":[{"id":1,"fit":0.25},{"id":0,"fit":1}]}`,
		"```json\n{\"ranking\": [{\"id\": 0, \"fit\": 1}, {\"id\": 1, \"fit\": 0.25}]}\n```",
	} {
		c, asked := model(t, 200, content)
		fits, err := c.Rank(t.Context(), "no cows", two)
		if err != nil || len(fits) != 2 || fits[0] != 1 || fits[1] != 0.25 {
			t.Errorf("%s: %v, %v", content, fits, err)
		}
		text, _ := json.Marshal(*asked)
		for _, part := range []string{`"model":"llama"`, `"stream":false`, "no cows", "an espresso a day"} {
			if !strings.Contains(string(text), part) {
				t.Errorf("the request does not contain %s: %s", part, text)
			}
		}
	}
}

// A response that does not rank each candidate exactly once is an error.
func TestInvalidResponsesAreErrors(t *testing.T) {
	for _, content := range []string{
		"",
		"I would rather not.",
		"{}",
		`{"ranking":[]}`,
		`{"ranking":[{"id":0,"fit":0.5}]}`,
		`{"ranking":[{"id":0,"fit":0.5},{"id":0,"fit":0.5}]}`,
		`{"ranking":[{"id":0,"fit":0.5},{"id":2,"fit":0.5}]}`,
		`{"ranking":[{"id":0,"fit":0.5},{"id":1,"fit":7}]}`,
		`{"ranking":[{"id":0,"fit":0.5},{"id":1}]}`,
		`{"ranking":{"0":1}}`,
		strings.Repeat(" ", maxResponseBytes),
	} {
		c, _ := model(t, 200, content)
		if fits, err := c.Rank(t.Context(), "", two); err == nil {
			t.Errorf("the response %.60q gives the ranking %v", content, fits)
		}
	}
	c, _ := model(t, 500, `{"ranking":[{"id":1,"fit":0.25},{"id":0,"fit":1}]}`)
	if _, err := c.Rank(t.Context(), "", two); err == nil {
		t.Error("a response with status 500 is accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Rank(ctx, "", two); err == nil {
		t.Error("a cancelled request succeeds")
	}
	moved := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusTemporaryRedirect))
	defer moved.Close()
	if _, err := New(moved.URL, "x").Rank(t.Context(), "", two); err == nil ||
		!strings.Contains(err.Error(), "redirects") {
		t.Errorf("the client follows a redirect: %v", err)
	}
}
