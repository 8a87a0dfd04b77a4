package media

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Debian packages of fonts with outlines, which captions need.
const (
	fontsOfScripts = "fonts-noto-core"
	fontsOfAsia    = "fonts-noto-cjk"
	fontsOfSymbols = "fonts-symbola" // has emoji in one color
)

// FontPackages returns the Debian packages with the glyphs of characters, sorted.
func FontPackages(characters string) (packages []string) {
	for _, r := range characters {
		name := fontsOfScripts
		switch {
		case IsWide(r), isIdeographic(r), isWideMark(r):
			name = fontsOfAsia
		case unicode.IsSymbol(r), unicode.IsPunct(r), unicode.Is(unicode.Co, r):
			name = fontsOfSymbols
		}

		if !slices.Contains(packages, name) {
			packages = append(packages, name)
		}
	}

	slices.Sort(packages)
	return packages
}

// namedGlyphs is how many characters a warning names.
const namedGlyphs = 5

// GlyphWarning tells a person that no font has some characters of the captions. It returns an empty
// text without such characters.
func GlyphWarning(missing string) string {
	if missing == "" {
		return ""
	}
	var names []string
	all := []rune(missing)
	for _, r := range all[:min(len(all), namedGlyphs)] {
		names = append(names, string(r))
	}

	named := strings.Join(names, " ")
	if more := len(all) - namedGlyphs; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("No font on this machine can draw %s, so the captions would show boxes. Install %s.",
		named, strings.Join(FontPackages(missing), " and "))
}
