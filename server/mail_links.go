package server

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"roughcut/server/problem"
	"roughcut/store"
)

// mailsLinks holds the IDs of the operations that always mail links to this server. The handlers of
// signup and createInvitation check the host themselves. Links in mails start with
// requestInfo.mailURL, which is empty for an unknown host.
var mailsLinks = map[string]bool{
	"sendVerification":     true,
	"verifyEmail":          true,
	"requestPasswordReset": true,
	"requestEmailChange":   true,
	"requestSupport":       true,
	"startOAuth":           true, // its flow ends in finishOAuth
	"finishOAuth":          true,
}

// checkMailLinks rejects operations that mail links if the request names a host that nothing
// proves to be this server. Otherwise a forged Host header would send people's tokens elsewhere.
func checkMailLinks(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op := operationOf(c)
		if op == nil || !mailsLinks[op.ID] || infoOf(c.Request().Context()).mailURL != "" {
			return next(c)
		}
		return errUnknownHost
	}
}

var errUnknownHost = problem.Errorf(
	store.Misdirected,
	"unknown_host",
	"This server does not recognize its host name in this address, so it sends no mail with links to it. "+
		"Ask its operator to set BASE_URL to the public address, or to add the host to ALLOWED_HOSTS.",
)

// mailBase returns the start of the links in mails that a request causes, without trailing slash.
// It is empty when the host is unknown. Known hosts are the hosts in BASE_URL and ALLOWED_HOSTS,
// localhost, and the address that the connection reached.
func (s *Server) mailBase(r *http.Request, scheme, hostport string) string {
	if s.Settings.BaseURL != "" {
		return strings.TrimRight(s.Settings.BaseURL, "/")
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if s.Settings.Owner || s.knownHost(hostport, local) { // allowHosts has checked the host in owner mode
		return scheme + "://" + hostport
	}
	return ""
}

// knownHost reports whether a Host header names this server. local is the address that the
// connection reached, nil if unknown. The port must be a standard port or the port of the
// connection, because another program may serve the other ports of the host. localhost may have any
// port, because container engines map ports.
func (s *Server) knownHost(hostport string, local *net.TCPAddr) bool {
	host := hostName(hostport)
	ip := net.ParseIP(host)
	if host == "localhost" || ip.IsLoopback() {
		return true
	}
	isHost := func(name string) bool { return strings.EqualFold(name, host) }
	isReached := local != nil && ip != nil && local.IP.Equal(ip)
	if !isReached && !slices.ContainsFunc(s.Settings.AllowedHosts, isHost) {
		return false
	}
	_, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return true // no port
	}
	_, reached, _ := net.SplitHostPort(addressText(local))
	return slices.Contains([]string{"80", "443", reached}, port)
}

// addressText returns an address as text, "" for nil.
func addressText(a *net.TCPAddr) string {
	if a == nil {
		return ""
	}
	return a.String()
}
