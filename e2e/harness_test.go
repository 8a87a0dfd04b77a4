package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"roughcut/cli"
	"roughcut/media/mediatest"
	"roughcut/pipeline/sandbox"
	"roughcut/server"
	"roughcut/server/contract/contracttest"
	"roughcut/server/problem"
)

// asProgram is the environment variable that makes the test binary run as the program. The tests so
// drive the code that they were built with.
const asProgram = "ROUGHCUT_TEST_AS_PROGRAM"

// asKnown is the environment variable with the speech models that can be downloaded, as JSON.
// Without it, the program offers the models of a release.
const asKnown = "ROUGHCUT_TEST_MODELS"

func TestMain(m *testing.M) {
	if os.Getenv(asCutter) != "" {
		cutMany(os.Stdin, os.Stdout)
		return
	}
	if os.Getenv(asFaulty) != "" {
		panic(becomeFaulty())
	}
	if os.Getenv(asProgram) != "" || (len(os.Args) == 2 && os.Args[1] == sandbox.Name) {
		build := cli.Build{Version: "test"}
		if known := os.Getenv(asKnown); known != "" {
			if err := json.Unmarshal([]byte(known), &build.Models); err != nil {
				panic(err)
			}
		}
		os.Exit(cli.Main(build))
	}
	code := m.Run()
	if ownSeeds.path != "" {
		_ = os.RemoveAll(ownSeeds.path) // the system clears what stays
	}
	os.Exit(code)
}

func needsLong(t *testing.T) {
	t.Helper()
	mediatest.NeedsLong(t)
}

// Exit codes of the program.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitDamaged = 3
	exitInUse   = 4
)

// program returns a command that runs roughcut with a clean environment and the data directory dir.
// ENGINE_ISOLATION of the tests applies to all servers that do not set their own.
func program(ctx context.Context, dir string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cache, err := os.UserCacheDir() // keeps the measured speed of this machine
	if err != nil {
		panic(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = []string{
		asProgram + "=1",
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + dir,
		"XDG_CACHE_HOME=" + cache,
		"DATA_DIR=" + dir,
		"STORAGE_MIN_FREE_MB=64",
		"LOG_LEVEL=warn",
	}
	if isolation := os.Getenv("ENGINE_ISOLATION"); isolation != "" {
		cmd.Env = append(cmd.Env, "ENGINE_ISOLATION="+isolation)
	}
	return cmd
}

// running is a server process.
type running struct {
	t      testing.TB
	dir    string
	cmd    *exec.Cmd
	base   string // http://127.0.0.1:port
	launch string // address with the launch token, in owner mode
	exited chan error
	log    *lockedBuffer // standard error
	said   *lockedBuffer // standard output
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serve starts a server with the data directory dir on a free port and waits until it is ready.
func serve(t testing.TB, dir string, env []string, args ...string) *running {
	t.Helper()
	cmd := program(context.Background(), dir, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(cmd.Env, env...)
	return start(t, dir, cmd)
}

// start runs a command that starts a server, and waits until the server is ready.
func start(t testing.TB, dir string, cmd *exec.Cmd) *running {
	t.Helper()
	r, ready := begin(t, dir, cmd, func() {})
	if !ready {
		t.Fatalf("the server exited before it was ready:\n%s", r.log)
	}
	return r
}

// begin runs a command that starts a server, calls started, and waits until the server is ready or
// has exited.
func begin(t testing.TB, dir string, cmd *exec.Cmd, started func()) (r *running, ready bool) {
	t.Helper()
	r = &running{t: t, dir: dir, cmd: cmd, exited: make(chan error, 1), log: &lockedBuffer{}, said: &lockedBuffer{}}
	cmd.Stderr = r.log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started()
	lines := make(chan string, 16)
	go func() {
		for scan := bufio.NewScanner(io.TeeReader(stdout, r.said)); scan.Scan(); {
			lines <- scan.Text()
		}
		close(lines)
		r.exited <- cmd.Wait()
	}()
	t.Cleanup(r.kill)
	deadline := time.After(patience())
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				r.kill()
				return r, false
			}
			if at := strings.Index(line, "http://"); at >= 0 {
				address, err := url.Parse(strings.TrimSpace(line[at:]))
				if err != nil {
					t.Fatal(err)
				}
				r.base, r.launch = "http://"+address.Host, address.String()
				return r, true
			}
		case <-deadline:
			t.Fatalf("the server was not ready after %v:\n%s", patience(), r.log)
		}
	}
}

// kill sends SIGKILL to the server and waits for it to exit.
func (r *running) kill() {
	if r.exited == nil {
		return
	}
	_ = r.cmd.Process.Kill() // it may have exited already
	<-r.exited
	r.exited = nil
	if r.t.Failed() {
		r.t.Logf("server log:\n%s", r.log)
	}
}

// stop interrupts the server and fails the test unless it exits cleanly.
func (r *running) stop() {
	r.t.Helper()
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		r.t.Fatal(err)
	}
	select {
	case err := <-r.exited:
		r.exited = nil
		if err != nil {
			r.t.Fatalf("the server did not exit cleanly: %v\n%s", err, r.log)
		}
	case <-time.After(patience()):
		r.t.Fatalf("the server did not exit within %v\n%s", patience(), r.dump())
	}
}

// dump makes the server print its goroutines, which ends it, and returns its log.
func (r *running) dump() string {
	_ = r.cmd.Process.Signal(syscall.SIGQUIT) // it may have exited already
	select {
	case <-r.exited:
		r.exited = nil
	case <-time.After(10 * time.Second):
	}
	return r.log.String()
}

// doctor fails the test unless `roughcut doctor` finds the data in dir sound. No server may have
// dir open.
func doctor(t *testing.T, dir string) {
	t.Helper()
	if out, err := program(context.Background(), dir, "doctor").CombinedOutput(); err != nil {
		t.Fatalf("doctor: %v\n%s", err, out)
	}
}

// client talks to a server as a browser does: it keeps the session cookie and sends the CSRF token.
type client struct {
	t    testing.TB
	base string
	http *http.Client
	csrf string
}

func newClient(t testing.TB, base string) *client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = patience()
	t.Cleanup(transport.CloseIdleConnections)
	return &client{t: t, base: base, http: &http.Client{Jar: jar, Transport: declaredOnly{t, transport}}}
}

// declaredOnly fails the test for a response with a status or an error code that its operation does
// not declare.
type declaredOnly struct {
	t    testing.TB
	next http.RoundTripper
}

func (d declaredOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := d.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	spec, err := server.Contract()
	if err != nil {
		return nil, err
	}
	op := contracttest.Find(spec, r.Method, r.URL.Path)
	isProblem := response.Header.Get("Content-Type") == problem.ContentType
	if op == nil || (response.StatusCode >= 400 && !isProblem) {
		return response, nil
	}
	var reported problem.Problem
	if isProblem {
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(body))
		if err := json.Unmarshal(body, &reported); err != nil {
			d.t.Errorf("%s %s: the problem %q is not valid: %v", r.Method, r.URL.Path, body, err)
		}
	}

	if err := contracttest.Undeclared(op, response.StatusCode, reported.Code); err != nil {
		d.t.Error(err)
	}
	return response, nil
}

// owner signs in with the launch token.
func (r *running) owner(t testing.TB) *client {
	t.Helper()
	c := newClient(t, r.base)
	address, err := url.Parse(r.launch)
	if err != nil {
		t.Fatal(err)
	}
	signedIn := call[struct {
		CSRF string `json:"csrf_token"`
	}](c, "POST", "/api/v1/auth/launch", map[string]string{"token": address.Query().Get("launch")}, 200)
	c.csrf = signedIn.CSRF
	return c
}

// do sends a request with an optional JSON body and returns status and body.
func (c *client) do(method, path string, body any) (int, []byte, error) {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, c.base+path, reader)
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.csrf != "" {
		request.Header.Set("X-CSRF-Token", c.csrf)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

// call sends a request, fails the test unless the response has the status, and decodes the body.
func call[T any](c *client, method, path string, body any, status int) T {
	c.t.Helper()
	var out T
	got, text, err := c.do(method, path, body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	if got != status {
		c.t.Fatalf("%s %s: status %d, want %d: %s", method, path, got, status, text)
	}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &out); err != nil {
			c.t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return out
}

// list is the envelope of all lists.
type list[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

type record struct {
	UUID   string `json:"uuid"`
	Status string `json:"status"`
	Error  string `json:"error"`
}

type presigned struct {
	ClipUUID   string `json:"clip_uuid"`
	ClipFileID string `json:"clip_file_id"`
	UploadURL  string `json:"upload_url"`
}

// put uploads a file to a presigned address.
func (c *client) put(address, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	target, err := url.Parse(c.base)
	if err != nil {
		return err
	}
	if target, err = target.Parse(address); err != nil {
		return err
	}
	request, err := http.NewRequest("PUT", target.String(), file)
	if err != nil {
		return err
	}
	request.ContentLength = info.Size()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		text, _ := io.ReadAll(response.Body)
		return fmt.Errorf("upload: status %d: %s", response.StatusCode, text)
	}
	return nil
}

// upload uploads a recording to a project and confirms it.
func (c *client) upload(project, path string) record {
	c.t.Helper()
	return c.confirm(project, c.send(project, path))
}

// send uploads a recording to a project and returns the clip.
func (c *client) send(project, path string) (clip string) {
	c.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		c.t.Fatal(err)
	}
	kind := "video/mp4"
	if filepath.Ext(path) == ".wav" {
		kind = "audio/wav"
	}
	p := call[presigned](c, "POST", "/api/v1/projects/"+project+"/clips/presign",
		map[string]any{"filename": filepath.Base(path), "content_type": kind, "size_bytes": info.Size()}, 201)
	if err := c.put(p.UploadURL, path); err != nil {
		c.t.Fatal(err)
	}
	return p.ClipUUID
}

// confirm confirms an uploaded recording.
func (c *client) confirm(project, clip string) record {
	c.t.Helper()
	return call[record](c, "POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil, 202)
}

// events reads the event stream of a project and returns the data of the wanted events, which have
// to come in this order. Any other *_FAILED event fails the test.
func (c *client) events(project string, wanted ...string) <-chan map[string]any {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, "GET", c.base+"/api/v1/projects/"+project+"/events", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	if response.StatusCode != 200 {
		c.t.Fatalf("event stream: status %d", response.StatusCode)
	}
	found := make(chan map[string]any, len(wanted))
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(found)
		defer response.Body.Close()
		kind := ""
		for scan := bufio.NewScanner(response.Body); scan.Scan() && len(wanted) > 0; {
			if name, ok := strings.CutPrefix(scan.Text(), "event: "); ok {
				kind = name
			}
			data, ok := strings.CutPrefix(scan.Text(), "data: ")
			if !ok {
				continue
			}
			var payload map[string]any
			if err := json.Unmarshal([]byte(data), &payload); err != nil {
				c.t.Errorf("event %s: %v in %s", kind, err, data)
				return
			}
			if kind == wanted[0] {
				wanted = wanted[1:]
				found <- payload
			} else if strings.HasSuffix(kind, "_FAILED") {
				c.t.Errorf("%s: %s", kind, data)
				return
			}
		}
	}()
	c.t.Cleanup(func() { cancel(); <-done })
	return found
}

// wait returns the next expected event.
func wait(t testing.TB, events <-chan map[string]any) map[string]any {
	t.Helper()
	select {
	case e, ok := <-events:
		if !ok {
			t.Fatal("the event stream ended before the expected event")
		}
		return e
	case <-time.After(patience()):
		t.Fatalf("no event within %v", patience())
		return nil
	}
}

// patience returns the timeout of every wait. It is long because a slow machine must not fail a
// test; the long tests also run next to other work.
func patience() time.Duration {
	if os.Getenv("ROUGHCUT_LONG") == "" {
		return 2 * time.Minute
	}
	return 15 * time.Minute
}

// poll calls ready until it returns true. It is for states that send no event.
func poll(t testing.TB, ready func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !ready() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not ready within %v", patience())
		}
	}
}

func decode[T any](t testing.TB, text []byte) (out T) {
	t.Helper()
	if err := json.Unmarshal(text, &out); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	return out
}

// signUp creates an account on a metered server, verifies it with the link in the mail, and signs
// in.
func signUp(t *testing.T, server *running) *client {
	t.Helper()
	return signUpAs(t, server, "ada")
}

// signUpAs is signUp with a user name.
func signUpAs(t *testing.T, server *running, name string) *client {
	t.Helper()
	c, address := newClient(t, server.base), name+"@example.com"
	call[record](
		c,
		"POST",
		"/api/v1/users/",
		map[string]string{"name": name, "username": name, "email": address, "password": "a long enough password"},
		201,
	)
	token := ""
	poll(t, func() bool {
		mails, _ := filepath.Glob(filepath.Join(server.dir, "outbox", "*.eml"))
		for _, path := range mails {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			unfolded := strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(text))
			found := mailToken.FindStringSubmatch(unfolded)
			if found != nil && strings.Contains(unfolded, address) {
				token = found[1]
			}
		}
		return token != ""
	})
	call[struct{}](c, "POST", "/api/v1/auth/verify-email", map[string]string{"token": token}, 200)
	c.signIn(address, "a long enough password")
	return c
}

// signIn signs in with email and password.
func (c *client) signIn(email, password string) {
	c.t.Helper()
	form := url.Values{"username": {email}, "password": {password}}
	response, err := c.http.PostForm(c.base+"/api/v1/auth/login", form)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		c.t.Fatalf("login: %v, status %d: %s", err, response.StatusCode, text)
	}
	c.csrf = decode[struct {
		CSRF string `json:"csrf_token"`
	}](c.t, text).CSRF
}

var mailToken = regexp.MustCompile(`/verify-email\?token=([A-Za-z0-9_.-]+)`)
