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
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"roughcut/media"
)

const (
	maxRedirects   = 3
	dialTime       = 10 * time.Second
	headerTime     = 30 * time.Second
	maxHeaderBytes = 64 << 10
	userAgent      = "Mozilla/5.0 (compatible; Roughcut)"
)

// dialer returns a dialer that connects to allowed addresses only. It checks the IP address that
// the system is about to connect to, so a name that later resolves to another address cannot bypass
// it.
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
					"The address leads to a private network. Import from public addresses only.",
				)
			}

			return nil
		},
	}
}

// client returns an HTTP client that closes each connection after one response.
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
					"The address redirects more than %d times. Enter the final address.",
					maxRedirects,
				)
			}

			return checkURL(next.URL)
		},
	}
}

// getRange requests bytes from through to of an address, or all of them if to is negative.
func getRange(ctx context.Context, client *http.Client, target *url.URL, from, to int64) (*http.Response, error) {
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

// remote describes the content at an address, as its server describes it.
type remote struct {
	url    *url.URL // after redirects
	status int
	kind   string // media type, in lower case, without parameters
	coding string // content coding, although the request does not ask for it
	name   string // file name of the Content-Disposition header
	size   int64  // bytes, -1 if unknown
	ranges bool   // the server supports range requests
	head   []byte // first bytes of the body
}

// remoteOf reads the headers and the first bytes of a response.
func remoteOf(response *http.Response, headBytes int64) (*remote, error) {
	r := &remote{
		url: response.Request.URL, status: response.StatusCode, coding: response.Header.Get("Content-Encoding"),
		size: response.ContentLength, ranges: response.StatusCode == http.StatusPartialContent,
	}
	r.kind, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	if _, params, err := mime.ParseMediaType(response.Header.Get("Content-Disposition")); err == nil {
		r.name = params["filename"]
	}
	if r.ranges {
		r.size = -1
		_, total, _ := strings.Cut(response.Header.Get("Content-Range"), "/")
		if n, err := strconv.ParseInt(total, 10, 64); err == nil && n >= 0 {
			r.size = n
		}
	}

	var err error
	r.head, err = io.ReadAll(io.LimitReader(response.Body, headBytes))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errInterrupted
	}
	return r, err
}

var errInterrupted = refuse("import_metadata_failed", "The connection was interrupted. Try again.")

// ok reports whether the request succeeded.
func (r *remote) ok() bool {
	return r.status == http.StatusOK || r.status == http.StatusPartialContent
}

// contentType returns the usual name of the recording's content type, from the media type or, if
// that is unknown, from the extension of the name. It is empty if both are unknown.
func (r *remote) contentType() string {
	contentType, _ := media.RecordingTypes().Declared(r.kind, strings.ToLower(path.Ext(fileName(r))))
	return contentType
}

// isMedia reports whether the content is a recording rather than a page, by its media type, its
// name and its first bytes.
func (r *remote) isMedia() bool {
	if !r.ok() || strings.Contains(r.kind, "mpegurl") {
		return false
	}
	named := r.contentType() != "" && r.kind != "text/html"
	return named || strings.HasPrefix(r.kind, "video/") || strings.HasPrefix(r.kind, "audio/") ||
		containerOf(r.head) != ""
}

// checkDownload returns an error for content that cannot be downloaded as a file.
func (r *remote) checkDownload() error {
	switch {
	case r.coding != "" && !strings.EqualFold(r.coding, "identity"):
		return refuse(
			"import_metadata_failed",
			"The server sends the recording compressed (%s), which is not supported. Download and upload it yourself.",
			r.coding,
		)
	case r.size > maxBytes:
		return refuse(
			"import_metadata_failed",
			"The recording has %d GiB; the maximum is %d GiB.",
			r.size>>30,
			maxBytes>>30,
		)
	case r.size == 0:
		return refuse("import_metadata_failed", "The file at this address is empty.")
	}

	return nil
}

// containerOf returns the container format of a file that starts with these bytes, empty if
// unknown.
func containerOf(head []byte) string {
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
	case at(0, "G") && at(188, "G") && at(376, "G"), at(4, "G") && at(196, "G") && at(388, "G"):
		return "mpegts"
	case at(0, "\x00\x00\x01\xba"):
		return "mpeg"
	case at(0, "FLV\x01"):
		return "flv"
	case at(0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11"):
		return "asf"
	case at(0, "\x06\x0e\x2b\x34\x02\x05\x01\x01"):
		return "mxf"
	}

	return ""
}

// isNetwork reports whether an error comes from the network.
func isNetwork(err error) bool {
	var request *url.Error
	var connection net.Error
	return errors.As(err, &request) || errors.As(err, &connection) || errors.Is(err, io.ErrUnexpectedEOF)
}
