package libav

/*
#cgo pkg-config: libass
#include <ass/ass.h>
#include <stdlib.h>
#include <string.h>

// Notes in data that libass found a letter in no font.
static void roughcut_missing(int level, const char *format, va_list args, void *data) {
	if (strstr(format, "failed to find any fallback with glyph") || strstr(format, "not found in font"))
		*(int *)data = 1;
}
static void roughcut_listen(ASS_Library *l, int *missing) { ass_set_message_cb(l, roughcut_missing, missing); }
*/
import "C"

import (
	"slices"
	"strings"
	"unicode"
	"unsafe"

	"roughcut/media"
)

const (
	lastLatin   = 0x24f // the bundled fonts have all letters before
	mostMissing = 50    // characters that MissingGlyphs returns
)

// MissingGlyphs returns the characters of a text that no font of this machine can draw with the
// caption options, in their order. libass itself looks for the fonts. A font of colored images,
// such as Noto Color Emoji, does not count, because libass draws outlines.
func MissingGlyphs(text string, options media.CaptionOptions) (string, error) {
	var letters []rune
	for _, r := range text {
		isVisible := unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.M, r)
		if isVisible && r > lastLatin && !slices.Contains(letters, r) {
			letters = append(letters, r)
		}
	}

	if len(letters) == 0 {
		return "", nil
	}
	isMissing := (*C.int)(C.calloc(1, C.sizeof_int))
	defer C.free(unsafe.Pointer(isMissing)) // after libass, which writes to it
	ruler, err := newRuler(captionStyle(media.RenderPlan{Width: 1920, Height: 1080, CaptionOptions: options}))
	if err != nil {
		return "", err
	}
	defer ruler.close()
	C.roughcut_listen(ruler.library, isMissing)
	ruler.frame(4*rulerSize, 4*rulerSize)
	var missing strings.Builder
	for n := 0; len(letters) > 0 && n < mostMissing; letters = letters[1:] {
		*isMissing = 0
		width, _ := ruler.extent(escapeASS(string(letters[0])), ruler.style)
		if *isMissing != 0 || width == 0 {
			missing.WriteRune(letters[0])
			n++
		}
	}

	return missing.String(), nil
}

// missingGlyphs returns the characters of a plan's captions that no font can draw.
func missingGlyphs(plan media.RenderPlan) (string, error) {
	var text strings.Builder
	for _, c := range plan.CaptionOptions.Style().Shown(plan.Captions) {
		text.WriteString(c.Text)
	}
	return MissingGlyphs(text.String(), plan.CaptionOptions)
}
