package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/server/contract"
	"roughcut/server/problem"
)

// requestInfo is what the middleware knows about one request. Only the goroutine of the request
// writes it.
type requestInfo struct {
	id              string
	ip              string
	network         string // of the client, which limits count: its IPv4 address or its IPv6 /64 network
	baseURL         string // without trailing slash
	cookiePath      string // of cookies for the client
	unknownPath     string // of a request that no route serves
	mailURL         string // start of links in mails, without trailing slash; empty for an unknown host
	secure          bool   // the client uses HTTPS with this server or with a trusted proxy
	route           string // pattern of the path; contains no token
	head            bool   // HEAD request that the handlers see as GET
	fromThisMachine bool   // the client is on this machine and is not a proxy for another one
	caller          caller
	began           time.Time
	idempotencyKey  string // of a request whose response is to be kept
	leaveGate       func() // nil for a request that has not passed the gate
	streaming       bool   // the handler has handed the connection to a stream, which logs the end of the request
}

type infoKey struct{}

// infoOf returns the info of a request that passed requestFacts.
func infoOf(ctx context.Context) *requestInfo {
	f, _ := ctx.Value(infoKey{}).(*requestInfo)
	if f == nil {
		return &requestInfo{}
	}
	return f
}

func (s *Server) requestFacts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, host := s.publicAddress(r)
		f := &requestInfo{
			id:              s.requestID(r),
			ip:              s.clientIP(r),
			baseURL:         scheme + "://" + host,
			mailURL:         s.mailBase(r, scheme, host),
			secure:          scheme == "https",
			fromThisMachine: fromHere(r),
			began:           time.Now(),
		}
		f.network = networkOf(f.ip)
		if s.Settings.BaseURL != "" {
			f.baseURL = strings.TrimRight(s.Settings.BaseURL, "/")
		}
		if f.cookiePath = "/"; strings.HasPrefix(f.baseURL+"/", scheme+"://"+host+"/") {
			f.cookiePath = cmp.Or(s.Settings.BasePath(), "/") // other programs have the other paths of the host
		}
		w.Header().Set(echo.HeaderXRequestID, f.id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), infoKey{}, f)))
	})
}

// requestIDPattern matches request IDs that are safe in a log.
var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID returns the ID from a trusted proxy, so that both logs match, or a new one.
func (s *Server) requestID(r *http.Request) string {
	if id := r.Header.Get(echo.HeaderXRequestID); requestIDPattern.MatchString(id) && s.fromTrustedProxy(r) {
		return id
	}
	return s.Store.NewID()
}

// publicAddress returns the scheme and host that the client uses. It believes forwarding headers
// only from trusted proxies.
func (s *Server) publicAddress(r *http.Request) (scheme, host string) {
	scheme, host = "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if !s.fromTrustedProxy(r) {
		return scheme, host
	}
	if proto := lastValue(r.Header.Get("X-Forwarded-Proto")); proto == "http" || proto == "https" {
		scheme = proto
	}
	if forwarded := lastValue(r.Header.Get("X-Forwarded-Host")); forwarded != "" {
		host = forwarded
	}
	return scheme, host
}

func (s *Server) fromTrustedProxy(r *http.Request) bool {
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(peer)
	return slices.ContainsFunc(s.Settings.TrustedProxies, func(n *net.IPNet) bool {
		return n.Contains(ip)
	})
}

// forwarding lists the headers that proxies add.
var forwarding = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"}

// fromHere reports whether a request comes directly from this machine to a loopback address.
// Proxies reveal themselves by their headers.
func fromHere(r *http.Request) bool {
	for _, name := range forwarding {
		if r.Header.Get(name) != "" {
			return false
		}
	}

	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !net.ParseIP(peer).IsLoopback() {
		return false
	}
	return isLoopback(hostName(r.Host))
}

// isLoopback reports whether a host name or address is this machine's own.
func isLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// networkOf returns what limits count as one client: an IPv4 address, or the /64 network of an IPv6
// address, because providers assign whole networks to their customers.
func networkOf(ip string) string {
	address, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	address = address.Unmap().WithZone("")
	if address.Is4() {
		return address.String()
	}
	return netip.PrefixFrom(address, 64).Masked().String()
}

// lastValue returns the last entry of a comma-separated header, which the nearest proxy added.
func lastValue(header string) string {
	values := strings.Split(header, ",")
	return strings.TrimSpace(values[len(values)-1])
}

// maxLoggedPath is how many bytes of a path the log shows.
const maxLoggedPath = 200

// accessLog logs one line per request, without query, tokens or cookies.
func (s *Server) accessLog(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		if f := infoOf(r.Context()); !f.streaming {
			if f.route == "" && rec.status == http.StatusNotFound {
				f.unknownPath = r.URL.Path[:min(len(r.URL.Path), maxLoggedPath)]
			}
			s.requestEnded(r.Method, f, rec.status, rec.bytes)
		}
	})
}

// requestEnded records the metrics of a request and logs its line.
func (s *Server) requestEnded(method string, f *requestInfo, status int, bytes int64) {
	took := time.Since(f.began)
	if s.Metrics != nil {
		s.Metrics.requestEnded(method, f.route, status, took)
	}
	level := slog.LevelInfo
	if status < http.StatusBadRequest && (f.route == "" || f.route == "/healthz" || f.route == "/readyz") {
		level = slog.LevelDebug
	}
	about := []any{
		"method", method, "route", f.route, "status", status, "bytes", bytes, "ms", took.Milliseconds(),
		"ip", f.ip, "user", f.caller.user.UUID, "request_id", f.id,
	}
	if f.unknownPath != "" {
		about = append(about, "path", f.unknownPath)
	}
	s.Log.Log(context.Background(), level, "request", about...)
}

// recoverPanics turns a panic into an internal error. It passes http.ErrAbortHandler on.
func (s *Server) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(v)
			}
			s.logPanic(v, infoOf(r.Context()).id)
			if rec, ok := w.(*recorder); ok && rec.status != 0 {
				panic(http.ErrAbortHandler)
			}
			problem.Write(w, problem.Internal())
		}()
		next.ServeHTTP(w, r)
	})
}

// recoverBackgroundPanic, deferred, logs a panic in the background work of a request.
func (s *Server) recoverBackgroundPanic(requestID string) {
	if v := recover(); v != nil {
		s.logPanic(v, requestID)
	}
}

func (s *Server) logPanic(value any, requestID string) {
	s.Log.Error("panic", "value", value, "stack", string(debug.Stack()), "request_id", requestID)
}

// allowHosts rejects requests to other host names than this machine's in owner mode. Otherwise DNS
// rebinding would let a web page reach the owner's data. Literal IP addresses are safe, because DNS
// rebinding needs a name.
func (s *Server) allowHosts(next http.Handler) http.Handler {
	if !s.Settings.Owner {
		return next
	}
	allowed := map[string]bool{"localhost": true}
	for _, host := range append([]string{hostOfURL(s.Settings.BaseURL)}, s.Settings.AllowedHosts...) {
		allowed[strings.ToLower(host)] = host != ""
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostName(r.Host)
		if !allowed[host] && net.ParseIP(host) == nil {
			problem.Write(w, problem.Problem{
				Status: http.StatusForbidden,
				Code:   "forbidden",
				Detail: "This server accepts only its own host names. Open the address that it printed at " +
					"start, or set BASE_URL.",
			})
			return
		}

		next.ServeHTTP(w, r)
	})
}

// hostName returns the lower-case host of a Host header without port and brackets.
func hostName(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// Content security policies. The UI loads only files of this server; the service loads nothing.
const (
	uiPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self' data:; connect-src 'self'; " +
		"worker-src 'self' blob:; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
	servicePolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"
)

func securityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		// Browsers complain about the policy on other pages. In the window, it would only slow the
		// start: WebKit loads a page with it in another process.
		if (infoOf(r.Context()).secure || isLoopback(hostName(r.Host))) && !isWindow(r) {
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
		}
		h.Set("X-Frame-Options", "DENY")
		if isService(r.URL.Path) {
			h.Set("Content-Security-Policy", servicePolicy)
		} else {
			h.Set("Content-Security-Policy", uiPolicy)
		}

		next.ServeHTTP(w, r)
	})
}

// isWindow reports whether a request comes from the desktop window, whose engine Wails names so.
func isWindow(r *http.Request) bool { return strings.Contains(r.UserAgent(), "wails.io") }

// isService reports whether a path belongs to the service. All other paths belong to the UI.
func isService(path string) bool {
	roots := []string{
		"/api", "/upload", "/media", "/download", "/asset", "/admin/beta", "/healthz", "/readyz",
	}
	return slices.ContainsFunc(roots, func(root string) bool {
		return path == root || strings.HasPrefix(path, root+"/")
	})
}

// splitUI sends requests outside the service to the web UI.
func (s *Server) splitUI(service http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case isService(r.URL.Path):
			service.ServeHTTP(w, r)
		case s.UI == nil:
			problem.Write(w, problem.NotFound())
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			problem.Write(w, problem.MethodNotAllowed(r.Method))
		default:
			s.UI.ServeHTTP(w, r)
		}
	})
}

func trimSlash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = contract.TrimPath(r.URL.Path), ""
		}

		next.ServeHTTP(w, r)
	})
}

// headAsGet passes HEAD requests on as GET, because the contract mostly has only GET; net/http
// drops the body. File routes handle HEAD themselves.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isFile := strings.HasPrefix(r.URL.Path, "/upload/") || strings.HasPrefix(r.URL.Path, "/media/") ||
			strings.HasPrefix(r.URL.Path, "/download/") ||
			strings.HasPrefix(r.URL.Path, "/asset/")
		if r.Method == http.MethodHead && !isFile {
			infoOf(r.Context()).head = true
			r = r.Clone(r.Context())
			r.Method = http.MethodGet
		}

		next.ServeHTTP(w, r)
	})
}

// hostOfURL returns the lower-case host name of a URL, or "".
func hostOfURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return hostName(u.Host)
}
