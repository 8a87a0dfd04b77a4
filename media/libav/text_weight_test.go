package libav

import (
	"testing"

	"roughcut/media"
)

// Letters that the bundled font of a style lacks are as heavy as its own. Those of a font that a
// person chose stay regular.
func TestSubstitutesAreAsHeavyAsTheStyle(t *testing.T) {
	withFonts(t)
	whitePixels := func(font string) (n int) {
		plan := hostilePlan(t, "שלום", media.CaptionOptions{StyleName: "bold", FontSize: 100, Font: font}, false)
		for _, luma := range drawTextAt(t, plan, 1) {
			if luma > 222 {
				n++
			}
		}
		return n
	}
	substitute, regular, bold := whitePixels(""), whitePixels("DejaVu Sans"), whitePixels("DejaVu Sans Bold")
	if substitute != bold || 5*regular > 4*bold {
		t.Errorf("%d white pixels, in DejaVu Sans %d, in its bold font %d", substitute, regular, bold)
	}
}
