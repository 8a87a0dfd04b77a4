package store

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"roughcut/store/table"
)

// Limits of a vocabulary.
const (
	MaxVocabulary     = 200 // terms
	maxVocabularyTerm = 64  // characters
)

// termShape matches a term of a vocabulary, such as Ada Lovelace, C++, Node.js or AT&T. It has no
// brackets, bars or commas, so a term cannot imitate the control tokens of a speech model or split
// into two terms.
var termShape = compiled(`^[\p{L}\p{N}\p{M}.'&+#/@_ -]*[\p{L}\p{N}][\p{L}\p{N}\p{M}.'&+#/@_ -]*$`)

// ValidVocabulary returns terms in the form of a vocabulary: with single spaces and without
// duplicates, ignoring case. The order stays, because the first terms matter most. Errors:
// Unprocessable.
func ValidVocabulary(field string, terms []string) ([]string, error) {
	list := make([]string, 0, min(len(terms), MaxVocabulary))
	seen := map[string]bool{}
	for _, term := range terms {
		term = strings.Join(strings.Fields(strings.ReplaceAll(term, "’", "'")), " ")
		if utf8.RuneCountInString(term) > maxVocabularyTerm || !termShape().MatchString(term) {
			return nil, failField(
				field,
				"%s is not a name or term of at most %d characters. Use letters, digits and . ' & + # / @ _ -.",
				fmt.Sprintf("%.80q", term),
				maxVocabularyTerm,
			)
		}

		if folded := table.Fold(term); !seen[folded] {
			seen[folded] = true
			list = append(list, term)
		}
	}

	if len(list) > MaxVocabulary {
		return nil, failField(
			field,
			"The vocabulary is too long. The maximum is %d terms, not %d.",
			MaxVocabulary,
			len(list),
		)
	}

	return list, nil
}
