package mail

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// certificate is the certificate of the tests' mail servers. TestMain makes the process trust it.
var certificate tls.Certificate

func TestMain(m *testing.M) { os.Exit(runTrusting(m)) }

func runTrusting(m *testing.M) int {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		NotAfter:              time.Now().Add(time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		log.Fatal(err)
	}
	certificate = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	file, err := os.CreateTemp("", "roots-*.pem")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(file.Name())
	if err := errors.Join(
		pem.Encode(file, &pem.Block{Type: "CERTIFICATE", Bytes: der}),
		file.Close(),
		os.Setenv("SSL_CERT_FILE", file.Name()),
	); err != nil {
		log.Fatal(err)
	}
	return m.Run()
}

// received is a mail that a server received.
type received struct {
	from, to, data string
	tls            bool
	user, password string
}

// mailServer is a real SMTP server that keeps received mails.
type mailServer struct {
	address string

	mu      sync.Mutex
	mails   []received
	offered bool // a client sent a password
}

// newMailServer starts a server that a test can configure first.
func newMailServer(t *testing.T, implicitTLS bool, change func(*smtp.Server)) *mailServer {
	t.Helper()
	m := &mailServer{}
	server := smtp.NewServer(m)
	server.ErrorLog = log.New(io.Discard, "", 0)
	change(server)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.address = listener.Addr().String()
	if implicitTLS {
		listener = tls.NewListener(
			listener,
			&tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
		)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Close()
		<-done
	})
	return m
}

func startTLS(s *smtp.Server) {
	s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
}

func noTLS(s *smtp.Server) { s.AllowInsecureAuth = true }

func (m *mailServer) NewSession(c *smtp.Conn) (smtp.Session, error) {
	_, secure := c.TLSConnectionState()
	return &session{m: m, mail: received{tls: secure}}, nil
}

// session is one connection to a mailServer. It rejects the recipient nobody@.
type session struct {
	m    *mailServer
	mail received
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.m.mu.Lock()
		defer s.m.mu.Unlock()
		s.m.offered = true
		s.mail.user, s.mail.password = user, password
		if password != "secret" {
			return &smtp.SMTPError{
				Code:         535,
				EnhancedCode: smtp.EnhancedCode{5, 7, 8},
				Message:      "Authentication failed",
			}
		}
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.mail.from = from; return nil }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such mailbox"}
	}
	s.mail.to = to
	return nil
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	s.mail.data = string(data)
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.mails = append(s.m.mails, s.mail)
	return err
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// send sends message() to a recipient through an SMTP address.
func send(t *testing.T, address, to string) error {
	t.Helper()
	sender, err := New(address, "roughcut@example.com", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	m := message()
	m.To = to
	return sender.Send(ctx, m)
}

func TestMailsUseTLSAndAuthentication(t *testing.T) {
	for scheme, implicit := range map[string]bool{"smtp": false, "smtps": true} {
		m := newMailServer(t, implicit, startTLS)
		if err := send(t, scheme+"://bob:secret@"+m.address, "ada@example.com"); err != nil {
			t.Fatalf("%s: %v", scheme, err)
		}
		if len(m.mails) != 1 {
			t.Fatalf("%s: server received %+v", scheme, m.mails)
		}
		got := m.mails[0]
		if !got.tls || got.user != "bob" || got.password != "secret" || got.from != "roughcut@example.com" ||
			got.to != "ada@example.com" {
			t.Errorf("%s: server received %+v", scheme, got)
		}
		for _, want := range []string{
			"multipart/alternative", "text/plain", "text/html", "Reset your password", "Message-ID: <11111111-",
			"1111@example.com>",
		} {
			if !strings.Contains(got.data, want) {
				t.Errorf("%s: the mail lacks %q:\n%s", scheme, want, got.data)
			}
		}
		if strings.Contains(got.data, "X-Mailer") || strings.Contains(got.data, "User-Agent") {
			t.Errorf("%s: the mail names a program:\n%s", scheme, got.data)
		}
		err := send(t, scheme+"://bob:wrong@"+m.address, "ada@example.com")
		if err == nil || len(m.mails) != 1 || strings.Contains(err.Error(), "wrong@") {
			t.Errorf("%s: wrong password: %v", scheme, err)
		}
	}
}

// checked connects to a mail server without sending.
func checked(t *testing.T, address string) (encrypted bool, err error) {
	t.Helper()
	sender, err := New(address, "roughcut@example.com", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return sender.(SMTP).Check(ctx)
}

func TestCheckTellsEncryption(t *testing.T) {
	for _, c := range []struct {
		scheme    string
		implicit  bool
		change    func(*smtp.Server)
		encrypted bool
	}{
		{"smtp", false, noTLS, false},
		{"smtp", false, startTLS, true},
		{"smtps", true, startTLS, true},
	} {
		m := newMailServer(t, c.implicit, c.change)
		if encrypted, err := checked(t, c.scheme+"://"+m.address); err != nil || encrypted != c.encrypted {
			t.Errorf("%s: encrypted %v, want %v: %v", c.scheme, encrypted, c.encrypted, err)
		}
	}
}

// A server that never answers delays the end of the program no longer than a connection takes to
// close.
func TestSendEndsWithItsContext(t *testing.T) {
	for _, scheme := range []string{"smtp", "smtps"} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		sender, err := New(scheme+"://"+listener.Addr().String(), "roughcut@example.com", "")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		sent := make(chan error, 1)
		go func() { sent <- sender.Send(ctx, message()) }()
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		cancel()
		select {
		case err := <-sent:
			if err == nil {
				t.Errorf("%s: a mail was sent to nobody", scheme)
			}
		case <-time.After(20 * time.Second): // less than the timeout of a connection
			t.Errorf("%s: the mail still waits for an answer", scheme)
		}
	}
}

func TestNoPasswordWithoutTLS(t *testing.T) {
	m := newMailServer(t, false, noTLS)
	if err := send(t, "smtp://"+m.address, "ada@example.com"); err != nil || len(m.mails) != 1 || m.mails[0].tls {
		t.Fatalf("%v, server received %+v", err, m.mails)
	}
	err := send(t, "smtp://bob:secret@"+m.address, "ada@example.com")
	if err == nil || m.offered || strings.Contains(err.Error(), "secret") {
		t.Errorf("password on a plain connection: %v, sent: %v", err, m.offered)
	}
}

func TestRejectedRecipientAndUnreachableServerAreErrors(t *testing.T) {
	m := newMailServer(t, false, startTLS)
	if err := send(
		t,
		"smtp://"+m.address,
		"nobody@example.com",
	); err == nil || !strings.Contains(err.Error(), "No such mailbox") ||
		len(m.mails) != 0 {
		t.Errorf("rejected recipient: %v, server received %+v", err, m.mails)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	if err := send(t, "smtp://"+address, "ada@example.com"); err == nil {
		t.Error("an unreachable server accepted a mail")
	}
}

func TestUntrustedCertificateIsRejected(t *testing.T) {
	m := newMailServer(t, false, func(s *smtp.Server) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{
			SerialNumber: big.NewInt(2),
			NotAfter:     time.Now().Add(time.Hour),
			IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		}
		der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		s.TLSConfig = &tls.Config{
			Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
			MinVersion:   tls.VersionTLS12,
		}
	})
	if err := send(t, "smtp://bob:secret@"+m.address, "ada@example.com"); err == nil || m.offered || len(m.mails) != 0 {
		t.Errorf("the certificate was trusted: %v, %+v", err, m.mails)
	}
}
