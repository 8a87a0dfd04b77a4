package store

import (
	"strings"
	"unicode"
)

// maxPersonName is how long a person's name may be, in characters.
const maxPersonName = 100

// Name returns what a person called something, without the blanks around it. Errors: Unprocessable
// for a name that is blank or has more than one line, since names stand in lists, mails and the
// files of other programs.
func ValidName(field, text string) (string, error) {
	name := strings.TrimSpace(text)
	var rule string
	switch {
	case name == "":
		rule = "must not be blank"
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

// oneLine makes a name of text from elsewhere, such as the name of a file. It is empty where
// nothing is left.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
}
