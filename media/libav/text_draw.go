package libav

/*
#cgo pkg-config: libass libavutil
#include <ass/ass.h>
#include <libavutil/frame.h>
#include <stdlib.h>
#include <string.h>

static void roughcut_quiet(int level, const char *format, va_list args, void *data) {}
static void roughcut_silence(ASS_Library *l) { ass_set_message_cb(l, roughcut_quiet, NULL); }
static ASS_Style *roughcut_style(ASS_Track *t, int i) { return &t->styles[i]; }
static ASS_Event *roughcut_event(ASS_Track *t, int i) { return &t->events[i]; }

// Writes the bounding box of images to box: left, top, right, bottom. Returns 0 if they cover
// nothing.
static int roughcut_bounds(const ASS_Image *m, int box[4]) {
	int found = 0;
	for (; m; m = m->next)
		for (int y = 0; y < m->h; y++) {
			const unsigned char *row = m->bitmap + y * m->stride;
			int from = 0, to = m->w;
			while (from < to && !row[from]) from++;
			while (to > from && !row[to - 1]) to--;
			if (from == to) continue;
			if (!found || m->dst_x + from < box[0]) box[0] = m->dst_x + from;
			if (!found || m->dst_y + y < box[1]) box[1] = m->dst_y + y;
			if (!found || m->dst_x + to > box[2]) box[2] = m->dst_x + to;
			if (!found || m->dst_y + y + 1 > box[3]) box[3] = m->dst_y + y + 1;
			found = 1;
		}
	return found;
}

static int roughcut_clip(int v, int most) { return v < 0 ? 0 : v > most ? most : v; }

// Returns a row of an image's coverage, 0 to 255 per pixel, from its left edge on. Returns NULL
// above and below the image. The memory is libass's.
static const uint8_t *roughcut_row(const ASS_Image *m, int y) {
	y -= m->dst_y;
	return y < 0 || y >= m->h ? NULL : m->bitmap + y * m->stride;
}

// Returns the sum of the coverage of two neighboring pixels in a row.
static int roughcut_pair(const uint8_t *row, int at, int w) {
	return !row ? 0 : (at >= 0 && at < w ? row[at] : 0) + (at + 1 >= 0 && at + 1 < w ? row[at + 1] : 0);
}

// roughcut_part scales an alpha and rounds down. roughcut_mix blends two values and rounds to the
// nearest. Neither divides by 255, so compilers can vectorize them.
static inline uint8_t roughcut_part(uint16_t cover, uint16_t opaque) {
	uint16_t n = cover * opaque;
	return (uint16_t)(n + 1 + (n >> 8)) >> 8;
}
static inline uint8_t roughcut_mix(uint16_t under, uint16_t over, uint16_t alpha) {
	uint16_t n = under * (255 - alpha) + over * alpha + 128;
	return (uint16_t)(n + (n >> 8)) >> 8;
}

__attribute__((optimize("O3")))
static void roughcut_mix_row(uint8_t *restrict p, const uint8_t *restrict row, int n, int over, int opaque) {
	for (int x = 0; x < n; x++) p[x] = roughcut_mix(p[x], over, roughcut_part(row[x], opaque));
}

// Draws images on a writable 8-bit 4:2:0 frame, BT.709 limited range.
static void roughcut_blend(AVFrame *f, const ASS_Image *m) {
	for (; m; m = m->next) {
		if (m->w <= 0 || m->h <= 0) continue;
		double r = (m->color >> 24 & 255) / 255.0;
		double g = (m->color >> 16 & 255) / 255.0;
		double b = (m->color >> 8 & 255) / 255.0;
		int opaque = 255 - (m->color & 255);
		double luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
		int value[3] = {
			(int)(16.5 + 219 * luma),
			(int)(128.5 + 224 * (b - luma) / 1.8556),
			(int)(128.5 + 224 * (r - luma) / 1.5748),
		};
		int left = roughcut_clip(m->dst_x, f->width), right = roughcut_clip(m->dst_x + m->w, f->width);
		int top = roughcut_clip(m->dst_y, f->height), bottom = roughcut_clip(m->dst_y + m->h, f->height);
		for (int y = top; y < bottom && left < right; y++) {
			uint8_t *to = f->data[0] + y * f->linesize[0] + left;
			roughcut_mix_row(to, roughcut_row(m, y) + left - m->dst_x, right - left, value[0], opaque);
		}
		for (int y = top / 2; y < (bottom + 1) / 2; y++) {
			const uint8_t *upper = roughcut_row(m, 2 * y), *lower = roughcut_row(m, 2 * y + 1);
			uint8_t *u = f->data[1] + y * f->linesize[1], *v = f->data[2] + y * f->linesize[2];
			for (int x = left / 2; x < (right + 1) / 2; x++) {
				int at = 2 * x - m->dst_x;
				int cover = roughcut_pair(upper, at, m->w) + roughcut_pair(lower, at, m->w);
				int alpha = roughcut_part(cover / 4, opaque);
				if (!alpha) continue;
				u[x] = roughcut_mix(u[x], value[1], alpha);
				v[x] = roughcut_mix(v[x], value[2], alpha);
			}
		}
	}
}
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/fonts"
	"roughcut/media/libav/av"
)

// firstStrong is the encoding with which the first strong letter of each line decides its direction
// (UAX #9, P2 and P3). With the others, every line starts on the left.
const firstStrong = -1

// Limits of libass's caches: glyphs, and megabytes of bitmaps.
const (
	assGlyphs    = 1000
	assMegabytes = 64
)

// assRenderer is libass with bundled fonts and one track of events. Styles and times are values
// in memory. libass parses only the text of events, and escapeASS leaves no tags from users in that
// text. close frees it.
type assRenderer struct {
	library  *C.ASS_Library
	renderer *C.ASS_Renderer
	track    *C.ASS_Track
}

// newASSRenderer returns a renderer for styles with some fonts. It loads the bundled ones of them,
// and the first bundled font. A name that is not a bundled family can be the PostScript name of a
// bundled font, so it loads all.
func newASSRenderer(families ...string) (*assRenderer, error) {
	t := &assRenderer{library: C.ass_library_init()}
	if t.library == nil {
		return nil, errors.New("cannot start libass")
	}
	C.roughcut_silence(t.library)
	bundled := media.CaptionFonts()
	isKnown := func(family string) bool {
		return slices.ContainsFunc(bundled, func(f media.CaptionFont) bool { return f.Family == family })
	}
	areKnown := !slices.ContainsFunc(families, func(family string) bool { return !isKnown(family) })
	for i, font := range bundled {
		if i > 0 && areKnown && !slices.Contains(families, font.Family) {
			continue
		}
		if err := t.addFont(font); err != nil {
			C.ass_library_done(t.library)
			return nil, err
		}
	}

	if t.renderer, t.track = C.ass_renderer_init(t.library), C.ass_new_track(t.library); t.renderer == nil ||
		t.track == nil {
		t.close()
		return nil, errors.New("cannot start libass")
	}

	C.ass_set_cache_limits(t.renderer, assGlyphs, assMegabytes)
	withString(bundled[0].Family, func(s *C.char) {
		C.ass_set_fonts(t.renderer, nil, s, C.ASS_FONTPROVIDER_AUTODETECT, nil, 1)
	})
	t.track.track_type = C.TRACK_TYPE_ASS
	t.track.ScaledBorderAndShadow, t.track.Kerning = 1, 1 // as in the preview
	// Right-to-left text keeps its order if the spoken word has its own color.
	for _, feature := range []C.ASS_Feature{
		C.ASS_FEATURE_WRAP_UNICODE, C.ASS_FEATURE_WHOLE_TEXT_LAYOUT, C.ASS_FEATURE_BIDI_BRACKETS,
	} {
		C.ass_track_set_feature(t.track, feature, 1)
	}

	return t, nil
}

// addFont makes a bundled font known to libass, which copies it.
func (t *assRenderer) addFont(font media.CaptionFont) error {
	data, err := fonts.Read(font.File)
	if err != nil {
		return err
	}
	withString(font.Family, func(s *C.char) {
		C.ass_add_font(t.library, s, (*C.char)(unsafe.Pointer(&data[0])), C.int(len(data)))
	})
	return nil
}

// frame sets the size of the output frame, in pixels.
func (t *assRenderer) frame(width, height int) {
	C.ass_set_frame_size(t.renderer, C.int(width), C.int(height))
	C.ass_set_storage_size(t.renderer, C.int(width), C.int(height))
	t.track.PlayResX, t.track.PlayResY = C.int(width), C.int(height)
}

func (t *assRenderer) close() {
	if t.track != nil {
		C.ass_free_track(t.track)
	}
	if t.renderer != nil {
		C.ass_renderer_done(t.renderer)
	}
	C.ass_library_done(t.library)
}

// textRenderer draws captions and the watermark. close frees it.
type textRenderer struct {
	*assRenderer
	plan    media.RenderPlan
	borders []int64      // sorted times of text changes in milliseconds
	images  *C.ASS_Image // the current images, owned by libass
	frames  [2]int64     // the output frames that show images: first, and first after
}

// newTextRenderer lays out the text of a plan. It calls alive in between.
func newTextRenderer(plan media.RenderPlan, alive func()) (*textRenderer, error) {
	fitted, err := fitCaptions(plan, alive)
	if err != nil {
		return nil, err
	}
	caption, mark := captionStyle(plan), watermarkStyle(plan)
	s, err := newASSRenderer(caption.font, mark.font)
	if err != nil {
		return nil, err
	}
	t := &textRenderer{assRenderer: s, plan: plan}
	t.frame(plan.Width, plan.Height)
	captionStyle, markStyle := t.addStyle(caption), t.addStyle(mark)
	if spoken, ok := spokenStyle(plan); ok {
		t.addStyle(spoken)
	}
	for _, e := range textEvents(plan, fitted) {
		t.borders = append(t.borders, e.startMS, e.endMS)
		if e.watermark {
			t.addEvent(e, markStyle)
		} else {
			t.addEvent(e, captionStyle)
		}
	}

	slices.Sort(t.borders)
	return t, nil
}

func withString(s string, use func(*C.char)) {
	c := C.CString(s)
	defer C.free(unsafe.Pointer(c))
	use(c)
}

func (t *assRenderer) addStyle(l assStyle) (style int) {
	i := C.ass_alloc_style(t.track)
	s := C.roughcut_style(t.track, i)
	s.Name, s.FontName = C.CString(l.name), C.CString(l.font) // libass frees them
	s.FontSize, s.ScaleX, s.ScaleY = C.double(l.size), 1, 1
	s.Bold = C.int(l.weight)
	s.PrimaryColour = C.uint32_t(l.color)
	s.SecondaryColour = C.uint32_t(l.color)
	s.OutlineColour = C.uint32_t(l.edge)
	s.BackColour = C.uint32_t(l.shade)
	s.BorderStyle = C.int(l.border)
	s.Outline = C.double(l.outline)
	s.Shadow = C.double(l.shadow)
	s.Blur = C.double(l.blur)
	s.Alignment = C.int(l.alignment)
	s.Encoding = firstStrong
	s.MarginL = C.int(l.side)
	s.MarginR = C.int(l.side)
	s.MarginV = C.int(l.edgeDistance)
	return int(i)
}

func (t *assRenderer) addEvent(e textEvent, style int) {
	event := C.roughcut_event(t.track, C.ass_alloc_event(t.track))
	event.Start, event.Duration = C.longlong(e.startMS), C.longlong(e.endMS-e.startMS)
	event.Style, event.Text = C.int(style), C.CString(e.text) // libass frees it
	event.Name, event.Effect = C.CString(""), C.CString("")
	if e.watermark {
		event.Layer = 1 // captions do not avoid it
	}
}

// wrap sets whether lines that are too long wrap.
func (t *assRenderer) wrap(yes bool) {
	t.track.WrapStyle = 2
	if yes {
		t.track.WrapStyle = 0
	}
}

// extent returns the width and height in pixels of a text drawn alone.
func (t *assRenderer) extent(text string, style int) (width, height int) {
	C.ass_flush_events(t.track)
	t.addEvent(textEvent{text: text, endMS: 1}, style)
	var box [4]C.int
	if C.roughcut_bounds(C.ass_render_frame(t.renderer, t.track, 0, nil), &box[0]) == 0 {
		return 0, 0
	}
	return int(box[2] - box[0]), int(box[3] - box[1])
}

// at prepares the text of an output frame. empty is true if the frame has no text. until is the
// frame of the next possible change of the text. libass lays text out on every call, so at calls it
// once per change.
func (t *textRenderer) at(frame int64) (empty bool, until int64) {
	if frame < t.frames[0] || frame >= t.frames[1] {
		now := t.plan.Rate.MS(frame)
		t.images = C.ass_render_frame(t.renderer, t.track, C.longlong(now), nil)
		t.frames = [2]int64{frame, frame + 1<<40}
		if next, _ := slices.BinarySearch(t.borders, now+1); next < len(t.borders) {
			t.frames[1] = t.firstAt(t.borders[next])
		}
	}

	return t.images == nil, t.frames[1]
}

// firstAt returns the first frame whose time is at or after ms.
func (t *textRenderer) firstAt(ms int64) int64 {
	frame := t.plan.Rate.Frame(ms)
	for t.plan.Rate.MS(frame) < ms {
		frame++
	}
	for frame > 0 && t.plan.Rate.MS(frame-1) >= ms {
		frame--
	}
	return frame
}

// draw returns a copy of a frame with the prepared text on it. The caller frees it.
func (t *textRenderer) draw(f *astiav.Frame) (*astiav.Frame, error) {
	copied, err := av.Clone(f)
	if err != nil {
		return nil, err
	}
	if err := copied.MakeWritable(); err != nil {
		copied.Free()
		return nil, fmt.Errorf("drawing captions: %w", err)
	}

	C.roughcut_blend((*C.AVFrame)(copied.UnsafePointer()), t.images)
	return copied, nil
}

// drawText draws captions and watermark on frames.
func (r *render) drawText(from <-chan timedFrame, to chan<- timedFrame) error {
	t, err := newTextRenderer(r.plan, r.meter.Alive)
	if err != nil {
		return err
	}
	defer t.close()
	at := int64(0)
	for s := range from {
		if err := r.drawTextFrame(t, s, r.outputFrame(at), to); err != nil {
			return err
		}
		at += s.count
	}

	return nil
}

// drawTextFrame splits a frame into frames that each show the same text, and sends them.
func (r *render) drawTextFrame(t *textRenderer, s timedFrame, at int64, to chan<- timedFrame) error {
	defer s.frame.Free()
	for n := int64(0); n < s.count; {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		empty, until := t.at(at + n)
		same := min(until-at, s.count) - n
		draw := t.draw
		if empty {
			draw = av.Clone
		}
		out, err := draw(s.frame)
		if err != nil {
			return err
		}
		r.meter.Alive()
		if err := sendFrame(r.ctx, to, timedFrame{frame: out, count: same}); err != nil {
			return err
		}
		n += same
	}

	return nil
}
