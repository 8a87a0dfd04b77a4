package cli

import (
	"net"
	"net/url"
	"slices"
	"testing"
)

// A server on all interfaces names addresses that can be opened.
func TestServerAddresses(t *testing.T) {
	t.Parallel()
	for _, everywhere := range []string{"0.0.0.0:0", ":0"} {
		listener, err := net.Listen("tcp", everywhere)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		list := settings{}.addresses(listener.Addr())
		if len(list) != 1+len(networkIPs()) {
			t.Errorf("%s: addresses %v", everywhere, list)
		}
		for _, address := range list {
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			if net.ParseIP(u.Hostname()).IsUnspecified() {
				t.Errorf("%s: address %s", everywhere, address)
			}
			conn, err := net.Dial("tcp", u.Host)
			if err != nil {
				t.Fatal(err)
			}
			conn.Close()
		}
	}
	here := &net.TCPAddr{IP: net.IPv4(192, 168, 1, 5), Port: 8420}
	for base, want := range map[string]string{
		"": "http://192.168.1.5:8420", "https://cut.example.org/": "https://cut.example.org",
	} {
		if got := (settings{BaseURL: base}).addresses(here); !slices.Equal(got, []string{want}) {
			t.Errorf("BASE_URL %q: addresses %v, want %s", base, got, want)
		}
	}
}
