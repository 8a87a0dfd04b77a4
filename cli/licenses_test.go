package cli

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The notices are where each package installs them, by .ci/dist/build.
func TestLicensesAreReadFromEachPackage(t *testing.T) {
	const text = "Roughcut 1.2 contains the following software of third parties.\n"
	for _, c := range []struct{ name, executable, notices string }{
		{"Debian package", "usr/bin/roughcut", "usr/share/doc/roughcut/third-party-notices.gz"},
		{
			"package with the window", "usr/bin/roughcut-desktop",
			"usr/share/doc/roughcut-desktop/third-party-notices.gz",
		},
		{"archive", "opt/roughcut/bin/roughcut", "opt/roughcut/THIRD-PARTY-LICENSES.txt"},
		{"Windows", "Roughcut/roughcut-desktop.exe", "Roughcut/THIRD-PARTY-LICENSES.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			executable, notices := filepath.Join(root, c.executable), filepath.Join(root, c.notices)
			var stored, printed bytes.Buffer
			if err := writeNotices(&printed, executable); err == nil || !strings.Contains(err.Error(), executable) {
				t.Errorf("without notices: %v", err)
			}
			stored.WriteString(text)
			if filepath.Ext(notices) == ".gz" {
				stored.Reset()
				packed := gzip.NewWriter(&stored)
				if _, err := packed.Write([]byte(text)); err != nil {
					t.Fatal(err)
				}
				if err := packed.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.MkdirAll(filepath.Dir(notices), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(notices, stored.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := writeNotices(&printed, executable); err != nil || printed.String() != text {
				t.Errorf("printed %q: %v", printed.String(), err)
			}
		})
	}
}
