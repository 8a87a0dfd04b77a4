package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"roughcut/media/mediatest"
)

const lossyScript = `rate 16000
floor -62
pause 700
say en-us 160 welcome back everyone
pause 1500
say en-us 160 today we cut a talk
pause 900
`

// lossyNetwork is a proxy that loses, cuts, doubles and delays requests and responses.
type lossyNetwork struct {
	to *httputil.ReverseProxy

	mu     sync.Mutex
	random *rand.Rand
	met    map[string]int    // faults by kind
	late   map[string]func() // requests that arrive after another request that is the same
}

func newLossyNetwork(t *testing.T, server string) (network *lossyNetwork, base string) {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	network = &lossyNetwork{
		to:     &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }},
		random: seeded(t), met: map[string]int{}, late: map[string]func(){},
	}
	proxy := httptest.NewServer(network)
	t.Cleanup(proxy.Close)
	return network, proxy.URL
}

// faults returns the number of faults so far.
func (n *lossyNetwork) faults() (total int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, count := range n.met {
		total += count
	}
	return total
}

// fate chooses what happens to a request, "" for nothing in a third of the cases.
func (n *lossyNetwork) fate(r *http.Request) string {
	fates := []string{"request lost", "response lost", "response cut", "request doubled"}
	if r.Method == http.MethodPost {
		fates = append(fates, "requests at once", "request late")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.random.IntN(3) == 0 {
		return ""
	}
	fate := fates[n.random.IntN(len(fates))]
	n.met[fate]++
	return fate
}

// ServeHTTP passes a request on, or does not.
func (n *lossyNetwork) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	pass := func() *httptest.ResponseRecorder {
		again := r.Clone(context.WithoutCancel(r.Context())) // the client may have left
		again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		response := httptest.NewRecorder()
		n.to.ServeHTTP(response, again)
		return response
	}
	same := r.Method + r.URL.Path + r.Header.Get("Idempotency-Key")
	n.mu.Lock()
	late := n.late[same]
	delete(n.late, same)
	n.mu.Unlock()
	if late != nil {
		defer late()
	}
	var response *httptest.ResponseRecorder
	fate := n.fate(r)
	switch fate {
	case "request lost":
		panic(http.ErrAbortHandler)
	case "request late":
		n.mu.Lock()
		n.late[same] = func() { pass() }
		n.mu.Unlock()
		panic(http.ErrAbortHandler)
	case "request doubled":
		pass()
	case "requests at once":
		done := make(chan *httptest.ResponseRecorder, 2)
		for range 2 {
			go func() { done <- pass() }()
		}
		response = <-done
		defer func() { <-done }()
	}

	if response == nil {
		response = pass()
	}
	if fate == "response lost" {
		panic(http.ErrAbortHandler)
	}
	for name, values := range response.Header() {
		w.Header()[name] = values
	}

	if fate == "response cut" {
		w.Header().Set("Content-Length", fmt.Sprint(response.Body.Len()+1))
	}
	w.WriteHeader(response.Code)
	_, _ = w.Write(response.Body.Bytes())
}

// patientClient sends each request until it knows the response, with one Idempotency-Key.
type patientClient struct {
	t         *testing.T
	base      string
	token     string
	http      *http.Client
	key       int
	abandoned int // tokens whose secret was lost
}

// send sends a request and returns the first response that arrives whole. A request that still runs
// is asked for again.
func (c *patientClient) send(method, address string, body []byte, header http.Header) (int, []byte) {
	c.t.Helper()
	for range 1000 {
		request, err := http.NewRequestWithContext(c.t.Context(), method, address, bytes.NewReader(body))
		if err != nil {
			c.t.Fatal(err)
		}
		request.Header = header
		response, err := c.http.Do(request)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || bytes.Contains(text, []byte(`"request_in_progress"`)) {
			continue
		}
		return response.StatusCode, text
	}

	c.t.Fatalf("%s %s: no response after 1,000 requests", method, address)
	return 0, nil
}

// ask sends a request to the API, which has to succeed, and decodes the response.
func (c *patientClient) ask(method, path string, body, out any) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	header := http.Header{"Authorization": {"Bearer " + c.token}, "Content-Type": {"application/json"}}
	if method == http.MethodPost {
		c.key++
		header.Set("Idempotency-Key", fmt.Sprint("key-", c.key))
	}
	status, answer := c.send(method, c.base+"/api/v1"+path, text, header)
	gone := method == http.MethodDelete && status == http.StatusNotFound // an earlier request deleted it
	if status >= 300 && !gone {
		c.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			c.t.Fatalf("%s %s: %v in %s", method, path, err, answer)
		}
	}
}

// create creates something and returns its UUID.
func (c *patientClient) create(path string, body any) string {
	c.t.Helper()
	var made record
	c.ask("POST", path, body, &made)
	return made.UUID
}

// token creates a token. If its secret was lost, it revokes the token and creates another one.
func (c *patientClient) newToken() (uuid string) {
	c.t.Helper()
	for range 1000 {
		c.key++
		header := http.Header{
			"Authorization": {"Bearer " + c.token}, "Content-Type": {"application/json"},
			"Idempotency-Key": {fmt.Sprint("key-", c.key)},
		}
		status, text := c.send("POST", c.base+"/api/v1/users/me/tokens", []byte(`{"name":"ci"}`), header)
		var made struct {
			UUID, Token string
			Created     string `json:"created_uuid"`
		}
		if err := json.Unmarshal(text, &made); err != nil {
			c.t.Fatal(err)
		}
		switch {
		case status == http.StatusCreated && made.Token != "":
			return made.UUID
		case status != http.StatusConflict || made.Created == "":
			c.t.Fatalf("a token: %d %s", status, text)
		}
		c.abandoned++
		c.ask("DELETE", "/users/me/tokens/"+made.Created, nil, nil)
	}

	c.t.Fatal("no token arrived")
	return ""
}

// total returns the number of items of a list.
func (c *patientClient) total(path string) int {
	c.t.Helper()
	var found list[json.RawMessage]
	c.ask("GET", path, nil, &found)
	return len(found.Items)
}

// wants fails the test unless a list has a number of items.
func (c *patientClient) wants(path string, items int) {
	c.t.Helper()
	if got := c.total(path); got != items {
		c.t.Errorf("%s has %d items, want %d", path, got, items)
	}
}

// until asks for a list until its only item has a status.
func (c *patientClient) until(path, status string) {
	c.t.Helper()
	poll(c.t, func() bool {
		var found list[record]
		c.ask("GET", path, nil, &found)
		if len(found.Items) != 1 || found.Items[0].Status == "failed" {
			c.t.Fatalf("%s: %v", path, found)
		}
		return found.Items[0].Status == status
	})
}

// flow makes one of each kind in a new project, undoes what can be undone, and checks that nothing
// came twice. Only the project stays.
func (c *patientClient) flow(talk string) (project string) {
	c.t.Helper()
	project = c.create("/projects/", map[string]string{"name": "Talk"})
	root := "/projects/" + project
	data, err := os.ReadFile(talk)
	if err != nil {
		c.t.Fatal(err)
	}
	var address presigned
	c.ask("POST", root+"/clips/presign", map[string]any{
		"filename": "talk.mp4", "content_type": "video/mp4", "size_bytes": len(data),
	}, &address)
	path := address.UploadURL[strings.Index(address.UploadURL, "/upload/"):]
	if status, text := c.send("PUT", c.base+path, data, http.Header{"Content-Type": {"video/mp4"}}); status != 200 {
		c.t.Fatalf("the upload: %d %s", status, text)
	}
	c.ask("POST", root+"/clips/"+address.ClipUUID+"/confirm", struct{}{}, nil)
	c.ask("POST", root+"/analyze", map[string]any{"wait_for_clips": true}, nil)
	c.until(root+"/analysis-runs", "completed")
	c.wants(root+"/clips/", 1)

	found := c.total(root + "/edits/")
	for n := range 3 {
		c.create(root+"/edits/", map[string]any{"type": "manual", "start_ms": 100 * n, "end_ms": 100*n + 50})
	}
	c.ask("POST", root+"/edit-history/undo", struct{}{}, nil)
	c.wants(root+"/edits/", found+2)
	c.ask("POST", root+"/edit-history/redo", struct{}{}, nil)
	c.wants(root+"/edits/", found+3)

	marker := c.create(root+"/markers/", map[string]any{"time_ms": 500, "kind": "chapter", "name": "Here"})
	c.wants(root+"/markers/", 1)
	c.ask("DELETE", "/markers/"+marker, nil, nil)
	c.wants(root+"/markers/", 0)
	c.ask("POST", root+"/caption-lines/generate", map[string]any{"max_words": 3, "force": true}, nil)
	lines := c.total(root + "/caption-lines/")
	c.create(root+"/caption-lines/", map[string]any{"start_ms": 3900, "end_ms": 3990, "text": "the end"})
	c.wants(root+"/caption-lines/", lines+1)
	c.replace(root)

	draft := c.create(root+"/drafts/", map[string]any{"name": "Draft"})
	c.create(root+"/exports/", map[string]any{"name": "Cut", "draft_id": draft})
	c.until(root+"/exports/", "completed")
	c.wants(root+"/drafts/", 1)
	preset := c.create("/users/me/presets", map[string]any{"name": "slow"})
	token := c.newToken()
	c.wants("/users/me/presets", 1)
	c.wants("/users/me/tokens", 2) // with the one that the client uses
	c.ask("DELETE", "/users/me/presets/"+preset, nil, nil)
	c.ask("DELETE", "/users/me/tokens/"+token, nil, nil)
	return project
}

// replace replaces a word everywhere and takes that back.
func (c *patientClient) replace(root string) {
	c.t.Helper()
	words := func() (all string) {
		var p struct {
			Transcript struct{ Words []struct{ Text string } }
		}
		c.ask("GET", root, nil, &p)
		for _, word := range p.Transcript.Words {
			all += word.Text + " "
		}
		return all
	}
	before := words()
	word, _, _ := strings.Cut(before, " ")
	var done struct {
		UUID string `json:"replacement_uuid"`
	}
	c.ask("POST", root+"/transcript/replace", map[string]any{"find": word, "replace": "Roughcut"}, &done)
	if after := words(); after == before || done.UUID == "" {
		c.t.Fatalf("replacing %q in %q made %q; replacement %q", word, before, after, done.UUID)
	}
	c.ask("DELETE", root+"/transcript/replacements/"+done.UUID, nil, nil)
	if after := words(); after != before {
		c.t.Errorf("the replacement was undone to %q, want %q", after, before)
	}
}

// TestLossyNetwork works over a network with faults. Nothing comes twice, and nothing is lost.
func TestLossyNetwork(t *testing.T) { lossy(t, 100) }

// TestLongLossyNetwork is TestLossyNetwork with 1,000 faults.
func TestLongLossyNetwork(t *testing.T) {
	needsLong(t)
	lossy(t, 1000)
}

func lossy(t *testing.T, faults int) {
	t.Helper()
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	owner := server.owner(t)
	name := map[string]string{"name": "flow"}
	token := call[struct{ Token string }](owner, "POST", "/api/v1/users/me/tokens", name, 201)
	network, base := newLossyNetwork(t, server.base)
	c := &patientClient{t: t, base: base, token: token.Token, http: &http.Client{}}
	talk := filmSpeech(t, mediatest.Speak(t, lossyScript), 180)
	var projects []string
	for network.faults() < faults {
		projects = append(projects, c.flow(talk))
		c.wants("/projects/?page_size=200", len(projects))
	}
	t.Logf("%d flows, %d tokens whose secret was lost; faults: %v", len(projects), c.abandoned, network.met)
	server.stop()
	doctor(t, dir)
}
