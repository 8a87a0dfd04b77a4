// Command tables rewrites the parts of openapi.yaml that come from the tables of package media. It
// reads each line with the marker x-go-table and replaces the enum and the default on that line. It
// also writes the cut options of each schema between two comments. A new caption style, edit kind
// or cut option therefore needs a change only in its table.
//
// Usage: tables FILE
package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"roughcut/media"
	"roughcut/media/interchange"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tables FILE")
		os.Exit(2)
	}

	if err := rewriteFile(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

// rewriteFile rewrites a file if one of its parts has changed.
func rewriteFile(name string) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	updated, err := rewrite(string(old), tables())
	if err == nil {
		updated, err = rewriteOptions(updated, media.CutOptionTable())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if updated == string(old) {
		return nil
	}
	return os.WriteFile(name, []byte(updated), 0o644)
}

// tables returns the names of kinds by the value of their marker.
func tables() map[string][]string {
	all := map[string][]string{
		"caption_styles": media.CaptionStyleNames(), "export_formats": media.ExportFormatNames(),
		"timeline_formats": interchange.FormatNames(),
	}
	for _, kind := range media.EditKinds() {
		all["edit_kinds"] = append(all["edit_kinds"], kind.Name)
		if kind.Detected {
			all["detected_edit_kinds"] = append(all["detected_edit_kinds"], kind.Name)
		} else {
			all["manual_edit_kinds"] = append(all["manual_edit_kinds"], kind.Name)
		}
	}

	return all
}

var (
	marker       = regexp.MustCompile(`x-go-table: ([a-z_]+)`)
	enum         = regexp.MustCompile(`enum: \[[^\]]*\]`)
	defaultValue = regexp.MustCompile(`((?:default: |Default ))[a-z_0-9]+`)
)

// rewrite returns text with the enums of all marked lines taken from their tables. The default of a
// marked line, also in its description, becomes the first name of its table.
func rewrite(text string, tables map[string][]string) (string, error) {
	used := map[string]bool{}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		mark := marker.FindStringSubmatch(line)
		if mark == nil {
			continue
		}
		names := tables[mark[1]]
		if names == nil {
			return "", fmt.Errorf("line %d: the table %q does not exist", i+1, mark[1])
		}
		if !enum.MatchString(line) {
			return "", fmt.Errorf("line %d: the marker x-go-table needs an enum on the same line", i+1)
		}
		used[mark[1]] = true
		line = enum.ReplaceAllLiteralString(line, "enum: ["+strings.Join(names, ", ")+"]")
		lines[i] = defaultValue.ReplaceAllString(line, "${1}"+names[0])
	}

	var unused []string
	for name := range tables {
		if !used[name] {
			unused = append(unused, name)
		}
	}

	if slices.Sort(unused); len(unused) > 0 {
		return "", fmt.Errorf("no line has the marker x-go-table: %s", strings.Join(unused, ", "))
	}
	return strings.Join(lines, "\n"), nil
}
