package av

/*
#cgo pkg-config: libass freetype2 harfbuzz fribidi
#include <ass/ass.h>
#include <fribidi.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <hb.h>
#include <stdio.h>
#include <x264_config.h>

// The codecs of the bundled FFmpeg. A system's FFmpeg links them itself, if at all, so they may be
// missing here.
#define ROUGHCUT_MAYBE __attribute__((weak))
extern const char *dav1d_version(void) ROUGHCUT_MAYBE;
extern const char *get_lame_version(void) ROUGHCUT_MAYBE;
extern const char *opus_get_version_string(void) ROUGHCUT_MAYBE;
extern const char *zlibVersion(void) ROUGHCUT_MAYBE;
#ifdef _WIN32 // which has no weak data
extern const char *x265_version_str;
#else
extern const char *x265_version_str ROUGHCUT_MAYBE;
#endif
extern void x264_picture_init(void *) ROUGHCUT_MAYBE;
extern void zimg_get_version_info(unsigned *, unsigned *, unsigned *) ROUGHCUT_MAYBE;

static const char *roughcut_dav1d(void) { return dav1d_version ? dav1d_version() : ""; }
static const char *roughcut_lame(void) { return get_lame_version ? get_lame_version() : ""; }
static const char *roughcut_opus(void) { return opus_get_version_string ? opus_get_version_string() : ""; }
static const char *roughcut_zlib(void) { return zlibVersion ? zlibVersion() : ""; }
static const char *roughcut_x264(void) { return x264_picture_init ? X264_POINTVER : ""; }
static const char *roughcut_x265(void) { return &x265_version_str ? x265_version_str : ""; }
static const char *roughcut_zimg(char *to, size_t n) {
	unsigned major, minor, micro;
	*to = 0;
	if (zimg_get_version_info) {
		zimg_get_version_info(&major, &minor, &micro);
		snprintf(to, n, "%u.%u.%u", major, minor, micro);
	}
	return to;
}
static const char *roughcut_freetype(char *to, size_t n) {
	FT_Library library;
	FT_Int major, minor, patch;
	*to = 0;
	if (!FT_Init_FreeType(&library)) {
		FT_Library_Version(library, &major, &minor, &patch);
		FT_Done_FreeType(library);
		snprintf(to, n, "%d.%d.%d", major, minor, patch);
	}
	return to;
}
*/
import "C"

import (
	"fmt"
	"regexp"
)

// Library is a native library that this program uses.
type Library struct {
	Name    string
	Version string // such as 1.2.3
}

// Libraries returns the native libraries for media and text with the versions that are linked now.
// It leaves out those that a system's FFmpeg hides.
func Libraries() (all []Library) {
	var text [32]C.char
	ass := uint32(C.ass_library_version()) // binary-coded decimals
	for _, l := range []Library{
		{"FFmpeg", Version()},
		{"dav1d", C.GoString(C.roughcut_dav1d())},
		{"x264", C.GoString(C.roughcut_x264())},
		{"x265", C.GoString(C.roughcut_x265())},
		{"zimg", C.GoString(C.roughcut_zimg(&text[0], C.size_t(len(text))))},
		{"LAME", C.GoString(C.roughcut_lame())},
		{"Opus", C.GoString(C.roughcut_opus())},
		{"zlib", C.GoString(C.roughcut_zlib())},
		{"libass", fmt.Sprintf("%x.%x.%x", ass>>28, ass>>20&0xff, ass>>12&0xff)},
		{"FreeType", C.GoString(C.roughcut_freetype(&text[0], C.size_t(len(text))))},
		{"HarfBuzz", C.GoString(C.hb_version_string())},
		{"FriBidi", C.GoString(C.fribidi_version_info)},
		{"Fontconfig", fontconfigVersion()},
	} {
		if l.Version = versionNumber.FindString(l.Version); l.Version != "" {
			all = append(all, l)
		}
	}

	return all
}

// versionNumber is the number in a version such as "libopus 1.3.1".
var versionNumber = regexp.MustCompile(`[0-9]+(\.[0-9]+)+`)
