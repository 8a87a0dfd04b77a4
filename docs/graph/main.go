// Graph draws the packages of Roughcut and their imports as an SVG on its standard output. Each
// package stands above everything that it imports. An import that follows from others is left
// out.
//
//go:generate sh -c "go run . > ../images/architecture.svg"
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
)

const module = "roughcut"

// tags build the desktop window too.
const tags = "desktop,production,webkit2_41"

// Sizes in pixels.
const (
	boxWidth  = 186
	boxHeight = 66
	gapX      = 22
	gapY      = 58
	margin    = 24
	// textWidth is the number of letters that fit into a line of a box.
	textWidth = 27
)

// pkg is a package of the module with its place in the drawing.
type pkg struct {
	ImportPath string
	Name       string
	Doc        string
	Imports    []string

	floor  int
	x, y   int
	direct []string // imports of this module that do not follow from others
}

func main() {
	packages, err := list()
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.WriteString(os.Stdout, draw(packages)); err != nil {
		log.Fatal(err)
	}
}

// list returns the packages of the module by import path, without tests and tools.
func list() (map[string]*pkg, error) {
	out, err := exec.Command("go", "list", "-tags", tags, "-json=ImportPath,Name,Doc,Imports", module+"/...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	packages := map[string]*pkg{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading the packages: %w", err)
		}

		if hidden(p) {
			continue
		}
		p.Imports = slices.DeleteFunc(p.Imports, func(path string) bool { return !strings.HasPrefix(path, module) })
		packages[p.ImportPath] = &p
	}

	return packages, nil
}

// hidden reports whether a package holds tests or is a tool of the build.
func hidden(p pkg) bool {
	tool := p.Name == "main" && p.ImportPath != module
	return tool || p.ImportPath == module+"/e2e" || strings.Contains(p.ImportPath+"/", "test/")
}

// draw places the packages and returns the SVG.
func draw(packages map[string]*pkg) string {
	rows := arrange(packages)
	widest := 0
	for _, row := range rows {
		widest = max(widest, len(row))
	}
	width := 2*margin + widest*boxWidth + (widest-1)*gapX
	height := 2*margin + len(rows)*boxHeight + (len(rows)-1)*gapY
	for n, row := range rows {
		x := (width - len(row)*boxWidth - (len(row)-1)*gapX) / 2
		for _, p := range row {
			p.x = x
			p.y = margin + n*(boxHeight+gapY)
			x += boxWidth + gapX
		}
	}

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img"
  font-family="Inter, system-ui, sans-serif">
<title>The packages of Roughcut and their imports</title>
<style>
.page{fill:#fff}.box{fill:#f6f7f9;stroke:#c9ced6}.name{font-size:14px;font-weight:600;fill:#16181d}
.text{font-size:10.5px;fill:#5b6472}.tip{fill:#8b95a5}.line{fill:none;stroke:#8b95a5;stroke-width:1.2}
@media (prefers-color-scheme:dark){.page{fill:#14161a}.box{fill:#1f2329;stroke:#3a414c}.name{fill:#f0f2f5}
.text{fill:#a5aebb}.tip{fill:#667080}.line{stroke:#667080}}
</style>
<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
  orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker>
<rect class="page" width="100%%" height="100%%" rx="10"/>
`, width, height)
	for _, row := range rows {
		for _, p := range row {
			for _, path := range p.direct {
				b.WriteString(arrow(p, packages[path]))
			}
		}
	}

	for _, row := range rows {
		for _, p := range row {
			b.WriteString(box(p))
		}
	}

	b.WriteString("</svg>\n")
	return b.String()
}

// arrange fills in floor and direct, and returns the rows from top to bottom. Within a row, a
// package stands near the packages that import it.
func arrange(packages map[string]*pkg) [][]*pkg {
	var rows [][]*pkg
	for path, p := range packages {
		p.floor = floorOf(packages, path)
		p.direct = slices.DeleteFunc(slices.Clone(p.Imports), func(path string) bool {
			return slices.ContainsFunc(p.Imports, func(other string) bool {
				return other != path && reaches(packages, other, path)
			})
		})
		for len(rows) <= p.floor {
			rows = append(rows, nil)
		}
		rows[p.floor] = append(rows[p.floor], p)
	}

	place := map[string]float64{}
	for _, row := range rows {
		wish := map[string]float64{}
		for _, p := range row {
			wish[p.ImportPath] = middle(packages, p.ImportPath, place)
		}
		slices.SortFunc(row, func(a, b *pkg) int {
			return cmp.Or(cmp.Compare(wish[a.ImportPath], wish[b.ImportPath]), cmp.Compare(a.ImportPath, b.ImportPath))
		})
		for n, p := range row {
			place[p.ImportPath] = float64(n) - float64(len(row)-1)/2
		}
	}

	return rows
}

// middle returns the mean place of the packages that import path directly.
func middle(packages map[string]*pkg, path string, place map[string]float64) float64 {
	sum := 0.0
	count := 0.0
	for _, p := range packages {
		if slices.Contains(p.direct, path) {
			sum += place[p.ImportPath]
			count++
		}
	}

	return sum / max(count, 1)
}

// floorOf returns the length of the longest chain of imports that leads to a package.
func floorOf(packages map[string]*pkg, path string) int {
	floor := 0
	for importer, p := range packages {
		if slices.Contains(p.Imports, path) {
			floor = max(floor, 1+floorOf(packages, importer))
		}
	}

	return floor
}

// reaches reports whether from imports to, directly or through others.
func reaches(packages map[string]*pkg, from, to string) bool {
	return slices.ContainsFunc(packages[from].Imports, func(path string) bool {
		return path == to || (packages[path] != nil && reaches(packages, path, to))
	})
}

func arrow(from, to *pkg) string {
	if to == nil {
		return ""
	}
	x1 := from.x + boxWidth/2
	y1 := from.y + boxHeight
	x2 := to.x + boxWidth/2
	y2 := to.y
	bend := max(30, (y2-y1)/2)
	return fmt.Sprintf("<path class=\"line\" marker-end=\"url(#tip)\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n",
		x1, y1, x1, y1+bend, x2, y2-bend, x2, y2)
}

func box(p *pkg) string {
	var b strings.Builder
	name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
	fmt.Fprintf(&b, "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"7\"/>\n",
		p.x, p.y, boxWidth, boxHeight)
	fmt.Fprintf(&b, "<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n",
		p.x+10, p.y+21, html.EscapeString(cmp.Or(name, "main")))
	for n, line := range wrap(purpose(p.Doc), 2) {
		fmt.Fprintf(&b, "<text class=\"text\" x=\"%d\" y=\"%d\">%s</text>\n",
			p.x+10, p.y+39+15*n, html.EscapeString(line))
	}

	return b.String()
}

// purpose returns the first sentence of a package comment without its subject.
func purpose(doc string) string {
	words := strings.Fields(doc)
	if len(words) > 2 && words[0] == "Package" {
		words = words[2:]
	}
	return strings.TrimSuffix(strings.Join(words, " "), ".")
}

// wrap breaks text into at most n lines; an ellipsis ends text that does not fit.
func wrap(text string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > textWidth {
			if len(lines) == n-1 {
				return append(lines, line+" …")
			}
			lines = append(lines, line)
			line = ""
		}

		line = strings.TrimSpace(line + " " + word)
	}

	return append(lines, line)
}
