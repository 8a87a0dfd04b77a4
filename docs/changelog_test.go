package docs_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var fragmentLine = regexp.MustCompile(`^(- (Added|Changed|Fixed|Removed|Security): |  )\S`)

func TestFragmentsJoinTheChangelog(t *testing.T) {
	out, err := exec.Command(filepath.Join(root, ".ci/changelog"), "9.9.9").Output()
	if err != nil {
		t.Fatalf(".ci/changelog: %v", err)
	}
	_, newest, _ := strings.Cut(string(out), "\n## 9.9.9 – ")
	newest, _, _ = strings.Cut(newest, "\n## ")

	for _, file := range tracked(t, `^docs/changes/`) {
		fragment := read(t, file)
		if !strings.HasSuffix(file, ".md") || !strings.Contains(newest, fragment) {
			t.Errorf("%s is not in the newest section:\n%s", file, newest)
		}
		for _, line := range strings.Split(strings.TrimSuffix(fragment, "\n"), "\n") {
			if !fragmentLine.MatchString(line) {
				t.Errorf("%s: %q is not part of a list item of Added, Changed, Fixed, Removed or Security", file, line)
			}
		}
	}
}
