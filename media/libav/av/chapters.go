package av

/*
#cgo pkg-config: libavformat libavutil
#include <errno.h>
#include <stdlib.h>
#include <libavformat/avformat.h>
#include <libavutil/mem.h>

// Appends a chapter from start to end, in milliseconds. The format frees it.
static int roughcut_add_chapter(AVFormatContext *f, int64_t start, int64_t end, const char *title) {
	AVChapter **list = av_realloc_array(f->chapters, f->nb_chapters + 1, sizeof(*list));
	if (!list) return AVERROR(ENOMEM);
	f->chapters = list;
	AVChapter *c = av_mallocz(sizeof(*c));
	if (!c) return AVERROR(ENOMEM);
	*c = (AVChapter){.id = f->nb_chapters + 1, .time_base = {1, 1000}, .start = start, .end = end};
	list[f->nb_chapters++] = c;
	return av_dict_set(&c->metadata, "title", title, 0);
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// indexChapter is the maximum size in bytes of a chapter in the index, besides its title.
const indexChapter = 64

// AddChapters adds the chapters of a video of the given length. Call it before ReserveIndex and
// Start.
func (m *Muxer) AddChapters(chapters []media.Chapter, lengthMS int64) error {
	for i, c := range chapters {
		end := lengthMS
		if i+1 < len(chapters) {
			end = chapters[i+1].StartMS
		}
		title := C.CString(c.Title)
		code := C.roughcut_add_chapter(nativeFormat(m.format), C.int64_t(c.StartMS), C.int64_t(end), title)
		C.free(unsafe.Pointer(title))
		if code < 0 {
			return fmt.Errorf("adding chapters to the video: %w", astiav.Error(code))
		}
		m.chapterBytes += indexChapter + 2*int64(len(c.Title)) // players read one of two forms
	}

	return nil
}
