package fault

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
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
		return certificateText(e.Host, certificate)
	case errors.Is(e.cause, syscall.ECONNREFUSED):
		return e.Host + " refuses the connection. Check the address, or try again later"
	case isTimeout:
		return e.Host + " does not answer. Try again later"
	case errors.As(e.cause, new(*net.DNSError)), errors.As(e.cause, &op) && op.Op == "dial":
		return fmt.Sprintf("cannot reach %s. Is this computer online?", e.Host)
	}

	return fmt.Sprintf("the connection to %s failed. Try again", e.Host)
}

// certificateText says why the certificate of a host is not trusted, and what to do.
func certificateText(host string, err *tls.CertificateVerificationError) string {
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, new(x509.HostnameError)) && len(err.UnverifiedCertificates) > 0:
		return fmt.Sprintf("the certificate of %s is for %s. Use a name that it has, or another certificate",
			host, strings.Join(namesOf(err.UnverifiedCertificates[0]), ", "))
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		const text = "the certificate of %s is valid from %s to %s only. Renew it, or set the clock of this computer"
		return fmt.Sprintf(
			text, host, invalid.Cert.NotBefore.Format(time.DateOnly), invalid.Cert.NotAfter.Format(time.DateOnly),
		)
	}

	return "the certificate of " + host + " is not trusted. Check the date and the proxy of this computer"
}

// namesOf returns the hosts of a certificate.
func namesOf(c *x509.Certificate) []string {
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		names = append(names, c.Subject.CommonName)
	}
	return names
}

// Unwrap returns the cause.
func (e *NetworkError) Unwrap() error { return e.cause }
