package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// nginxConfig configures nginx like a distribution does: request bodies of at most 1 MiB, which are
// buffered.
const nginxConfig = `daemon off; pid %[1]s/pid; error_log %[1]s/error.log; user root;
events {}
http {
  access_log off; client_max_body_size 1m; proxy_request_buffering on;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
  upstream roughcut { server %[3]s; keepalive 4; }
  server { listen %[2]s; location %[5]s { proxy_pass http://roughcut%[6]s; proxy_set_header Host $http_host; %[4]s } }
}
`

// behindNginx starts nginx in front of a server, with more directives for its location. It returns
// the host and the directory of nginx.
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

// startNginx starts nginx, which forwards requests below path to the path onto of a server. It
// returns the directory of nginx. nginx inherits the listener, as in an upgrade, so no other
// process can take the port.
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
		config, fmt.Appendf(nil, nginxConfig, home, listener.Addr(), server.host(t), more, path, onto), 0o600,
	); err != nil {
		t.Fatal(err)
	}
	nginx := mediatest.Command(t, "nginx", "-p", home, "-c", config, "-e", filepath.Join(home, "error.log"))
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

func (r *running) host(t *testing.T) string {
	t.Helper()
	address, err := url.Parse(r.base)
	if err != nil {
		t.Fatal(err)
	}
	return address.Host
}

// With a BASE_URL that has a path, the page, its assets, the API reference and all addresses from
// the server are below that path.
func TestServerBelowAPathOfAProxy(t *testing.T) {
	t.Parallel()
	front, free := listenHere(t), listenHere(t)
	base := "http://" + front.Addr().String() + "/cut"
	free.Close() // the server listens there; with BASE_URL it does not print this address
	server := serve(t, t.TempDir(), []string{"BASE_URL=" + base}, "--listen", free.Addr().String())
	server.base = "http://" + free.Addr().String()
	startNginx(t, server, front, "/cut/", "/", "")
	server.base = base
	fetch := func(address string) string {
		response, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != 200 {
			t.Fatalf("%s: %s %v", address, response.Status, err)
		}
		return string(text)
	}
	page := fetch(base + "/projects/5f0c")
	script := regexp.MustCompile(`src="\./(assets/[^"]+)"`).FindStringSubmatch(page)
	if !strings.Contains(page, `<base href="/cut/" />`) || script == nil {
		t.Fatalf("page:\n%s", page)
	}
	fetch(base + "/" + script[1])
	if document := fetch(base + "/api/v1/openapi.json"); !strings.Contains(document, `"servers":[{"url":"`+base+`"}]`) {
		t.Errorf("openapi.json does not name the server %s", base)
	}
	if docs := fetch(
		base + "/api/docs",
	); !strings.Contains(docs, `href="/cut/"`) || !strings.Contains(docs, `href="/cut/api/v1/openapi.json"`) ||
		strings.Contains(docs, `href="/"`) {
		t.Error("the API reference has links outside the path")
	}
	c := signUp(t, server)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "A talk"}, 201)
	c.upload(project.UUID, tinyTalk(t))
	clips := "/api/v1/projects/" + project.UUID + "/clips/"
	poll(t, func() bool { return call[list[record]](c, "GET", clips, nil, 200).Items[0].Status == "ready" })
	proxy := call[struct{ URL string }](
		c, "GET", "/api/v1/clips/"+call[list[record]](c, "GET", clips, nil, 200).Items[0].UUID+"/proxy-url",
		nil, 200,
	)
	if !strings.HasPrefix(proxy.URL, base+"/media/v1/") {
		t.Errorf("the proxy address is %s", proxy.URL)
	}
	fetch(proxy.URL)
}

// Events pass a proxy without delay in both versions of HTTP. The end of the server ends the stream
// without an error.
func TestEventStreamPassesProxy(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{
		"HTTP/1.0, the default":    "proxy_http_version 1.0;",
		"HTTP/1.1 with keep-alive": `proxy_http_version 1.1; proxy_set_header Connection "";`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			server := serve(t, dir, []string{"EVENTS_KEEPALIVE_SECONDS=1"}, "--owner")
			c := server.owner(t)
			project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Proxy"}, 201)
			host, home := behindNginx(t, server, more)
			c.base = "http://" + host
			response, err := c.http.Get(c.base + "/api/v1/projects/" + project.UUID + "/events")
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
				t.Fatalf("event stream: %d %v", response.StatusCode, response.Header)
			}
			lines := bufio.NewScanner(response.Body)
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
			for range 8 { // more than the proxy keeps open
				call[record](c, "GET", "/api/v1/projects/"+project.UUID, nil, 200)
			}
			server.stop()
			for lines.Scan() {
			}
			if err := lines.Err(); err != nil {
				t.Errorf("the stream ended with %v", err)
			}
			if log, err := os.ReadFile(filepath.Join(home, "error.log")); err != nil ||
				strings.Contains(string(log), "upstream") {
				t.Errorf("the proxy logged an error: %v\n%s", err, log)
			}
		})
	}
}
