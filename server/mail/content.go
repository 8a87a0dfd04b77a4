package mail

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// Content is the subject and the body of a mail.
type Content struct {
	Subject string
	Text    string
	HTML    string
}

// Verification returns the mail that confirms an address with a link, which is valid for ttl. The
// mail contains no text from the sign-up, because the address may belong to a stranger.
func Verification(link string, ttl time.Duration) Content {
	return newContent(
		"Confirm your email address",
		"",
		"please confirm your email address to start using Roughcut.",
		"Confirm the address",
		link,
		fmt.Sprintf(
			"The link works once and expires after %s. If you did not sign up, ignore this mail.",
			timeText(ttl),
		),
	)
}

// Welcome returns the mail that greets a user with a confirmed address.
func Welcome(name, link string) Content {
	return newContent("Welcome to Roughcut", name,
		"your email address is confirmed. Add a recording to get a first cut.", "Open Roughcut", link, "")
}

// PasswordReset returns the mail with a link for setting a new password. Leave name empty for
// unconfirmed addresses.
func PasswordReset(name, link string, ttl time.Duration) Content {
	return newContent("Reset your password", name,
		"we received a request to reset the password of your account.", "Choose a new password", link,
		fmt.Sprintf("The link works once and expires after %s. If you did not request it, ignore this mail. "+
			"Your password stays the same.", timeText(ttl)))
}

// EmailChange returns the mail that confirms the new address of an account. Like Verification, it
// contains no text from other people.
func EmailChange(link string, ttl time.Duration) Content {
	return newContent("Confirm your new email address", "",
		"please confirm this email address as the new address of your account.", "Use this address", link,
		fmt.Sprintf("The link works once and expires after %s. If you did not request it, ignore this mail. "+
			"Nothing changes.", timeText(ttl)))
}

// EmailChangeNotice returns the mail that warns the current address of an account about a requested
// change.
func EmailChangeNotice(name, link string) Content {
	return newContent("Your email address is about to change", name,
		"we received a request to change the email address of your account. "+
			"Nothing changes until the new address is confirmed.",
		"If you did not request it, sign in and change your password now to cancel the request", link, "")
}

// Invitation returns the mail that invites a person to create an account, with a link for ttl.
func Invitation(name, inviter, link string, ttl time.Duration) Content {
	return newContent("You are invited to Roughcut", name,
		inviter+" invites you to create an account. Roughcut turns a recording into a first cut.",
		"Create an account", link,
		fmt.Sprintf("The link works once and expires after %s. If you do not know the sender, ignore this mail.",
			timeText(ttl)))
}

// PasswordChanged returns the mail about a new password of an account.
func PasswordChanged(name, link string) Content {
	return newContent("Your password was changed", name,
		"the password of your account was changed, and all sessions and access tokens have ended.",
		"If you did not do this, choose a new password", link, "")
}

// EmailChanged returns the mail to the former address of an account about its new one.
func EmailChanged(name, address string) Content {
	return newContent("Your email address was changed", name,
		"your account now has another email address, and this one can no longer sign in.",
		"If you did not do this, write to the administrator of this server", "mailto:"+address, "")
}

// TokenCreated returns the mail about a new access token of an account.
func TokenCreated(name, token, link string) Content {
	return newContent("A new access token for your account", name,
		fmt.Sprintf("the access token %q was created. Programs can use it to act for you.", token),
		"If you did not do this, revoke it and change your password", link, "")
}

// ProviderLinked returns the mail about a new sign-in provider of an account.
func ProviderLinked(name, provider, link string) Content {
	return newContent("You can now sign in with "+provider, name,
		"your account is now linked to "+provider+", which has verified this email address.", "Open Roughcut", link,
		"If you did not do this, someone else can sign in at "+provider+" with your address. "+
			"Secure your account there. Then end all sessions here and choose a new password.")
}

// RenewalReminder returns the mail that a user requested before a renewal.
func RenewalReminder(name, tier, date, amount, link string) Content {
	return newContent("Your Roughcut subscription renews soon", name,
		fmt.Sprintf("you asked for a reminder: your %s subscription renews on %s for %s.", tier, date, amount),
		"Change or cancel it", link, "")
}

// PaymentDeclined returns the mail about a declined renewal that will be retried.
func PaymentDeclined(name, tier, amount, reason, link string) Content {
	return newContent("Your payment was declined", name,
		fmt.Sprintf("the renewal of your %s subscription for %s was declined: %s", tier, amount, reason),
		"Add another card", link,
		"We will try again in the next few days. Your subscription stays active until the last attempt.")
}

// SubscriptionEnded returns the mail about a renewal whose last attempt was declined.
func SubscriptionEnded(name, tier, amount, link string) Content {
	return newContent(
		"Your Roughcut subscription has ended",
		name,
		fmt.Sprintf(
			"the last attempt to renew your %s subscription for %s was declined, so your account is now on Free. "+
				"All your projects are still there.",
			tier,
			amount,
		),
		"Choose a subscription",
		link,
		"",
	)
}

// SupportRequest returns the mail that passes a user's message to the team.
func SupportRequest(name, email, reason, account, message string) Content {
	return newContent("[Priority] Support: "+strings.Join(strings.Fields(reason), " "), "team",
		fmt.Sprintf("%s (%s) asks for help. Account: %s.", name, email, account), "Answer", "mailto:"+email, message)
}

// SupportReceived returns the mail that confirms a support request to its sender.
func SupportReceived(name, message, link string) Content {
	return newContent("We received your message", name,
		"the team has received your message and will answer by mail.", "Open Roughcut", link,
		"You wrote:\n\n"+message)
}

// newContent lays out a greeting, a sentence, an action and an optional note as text and as HTML.
// It greets without a name if name is empty, and the action has no link if link is empty.
func newContent(subject, name, sentence, action, link, note string) Content {
	greeting := strings.TrimSpace("Hello " + name)
	var text, page strings.Builder
	fmt.Fprintf(&text, "%s,\n\n%s\n\n", greeting, sentence)
	fmt.Fprintf(&page,
		`<!doctype html><html lang="en"><meta charset="utf-8"><title>%s</title>`+
			`<body style="font-family:sans-serif;line-height:1.5"><p>%s,</p><p>%s</p>`,
		html.EscapeString(subject), html.EscapeString(greeting), html.EscapeString(sentence))
	if link == "" {
		fmt.Fprintf(&text, "%s.\n", action)
		fmt.Fprintf(&page, `<p>%s.</p>`, html.EscapeString(action))
	} else {
		fmt.Fprintf(&text, "%s:\n%s\n", action, link)
		fmt.Fprintf(&page, `<p><a href="%s">%s</a></p>`, html.EscapeString(link), html.EscapeString(action))
	}

	if note != "" {
		fmt.Fprintf(&text, "\n%s\n", note)
		fmt.Fprintf(&page, "<p style=\"white-space:pre-line\">%s</p>", html.EscapeString(note))
	}

	page.WriteString("</body></html>\n")
	return Content{Subject: subject, Text: text.String(), HTML: page.String()}
}

// timeText returns a time to the minute, in its largest whole unit. It counts hours up to two days.
func timeText(d time.Duration) string {
	const day = 24 * time.Hour
	d = d.Round(time.Minute)
	switch {
	case d%day == 0 && d > 2*day:
		return fmt.Sprintf("%d days", d/day)
	case d == time.Hour:
		return "one hour"
	case d%time.Hour == 0:
		return fmt.Sprintf("%d hours", d/time.Hour)
	}

	return fmt.Sprintf("%d minutes", d/time.Minute)
}
