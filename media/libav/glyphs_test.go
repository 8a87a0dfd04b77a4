package libav

import (
	"testing"

	"roughcut/media"
)

// Without the machine's fonts, only Latin and its neighbors have glyphs. DejaVu adds Hebrew, Arabic
// and symbols.
func TestMissingGlyphsAreKnown(t *testing.T) {
	const text = "Hello, Grüße! Привет — שלום مرحبا 日本 ไทย 🎉 日"
	for name, c := range map[string]struct {
		fonts func(*testing.T)
		want  string
	}{
		"bundled": {withoutFonts, "שלוםمرحبا日本ไทย🎉"},
		"DejaVu":  {withFonts, "日本ไทย🎉"},
	} {
		t.Run(name, func(t *testing.T) {
			c.fonts(t)
			got, err := MissingGlyphs(text, media.CaptionOptions{})
			if err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
			plan := hostilePlan(t, text, media.CaptionOptions{}, false)
			if counts, err := missingGlyphs(plan); err != nil || counts != c.want {
				t.Errorf("in a plan %q, %v, want %q", counts, err, c.want)
			}
		})
	}
}
