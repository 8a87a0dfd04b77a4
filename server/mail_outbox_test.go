package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"roughcut/server/mail"
	"roughcut/store"
)

// flakySender rejects mails while refuse is set, and otherwise accepts them.
type flakySender struct {
	refuse bool
	tried  int
	sent   chan mail.Message
}

func (f *flakySender) Send(_ context.Context, m mail.Message) error {
	f.tried++
	if f.refuse {
		return errors.New("mail server unavailable")
	}
	f.sent <- m
	return nil
}

func TestRejectedMailIsRetriedLater(t *testing.T) {
	t.Parallel()
	sender := &flakySender{refuse: true, sent: make(chan mail.Message, 4)}
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Mail = sender })
	signup(w.anonymous(), "ada").want(201, "")
	for range 2 {
		if err := w.server.sendMails(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if sender.tried != 1 {
		t.Errorf("a rejected mail was tried %d times at once", sender.tried)
	}
	sender.refuse = false
	w.clock.Advance(time.Hour)
	for range 2 {
		if err := w.server.sendMails(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if m := <-sender.sent; m.To != "ada@example.com" || m.ID == "" || m.Text == "" || m.HTML == "" {
		t.Errorf("sent %+v", m)
	}
	if len(sender.sent) != 0 {
		t.Error("the mail was sent twice")
	}
}

func TestRunSendsQueuedMails(t *testing.T) {
	t.Parallel()
	sender := &flakySender{sent: make(chan mail.Message, 4)}
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Mail = sender })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.server.Run(ctx) }()
	for _, name := range []string{"ada", "bob"} {
		signup(w.anonymous(), name).want(201, "")
		select {
		case m := <-sender.sent:
			if m.To != name+"@example.com" {
				t.Errorf("a mail was sent to %s", m.To)
			}
		case <-time.After(patience):
			t.Fatal("a queued mail was not sent")
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
