package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	maxRedirects   = 3
	dialTime       = 10 * time.Second
	headerTime     = 30 * time.Second
	maxHeaderBytes = 64 << 10
	userAgent      = "Mozilla/5.0 (compatible; Roughcut)"
)

// dialer connects to allowed addresses only. The rule is asked about the very address that the
// system is about to connect to, so nothing that a name resolves to later, or on another try, gets
// past it.
func (f *Fetcher) dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:  dialTime,
		Resolver: f.resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			if f.refused(to.Addr()) {
				return refuse(
					"import_address_refused",
					"The address leads to a private network, from which nothing is imported.",
				)
			}
			return nil
		},
	}
}

// client returns a client that keeps no connection: what a server sends after its answer is never
// read.
func (f *Fetcher) client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            f.dialer().DialContext,
			DisableCompression:     true,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: maxHeaderBytes,
			TLSHandshakeTimeout:    dialTime,
			ResponseHeaderTimeout:  headerTime,
		},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return refuse(
					"import_metadata_failed",
					"The address redirects more than %d times. Give the address that it ends at.",
					maxRedirects,
				)
			}
			return checkURL(next.URL)
		},
	}
}

// get asks for the bytes of an address from one place up to and including another, for all of them
// where to is negative.
func get(ctx context.Context, client *http.Client, target *url.URL, from, to int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Accept-Encoding", "identity")
	if to >= 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, to))
	}
	return client.Do(request)
}

// remote is what an address said that it holds.
type remote struct {
	url    *url.URL // after redirects
	status int
	kind   string // media type, in lower case, without parameters
	coding string // content coding, which nobody asked for
	name   string // as proposed for saving
	size   int64  // bytes, -1 where unknown
	ranges bool   // it sends parts
	head   []byte // how it begins
}

// introduce reads what an answer says about what is at its address, and the first bytes of its
// body.
func introduce(answer *http.Response, headBytes int64) (*remote, error) {
	r := &remote{
		url: answer.Request.URL, status: answer.StatusCode, coding: answer.Header.Get("Content-Encoding"),
		size: answer.ContentLength, ranges: answer.StatusCode == http.StatusPartialContent,
	}
	r.kind, _, _ = mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if _, params, err := mime.ParseMediaType(answer.Header.Get("Content-Disposition")); err == nil {
		r.name = params["filename"]
	}
	if r.ranges {
		r.size = -1
		_, total, _ := strings.Cut(answer.Header.Get("Content-Range"), "/")
		if n, err := strconv.ParseInt(total, 10, 64); err == nil && n >= 0 {
			r.size = n
		}
	}
	var err error
	r.head, err = io.ReadAll(io.LimitReader(answer.Body, headBytes))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errBrokenOff
	}
	return r, err
}

var errBrokenOff = refuse("import_metadata_failed", "The connection broke off before everything was there. Try again.")

// ok reports that the address has answered with what it holds.
func (r *remote) ok() bool {
	return r.status == http.StatusOK || r.status == http.StatusPartialContent
}

// isMedia reports that the address holds a recording and no page about one. What it calls itself
// counts, and how it begins.
func (r *remote) isMedia() bool {
	if !r.ok() || strings.Contains(r.kind, "mpegurl") {
		return false
	}
	return strings.HasPrefix(r.kind, "video/") || strings.HasPrefix(r.kind, "audio/") || container(r.head) != ""
}

// check refuses media that cannot be taken as it comes.
func (r *remote) check() error {
	switch {
	case r.coding != "" && !strings.EqualFold(r.coding, "identity"):
		return refuse(
			"import_metadata_failed",
			"The server sends the recording compressed (%s), which is not read. Download it yourself and upload it.",
			r.coding,
		)
	case r.size > maxBytes:
		return refuse(
			"import_metadata_failed",
			"The recording has %d GiB; at most %d are imported.",
			r.size>>30,
			maxBytes>>30,
		)
	case r.size == 0:
		return refuse("import_metadata_failed", "The file at this address is empty.")
	}
	return nil
}

// container names the kind of recording that begins with these bytes, or nothing.
func container(head []byte) string {
	at := func(offset int, text string) bool {
		return len(head) >= offset+len(text) && string(head[offset:offset+len(text)]) == text
	}
	switch {
	case at(4, "ftyp"), at(4, "moov"), at(4, "mdat"), at(4, "wide"):
		return "mp4"
	case at(0, "\x1a\x45\xdf\xa3"):
		return "matroska"
	case at(0, "RIFF") && at(8, "AVI "):
		return "avi"
	case at(0, "G") && at(188, "G") && at(376, "G"):
		return "mpegts"
	}
	return ""
}

// isNetwork reports that an error comes from a connection.
func isNetwork(err error) bool {
	var request *url.Error
	var connection net.Error
	return errors.As(err, &request) || errors.As(err, &connection) || errors.Is(err, io.ErrUnexpectedEOF)
}

// innermost returns what an error of a request is about, without the address.
func innermost(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err
	}
	return err
}
