// Package mail writes the program's mails and hands them on: to an SMTP server, or into a folder as
// one .eml file each.
package mail
