//go:build desktop

package e2e

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// The window opens in each language of the system, also in none.
func TestDesktopLanguages(t *testing.T) {
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	joinsProject(t, server.owner(t))
	server.stop()
	locales := t.TempDir()
	german := filepath.Join(locales, "de_DE.UTF-8")
	if out, err := exec.Command("localedef", "-i", "de_DE", "-f", "UTF-8", german).CombinedOutput(); err != nil {
		t.Fatalf("localedef: %v\n%s", err, out)
	}
	for _, c := range []struct {
		name, share string
		env         []string
	}{
		{"C.UTF-8", `^Removed 40%$`, []string{"LANG=C.UTF-8"}},
		{"de_DE.UTF-8", `^Removed 40.%$`, []string{"LANG=de_DE.UTF-8", "LOCPATH=" + locales}},
		{"none", `^Removed 40%$`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t)
			s.env = append(s.env, c.env...)
			w := s.window(dir)
			s.opens("Joins")
			s.said(c.share)
			s.picture("language-" + c.name)
			s.do("key", "alt+F4")
			w.closed()
		})
	}
}
