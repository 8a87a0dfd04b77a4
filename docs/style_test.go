// Package docs_test holds the project's texts to docs/style.md.
package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// limit is the number of patterns per 1,000 words that makes a kind of text fail.
const limit = 0.6

// commentWidth is the last column of a comment, with tabs four columns wide.
const commentWidth = 100

// allowed lists phrases that match a pattern although they are plain English. Each is matched
// without regard to case and removed before the count.
var allowed = []string{
	"laid out",   // typesetting
	"go on the ", // movement to a place
	"goes on the ",
	"of its own accord",
}

// passage is text of one kind with its origin for messages.
type passage struct {
	kind, file string
	line       int
	text       string
}

func TestTextsFollowTheStyleGuide(t *testing.T) {
	patterns := stylePatterns(t)
	words := map[string]int{}
	hits := map[string][]string{}
	for _, p := range passages(t) {
		text := p.text
		for _, phrase := range allowed {
			text = regexp.MustCompile("(?i)"+regexp.QuoteMeta(phrase)).ReplaceAllString(text, " ")
		}
		words[p.kind] += len(wordForm.FindAllString(text, -1))
		for _, match := range patterns.FindAllStringIndex(text, -1) {
			if found := text[match[0]:match[1]]; !excused(text, match) {
				hits[p.kind] = append(hits[p.kind], fmt.Sprintf("%s:%d: %q", p.file, p.line, found))
			}
		}
	}

	for _, kind := range slices.Sorted(maps.Keys(words)) {
		rate := 1000 * float64(len(hits[kind])) / float64(words[kind])
		t.Logf("%s: %.2f per 1,000 words (%d in %d)", kind, rate, len(hits[kind]), words[kind])
		if rate >= limit {
			t.Errorf("%s: rewrite these sentences as docs/style.md says:\n%s",
				kind, strings.Join(hits[kind][:min(40, len(hits[kind]))], "\n"))
		}
	}
	for _, kind := range []string{"docs", "Go comments", "Go strings", "UI strings", "TypeScript comments", "OpenAPI"} {
		if words[kind] < 1000 {
			t.Errorf("only %d words of the kind %q were found; the scan misses them", words[kind], kind)
		}
	}
}

// The scan recognizes each pattern, and accepts plain sentences.
func TestPatternsTellSymptoms(t *testing.T) {
	patterns := stylePatterns(t)
	for text, want := range map[string]int{
		"The download goes on where it broke off.":   3,
		"Roughcut resumes interrupted downloads.":    0,
		"A name that is no name":                     1,
		"The edit is no longer active":               0,
		"Whoever claims it holds a lease, meanwhile": 2,
	} {
		got := 0
		for _, match := range patterns.FindAllStringIndex(text, -1) {
			if !excused(text, match) {
				got++
			}
		}
		if got != want {
			t.Errorf("%q has %d patterns, want %d", text, got, want)
		}
	}
}

func TestCommentsFitTheirColumns(t *testing.T) {
	for _, file := range tracked(t, `\.go$`) {
		if strings.HasSuffix(file, ".gen.go") {
			continue
		}
		for n, line := range strings.Split(read(t, file), "\n") {
			text := strings.TrimLeft(line, "\t")
			if !strings.HasPrefix(text, "// ") || strings.HasPrefix(text, "//\t") || !strings.Contains(text[3:], " ") {
				continue
			}
			if width := len([]rune(text)) + 4*(len(line)-len(text)); width > commentWidth && !unbreakable(text) {
				t.Errorf("%s:%d: the comment is %d columns wide, want at most %d", file, n+1, width, commentWidth)
			}
		}
	}
}

// unbreakable reports whether the comment is a directive or holds an address too long to wrap.
func unbreakable(comment string) bool {
	return strings.Contains(comment, "nolint") || strings.Contains(comment, "://")
}

var (
	wordForm  = regexp.MustCompile(`[A-Za-z']+`)
	codeBlock = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	indented  = regexp.MustCompile(`(?m)^(?:    |\t).*$`)
	lookahead = regexp.MustCompile(`\(\?!.*?\)`)
)

// stylePatterns compiles the pattern list of style.md into one expression. Go's regexp has no
// lookahead; excused applies the only one in the list.
func stylePatterns(t *testing.T) *regexp.Regexp {
	t.Helper()
	_, block, found := strings.Cut(read(t, "docs/style.md"), "```regexp\n")
	if !found {
		t.Fatal("docs/style.md has no block of patterns")
	}
	block, _, _ = strings.Cut(block, "```")
	var parts []string
	for line := range strings.Lines(block) {
		parts = append(parts, lookahead.ReplaceAllString(strings.TrimSpace(line), ""))
	}
	return regexp.MustCompile("(?i)" + strings.Join(parts, "|"))
}

// excused reports whether a match is the start of "is no longer".
func excused(text string, match []int) bool {
	return strings.HasSuffix(strings.ToLower(text[match[0]:match[1]]), " no") &&
		strings.HasPrefix(strings.ToLower(text[match[1]:]), " longer")
}

// passages returns the project's texts of every kind.
func passages(t *testing.T) []passage {
	t.Helper()
	var all []passage
	for _, file := range tracked(t, `\.md$`) {
		if strings.HasSuffix(file, "style.md") {
			continue // it quotes the patterns
		}
		text := codeBlock.ReplaceAllString(read(t, file), " ")
		all = append(all, passage{"docs", file, 1, indented.ReplaceAllString(text, " ")})
	}
	for _, file := range tracked(t, `\.go$`) {
		if !strings.HasSuffix(file, ".gen.go") && !strings.HasPrefix(file, "docs/") {
			all = append(all, goPassages(t, file)...)
		}
	}
	for _, file := range tracked(t, `^web/.*\.(tsx?|mjs)$`) {
		if !strings.HasSuffix(file, "schema.ts") {
			all = append(all, scriptPassages(t, file)...)
		}
	}
	for n, line := range strings.Split(read(t, "server/openapi.yaml"), "\n") {
		if text := openAPIText(line); text != "" {
			all = append(all, passage{"OpenAPI", "server/openapi.yaml", n + 1, text})
		}
	}
	for _, file := range tracked(t, `(^|/)Makefile$|\.sh$|\.ya?ml$|^\.ci/|^\.deploy/`) {
		for n, line := range strings.Split(read(t, file), "\n") {
			if _, text, found := strings.Cut(line, "# "); found && file != "server/openapi.yaml" {
				all = append(all, passage{"build comments", file, n + 1, text})
			}
		}
	}
	return all
}

// goPassages returns the comments and the strings of a Go file that hold several words.
func goPassages(t *testing.T, file string) []passage {
	t.Helper()
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, filepath.Join(root, file), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}

	var all []passage
	for _, group := range tree.Comments {
		all = append(all, passage{"Go comments", file, files.Position(group.Pos()).Line, group.Text()})
	}
	kind := "Go strings"
	if strings.HasSuffix(file, "_test.go") {
		kind = "Go test strings"
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		if text, err := strconv.Unquote(literal.Value); err == nil && len(text) >= 16 && strings.Contains(text, " ") {
			all = append(all, passage{kind, file, files.Position(literal.Pos()).Line, text})
		}
		return true
	})
	return all
}

var (
	scriptComment = regexp.MustCompile(`(?m)(?:^|\s)//\s+(.*)$|(?m)^\s*/?\*+\s+(.*)$`)
	scriptText    = regexp.MustCompile(`>([^<>{}\n]{8,})<|'([^'\n]{12,})'|"([^"\n]{12,})"|` + "`([^`\n]{12,})`")
	scriptCode    = regexp.MustCompile(`[;={}]|=>|className|--|\bpx\b`)
)

// scriptPassages returns the comments of a script, and of the user interface also its texts.
func scriptPassages(t *testing.T, file string) []passage {
	t.Helper()
	var all []passage
	for n, line := range strings.Split(read(t, file), "\n") {
		if m := scriptComment.FindStringSubmatch(line); m != nil {
			all = append(all, passage{"TypeScript comments", file, n + 1, m[1] + m[2]})
			continue
		}
		for _, m := range scriptText.FindAllStringSubmatch(line, -1) {
			text := strings.Join(m[1:], "")
			kind := "UI strings"
			if !strings.HasPrefix(file, "web/src/") || strings.Contains(file, ".test.") {
				kind = "web test strings"
			}
			if strings.Contains(strings.TrimSpace(text), " ") && !scriptCode.MatchString(text) {
				all = append(all, passage{kind, file, n + 1, text})
			}
		}
	}
	return all
}

var openAPIKey = regexp.MustCompile(`^\s*-?\s*[\w$'"/{}.-]+:(?:\s|$)`)

// openAPIText returns the prose of a line of the OpenAPI document: a summary or description, or a
// line of a block of text.
func openAPIText(line string) string {
	for _, key := range []string{"summary: ", "description: "} {
		if _, text, found := strings.Cut(line, key); found {
			return text
		}
	}
	if text := strings.TrimSpace(line); strings.Count(text, " ") > 3 && !openAPIKey.MatchString(line) {
		return text
	}
	return ""
}

// root is the project's folder.
const root = ".."

// tracked lists the files that git tracks and whose path matches.
func tracked(t *testing.T, pattern string) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	matches := regexp.MustCompile(pattern)
	var files []string
	for _, file := range strings.Fields(string(out)) {
		if _, err := os.Stat(filepath.Join(root, file)); err == nil && matches.MatchString(file) {
			files = append(files, file)
		}
	}
	return files
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
