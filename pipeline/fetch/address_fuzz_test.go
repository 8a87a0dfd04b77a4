package fetch

import (
	"net/netip"
	"net/url"
	"testing"
)

// An address that is accepted has a server, a web scheme and no password, and stays the same when
// it is written and read. IP addresses outside the public internet are refused in every spelling.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{
		"https://example.org/talk.mp4", "http://[::1]:80/", "http://127.0.0.1", "http://a@b/", "file:///etc/passwd",
		"http://[::ffff:10.0.0.1]/", "https://example.org:99999/%zz", "http:///x", "HTTPS://EXAMPLE.ORG",
		"http://[64:ff9b::7f00:1]/", "http://[fe80::1%25eth0]/", "::1", "10.0.0.1", "2002:7f00:1::",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if address, err := netip.ParseAddr(text); err == nil {
			plain := address.Unmap().WithZone("")
			if (plain.IsLoopback() || plain.IsPrivate() || plain.IsLinkLocalUnicast() || plain.IsMulticast() ||
				plain.IsUnspecified()) && !notPublic(address) {
				t.Errorf("%s counts as public", text)
			}
		}
		target, err := parseAddress(text)
		if err != nil {
			return
		}
		if target.Hostname() == "" || target.User != nil || (target.Scheme != "http" && target.Scheme != "https") {
			t.Errorf("%q is accepted as %+v", text, target)
		}
		again, err := url.Parse(target.String())
		if err != nil || again.Host != target.Host || again.Scheme != target.Scheme {
			t.Errorf("%q is read as host %q, and again as %+v, %v", text, target.Host, again, err)
		}
	})
}
