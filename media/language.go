package media

import "strings"

// BaseLanguage returns the primary subtag of a language tag in lower case: "pt-BR" and "pt_BR" give
// "pt". An empty tag gives "".
func BaseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	return base
}
