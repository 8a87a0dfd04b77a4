package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// nginxConfig is a proxy as a distribution sets it up: bodies of at most a mebibyte, each of them
// kept back until it is whole.
const nginxConfig = `daemon off; pid %[1]s/pid; error_log %[1]s/error.log; user root;
events {}
http {
  access_log off; client_max_body_size 1m; proxy_request_buffering on;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
  upstream roughcut { server %[3]s; keepalive 4; }
  server { listen %[2]s; location %[5]s { proxy_pass http://roughcut%[6]s; proxy_set_header Host $http_host; %[4]s } }
}
`

// behindNginx puts a proxy before a server, with more directives for its location. It returns the
// proxy's address and directory.
func behindNginx(t *testing.T, server *running, more string) (host, home string) {
	t.Helper()
	listener := listenHere(t)
	return listener.Addr().String(), startNginx(t, server, listener, "/", "", more)
}

func listenHere(t *testing.T) *net.TCPListener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener.(*net.TCPListener)
}

// startNginx lets a proxy pass what comes under a path on to a server, under the path onto there.
// It returns the proxy's directory. The proxy is handed its listener, as at an upgrade, for nobody
// else to take the port meanwhile; it answers as soon as it runs.
func startNginx(t *testing.T, server *running, listener *net.TCPListener, path, onto, more string) (home string) {
	t.Helper()
	socket, err := listener.File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	home = t.TempDir()
	config := filepath.Join(home, "nginx.conf")
	if err := os.WriteFile(
		config,
		fmt.Appendf(nil, nginxConfig, home, listener.Addr(), server.host(t), more, path, onto),
		0o600,
	); err != nil {
		t.Fatal(err)
	}
	nginx := exec.Command("nginx", "-p", home, "-c", config, "-e", filepath.Join(home, "error.log"))
	nginx.ExtraFiles, nginx.Env = []*os.File{socket}, append(os.Environ(), "NGINX=3;")
	if err := nginx.Start(); err != nil {
		t.Fatal(err)
	}
	listener.Close()
	t.Cleanup(func() {
		_ = nginx.Process.Signal(os.Interrupt)
		_ = nginx.Wait()
	})
	return home
}

// A server may have a path of a host instead of a host: the page, what it loads, the reference and
// every address that the server gives out are under that path.
func TestAProxyMayGiveTheServerAPath(t *testing.T) {
	front, free := listenHere(t), listenHere(t)
	base := "http://" + front.Addr().String() + "/cut"
	free.Close() // the server takes its address, which it does not print under a BASE_URL
	server := serve(t, t.TempDir(), []string{"BASE_URL=" + base}, "--listen", free.Addr().String())
	server.base = "http://" + free.Addr().String()
	startNginx(t, server, front, "/cut/", "/", "")
	server.base = base
	fetch := func(address string) string {
		answer, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("%s: %s %v", address, answer.Status, err)
		}
		return string(text)
	}
	page := fetch(base + "/projects/5f0c")
	script := regexp.MustCompile(`src="\./(assets/[^"]+)"`).FindStringSubmatch(page)
	if !strings.Contains(page, `<base href="/cut/" />`) || script == nil {
		t.Fatalf("the page is\n%s", page)
	}
	fetch(base + "/" + script[1])
	if docs := fetch(
		base + "/api/docs",
	); !strings.Contains(docs, `href="/cut/"`) || !strings.Contains(docs, `href="/cut/api/v1/openapi.json"`) ||
		strings.Contains(docs, `href="/"`) {
		t.Error("the reference leads out of the path")
	}
	c := signUp(t, server)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "A talk"}, 201)
	c.upload(project.UUID, tinyTalk(t))
	clips := "/api/v1/projects/" + project.UUID + "/clips/"
	poll(t, func() bool { return call[list[record]](c, "GET", clips, nil, 200).Items[0].Status == "ready" })
	proxy := call[struct{ URL string }](
		c,
		"GET",
		"/api/v1/clips/"+call[list[record]](c, "GET", clips, nil, 200).Items[0].UUID+"/proxy-url",
		nil,
		200,
	)
	if !strings.HasPrefix(proxy.URL, base+"/media/v1/") {
		t.Errorf("the address of the preview is %s", proxy.URL)
	}
	fetch(proxy.URL)
}

// A proxy passes events on as they come, whichever version it asks in, and hears of the end of a
// stream as an end and not as a fault.
func TestAnEventStreamPassesAProxy(t *testing.T) {
	for name, more := range map[string]string{
		"in HTTP/1.0, as it does by itself":     "proxy_http_version 1.0;",
		"in HTTP/1.1, on connections it reuses": `proxy_http_version 1.1; proxy_set_header Connection "";`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			server := serve(t, dir, []string{"EVENTS_KEEPALIVE_SECONDS=1"}, "--owner")
			c := server.owner(t)
			project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Proxy"}, 201)
			host, home := behindNginx(t, server, more)
			c.base = "http://" + host
			answer, err := c.http.Get(c.base + "/api/v1/projects/" + project.UUID + "/events")
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
				t.Fatalf("the stream is answered with %d %v", answer.StatusCode, answer.Header)
			}
			lines := bufio.NewScanner(answer.Body)
			until := func(want string) {
				t.Helper()
				for lines.Scan() {
					if lines.Text() == want {
						return
					}
				}
				t.Fatalf("the stream ended before %q: %v", want, lines.Err())
			}
			until("retry: 3000")
			until(": keepalive")
			noise := filepath.Join(t.TempDir(), "noise.mp4")
			if err := os.WriteFile(noise, []byte("no recording"), 0o600); err != nil {
				t.Fatal(err)
			}
			c.upload(project.UUID, noise)
			until("event: CLIP_PROCESSING")
			until("event: CLIP_FAILED")
			until("id: 2")
			for range 8 { // more than the proxy keeps connections for
				call[record](c, "GET", "/api/v1/projects/"+project.UUID, nil, 200)
			}
			server.stop()
			for lines.Scan() {
			}
			if err := lines.Err(); err != nil {
				t.Errorf("the stream ends with %v", err)
			}
			if log, err := os.ReadFile(filepath.Join(home, "error.log")); err != nil ||
				strings.Contains(string(log), "upstream") {
				t.Errorf("the proxy complains: %v\n%s", err, log)
			}
		})
	}
}
