package mail

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

func message() Message {
	l := Reset(`Ada <script>`, "https://cut.example/reset-password?token=a.b-c", 1)
	return Message{ID: "11111111-1111-4111-8111-111111111111", To: "ada@example.com", Subject: l.Subject, Text: l.Text, HTML: l.HTML, Date: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
}

func TestOutboxWritesOneFileAMail(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "outbox")
	sender, err := New("", "roughcut@localhost", dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the same mail again, as after a crash
		if err := sender.Send(t.Context(), message()); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || !strings.HasSuffix(entries[0].Name(), ".eml") {
		t.Fatalf("%v %v", entries, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, entries[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"To: <ada@example.com>", "From: <roughcut@localhost>", "multipart/alternative", "text/plain", "text/html", "Reset your password"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the mail lacks %q:\n%s", want, text)
		}
	}
}

func TestLettersEscapeHTML(t *testing.T) {
	m := message()
	if strings.Contains(m.HTML, "<script>") || !strings.Contains(m.HTML, "Ada &lt;script&gt;") || !strings.Contains(m.Text, "Ada <script>") {
		t.Errorf("the letter is %s", m.HTML)
	}
	for _, l := range []Letter{Verification("A", "L", 24), Welcome("A", "L"), Reset("A", "L", 1), EmailChange("A", "L", 24), EmailChangeNotice("A", "L")} {
		if l.Subject == "" || !strings.Contains(l.Text, "L") || !strings.Contains(l.HTML, `href="L"`) {
			t.Errorf("%+v", l)
		}
	}
	if !strings.Contains(Verification("A", "L", 24).Text, "24 hours") || !strings.Contains(Reset("A", "L", 1).Text, "one hour") {
		t.Error("the lifetime of a link is not told")
	}
}

func TestOutboxTellsWhatIsWrong(t *testing.T) {
	m := message()
	m.To = "no address"
	if err := (Outbox{Dir: t.TempDir(), From: "a@b"}).Send(t.Context(), m); err == nil {
		t.Error("a mail to nowhere was accepted")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Outbox{Dir: file, From: "a@b"}).Send(t.Context(), message()); err == nil {
		t.Error("a mail went into a file that is no folder")
	}
}

func TestBadServerAddresses(t *testing.T) {
	for _, address := range []string{"mail.example.com", "http://mail.example.com", "smtp://", "smtp://%"} {
		if _, err := New(address, "a@b", ""); err == nil || !strings.Contains(err.Error(), "SMTP_URL") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// received is what an SMTP server was handed.
type received struct{ from, to, data string }

// backend is a real SMTP server's other half: it keeps what comes.
type backend struct {
	mails   chan received
	offered atomic.Bool // a password was sent
}

func (b *backend) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{b: b}, nil }

type session struct {
	b *backend
	m received
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, _ string) error {
		s.b.offered.Store(true)
		return nil
	}), nil
}
func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.m.from = from; return nil }
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error   { s.m.to = to; return nil }
func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	s.m.data = string(data)
	s.b.mails <- s.m
	return err
}
func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

func TestSMTP(t *testing.T) {
	b := &backend{mails: make(chan received, 1)}
	server := smtp.NewServer(b)
	server.AllowInsecureAuth = true
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
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
	address := listener.Addr().String()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()

	sender, err := New("smtp://"+address, "roughcut@example.com", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := sender.Send(ctx, message()); err != nil {
		t.Fatal(err)
	}
	got := <-b.mails
	if got.from != "roughcut@example.com" || got.to != "ada@example.com" || !strings.Contains(got.data, "Reset your password") {
		t.Errorf("the server got %+v", got)
	}
	if err := sender.(SMTP).Check(ctx); err != nil {
		t.Errorf("checking a server that answers: %v", err)
	}
	// This server offers no TLS: a password must not be sent to it.
	open, err := New("smtp://bob:secret@"+address, "roughcut@example.com", "")
	if err != nil {
		t.Fatal(err)
	}
	err = open.Send(ctx, message())
	if err == nil || b.offered.Load() || strings.Contains(err.Error(), "secret") {
		t.Errorf("a password over an open connection: %v, sent: %v", err, b.offered.Load())
	}
	if err := open.(SMTP).Check(ctx); err == nil || b.offered.Load() || len(b.mails) > 0 {
		t.Errorf("checking with a password over an open connection: %v, sent: %v", err, b.offered.Load())
	}
}

func TestTheOutboxCanBeRead(t *testing.T) {
	o := Outbox{Dir: filepath.Join(t.TempDir(), "outbox"), From: "roughcut@localhost"}
	if names, err := o.List(); err != nil || len(names) != 0 {
		t.Fatalf("a missing folder lists %v %v", names, err)
	}
	first := message()
	second := first
	second.ID, second.Subject, second.Date = "22222222-2222-4222-8222-222222222222", "Überprüfe ✓ deine sehr lange Adresse, die nicht in eine Zeile des Kopfes passt", first.Date.Add(time.Hour)
	second.Text = strings.Repeat("eine lange Zeile mit = und ä ", 20) + "\nEnde\n"
	for _, m := range []Message{first, second} {
		if err := o.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "secret.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	names, err := o.List()
	if err != nil || len(names) != 2 {
		t.Fatalf("%v %v", names, err)
	}
	for i, want := range []Message{second, first} {
		got, err := o.Read(names[i])
		got.Text, got.HTML = strings.ReplaceAll(got.Text, "\r\n", "\n"), strings.ReplaceAll(got.HTML, "\r\n", "\n")
		if err != nil || got != want {
			t.Errorf("%s reads as %+v, %v\nwant %+v", names[i], got, err, want)
		}
	}
	for _, name := range []string{"none.eml", "secret.txt", "../outbox/" + names[0], "/etc/passwd"} {
		if _, err := o.Read(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
