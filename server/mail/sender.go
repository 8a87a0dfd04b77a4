package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"roughcut/store/fault"
)

// Message is one mail to one address, as plain text and as HTML.
type Message struct {
	ID      string // unique; retries of a message keep it
	To      string
	Subject string
	Text    string
	HTML    string
	Date    time.Time
}

// ParseAddress trims text and reports whether it is an email address without a display name.
func ParseAddress(text string) (address string, ok bool) {
	text = strings.TrimSpace(text)
	parsed, err := netmail.ParseAddress(text)
	return text, err == nil && parsed.Address == text
}

// Sender delivers a message. An error means that the message was not accepted; the caller may
// retry.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// New returns a Sender for an SMTP address such as smtp://user:pass@host:587 or smtps://host. An
// empty address selects an Outbox in the folder outbox. from is the sender's address, perhaps with
// a display name.
func New(smtpURL, from, outbox string) (Sender, error) {
	if _, err := netmail.ParseAddress(from); err != nil {
		return nil, fmt.Errorf("MAIL_FROM is not an email address: %q; write it as roughcut@example.org", from)
	}
	if smtpURL == "" {
		return Outbox{Dir: outbox, From: from}, nil
	}
	u, err := url.Parse(smtpURL)
	if err != nil || u.Hostname() == "" || (u.Scheme != "smtp" && u.Scheme != "smtps") {
		return nil, errors.New(
			"SMTP_URL is not a mail server address; write it as smtp://user:password@host:587 or " +
				"smtps://user:password@host",
		)
	}

	return SMTP{url: u, from: from}, nil
}

// Outbox is a Sender that writes each mail to a file in a folder, named after its date and ID.
type Outbox struct {
	Dir  string
	From string
}

// Send writes the message and replaces an earlier one with the same date and ID. Its lines stay
// whole, so that a link can be copied from the file.
func (o Outbox) Send(_ context.Context, m Message) error {
	m.Text, m.HTML = withCRLF(m.Text), withCRLF(m.HTML)
	msg, err := compose(m, o.From, gomail.WithEncoding(gomail.NoEncoding))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("create the outbox folder: %w", err)
	}
	file, err := os.CreateTemp(o.Dir, ".mail-*")
	if err != nil {
		return fmt.Errorf("write a mail to the outbox: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = msg.WriteTo(file)
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(o.Dir, m.Date.UTC().Format("20060102T150405")+"-"+m.ID+".eml"))
	}
	if err != nil {
		return fmt.Errorf("write a mail to the outbox: %w", err)
	}
	return nil
}

// withCRLF ends lines as RFC 5322 wants it. An encoding would do so, but the outbox has none.
func withCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// SMTP is a Sender that delivers mails to a server, with TLS if the server offers it.
type SMTP struct {
	url  *url.URL
	from string
}

// Send delivers the message over a new connection. The end of ctx ends it at once.
func (s SMTP) Send(ctx context.Context, m Message) error {
	msg, err := compose(m, s.from)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client, err := s.client(ctx)
	if err != nil {
		return err
	}
	if err := client.DialAndSendWithContext(ctx, msg); err != nil {
		return fmt.Errorf("send a mail through %s: %w", s.url.Hostname(), fault.Network(s.url.Host, err))
	}
	return nil
}

// Check connects and authenticates but sends nothing. It reports whether the connection was
// encrypted.
func (s SMTP) Check(ctx context.Context) (encrypted bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client, err := s.client(ctx)
	if err != nil {
		return false, err
	}
	connection, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return false, fmt.Errorf("connect to the mail server: %w", fault.Network(s.url.Host, err))
	}
	_, encrypted = connection.TLSConnectionState()
	if err := client.CloseWithSMTPClient(connection); err != nil {
		return encrypted, fmt.Errorf("disconnect from the mail server %s: %w", s.url.Hostname(), err)
	}
	return encrypted, nil
}

// Local reports whether the server runs on this computer.
func (s SMTP) Local() bool { return isLocal(s.url.Hostname()) }

// Foreign reports whether mails leave this computer with a sender that exists only on it. Many
// servers refuse such mails.
func (s SMTP) Foreign() bool { return !s.Local() && isLocal(domain(s.from)) }

func isLocal(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// client returns a client with connections that end with ctx.
func (s SMTP) client(ctx context.Context) (*gomail.Client, error) {
	options := []gomail.Option{
		gomail.WithTLSPolicy(gomail.TLSOpportunistic), gomail.WithTimeout(30 * time.Second),
		gomail.WithDialContextFunc(s.dialUntil(ctx)),
	}
	port := s.url.Port()
	if port == "" && s.url.Scheme == "smtps" {
		port = "465"
	}
	if port != "" {
		n, err := strconv.Atoi(port)
		if err != nil {
			return nil, fmt.Errorf("parse the port of SMTP_URL: %w", err)
		}
		options = append(options, gomail.WithPort(n))
	}

	if user := s.url.User; user != nil {
		password, _ := user.Password()
		options = append(
			options,
			gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(user.Username()),
			gomail.WithPassword(password),
		)
	}

	client, err := gomail.NewClient(s.url.Hostname(), options...)
	if err != nil {
		return nil, fmt.Errorf("create the mail client: %w", err)
	}
	return client, nil
}

// dialUntil returns the function that connects to the server, for smtps with TLS. The end of ctx
// closes the connection: the client itself would wait for an answer until its timeout.
func (s SMTP) dialUntil(ctx context.Context) gomail.DialContextFunc {
	dial := new(net.Dialer).DialContext
	if s.url.Scheme == "smtps" {
		config := &tls.Config{ServerName: s.url.Hostname(), MinVersion: tls.VersionTLS12}
		dial = (&tls.Dialer{Config: config}).DialContext
	}

	return func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(dialing, network, address)
		if err == nil {
			context.AfterFunc(ctx, func() { _ = conn.Close() }) // an error means that it is closed
		}
		return conn, err
	}
}

func compose(m Message, from string, options ...gomail.MsgOption) (*gomail.Msg, error) {
	msg := gomail.NewMsg(append(options, gomail.WithNoDefaultUserAgent())...)
	if err := msg.From(from); err != nil {
		return nil, fmt.Errorf("MAIL_FROM: %w", err)
	}
	if err := msg.To(m.To); err != nil {
		return nil, fmt.Errorf("parse the recipient of a mail: %w", err)
	}
	msg.Subject(m.Subject)
	msg.SetDateWithValue(m.Date)
	msg.SetMessageIDWithValue(m.ID + "@" + domain(from))
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return msg, nil
}

// domain returns the host of an email address that may have a display name.
func domain(from string) string {
	address, err := netmail.ParseAddress(from)
	if err != nil {
		return "localhost" // New has refused it
	}
	return strings.ToLower(address.Address[strings.LastIndex(address.Address, "@")+1:])
}
