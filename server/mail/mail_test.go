package mail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func message() Message {
	l := PasswordReset(`Ada <script>`, "https://cut.example/reset-password?token=a.b-c", time.Hour)
	return Message{
		ID:      "11111111-1111-4111-8111-111111111111",
		To:      "ada@example.com",
		Subject: l.Subject,
		Text:    l.Text,
		HTML:    l.HTML,
		Date:    time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
	}
}

func TestOutboxWritesOneFilePerMail(t *testing.T) {
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
	for _, want := range []string{
		"To: <ada@example.com>", "From: <roughcut@localhost>", "multipart/alternative", "text/plain", "text/html",
		"Reset your password",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the mail lacks %q:\n%s", want, text)
		}
	}
}

// A link of any length is one line of the file.
func TestOutboxKeepsLinksWhole(t *testing.T) {
	link := "https://cut.example/reset-password?token=" + strings.Repeat("a.b-c", 60)
	l := PasswordReset("Ada", link, time.Hour)
	m := message()
	m.Text, m.HTML = l.Text, l.HTML
	o := Outbox{Dir: t.TempDir(), From: "roughcut@localhost"}
	if err := o.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	names, err := o.List()
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	text, err := os.ReadFile(filepath.Join(o.Dir, names[0]))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), link) != 2 {
		t.Errorf("the link is not whole in the text and the HTML:\n%s", text)
	}
	if lines := strings.Count(string(text), "\n"); strings.Count(string(text), "\r\n") != lines {
		t.Errorf("not all %d lines end with CRLF: %q", lines, text)
	}
}

func TestContentEscapesHTML(t *testing.T) {
	const day = 24 * time.Hour
	m := message()
	if strings.Contains(m.HTML, "<script>") || !strings.Contains(m.HTML, "Ada &lt;script&gt;") ||
		!strings.Contains(m.Text, "Ada <script>") {
		t.Errorf("HTML %s", m.HTML)
	}
	for _, l := range []Content{
		Verification("L", day), Welcome("A", "L"), PasswordReset("A", "L", time.Hour), EmailChange("L", day),
		EmailChangeNotice("A", "L"), Invitation("A", "B", "L", 7*day), ProviderLinked("A", "P", "L"),
		PasswordChanged("A", "L"), TokenCreated("A", "T", "L"),
	} {
		if l.Subject == "" || !strings.Contains(l.Text, "L") || !strings.Contains(l.HTML, `href="L"`) {
			t.Errorf("%+v", l)
		}
	}
	if text := PasswordChanged("A", "").Text; !strings.HasSuffix(text, "choose a new password.\n") {
		t.Errorf("without a link: %q", text)
	}
	for ttl, want := range map[time.Duration]string{
		20 * time.Minute: "after 20 minutes", time.Hour: "after one hour", 90 * time.Minute: "after 90 minutes",
		day: "after 24 hours", 2 * day: "after 48 hours", 7 * day: "after 7 days",
	} {
		if text := Verification("L", ttl).Text; !strings.Contains(text, want) {
			t.Errorf("%v: %q lacks %q", ttl, text, want)
		}
	}
}

func TestOutboxErrors(t *testing.T) {
	m := message()
	m.To = "no address"
	if err := (Outbox{Dir: t.TempDir(), From: "a@b"}).Send(t.Context(), m); err == nil {
		t.Error("a mail to an invalid address was accepted")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Outbox{Dir: file, From: "a@b"}).Send(t.Context(), message()); err == nil {
		t.Error("a mail was written below a regular file")
	}
}

func TestInvalidServerAddresses(t *testing.T) {
	for _, address := range []string{"mail.example.com", "http://mail.example.com", "smtp://", "smtp://%"} {
		if _, err := New(address, "a@b", ""); err == nil || !strings.Contains(err.Error(), "SMTP_URL") {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := New("", "me", ""); err == nil || !strings.Contains(err.Error(), "MAIL_FROM") {
		t.Errorf("a sender without a host: %v", err)
	}
}

func TestSenderOfThisComputerIsForeignElsewhere(t *testing.T) {
	for _, c := range []struct {
		server, from   string
		local, foreign bool
	}{
		{"smtp://mail.example.org", "roughcut@localhost", false, true},
		{"smtp://mail.example.org", "Roughcut <cut@example.org>", false, false},
		{"smtp://127.0.0.1:25", "roughcut@localhost", true, false},
		{"smtp://localhost", "roughcut@localhost", true, false},
	} {
		sender, err := New(c.server, c.from, "")
		if err != nil {
			t.Fatal(err)
		}
		if s := sender.(SMTP); s.Local() != c.local || s.Foreign() != c.foreign {
			t.Errorf("%s from %s: local %v, foreign %v", c.server, c.from, s.Local(), s.Foreign())
		}
	}
}

func TestOutboxReadsMailsBack(t *testing.T) {
	o := Outbox{Dir: filepath.Join(t.TempDir(), "outbox"), From: "roughcut@localhost"}
	if names, err := o.List(); err != nil || len(names) != 0 {
		t.Fatalf("a missing folder lists %v %v", names, err)
	}
	first := message()
	second := first
	second.ID = "22222222-2222-4222-8222-222222222222"
	second.Subject = "Überprüfe ✓ deine sehr lange Adresse, die nicht in eine Zeile des Kopfes passt"
	second.Date = first.Date.Add(time.Hour)
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
			t.Errorf("%s is read as %+v, %v\nwant %+v", names[i], got, err, want)
		}
	}
	for _, name := range []string{"none.eml", "secret.txt", "../outbox/" + names[0], "/etc/passwd"} {
		if _, err := o.Read(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
