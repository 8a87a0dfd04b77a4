package server

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"roughcut/store"
)

func TestInternalErrorsAreLoggedOnceAndHidden(t *testing.T) {
	t.Parallel()
	const secret = "secrets bucket is broken"
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Replan = func(store.ReplanInput) (store.Proposal, error) { return store.Proposal{}, errors.New(secret) }
		o.UI = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(secret) })
	})
	w.faulty = true
	p := w.person("p")
	project := p.project("Talk")
	run := p.analyze(project, p.readyClip(project))
	r := p.do(
		"POST",
		"/api/v1/projects/"+project+"/analysis-runs/"+run+"/replan",
		map[string]any{"pacing_level": 1, "false_start_sensitivity": 1},
	).want(500, "internal")
	panicked := p.do("GET", "/", nil).want(500, "internal")
	if strings.Contains(string(r.body)+string(panicked.body), secret) {
		t.Errorf("the client sees %s %s", r.body, panicked.body)
	}
	logs := w.logs.String()
	for _, response := range []*reply{r, panicked} {
		faults := 0
		for _, line := range strings.Split(logs, "\n") {
			if strings.Contains(line, "level=ERROR") && strings.Contains(line, response.header.Get("X-Request-Id")) &&
				strings.Contains(line, secret) {
				faults++
			}
		}
		if faults != 1 {
			t.Errorf("the error of %s is logged %d times", response.what, faults)
		}
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	var fault error
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Ready = func() error { return fault } })
	w.anonymous().do("GET", "/healthz", nil).want(204, "")
	w.anonymous().do("GET", "/readyz", nil).want(204, "")
	fault = errors.New("pool stopped")
	r := w.anonymous().do("GET", "/readyz", nil).want(503, "unavailable")
	if strings.Contains(string(r.body), "pool") {
		t.Errorf("readyz reveals %s", r.body)
	}
	w.anonymous().do("GET", "/healthz", nil).want(204, "")
}
