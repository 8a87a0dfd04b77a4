package store

import (
	"strings"
	"unicode"
)

// ValidName returns a name without leading and trailing spaces. Names appear in lists, mails and
// files of other programs. Errors: Unprocessable for a name that is empty or has more than one
// line.
func ValidName(field, text string) (string, error) {
	name := strings.TrimSpace(text)
	var rule string
	switch {
	case name == "":
		rule = "must not be empty"
	case strings.ContainsFunc(name, unicode.IsControl):
		rule = "must be one line of text"
	default:
		return name, nil
	}

	return "", &Error{
		Kind:    Unprocessable,
		Code:    "unprocessable",
		Message: field + ": " + rule + ".",
		Fields:  []FieldError{{Field: field, Message: rule}},
	}
}

// oneLine turns a text from outside, such as a file name, into a name. It may return an empty name.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
}
