package fetch

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// Each refused network is tested at both of its ends, and next to them.
func TestNonPublicNetworksAreRefused(t *testing.T) {
	for _, text := range []string{
		"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
		"127.0.0.1", "127.255.255.255",
		"169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.2.1",
		"192.31.196.1", "192.52.193.1",
		"192.88.99.1", "192.168.0.1", "192.168.255.255", "192.175.48.1", "198.18.0.0", "198.19.255.255",
		"198.51.100.1", "203.0.113.1",
		"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1",
		"64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "100::1",
		"2001::1", "2001:0:1::", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::", "2001:db8::1",
		"2002:7f00:1::", "2002:c0a8:101::1",
		"2620:4f:8000::1", "3fff::1", "5f00::1", "fc00::1", "fdff::1", "fe80::1", "fe80::1%eth0", "febf::1",
		"fec0::1", "ff02::1", "ffff::",
	} {
		if !notPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s is allowed", text)
		}
	}
	for _, text := range []string{
		"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
		"128.0.0.0", "169.253.255.255", "169.255.0.0",
		"172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
		"198.20.0.0", "223.255.255.255",
		"::ffff:1.1.1.1", "2001:200::1", "2001:db7:ffff::", "2001:db9::", "2003::1", "2606:4700::1111",
		"2a00:1450::1", "3ffe:ffff::",
	} {
		if notPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s is refused", text)
		}
	}
}

// No spelling of a loopback address gets a request through.
func TestLoopbackGetsNoRequests(t *testing.T) {
	hidden := newSite(t, "127.0.0.1", serving("x.mp4", movie(time.Minute, 100)))
	port := hidden.URL[strings.LastIndex(hidden.URL, ":"):]
	f := newFetcher(t, func(f *Fetcher) { f.refused = notPublic })
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST", "0.0.0.0", "[::]", "[::1]", "[::ffff:127.0.0.1]", "127.1.2.3",
	} {
		_, err := f.LookUp(t.Context(), "http://"+host+port+"/x.mp4")
		wantCode(t, err, "import_address_refused", "private network")
		_, err = f.download(t, "http://"+host+port+"/x.mp4", allowAll)
		wantCode(t, err, "import_address_refused")
	}
	// Some systems treat these spellings as host names.
	for _, host := range []string{"2130706433", "localhost.", "127.0.0.1.", "0x7f000001", "0177.0.0.1", "127.1"} {
		if _, err := f.LookUp(t.Context(), "http://"+host+port+"/x.mp4"); err == nil {
			t.Errorf("an import from %s succeeded", host)
		}
	}
	if hits := hidden.requests(); len(hits) > 0 {
		t.Errorf("the loopback server got the requests %v", hits)
	}
	f.refused = New(Options{AllowPrivate: true}).refused
	if _, err := f.LookUp(t.Context(), hidden.URL+"/x.mp4"); err != nil {
		t.Errorf("with IMPORT_ALLOW_PRIVATE: %v", err)
	}
}

func TestMalformedAddressesAreRefused(t *testing.T) {
	f := newFetcher(t)
	for _, address := range []string{
		"ftp://example.org/x.mp4", "file:///etc/passwd", "gopher://example.org/",
		"data:video/mp4;base64,AAAA", "javascript:alert(1)", "//example.org/x.mp4",
		"example.org/x.mp4", "http://", "http:///x.mp4", "http://user:secret@example.org/x.mp4",
		"http://user@example.org/x.mp4", "http://a b/", "-x", "",
		"https://example.org/" + strings.Repeat("x", maxAddressBytes),
	} {
		_, err := f.LookUp(t.Context(), address)
		wantCode(t, err, "import_address_refused")
	}
}

// The rules apply to each redirect, and three redirects are the limit.
func TestRedirectsAreChecked(t *testing.T) {
	secret := newSite(t, "127.0.0.2", serving("x.mp4", movie(time.Minute, 100)))
	open := newSite(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		target, hops := r.URL.Query().Get("to"), strings.TrimPrefix(r.URL.Path, "/")
		switch {
		case hops == "":
			serving("x.mp4", movie(time.Minute, 100))(w, r)
		case hops == "1":
			http.Redirect(w, r, target, http.StatusFound)
		default:
			http.Redirect(w, r, "/"+string(hops[0]-1)+"?to="+url.QueryEscape(target), http.StatusFound)
		}
	})
	for _, c := range []struct{ hops, to, code string }{
		{"3", open.URL + "/", ""},
		{"4", open.URL + "/", "import_metadata_failed"},
		{"1", secret.URL + "/x.mp4", "import_address_refused"},
		{"3", secret.URL + "/x.mp4", "import_address_refused"},
		{"2", "http://[::1]/x.mp4", "import_address_refused"},
		{"1", "ftp://127.0.0.1/x.mp4", "import_address_refused"},
		{"1", "file:///etc/passwd", "import_address_refused"},
		{"1", strings.Replace(open.URL, "://", "://user:secret@", 1) + "/", "import_address_refused"},
	} {
		f, address := newFetcher(t), open.URL+"/"+c.hops+"?to="+url.QueryEscape(c.to)
		_, lookErr := f.LookUp(t.Context(), address)
		_, fetchErr := f.download(t, address, allowAll)
		for _, err := range []error{lookErr, fetchErr} {
			if c.code == "" && err != nil {
				t.Errorf("%s redirects to %s: %v", c.hops, c.to, err)
			} else if c.code != "" {
				wantCode(t, err, c.code)
			}
		}
	}
	if hits := secret.requests(); len(hits) > 0 {
		t.Errorf("the refused server got the requests %v", hits)
	}
}

// nameServer returns the resolver of a name server that calls answer for each query.
func nameServer(t *testing.T, answer func() [4]byte) *net.Resolver {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { socket.Close(); <-done })
	go func() {
		defer close(done)
		packet := make([]byte, 1500)
		for {
			n, from, err := socket.ReadFrom(packet)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(packet[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: answer()},
				}}
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = socket.WriteTo(packed, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

// A name that resolves to an allowed address for the look-up and to a refused one for the download
// is refused.
func TestDNSRebindingIsRefused(t *testing.T) {
	open := newSite(t, "127.0.0.1", serving("x.mp4", movie(time.Minute, 100)))
	port := open.URL[strings.LastIndex(open.URL, ":"):]
	var changed atomic.Bool
	f := newFetcher(t, func(f *Fetcher) {
		f.resolver = nameServer(t, func() [4]byte {
			if changed.Load() {
				return [4]byte{127, 0, 0, 2}
			}
			return [4]byte{127, 0, 0, 1}
		})
	})
	found, err := f.LookUp(t.Context(), "http://films.example.test"+port+"/x.mp4")
	if err != nil || found.Name != "x.mp4" {
		t.Fatalf("%+v, %v", found, err)
	}
	changed.Store(true)
	before := len(open.requests())
	_, err = f.download(t, found.Address, allowAll)
	wantCode(t, err, "import_address_refused")
	if after := open.requests(); len(after) != before {
		t.Errorf("the server got the requests %v", after[before:])
	}

	private := newFetcher(t, func(f *Fetcher) {
		f.refused, f.resolver = notPublic, nameServer(t, func() [4]byte { return [4]byte{127, 0, 0, 1} })
	})
	_, err = private.LookUp(t.Context(), "http://films.example.test"+port+"/x.mp4")
	wantCode(t, err, "import_address_refused")
}

func TestRequestsUseNoProxyCookiesOrCompression(t *testing.T) {
	client := newFetcher(t).client()
	transport, ok := client.Transport.(*http.Transport)
	if !ok || transport.Proxy != nil || client.Jar != nil || !transport.DisableCompression {
		t.Errorf("the client is %+v with %+v", client, transport)
	}
	site := newSite(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("the request has %v", r.Header)
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		serving("x.mp4", movie(time.Minute, 1<<20))(w, r)
	})
	if _, err := newFetcher(t).LookUp(t.Context(), site.URL+"/x.mp4"); err != nil {
		t.Error(err)
	}
	if hits := site.requests(); len(hits) < 2 || slices.Contains(hits, "GET /x.mp4") {
		t.Errorf("the server got the requests %q", hits)
	}
}
