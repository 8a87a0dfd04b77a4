package fetch

import (
	"net/netip"
	"net/url"
	"strings"
)

const maxAddressBytes = 4096

// parseAddress reads what a user gave. Only http and https, without a name or password in it, is
// looked at any further.
func parseAddress(text string) (*url.URL, error) {
	target, err := url.Parse(strings.TrimSpace(text))
	if err != nil || len(text) > maxAddressBytes {
		return nil, refuse(
			"import_address_refused",
			"This is no address that can be imported; write it as https://example.org/talk.mp4.",
		)
	}
	return target, checkURL(target)
}

// checkURL holds an address, or what one was redirected to, against the rules that need no
// connection.
func checkURL(target *url.URL) error {
	switch {
	case target.Scheme != "http" && target.Scheme != "https":
		return refuse("import_address_refused", "Only addresses that begin with http:// or https:// can be imported.")
	case target.User != nil:
		return refuse("import_address_refused", "Addresses with a user name or password in them are not imported.")
	case target.Hostname() == "":
		return refuse(
			"import_address_refused",
			"The address names no server; write it as https://example.org/talk.mp4.",
		)
	}
	return nil
}

// notPublicV4 are the networks of IPv4 that are not the public internet (the IANA registry of
// special-purpose addresses).
var notPublicV4 = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // behind a carrier's NAT
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, and the metadata services of clouds
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.31.196.0/24", // AS112
	"192.52.193.0/24", // AMT
	"192.88.99.0/24",  // relays of 6to4
	"192.168.0.0/16",  // private
	"192.175.48.0/24", // AS112
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast
)

// Of IPv6 only 2000::/3 is the public internet, without these. All else is refused: unspecified,
// loopback, IPv4 inside of IPv6, NAT64, unique local, link-local, site-local, multicast, and what
// nobody has assigned yet.
var (
	publicV6    = netip.MustParsePrefix("2000::/3")
	notPublicV6 = prefixes(
		"2001::/23",         // protocol assignments, Teredo, benchmarks and ORCHID among them
		"2001:db8::/32",     // documentation
		"2002::/16",         // 6to4, which has an IPv4 address inside
		"2620:4f:8000::/48", // AS112
		"3fff::/20",         // documentation
	)
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, text := range list {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// notPublic reports that an address is not one of the public internet.
func notPublic(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	special := notPublicV4
	if !address.Is4() {
		if !publicV6.Contains(address) {
			return true
		}
		special = notPublicV6
	}
	for _, network := range special {
		if network.Contains(address) {
			return true
		}
	}
	return false
}
