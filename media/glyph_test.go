package media

import "testing"

func TestGlyphWarningsNameThePackages(t *testing.T) {
	for missing, want := range map[string]string{
		"":  "",
		"日": "No font on this machine can draw 日, so the captions would show boxes. Install fonts-noto-cjk.",
		"ש한🎉カ、ไ": "No font on this machine can draw ש 한 🎉 カ 、 and 1 more, so the captions would show boxes. " +
			"Install fonts-noto-cjk and fonts-noto-core and fonts-symbola.",
	} {
		if got := GlyphWarning(missing); got != want {
			t.Errorf("%q: got %q, want %q", missing, got, want)
		}
	}
}
