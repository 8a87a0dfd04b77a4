package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"roughcut/store"
)

// page serves a page with videos, and the video file.
func page(title string, film []byte, sources ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".mp4") {
			serving("x.mp4", film)(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, "<!DOCTYPE html><html><head><title>%s</title></head><body>", title)
		for _, source := range sources {
			_, _ = fmt.Fprintf(w, `<video controls src="%s"></video>`, source)
		}
		_, _ = io.WriteString(w, "</body></html>")
	}
}

// The installed yt-dlp downloads the video of a page through the loopback proxy.
func TestYtDlpDownloadsTheVideoOfAPage(t *testing.T) {
	t.Parallel()
	film := movie(5*time.Minute, 3*mib)
	site := newSite(t, "127.0.0.1", page("How the Engine works", film, "/films/engine.mp4"))
	f := newFetcher(t)
	found, err := f.LookUp(t.Context(), site.URL+"/watch?v=1")
	if err != nil || found.Name != "How the Engine works" || found.SizeBytes != int64(len(film)) {
		t.Fatalf("found %+v, %v", found, err)
	}
	path, last := filepath.Join(t.TempDir(), "fetched"), 0.0
	if err := f.Fetch(
		t.Context(),
		found.Address,
		path,
		allowAll,
		func(fraction float64) { last = fraction },
	); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, film) || last != 1 {
		t.Errorf("got %d of %d bytes, progress %v, %v", len(data), len(film), last, err)
	}
}

// The maximum duration applies to the video of a page.
func TestPageWithTooLongAVideoIsRefused(t *testing.T) {
	t.Parallel()
	site := newSite(t, "127.0.0.1", page("Long", movie(61*time.Minute, mib), "/films/long.mp4"))
	_, err := newFetcher(t).LookUp(t.Context(), site.URL+"/watch")
	wantCode(t, err, "import_too_long", "maximum import is 60 minutes")
}

func TestPagesWithoutExactlyOneVideoAreRefused(t *testing.T) {
	t.Parallel()
	several := newSite(t, "127.0.0.1", page("Several", movie(time.Minute, 100), "/1.mp4", "/2.mp4", "/3.mp4"))
	_, err := newFetcher(t).LookUp(t.Context(), several.URL+"/list")
	wantCode(t, err, "import_metadata_failed", "list of several videos")
	none := newSite(t, "127.0.0.1", page("Nothing to see", nil))
	_, err = newFetcher(t).LookUp(t.Context(), none.URL+"/text")
	wantCode(t, err, "import_metadata_failed", "No video was found on this page")
}

// Neither the video address of a page nor a redirect sends yt-dlp to a refused address.
func TestYtDlpReachesNoRefusedAddress(t *testing.T) {
	t.Parallel()
	film := movie(time.Minute, 1000)
	secret := newSite(t, "127.0.0.2", page("Secret", film, "/secret.mp4"))
	redirecting := newSite(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".mp4") {
			http.Redirect(w, r, secret.URL+"/secret.mp4", http.StatusFound)
			return
		}
		page("Redirecting", nil, "/films/x.mp4")(w, r)
	})
	direct := newSite(t, "127.0.0.1", page("Direct", nil, secret.URL+"/secret.mp4"))
	for _, from := range []*site{direct, redirecting} {
		_, err := newFetcher(t).download(t, from.URL+"/watch", allowAll)
		wantCode(t, err, "import_address_refused")
	}
	if hits := secret.requests(); len(hits) > 0 {
		t.Errorf("the refused server got the requests %v", hits)
	}
}

// program replaces yt-dlp with a shell script.
func program(t *testing.T, script string) func(*Fetcher) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "yt-dlp")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	return func(f *Fetcher) { f.YtDlp = path }
}

// yt-dlp gets fixed arguments, with the address last and never as an option. It inherits only PATH
// from the environment.
func TestYtDlpInheritsNothingFromTheServer(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://elsewhere.example:1")
	t.Setenv("SECRET_KEY", "sesame")
	dump := t.TempDir()
	site := newSite(t, "127.0.0.1", page("Page", nil))
	f := newFetcher(
		t,
		program(
			t,
			fmt.Sprintf(
				"printf '%%s\\n' \"$@\" >%[1]s/args; env >%[1]s/env; pwd >%[1]s/pwd\n"+
					"echo '{\"title\":\"A  title\\u0007\",\"duration\":12,\"ext\":\"mp4\"}'",
				dump,
			),
		),
	)
	found, err := f.LookUp(t.Context(), site.URL+"/watch")
	if err != nil || found.Name != "A title" {
		t.Fatalf("%+v, %v", found, err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dump, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	args := strings.Split(strings.TrimSpace(read("args")), "\n")
	for _, flag := range []string{"--ignore-config", "--no-cache-dir", "--no-exec", "--no-playlist"} {
		if !slices.Contains(args, flag) {
			t.Errorf("%s is missing in %q", flag, args)
		}
	}
	if n := len(args); args[n-2] != "--" || args[n-1] != site.URL+"/watch" {
		t.Errorf("the arguments end with %q", args[n-2:])
	}
	home := strings.TrimSpace(read("pwd"))
	for line := range strings.Lines(read("env")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch name {
		case "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "TMPDIR":
			if value != home {
				t.Errorf("%s is %s, not %s", name, value, home)
			}
		case "http_proxy", "https_proxy", "all_proxy":
			if u, err := url.Parse(value); err != nil || u.Hostname() != "127.0.0.1" || u.User == nil {
				t.Errorf("%s is %s", name, value)
			}
		case "HTTP_PROXY", "SECRET_KEY":
			t.Errorf("yt-dlp inherits %s", name)
		}
	}
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the home folder remains: %v", err)
	}
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(state), ") Z ")
}

// Canceling an import kills yt-dlp and its children.
func TestCancelKillsTheProcessGroupOfYtDlp(t *testing.T) {
	site := newSite(t, "127.0.0.1", page("Page", nil))
	pids := t.TempDir()
	f := newFetcher(
		t,
		program(
			t,
			fmt.Sprintf(
				"sleep 300 & echo $! >%[1]s/child; echo $$ >%[1]s/self.new; mv %[1]s/self.new %[1]s/self; wait",
				pids,
			),
		),
	)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
			if _, err := os.Stat(filepath.Join(pids, "self")); err == nil {
				cancel()
				return
			}
		}
	}()
	if err := f.Fetch(
		ctx,
		site.URL+"/watch",
		filepath.Join(t.TempDir(), "x"),
		allowAll,
		func(float64) {},
	); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"child", "self"} {
		text, err := os.ReadFile(filepath.Join(pids, name))
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		tick := time.NewTicker(10 * time.Millisecond)
		for deadline := time.Now().Add(time.Minute); alive(pid); <-tick.C {
			if time.Now().After(deadline) {
				t.Fatalf("%s is still alive", name)
			}
		}
		tick.Stop()
	}
}

// yt-dlp is stopped when the disk or quota has no room or its download stalls, and its output must
// be a regular file.
func TestYtDlpIsStoppedWhenThereIsNoRoom(t *testing.T) {
	site := newSite(t, "127.0.0.1", page("Page", nil))
	full := &store.Error{Kind: store.Unprocessable, Code: "quota_exceeded", Message: "full"}
	f := newFetcher(t, program(t, "head -c 3000000 /dev/zero >recording.part; sleep 300"))
	_, err := f.download(t, site.URL+"/watch", func(size int64) error {
		if size > 2_000_000 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	slow := newFetcher(t, program(t, "sleep 300"), func(f *Fetcher) { f.stallWindow = 200 * time.Millisecond })
	_, err = slow.download(t, site.URL+"/watch", allowAll)
	wantCode(t, err, "import_metadata_failed", "too slowly")
	linked := newFetcher(t, program(t, "ln -s /etc/hostname recording"))
	_, err = linked.download(t, site.URL+"/watch", allowAll)
	wantCode(t, err, "import_metadata_failed", "no video")
}

func TestYouTubeErrorSuggestsAJavaScriptRuntime(t *testing.T) {
	for host, want := range map[string]bool{
		"youtu.be": true, "www.YouTube.com": true, "youtube.com": true, "notyoutube.com": false,
		"youtube.com.evil.example": false,
	} {
		if got := youTube(&url.URL{Host: host}); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
	t.Setenv("PATH", "/usr/bin:/bin")
	f := newFetcher(
		t,
		program(
			t,
			"echo 'WARNING: no runtime' >&2; "+
				"echo 'ERROR: [youtube] x: Sign in; please report this issue on https://github.com' >&2; exit 1",
		),
	)
	target := &url.URL{Scheme: "https", Host: "www.youtube.com", Path: "/watch"}
	err := f.ytDlp(t.Context(), target, t.TempDir(), io.Discard)
	wantCode(t, err, "import_metadata_failed", "[youtube] x: Sign in.", "install deno")
	if strings.Contains(err.Error(), "report") {
		t.Errorf("the message is %q", err)
	}
}

// The proxy requires its password and refuses the same addresses as the dialer.
func TestProxyRequiresPasswordAndRefusesAddresses(t *testing.T) {
	secret := newSite(t, "127.0.0.2", serving("x", []byte("secret")))
	open := newSite(t, "127.0.0.1", serving("x", []byte("hello")))
	secure := httptest.NewUnstartedServer(serving("x", []byte("hello over TLS")))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // the idle tunnel below ends without a handshake
	secure.StartTLS()
	defer secure.Close()
	p, err := newFetcher(t).startProxy()
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	through := func(address string) *http.Client {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		// the test's own server
		return &http.Client{
			Transport: &http.Transport{
				Proxy:             http.ProxyURL(u),
				DisableKeepAlives: true,
				TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
			},
		} //nolint:gosec
	}
	get := func(client *http.Client, address string) (int, string) {
		response, err := client.Get(address)
		if err != nil {
			return 0, err.Error()
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(body)
	}
	ours := through(p.address)
	for _, c := range []struct {
		client  *http.Client
		address string
		status  int
		says    string
	}{
		{ours, open.URL, 200, "hello"},
		{ours, secure.URL, 200, "hello over TLS"},
		{ours, secret.URL, 403, "private network"},
		{ours, strings.Replace(secret.URL, "http:", "https:", 1), 0, "Forbidden"},
		{ours, "http://127.0.0.1:1/", 502, "could not be reached"},
		{through(strings.Replace(p.address, p.password, "guess", 1)), open.URL, 407, "another program"},
		{
			through(strings.Replace(p.address, "roughcut:"+p.password+"@", "", 1)),
			secure.URL,
			0,
			"Proxy Authentication Required",
		},
	} {
		if status, text := get(c.client, c.address); status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s", c.address, status, text)
		}
	}
	wantCode(t, p.refused(), "import_address_refused")
	if hits := secret.requests(); len(hits) > 0 {
		t.Errorf("the refused server got the requests %v", hits)
	}
	// Closing the proxy closes idle tunnels.
	u, _ := url.Parse(p.address)
	tunnel, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer tunnel.Close()
	request := &http.Request{
		Method: http.MethodConnect,
		URL:    &url.URL{Opaque: secure.Listener.Addr().String()},
		Host:   secure.Listener.Addr().String(),
		Header: http.Header{},
	}
	password, _ := u.User.Password()
	basic := &http.Request{Header: http.Header{}}
	basic.SetBasicAuth(u.User.Username(), password)
	request.Header.Set("Proxy-Authorization", basic.Header.Get("Authorization"))
	if err := request.Write(tunnel); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(tunnel, make([]byte, len("HTTP/1.1 200"))); err != nil {
		t.Fatal(err)
	}
	p.close()
	if err := tunnel.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(tunnel); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the tunnel is open after the proxy has closed")
	}
}
