package server

import (
	"context"
	"time"

	"roughcut/server/mail"
	"roughcut/store"
)

// Mails that wait for another try are looked at this often; new ones are sent at once.
const mailInterval = 15 * time.Second

// mailBatch is how many mails are taken from the queue at a time.
const mailBatch = 20

// Run sends the queued mails until ctx ends. What it cannot send stays queued and is tried again
// later.
func (s *Server) Run(ctx context.Context) error {
	tick := time.NewTicker(mailInterval)
	defer tick.Stop()
	for {
		if err := s.sendMails(ctx); err != nil {
			s.Log.Error("send mails", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.Store.MailQueued():
		case <-tick.C:
		}
	}
}

// sendMails sends what is due.
func (s *Server) sendMails(ctx context.Context) error {
	for ctx.Err() == nil {
		due, err := s.Store.DueMails(mailBatch)
		if err != nil || len(due) == 0 {
			return err
		}
		for _, m := range due {
			if err := s.sendMail(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Server) sendMail(ctx context.Context, m store.QueuedMail) error {
	err := s.Mail.Send(
		ctx,
		mail.Message{ID: m.UUID, To: m.To, Subject: m.Subject, Text: m.Text, HTML: m.HTML, Date: m.CreatedAt},
	)
	if ctx.Err() != nil && err != nil {
		return nil // the shutdown interrupted it; it stays due
	}
	if err != nil {
		s.Log.Warn("a mail was not accepted; it is tried again later", "mail", m.UUID, "error", err)
		return s.Store.MailFailed(m.UUID, err.Error())
	}
	return s.Store.MailSent(m.UUID)
}
