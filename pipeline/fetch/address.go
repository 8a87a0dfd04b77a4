package fetch

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

const maxAddressBytes = 4096

// parseAddress parses an address that a user entered. It accepts only http and https, without user
// name and password.
func parseAddress(text string) (*url.URL, error) {
	target, err := url.Parse(strings.TrimSpace(text))
	if err != nil || len(text) > maxAddressBytes {
		return nil, refuse(
			"import_address_refused",
			"This is not a valid address. Enter one such as https://example.org/talk.mp4.",
		)
	}

	return target, checkURL(target)
}

// checkURL applies the rules that need no connection to an address or the target of a redirect.
func checkURL(target *url.URL) error {
	switch {
	case target.Scheme != "http" && target.Scheme != "https":
		return refuse("import_address_refused", "Only addresses that start with http:// or https:// can be imported.")
	case target.User != nil:
		return refuse("import_address_refused", "Addresses with a user name or password cannot be imported.")
	case strings.Contains(target.Hostname(), "%"):
		// An IPv6 zone names an interface of this machine. Written again, it may be invalid.
		return refuse("import_address_refused", "Addresses with an IPv6 zone cannot be imported.")
	case target.Hostname() == "":
		return refuse(
			"import_address_refused",
			"The address has no server name. Enter one such as https://example.org/talk.mp4.",
		)
	}

	return nil
}

// notPublicV4 lists the IPv4 networks outside the public internet, after the IANA special-purpose
// address registry.
var notPublicV4 = mustParsePrefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // carrier-grade NAT
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, including cloud metadata services
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.31.196.0/24", // AS112
	"192.52.193.0/24", // AMT
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"192.175.48.0/24", // AS112
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved and broadcast
)

// Public IPv6 addresses are those in publicV6 but not in notPublicV6. This refuses unspecified,
// loopback, IPv4-mapped, NAT64, unique local, link-local, site-local, multicast and unassigned
// addresses.
var (
	publicV6    = netip.MustParsePrefix("2000::/3")
	notPublicV6 = mustParsePrefixes(
		"2001::/23",         // protocol assignments, including Teredo, benchmarks and ORCHID
		"2001:db8::/32",     // documentation
		"2002::/16",         // 6to4, which embeds an IPv4 address
		"2620:4f:8000::/48", // AS112
		"3fff::/20",         // documentation
	)
)

func mustParsePrefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, text := range list {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// notPublic reports whether an address is outside the public internet.
func notPublic(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	special := notPublicV4
	if !address.Is4() {
		if !publicV6.Contains(address) {
			return true
		}
		special = notPublicV6
	}

	return slices.ContainsFunc(special, func(network netip.Prefix) bool {
		return network.Contains(address)
	})
}
