package libav

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// withFonts hides the machine's fonts, apart from those of the Debian package fonts-dejavu-core,
// which has Hebrew and Arabic.
func withFonts(t *testing.T) {
	t.Helper()
	const dir = "/usr/share/fonts/truetype/dejavu"
	if _, err := os.Stat(filepath.Join(dir, "DejaVuSans.ttf")); err != nil {
		mediatest.Missing(t, "the font DejaVu Sans", "fonts-dejavu-core")
	}
	conf := writeFile(t, "fonts.conf", fmt.Appendf(nil, `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>`, dir, t.TempDir()))
	t.Setenv("FONTCONFIG_FILE", conf)
	t.Setenv("FONTCONFIG_PATH", filepath.Dir(conf))
}

// whiteRuns returns the widths of the first and the last group of columns with white pixels in each
// row of text.
func whiteRuns(plan media.RenderPlan, drawn []byte) (rows [][2]int) {
	white := func(x, y int) bool { return drawn[y*plan.Width+x] > 222 }
	rowHas := func(y int) bool {
		for x := range plan.Width {
			if white(x, y) {
				return true
			}
		}
		return false
	}
	const gap = 8 // pixels between two rows of text, more than between a letter and its dot
	for y := 0; y < plan.Height; y++ {
		if !rowHas(y) {
			continue
		}
		end, empty := y, 0
		for ; end < plan.Height && empty < gap; end++ {
			if empty++; rowHas(end) {
				empty = 0
			}
		}
		var widths []int
		run := 0
		for x := range plan.Width + 1 {
			has := false
			for at := y; x < plan.Width && at < end; at++ {
				has = has || white(x, at)
			}
			if has {
				run++
			} else if run > 0 {
				widths, run = append(widths, run), 0
			}
		}
		rows = append(rows, [2]int{widths[0], widths[len(widths)-1]})
		y = end
	}
	return rows
}

// In each style, the first strong letter of a line decides its direction: the mark at the end of a
// sentence is on the left in Hebrew and Arabic, also next to Latin.
func TestLinesRunFromTheirFirstLetter(t *testing.T) {
	withFonts(t)
	for _, style := range media.CaptionStyles() {
		if style.Box == media.BoxRows {
			continue // the boxes are as white as letters
		}
		for text, marksOnLeft := range map[string][]bool{
			"Hello world!":               {false},
			"שלום לכולם!":                {true},
			"مرحبا بكم!":                 {true},
			"שלום World!":                {true},
			"Hello עולם!":                {false},
			"2026 שלום לכולם!":           {true},
			"(שלום) לכולם!":              {true},
			"Hello world!\nשלום לכולם!":  {false, true},
			"שלום לכולם!\nHello world!":  {true, false},
			"Hello عالم world!":          {false},
			"مرحبا Hello world مرة شكر!": {true},
		} {
			for _, byWord := range []bool{false, true} {
				if byWord && (style.Shows != media.ShownCaption || style.Highlight == media.HighlightBox) {
					continue
				}
				options := media.CaptionOptions{StyleName: style.Name, FontSize: 100, Font: "Inter SemiBold"}
				plan := hostilePlan(t, text, options, byWord)
				rows := whiteRuns(plan, drawTextAt(t, plan, 1)) // the first word is spoken
				if len(rows) != len(marksOnLeft) {
					t.Errorf("%s, words %v: %q has %d rows", style.Name, byWord, text, len(rows))
					continue
				}
				for i, row := range rows {
					mark, letter := row[1], row[0]
					if marksOnLeft[i] {
						mark, letter = letter, mark
					}
					if 3*mark > 2*letter {
						t.Errorf("%s, words %v: row %d of %q ends with %d and %d pixels, want the mark on the left: %v",
							style.Name, byWord, i+1, text, row[0], row[1], marksOnLeft[i])
					}
				}
			}
		}
	}
}
