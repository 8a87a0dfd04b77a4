package av

/*
#cgo pkg-config: libavformat libavutil
#include <errno.h>
#include <string.h>
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

// Returns the start of chapter i in seconds, and its title, which may be NULL.
static double roughcut_chapter(const AVFormatContext *f, unsigned i, const char **title) {
	const AVChapter *c = f->chapters[i];
	const AVDictionaryEntry *e = av_dict_get(c->metadata, "title", NULL, 0);
	*title = e ? e->value : NULL;
	return c->start * av_q2d(c->time_base);
}
*/
import "C"

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unsafe"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// indexChapter is the maximum size in bytes of a chapter in the index, besides its title.
const indexChapter = 64

// AddChapters adds the chapters of a video of the given length. Call it before ReserveIndex and
// Start.
func (m *Muxer) AddChapters(chapters []media.Chapter, lengthMS int64) error {
	if m.hasComments {
		return m.addChapterComments(chapters)
	}
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

// addChapterComments adds chapters as Vorbis comments (wiki.xiph.org/Chapter_Extension). libav
// rounds their seconds up without changing their milliseconds in Ogg, and writes none in FLAC.
func (m *Muxer) addChapterComments(chapters []media.Chapter) error {
	for i, c := range chapters {
		name, seconds := fmt.Sprintf("CHAPTER%03d", i+1), c.StartMS/1000
		start := fmt.Sprintf("%02d:%02d:%02d.%03d", seconds/3600, seconds/60%60, seconds%60, c.StartMS%1000)
		if err := m.setTag(-1, name, start); err != nil {
			return err
		}
		if err := m.setTag(-1, name+"NAME", c.Title); err != nil {
			return err
		}
	}

	return nil
}

// Limits of the chapters of a recording. Files from users are hostile.
const (
	maxChapters     = 500
	maxChapterRunes = 200

	// startChapterMS is how late the first chapter may start that is meant to start the recording.
	startChapterMS = 50
)

// chapters returns the chapters of a source, in clip time.
func (s *Source) chapters(v Survey, lengthMS int64) (list []media.Chapter) {
	t, zero := s.Video, v.Origin.Video
	if !v.HasVideo {
		t, zero = s.Audio, v.Origin.Audio
	}
	f := nativeFormat(s.Format)
	start := float64(zero) * t.Base.Float64()
	for i := range min(f.nb_chapters, maxChapters) {
		var title *C.char
		ms := (float64(C.roughcut_chapter(f, i, &title)) - start) * 1000
		if math.IsNaN(ms) || ms >= float64(lengthMS) || ms < -float64(lengthMS) {
			continue
		}
		if ms < startChapterMS {
			ms = 0
		}
		list = append(list, media.Chapter{StartMS: int64(math.Round(ms)), Title: chapterTitle(title)})
	}

	slices.SortStableFunc(list, func(a, b media.Chapter) int { return cmp.Compare(a.StartMS, b.StartMS) })
	return list
}

// chapterTitle returns a title as one line.
func chapterTitle(text *C.char) string {
	if text == nil {
		return ""
	}
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(C.GoStringN(text, C.int(C.strnlen(text, maxTagBytes))), ""))
	runes := []rune(strings.TrimSpace(clean))
	return strings.TrimSpace(string(runes[:min(len(runes), maxChapterRunes)]))
}
