package mail

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	netmail "net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// emlSuffix ends the file names of mails in the outbox.
const emlSuffix = ".eml"

// List returns the names of the mails in the outbox, newest first.
func (o Outbox) List() ([]string, error) {
	entries, err := os.ReadDir(o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the outbox folder: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), emlSuffix) {
			names = append(names, e.Name())
		}
	}

	slices.Sort(names) // names start with the time
	slices.Reverse(names)
	return names, nil
}

// Read returns a mail of the outbox by its name, or fs.ErrNotExist.
func (o Outbox) Read(name string) (Message, error) {
	if filepath.Base(name) != name || !strings.HasSuffix(name, emlSuffix) {
		return Message{}, fs.ErrNotExist
	}
	msg, err := gomail.EMLToMsgFromFile(filepath.Join(o.Dir, name))
	if err != nil {
		return Message{}, fmt.Errorf("read a mail from the outbox: %w", err)
	}
	m := Message{
		Subject: header(msg, gomail.HeaderSubject),
	}
	m.ID, _, _ = strings.Cut(strings.TrimPrefix(header(msg, gomail.HeaderMessageID), "<"), "@")
	if to, err := netmail.ParseAddress(strings.Join(msg.GetToString(), ",")); err == nil {
		m.To = to.Address
	}
	if date, err := netmail.ParseDate(header(msg, gomail.HeaderDate)); err == nil {
		m.Date = date.In(time.UTC)
	}
	for _, part := range msg.GetParts() {
		content, err := part.GetContent()
		if err != nil {
			return Message{}, fmt.Errorf("read a mail from the outbox: %w", err)
		}
		text := strings.ReplaceAll(string(content), "\r\n", "\n")
		switch part.GetContentType() {
		case gomail.TypeTextPlain:
			m.Text = text
		case gomail.TypeTextHTML:
			m.HTML = text
		}
	}

	return m, nil
}

// header returns the decoded first value of a header.
func header(msg *gomail.Msg, name gomail.Header) string {
	values := msg.GetGenHeader(name)
	if len(values) == 0 {
		return ""
	}
	text, err := new(mime.WordDecoder).DecodeHeader(values[0])
	if err != nil {
		return values[0]
	}
	return text
}
