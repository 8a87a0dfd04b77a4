package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	docLink    = regexp.MustCompile(`\]\(([^)\s]+)\)|src(?:set)?="([^"]+)"`)
	docHeading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInID    = regexp.MustCompile(`[^\w\- ]`)
)

// Every link of a page leads to a file of the repository, and to a heading if it names one.
func TestLinksLeadToFilesAndHeadings(t *testing.T) {
	for _, page := range tracked(t, `^(README|docs/[\w-]+)\.md$`) {
		for _, match := range docLink.FindAllStringSubmatch(read(t, page), -1) {
			link := match[1] + match[2]
			if strings.Contains(link, "://") {
				continue
			}
			file, heading, _ := strings.Cut(link, "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, link)
			} else if heading != "" && !headings(t, target)[heading] {
				t.Errorf("%s links to %s, but that page has no such heading", page, link)
			}
		}
	}
}

// headings returns the anchors of a page's headings, formed as GitHub forms them.
func headings(t *testing.T, page string) map[string]bool {
	t.Helper()
	anchors := map[string]bool{}
	for _, match := range docHeading.FindAllStringSubmatch(read(t, page), -1) {
		id := notInID.ReplaceAllString(strings.ToLower(match[1]), "")
		anchors[strings.ReplaceAll(id, " ", "-")] = true
	}
	return anchors
}
