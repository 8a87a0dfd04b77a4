package server

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"roughcut/server/mail"
	"roughcut/store"
)

// mailbox is a mail server that records recipients and has no mailbox for nobody@.
type mailbox struct {
	mu sync.Mutex
	to []string
}

func (m *mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &delivery{m: m}, nil }

func (m *mailbox) got() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string{}, m.to...)
}

type delivery struct {
	m  *mailbox
	to string
}

func (d *delivery) Mail(string, *smtp.MailOptions) error { return nil }

func (d *delivery) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such mailbox"}
	}
	d.to = to
	return nil
}

func (d *delivery) Data(r io.Reader) error {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	d.m.to = append(d.m.to, d.to)
	return nil
}

func (d *delivery) Reset()        {}
func (d *delivery) Logout() error { return nil }

func TestMailRetriesDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	sender, err := mail.New("smtp://"+address, "roughcut@example.com", "")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Mail = sender })
	send := func() {
		t.Helper()
		if err := w.server.sendMails(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	signup(w.anonymous(), "nobody").want(201, "")
	signup(w.anonymous(), "ada").want(201, "")
	send()

	box := &mailbox{}
	server := smtp.NewServer(box)
	if listener, err = net.Listen("tcp", address); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	defer func() {
		server.Close()
		<-done
	}()
	send() // too early for a retry
	if got := box.got(); len(got) != 0 {
		t.Errorf("retried immediately: %v", got)
	}
	w.clock.Advance(time.Minute)
	send()
	w.clock.Advance(24 * time.Hour)
	send()
	if got := box.got(); len(got) != 1 || got[0] != "ada@example.com" {
		t.Errorf("delivered to %v", got)
	}
	for range 12 { // mails to unknown mailboxes are eventually abandoned
		w.clock.Advance(time.Hour)
		send()
	}
	if due, err := w.store.DueMails(10); err != nil || len(due) != 0 {
		t.Errorf("still queued: %v %v", due, err)
	}
	w.faulty = true // abandoning a mail logs an error
}
