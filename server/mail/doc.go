// Package mail writes the mails of Roughcut and delivers them: through an SMTP server, or as .eml
// files in an outbox folder.
package mail
