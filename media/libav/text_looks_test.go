package libav

import (
	"encoding/binary"
	"image"
	"image/color"
	"testing"

	"roughcut/media"
	"roughcut/media/fonts"
)

// colored returns the number of pixels of a color, and the box around them.
func colored(tile *image.RGBA, hex string) (n int, box image.Rectangle) {
	want, _ := media.ParseColor(hex)
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 24 }
	for y := range tile.Rect.Dy() {
		for x := range tile.Rect.Dx() {
			c, _ := tile.At(x, y).(color.RGBA)
			if near(c.R, want[0]) && near(c.G, want[1]) && near(c.B, want[2]) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
				n++
			}
		}
	}
	return n, box
}

// tileAt draws "Light öffnet\nTüren" in a style, with the word at a frame spoken: 0, 30 or 50.
func tileAt(t *testing.T, style string, frame int64) *image.RGBA {
	t.Helper()
	words := []media.Word{
		{Text: "Light", StartMS: 0, EndMS: 900},
		{Text: "öffnet", StartMS: 900, EndMS: 1500},
		{Text: "Türen", StartMS: 1500, EndMS: 2000},
	}
	lines := []media.CaptionLine{{Text: "Light öffnet\nTüren", StartMS: 0, EndMS: 2000}}
	options := media.CaptionOptions{StyleName: style, Color: [3]uint8{255, 255, 255}}
	plan := captionPlan(t, "16:9", 720, &media.CaptionTrack{Options: options, Lines: lines, Words: words})
	return rgbOf(drawTextAt(t, plan, frame), plan.Width, plan.Height)
}

// Each style draws its own colors, in its place. The counts are pixels of a frame of 1280 × 720.
func TestLooksDrawTheirColorsInTheirPlace(t *testing.T) {
	withoutFonts(t)
	for _, c := range []struct {
		style  string
		colors map[string]int // at least; 0 for none
		place  string         // the color whose box is measured
		middle bool           // the box is around the middle of the frame
		left   int            // left edge of the box, if not 0
	}{
		{style: "classic", colors: map[string]int{"#ffffff": 1600, "#000000": 1600, "#ffd60a": 0}, place: "#ffffff"},
		{style: "headline", colors: map[string]int{"#ffd60a": 2800, "#000000": 3200, "#ffffff": 0}, place: "#ffd60a"},
		{style: "one_word", colors: map[string]int{"#ffffff": 2800, "#000000": 2400}, place: "#ffffff", middle: true},
		{style: "spotlight", colors: map[string]int{"#39e75f": 1500, "#ffffff": 3000}, place: "#39e75f", middle: true},
		{style: "word_box", colors: map[string]int{"#ffd60a": 4000, "#000000": 2000, "#ffffff": 999}, place: "#ffd60a"},
		{style: "comic", colors: map[string]int{"#ff8f1f": 900, "#1b1464": 3200, "#000000": 0}, place: "#ff8f1f"},
		{style: "label", colors: map[string]int{"#ffffff": 9000, "#000000": 2000}, place: "#ffffff"},
		{style: "lower_third", colors: map[string]int{"#0e3f90": 5000, "#ffffff": 1000}, place: "#0e3f90", left: 69},
		{style: "typewriter", colors: map[string]int{"#7dff9b": 1000, "#ffffff": 0}, place: "#7dff9b", left: 79},
	} {
		tile := tileAt(t, c.style, 30)
		for hex, least := range c.colors {
			if n, _ := colored(tile, hex); n < least || (least == 0 && n > 0) {
				t.Errorf("%s: %d pixels are %s, want %d", c.style, n, hex, least)
			}
		}
		_, box := colored(tile, c.place)
		center := (box.Min.Y + box.Max.Y) / 2
		if isMiddle := center > 288 && center < 432; isMiddle != c.middle {
			t.Errorf("%s: its center is at %d of 720, in the middle: %v", c.style, center, c.middle)
		}
		if c.left > 0 && (box.Min.X < c.left-3 || box.Min.X > c.left+3) {
			t.Errorf("%s: it starts at %d, want %d", c.style, box.Min.X, c.left)
		}
	}
}

// The emphasis moves with the voice: a color or a box on the spoken word, the only word, or the
// words so far. An invisible word leaves the others in place.
func TestLooksFollowTheSpokenWord(t *testing.T) {
	withoutFonts(t)
	for style, hex := range map[string]string{
		"karaoke": "#ffd60a", "word_box": "#ffd60a", "spotlight": "#39e75f", "comic": "#ff8f1f",
	} {
		var boxes []image.Rectangle
		for _, frame := range []int64{10, 30, 50} {
			tile := tileAt(t, style, frame)
			_, box := colored(tile, hex)
			boxes = append(boxes, box)
		}
		if boxes[0].Max.X > boxes[1].Min.X || boxes[1].Min.Y >= boxes[2].Min.Y || boxes[0].Empty() || boxes[2].Empty() {
			t.Errorf("%s: the words are at %v", style, boxes)
		}
	}
	var shown [3]int
	var block [3]image.Rectangle
	for i, frame := range []int64{10, 30, 50} {
		tile := tileAt(t, "typewriter", frame)
		shown[i], _ = colored(tile, "#7dff9b")
		_, block[i] = colored(tile.SubImage(image.Rect(0, 0, 640, 720)).(*image.RGBA), "#0d1310")
	}
	if shown[0] == 0 || 3*shown[0] > 2*shown[1] || 5*shown[1] > 4*shown[2] || block[0] != block[2] || block[0].Empty() {
		t.Errorf("typewriter: %v pixels are letters, on boxes %v", shown, block)
	}
}

// A box per row is as wide as its row, and a box per word leaves the other words alone.
func TestBoxesFitTheirText(t *testing.T) {
	withoutFonts(t)
	tile := tileAt(t, "label", 30)
	_, all := colored(tile, "#ffffff")
	half := all
	half.Min.Y = (all.Min.Y + all.Max.Y) / 2
	second := image.NewRGBA(half)
	for y := half.Min.Y + 12; y < half.Max.Y; y++ {
		for x := half.Min.X; x < half.Max.X; x++ {
			second.Set(x, y, tile.At(x, y))
		}
	}
	width := 0
	for x := half.Min.X; x < half.Max.X; x++ {
		if c, _ := second.At(x, half.Max.Y-4).(color.RGBA); c.R > 230 && c.B > 230 {
			width++
		}
	}
	if all.Dx() < 190 || width > all.Dx()*7/10 || width < 70 {
		t.Errorf("the boxes are %d and %d pixels wide", all.Dx(), width)
	}
}

// No style loses letters that its font lacks: the first bundled font or a font of the machine draws
// them, and the warning about the others is the same for all styles.
func TestLooksDrawScriptsThatTheirFontsLack(t *testing.T) {
	withFonts(t)
	const text = "Grüße Привет Ελλάδα Tiếng مرحبا 日本"
	for _, style := range media.CaptionStyles() {
		missing, err := MissingGlyphs(text, media.CaptionOptions{StyleName: style.Name})
		if err != nil || missing != "日本" {
			t.Errorf("%s: no font has %q, %v, want 日本, which DejaVu lacks", style.Name, missing, err)
		}
	}
}

// The table has the weight and the metrics of each font, so that the preview draws letters of the
// size that libass gives them.
func TestCaptionFontsAreAsTheTableSays(t *testing.T) {
	for _, font := range media.CaptionFonts() {
		data, err := fonts.Read(font.File)
		if err != nil {
			t.Fatal(err)
		}
		number := func(at int) float64 { return float64(binary.BigEndian.Uint16(data[at:])) }
		tables := map[string]int{}
		for i := range int(number(4)) {
			entry := data[12+16*i:]
			tables[string(entry[:4])] = int(binary.BigEndian.Uint32(entry[8:]))
		}
		const unitsPerEm, weight, ascent, descent = 18, 4, 74, 76 // offsets in the tables head and OS/2
		em, os2 := number(tables["head"]+unitsPerEm), tables["OS/2"]
		if got := number(os2 + weight); got != float64(font.Weight) {
			t.Errorf("%s has weight %v, the table says %d", font.File, got, font.Weight)
		}
		up, down := number(os2+ascent)/em, number(os2+descent)/em
		if up != font.Ascent || down != font.Descent {
			t.Errorf("%s has ascent %v and descent %v, the table says %v and %v",
				font.File, up, down, font.Ascent, font.Descent)
		}
	}
}
