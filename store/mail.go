package store

import (
	"time"

	"roughcut/store/table"
)

// Mail is a message to one address.
type Mail struct{ To, Subject, Text, HTML string }

// QueuedMail is a Mail in the outbox.
type QueuedMail struct {
	UUID string
	Mail
	Attempts                 int
	LastError                string
	CreatedAt, NextAttemptAt time.Time
}

var mailsByDue = &table.Index[QueuedMail]{
	Name: "mails.by_due",
	Keys: func(m *QueuedMail) [][]byte { return table.Entry(m.NextAttemptAt) },
}

var mails = &table.Table[QueuedMail]{
	Name:    "mails",
	Noun:    "mail",
	Key:     func(m *QueuedMail) []byte { return []byte(m.UUID) },
	Indexes: []*table.Index[QueuedMail]{mailsByDue},
}

// After a failure, a mail is sent again after mailBackoff. The pause doubles with each attempt up
// to mailBackoffMax. After mailAttempts attempts the mail is dropped.
const (
	mailBackoff    = 30 * time.Second
	mailBackoffMax = time.Hour
	mailAttempts   = 12
)

// QueueMails adds mails to the outbox.
func (s *Store) QueueMails(list ...Mail) error {
	return s.update(func(t *txn) error { return t.queueMails(list) })
}

func (t *txn) queueMails(list []Mail) error {
	for _, m := range list {
		if err := mails.Put(
			t,
			&QueuedMail{UUID: t.NewID(), Mail: m, CreatedAt: t.Now, NextAttemptAt: t.Now},
		); err != nil {
			return err
		}

		t.wakeOnCommit(t.s.mailQueued)
	}

	return nil
}

// DueMails returns up to limit mails that are due, the longest due first.
func (s *Store) DueMails(limit int) ([]QueuedMail, error) {
	return viewed(s, func(t *txn) (due []QueuedMail, err error) {
		rows, err := mails.Due(t, mailsByDue, t.Now)
		for _, m := range rows[:min(limit, len(rows))] {
			due = append(due, *m)
		}
		return due, err
	})
}

// Mails returns one page of the outbox, the longest due first, and the number of all mails.
func (s *Store) Mails(p Page) ([]QueuedMail, int, error) {
	return viewedPage(s, func(t *txn) (list []QueuedMail, total int, err error) {
		rows, err := mails.List(t, mailsByDue)
		for _, m := range table.Cut(rows, p) {
			list = append(list, *m)
		}
		return list, len(rows), err
	})
}

// MailSent deletes a mail from the outbox. It ignores an unknown mail.
func (s *Store) MailSent(uuid string) error {
	return s.update(func(t *txn) error { return mails.Delete(t, uuid) })
}

// MailFailed schedules the next attempt to send a mail, or drops the mail after the last one.
func (s *Store) MailFailed(uuid string, reason string) error {
	return s.update(func(t *txn) error {
		m, err := mails.Get(t, uuid)
		if err != nil {
			return err
		}
		m.Attempts++
		m.LastError = reason
		if m.Attempts >= mailAttempts {
			t.s.o.Log.Error("dropping a mail", "mail", m.UUID, "attempts", m.Attempts, "error", reason)
			return mails.Delete(t, uuid)
		}

		m.NextAttemptAt = t.Now.Add(min(mailBackoff<<(m.Attempts-1), mailBackoffMax))
		return mails.Put(t, m)
	})
}

// MailQueued receives a token when there may be mails to send.
func (s *Store) MailQueued() <-chan struct{} { return s.mailQueued }
