package fetch

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"

	"roughcut/store"
)

// proxy is yt-dlp's only way to the network: an HTTP proxy on a loopback port that requires a
// password and connects through the Fetcher's dialer.
type proxy struct {
	address  string // with user name and password, for environment variables
	password string
	dialer   *net.Dialer
	forward  *httputil.ReverseProxy
	server   *http.Server
	ctx      context.Context // ends with the proxy
	cancel   context.CancelFunc
	handlers sync.WaitGroup // including tunnels, which the HTTP server does not track
	refusal  atomic.Pointer[store.Error]
}

const proxyUser = "roughcut"

func (f *Fetcher) startProxy() (*proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the proxy for yt-dlp: %w", err)
	}
	p := &proxy{password: rand.Text(), dialer: f.dialer()}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.address = (&url.URL{
		Scheme: "http",
		User:   url.UserPassword(proxyUser, p.password),
		Host:   listener.Addr().String(),
	}).String()
	quiet := log.New(io.Discard, "", 0) // yt-dlp reports failed requests
	p.forward = &httputil.ReverseProxy{
		Rewrite:      func(*httputil.ProxyRequest) {},
		Transport:    f.client().Transport,
		ErrorLog:     quiet,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { p.fail(w, err) },
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: headerTime, MaxHeaderBytes: maxHeaderBytes, ErrorLog: quiet}
	p.handlers.Go(func() { _ = p.server.Serve(listener) }) // it ends with ErrServerClosed
	return p, nil
}

// close ends all connections and waits for their handlers.
func (p *proxy) close() {
	p.cancel()
	_ = p.server.Close() // all data has been read or is abandoned
	p.handlers.Wait()
}

// refused returns the error of a refused address, or nil if no address was refused.
func (p *proxy) refused() error {
	if e := p.refusal.Load(); e != nil {
		return e
	}
	return nil
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.handlers.Add(1)
	defer p.handlers.Done()
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(proxyUser+":"+p.password))
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Proxy-Authorization")), []byte(want)) != 1 {
		w.Header().Set("Proxy-Authenticate", "Basic")
		http.Error(w, "this proxy belongs to another program", http.StatusProxyAuthRequired)
		return
	}

	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		p.forward.ServeHTTP(w, r)
	default:
		http.Error(w, "this proxy supports only http and https", http.StatusBadRequest)
	}
}

// tunnel serves a CONNECT request until one side closes the connection.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	far, err := p.dialer.DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		p.fail(w, err)
		return
	}

	defer hangUp(far)
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		p.fail(w, err)
		return
	}

	defer hangUp(near)
	defer context.AfterFunc(p.ctx, func() { hangUp(near); hangUp(far) })()
	if _, err := near.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		return
	}
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(far, buffered) // either side may close the connection at any time
		if tcp, ok := far.(*net.TCPConn); ok {
			_ = tcp.CloseWrite()
		}
	})
	_, _ = io.Copy(near, far)
	hangUp(near)
	up.Wait()
}

// hangUp closes a connection, which may be closed already.
func hangUp(c net.Conn) { _ = c.Close() }

// fail responds to a request whose connection failed, and records a refused address.
func (p *proxy) fail(w http.ResponseWriter, err error) {
	var refused *store.Error
	if errors.As(err, &refused) {
		p.refusal.Store(refused)
		http.Error(w, refused.Message, http.StatusForbidden)
		return
	}

	http.Error(w, "the server could not be reached", http.StatusBadGateway)
}
