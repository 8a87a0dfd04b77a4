package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// errStatus is a response other than the file.
type errStatus struct {
	address, status string
	code            int
}

func (e errStatus) Error() string { return fmt.Sprintf("%s responded with %s", e.address, e.status) }

// errChecksum says that a complete download is another file than the catalog names.
type errChecksum struct{ from string }

func (e errChecksum) Error() string {
	return fmt.Sprintf("the file from %s has a wrong checksum and was deleted; try again", e.from)
}

// Advice returns a sentence that says what to do about an error of a download. It is empty for an
// error that says this itself, such as one of a full disk.
func (l *Library) Advice(err error) string {
	host := l.o.URL
	if u, parseErr := url.Parse(l.o.URL); parseErr == nil && u.Host != "" {
		host = u.Host
	}
	const orFile = "or download the file on another computer and choose it under “Choose a file…”"
	var status errStatus
	var checksum errChecksum
	var network net.Error
	switch {
	case errors.As(err, &status) && status.code == http.StatusNotFound:
		return fmt.Sprintf("%s does not have this model: check the setting MODELS_URL, %s.", host, orFile)
	case errors.As(err, &status) && status.code < http.StatusInternalServerError &&
		status.code != http.StatusTooManyRequests:
		return fmt.Sprintf(
			"%s refused the download (%s): check the setting MODELS_URL, %s.", host, status.status, orFile,
		)
	case errors.As(err, &status):
		return fmt.Sprintf("%s is not available now (%s): try again later, %s.", host, status.status, orFile)
	case errors.As(err, &checksum):
		return fmt.Sprintf("The file from %s is damaged and was deleted: try again, %s.", host, orFile)
	case errors.As(err, &network), errors.Is(err, context.Canceled), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("The server cannot reach %s: check its internet connection and try again, %s.", host, orFile)
	}

	return ""
}
