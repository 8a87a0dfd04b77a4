package fault

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
)

// NetworkError is a connection that failed. Its text is for people; the cause is for programs.
type NetworkError struct {
	Host  string
	cause error
}

// Network returns the error of a connection to a host as a NetworkError. Errors that are not about
// the connection pass unchanged.
func Network(host string, err error) error {
	isNetwork := errors.As(err, new(*url.Error)) || errors.As(err, new(*net.OpError)) ||
		errors.As(err, new(*net.DNSError)) || errors.Is(err, io.ErrUnexpectedEOF)
	if isNetwork {
		return &NetworkError{host, err}
	}
	return err
}

// Error says what failed and what to do, without the words of Go.
func (e *NetworkError) Error() string {
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	isTimeout := errors.Is(e.cause, os.ErrDeadlineExceeded) || errors.Is(e.cause, context.DeadlineExceeded)
	switch {
	case errors.As(e.cause, &certificate):
		return "the certificate of " + e.Host + " is not trusted. Check the date and the proxy of this computer"
	case errors.Is(e.cause, syscall.ECONNREFUSED):
		return e.Host + " refuses the connection. Check the address, or try again later"
	case isTimeout:
		return e.Host + " does not answer. Try again later"
	case errors.As(e.cause, new(*net.DNSError)), errors.As(e.cause, &op) && op.Op == "dial":
		return fmt.Sprintf("cannot reach %s. Is this computer online?", e.Host)
	}

	return fmt.Sprintf("the connection to %s failed. Try again", e.Host)
}

// Unwrap returns the cause.
func (e *NetworkError) Unwrap() error { return e.cause }
