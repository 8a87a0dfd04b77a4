package apidocs

import "strings"

// block is part of a description: a paragraph, a list or a table. The other fields are empty.
type block struct {
	Paragraph []inline
	List      [][]inline
	Head      [][]inline
	Rows      [][][]inline
}

// inline is a run of plain text or of code.
type inline struct {
	Text string
	Code bool
}

// blocks parses the Markdown subset of the contract's descriptions: paragraphs, "- " lists with
// indented continuation lines, tables, and `code`.
func blocks(text string) []block {
	var out []block
	for _, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		switch {
		case lines[0] == "":
		case strings.HasPrefix(lines[0], "- "):
			out = append(out, block{List: listItems(lines)})
		case strings.HasPrefix(lines[0], "|") && len(lines) > 2:
			b := block{Head: cells(lines[0])}
			for _, line := range lines[2:] {
				b.Rows = append(b.Rows, cells(line))
			}
			out = append(out, b)
		default:
			out = append(out, block{Paragraph: inlines(strings.Join(lines, " "))})
		}
	}

	return out
}

func listItems(lines []string) [][]inline {
	var items []string
	for _, line := range lines {
		if item, ok := strings.CutPrefix(line, "- "); ok {
			items = append(items, item)
			continue
		}

		items[len(items)-1] += " " + strings.TrimSpace(line)
	}

	out := make([][]inline, 0, len(items))
	for _, item := range items {
		out = append(out, inlines(item))
	}
	return out
}

func cells(line string) [][]inline {
	var out [][]inline
	for _, cell := range strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|") {
		out = append(out, inlines(strings.TrimSpace(cell)))
	}
	return out
}

// inlines splits text at `code`.
func inlines(text string) []inline {
	var out []inline
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			out = append(out, inline{Text: part, Code: i%2 == 1})
		}
	}

	return out
}
