package voices

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// actedFolder holds one folder of lines for each scene of the game Fish Fillets.
const actedFolder = "/usr/share/games/fillets-ng/sound"

// actedFiles returns the acted voices with the patterns of their files in a scene. Each language
// has a woman and a man.
func actedFiles() map[string]string {
	return map[string]string{
		"cs_CZ_f_fillets": "cs/*-m-*.ogg", "cs_CZ_m_fillets": "cs/*-v-*.ogg",
		"nl_NL_f_fillets": "nl/*-m-*.ogg", "nl_NL_m_fillets": "nl/*-v-*.ogg",
	}
}

// Acted returns the voices of Debian's packages fillets-ng-data-cs and -nl: actors who speak with
// much melody, in rooms that ring. Names does not list them, so no detector has learned from them.
// It ends the test unless both are installed, as mediatest.Missing does.
func Acted(t testing.TB) []string {
	t.Helper()
	loadActed(t)
	return slices.Sorted(maps.Keys(actedFiles()))
}

// loadActed returns the phrases of the acted voices.
func loadActed(t testing.TB) []Utterance {
	t.Helper()
	packages := []string{"fillets-ng-data-cs", "fillets-ng-data-nl"}
	return actedLibrary().load(t, packages, func() (map[string][]string, error) {
		files := map[string][]string{}
		for voice, pattern := range actedFiles() {
			found, err := filepath.Glob(filepath.Join(actedFolder, "*", pattern))
			if err != nil {
				return nil, err
			}
			files[voice] = found
		}

		return files, nil
	})
}
