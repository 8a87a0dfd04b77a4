package mail

import (
	"fmt"
	"html"
	"strings"
)

// Letter is what a mail says, without its address.
type Content struct {
	Subject string
	Text    string
	HTML    string
}

// Verification asks somebody to confirm their address with a link that lives for the given number
// of hours. It holds nothing that whoever asked for it wrote: the address may be a stranger's.
func Verification(link string, hours int) Content {
	return letter("Confirm your email address", "",
		"please confirm your email address to start using Roughcut.", "Confirm the address", link,
		fmt.Sprintf("The link works once, for %s. If you did not sign up, ignore this mail.", hoursText(hours)))
}

// Welcome greets somebody whose address is confirmed.
func Welcome(name, link string) Content {
	return letter("Welcome to Roughcut", name,
		"your email address is confirmed. Drop a recording and get a first cut back.", "Open Roughcut", link, "")
}

// Reset offers a link that sets a new password. The name is left out where the address was never
// confirmed to be the person's.
func PasswordReset(name, link string, hours int) Content {
	return letter(
		"Reset your password",
		name,
		"somebody, probably you, asked to reset the password of your account.",
		"Choose a new password",
		link,
		fmt.Sprintf(
			"The link works once, for %s. If it was not you, ignore this mail: your password stays as it is.",
			hoursText(hours),
		),
	)
}

// EmailChange asks somebody to confirm that an account shall use their address. As Verification, it
// says nothing that somebody else wrote.
func EmailChange(link string, hours int) Content {
	return letter(
		"Confirm your new email address",
		"",
		"please confirm that your account shall use this email address from now on.",
		"Use this address",
		link,
		fmt.Sprintf(
			"The link works once, for %s. If you did not ask for it, ignore this mail: nothing changes.",
			hoursText(hours),
		),
	)
}

// EmailChangeNotice warns the present address of an account that another one was asked for.
func EmailChangeNotice(name, link string) Content {
	return letter(
		"Your email address is about to change",
		name,
		"somebody who knows your password, probably you, asked to move your account to another email address. Until the new address is confirmed, nothing changes.",
		"If it was not you, sign in and change your password now: that voids the request",
		link,
		"",
	)
}

// Invitation asks somebody to make an account with a link that lives for the given number of days.
func Invitation(name, inviter, link string, days int) Content {
	return letter(
		"You are invited to Roughcut",
		name,
		inviter+" invites you to make an account. Roughcut turns a recording into a first cut.",
		"Make an account",
		link,
		fmt.Sprintf(
			"The link works once, for %s. If you do not know who it is from, ignore this mail.",
			daysText(days),
		),
	)
}

// ProviderLinked tells somebody that their account can now be signed in to through another service.
func ProviderLinked(name, provider, link string) Content {
	return letter(
		"You can now sign in with "+provider,
		name,
		"your account was linked to "+provider+", which confirmed that this email address is yours.",
		"Open Roughcut",
		link,
		"If it was not you, somebody else can sign in at "+provider+" with your address: secure your account there, then end all sessions here and choose a new password.",
	)
}

// Reminder tells of a renewal somebody asked to be reminded of.
func RenewalReminder(name, plan, date, amount, link string) Content {
	return letter(
		"Your Roughcut plan renews soon",
		name,
		fmt.Sprintf("you asked for a reminder: your plan %s renews on %s for %s.", plan, date, amount),
		"Change or cancel it",
		link,
		"",
	)
}

// PaymentDeclined tells of a renewal that could not be charged and is tried again.
func PaymentDeclined(name, plan, amount, reason, link string) Content {
	return letter(
		"Your payment did not go through",
		name,
		fmt.Sprintf("the renewal of your plan %s for %s was declined: %s", plan, amount, reason),
		"Leave another card",
		link,
		"It is tried again in the next days. Your plan holds until the last try.",
	)
}

// PlanEnded tells that the last try to charge a renewal failed.
func SubscriptionEnded(name, plan, amount, link string) Content {
	return letter(
		"Your Roughcut plan has ended",
		name,
		fmt.Sprintf(
			"the renewal of your plan %s for %s was declined for the last time, so your account is on Free now. Your projects are all there.",
			plan,
			amount,
		),
		"Choose a plan",
		link,
		"",
	)
}

// SupportRequest hands the team what somebody wrote, with who it is.
func SupportRequest(name, email, reason, account, message string) Content {
	return letter("[Priority] Support: "+strings.Join(strings.Fields(reason), " "), "team",
		fmt.Sprintf("%s (%s) asks for help. Account: %s.", name, email, account), "Answer", "mailto:"+email, message)
}

// SupportReceived confirms to somebody what they wrote to the team.
func SupportReceived(name, message, link string) Content {
	return letter(
		"We have your message",
		name,
		"your message has reached the team. You will get an answer by mail.",
		"Open Roughcut",
		link,
		"You wrote:\n\n"+message,
	)
}

// letter lays out one greeting, by name where there is one, one sentence, one link and one note, as
// text and as HTML.
func letter(subject, name, sentence, action, link, note string) Content {
	greeting := strings.TrimSpace("Hello " + name)
	var text, page strings.Builder
	fmt.Fprintf(&text, "%s,\n\n%s\n\n%s:\n%s\n", greeting, sentence, action, link)
	fmt.Fprintf(
		&page,
		"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>%s</title><body style=\"font-family:sans-serif;line-height:1.5\"><p>%s,</p><p>%s</p><p><a href=\"%s\">%s</a></p>",
		html.EscapeString(subject),
		html.EscapeString(greeting),
		html.EscapeString(sentence),
		html.EscapeString(link),
		html.EscapeString(action),
	)
	if note != "" {
		fmt.Fprintf(&text, "\n%s\n", note)
		fmt.Fprintf(&page, "<p style=\"white-space:pre-line\">%s</p>", html.EscapeString(note))
	}
	page.WriteString("</body></html>\n")
	return Content{Subject: subject, Text: text.String(), HTML: page.String()}
}

func daysText(days int) string {
	if days == 1 {
		return "one day"
	}
	return fmt.Sprintf("%d days", days)
}

func hoursText(hours int) string {
	if hours <= 1 {
		return "one hour"
	}
	return fmt.Sprintf("%d hours", hours)
}
