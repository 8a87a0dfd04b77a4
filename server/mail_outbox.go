package server

import (
	"context"
	"time"

	"roughcut/server/mail"
	"roughcut/store"
)

// mailInterval is the time between two looks for mails that are due for a retry. New mails are
// sent immediately.
const mailInterval = 15 * time.Second

// mailBatch is the number of mails per query of the queue.
const mailBatch = 20

// sendsMail reports whether mails reach people. Otherwise they go to the outbox folder.
func (s *Server) sendsMail() bool {
	_, outbox := s.Mail.(mail.Outbox)
	return !outbox
}

// Run sends the queued mails until ctx ends. Mails that fail stay queued for a retry.
func (s *Server) Run(ctx context.Context) error {
	tick := time.NewTicker(mailInterval)
	defer tick.Stop()
	for {
		if err := s.sendMails(ctx); err != nil {
			s.Log.Error("sending mails failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.Store.MailQueued():
		case <-tick.C:
		}
	}
}

// sendMails sends the mails that are due.
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
		return nil // interrupted by the shutdown; it stays due
	}
	if err != nil {
		s.Log.Warn("mail delivery failed, will retry", "mail", m.UUID, "error", err)
		return s.Store.MailFailed(m.UUID, err.Error())
	}

	return s.Store.MailSent(m.UUID)
}
