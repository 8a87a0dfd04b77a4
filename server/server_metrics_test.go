package server

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/store"
)

// secrets are the values in requests and responses that must never appear in logs or metrics. Every
// test checks for them at its end.
type secrets struct {
	mu    sync.Mutex
	known map[string]string // by kind
}

// secretFields lists the fields of requests and responses with secrets.
var secretFields = []string{"password", "current_password", "new_password", "token", "csrf_token"}

// secretPath matches the token of a signed address.
var secretPath = regexp.MustCompile(`/(?:upload|media|download)/v1/([^/?]+)`)

func (s *secrets) learn(r *http.Request, response []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add := func(what, value string) {
		if len(value) >= 12 { // shorter values are invalid test tokens
			if s.known == nil {
				s.known = map[string]string{}
			}
			s.known[value] = what
		}
	}
	for _, c := range r.Cookies() {
		add("cookie", c.Value)
	}
	add("CSRF token", r.Header.Get(csrfHeader))
	add("bearer", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	for _, found := range secretPath.FindAllStringSubmatch(r.URL.Path+" "+string(response), -1) {
		add("signed address", strings.Trim(found[1], `"} `))
	}
	texts := [][]byte{response}
	if r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			text, _ := io.ReadAll(body)
			texts = append(texts, text)
		}
	}
	for _, text := range texts {
		var fields map[string]any
		if json.Unmarshal(text, &fields) != nil {
			continue
		}
		for _, name := range secretFields {
			if value, ok := fields[name].(string); ok {
				add(name, value)
			}
		}
	}
}

func (s *secrets) check(t *testing.T, where, text string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for value, what := range s.known {
		if strings.Contains(text, value) {
			t.Errorf("the %s contains a %s", where, what)
		}
	}
}

// metrics returns the response to a scrape.
func (w *world) metrics() string {
	w.t.Helper()
	response := httptest.NewRecorder()
	w.server.Metrics.Handler().ServeHTTP(response, httptest.NewRequest("GET", "/metrics", nil))
	if response.Code != http.StatusOK {
		w.t.Fatalf("metrics: %d %s", response.Code, response.Body)
	}
	return response.Body.String()
}

func TestMetricsRespondAtOnePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for request, want := range map[string]int{
		"GET /metrics": 200, "HEAD /metrics": 200, "POST /metrics": 405, "GET /": 404, "GET /metrics/x": 404,
		"GET /debug/pprof/": 404, "GET /api/v1/projects/": 404,
	} {
		response := httptest.NewRecorder()
		method, path, _ := strings.Cut(request, " ")
		w.server.Metrics.Handler().ServeHTTP(response, httptest.NewRequest(method, path, nil))
		if response.Code != want {
			t.Errorf("%s: status %d, want %d", request, response.Code, want)
		}
	}
}

// TestMonitoringNamesMetrics holds the alerts and the dashboard to the metrics that exist.
func TestMonitoringNamesMetrics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.anonymous().do("GET", "/healthz", nil).want(204, "")
	w.server.Metrics.JobEnded(store.JobClip, "done", time.Second)
	w.eventually("the request is counted", func() bool { return strings.Contains(w.metrics(), "/healthz") })
	exposed := w.metrics()
	names := regexp.MustCompile(`\b(?:roughcut|process)_[a-z_]+`)
	for _, file := range []string{"alerts.yaml", "dashboard.json"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", "monitoring", file))
		if err != nil {
			t.Fatal(err)
		}
		used := names.FindAllString(string(text), -1)
		if len(used) < 4 {
			t.Errorf("%s uses only %v", file, used)
		}
		for _, name := range used {
			if !regexp.MustCompile(`(?m)^` + name + `[{ ]`).MatchString(exposed) {
				t.Errorf("%s uses %s, which the server does not expose", file, name)
			}
		}
	}
}

// The metrics follow the requests. No label names a user or a resource.
func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("metrica")
	project := p.project("Unmistakable")
	p.do("GET", "/api/v1/projects/"+project, nil).want(200, "")
	p.do("GET", "/api/v1/projects/"+project, nil).want(200, "")
	w.anonymous().do("GET", "/api/v1/projects/"+project, nil).want(401, "")
	_, address := p.upload(project, []byte("bytes of a recording"))
	clip, _ := p.upload(project, []byte("bytes of a recording"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	w.anonymous().do("GET", "/api/v1/nothing/like/this", nil).want(404, "")
	wait, err := http.NewRequestWithContext(t.Context(), "BREW", w.http.URL+"/api/v1/projects/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(wait); err != nil {
		t.Fatal(err)
	} else {
		_ = response.Body.Close()
	}
	w.server.Metrics.JobEnded(store.JobClip, "done", 3*time.Second)
	if !strings.Contains(w.logs.String(), "path=/api/v1/nothing/like/this") {
		t.Error("the log does not show the path that nothing serves")
	}
	w.eventually("the last request is counted", func() bool { return strings.Contains(w.metrics(), `method="other"`) })
	text := w.metrics()
	for _, line := range []string{
		`roughcut_http_requests_total{method="GET",route="/api/v1/projects/:project_uuid",status="200"} 2`,
		`roughcut_http_requests_total{method="GET",route="/api/v1/projects/:project_uuid",status="401"} 1`,
		`roughcut_http_requests_total{method="PUT",route="/upload/v1/:token",status="200"} 2`,
		`roughcut_http_request_duration_seconds_count{method="GET",route="/api/v1/projects/:project_uuid"} 3`,
		`roughcut_jobs_queued{kind="clip"} 1`, `roughcut_jobs_running{kind="clip"} 0`,
		`roughcut_jobs_queued{kind="export"} 0`,
		`roughcut_job_duration_seconds_bucket{kind="clip",outcome="done",le="5"} 1`,
		`roughcut_storage_bytes 20`, `roughcut_users 1`, `roughcut_projects 1`, `roughcut_mails_queued 0`,
		`roughcut_open_streams 0`,
		`roughcut_build_info{version="test"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf(
				"%s is missing in\n%s",
				line,
				regexp.MustCompile(`(?m)^(#|go_|process_).*\n`).ReplaceAllString(text, ""),
			)
		}
	}
	for _, private := range []string{
		"metrica", "Unmistakable", p.user.UUID, project, clip, "nothing", "BREW", address,
	} {
		if strings.Contains(text, private) {
			t.Errorf("the metrics contain %q", private)
		}
	}
	if strings.Contains(text, "roughcut_database_writes_total 0\n") {
		t.Error("no write was counted")
	}
}
