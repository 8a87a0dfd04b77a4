package av

/*
#include <libavformat/avformat.h>

typedef struct {
	AVRational aspect;
	int space, range, transfer, primaries;
} roughcut_statement;

static roughcut_statement roughcut_stated(const AVStream *s) {
	const AVCodecParameters *p = s->codecpar;
	return (roughcut_statement){
		s->sample_aspect_ratio, p->color_space, p->color_range, p->color_trc, p->color_primaries,
	};
}

// Applies to a decoded frame what its container states, and the colors that HDR has otherwise.
static void roughcut_apply(AVFrame *f, const roughcut_statement *s) {
	if (s->aspect.num > 0 && s->aspect.den > 0) f->sample_aspect_ratio = s->aspect;
	if (f->color_range == AVCOL_RANGE_UNSPECIFIED) f->color_range = s->range;
	if (f->color_trc == AVCOL_TRC_UNSPECIFIED) f->color_trc = s->transfer;
	if (f->color_primaries == AVCOL_PRI_UNSPECIFIED) f->color_primaries = s->primaries;
	if (f->colorspace == AVCOL_SPC_UNSPECIFIED) f->colorspace = s->space;
	if (f->color_trc != AVCOL_TRC_SMPTE2084 && f->color_trc != AVCOL_TRC_ARIB_STD_B67) return;
	if (f->color_primaries == AVCOL_PRI_UNSPECIFIED) f->color_primaries = AVCOL_PRI_BT2020;
	if (f->colorspace == AVCOL_SPC_UNSPECIFIED) f->colorspace = AVCOL_SPC_BT2020_NCL;
}

// Completes the parameters of a stream likewise, after packets may have replaced them.
static void roughcut_complete(AVStream *s, const roughcut_statement *c) {
	AVCodecParameters *p = s->codecpar;
	AVFrame f = {
		.color_range = p->color_range, .color_trc = p->color_trc, .color_primaries = p->color_primaries,
		.colorspace = p->color_space,
	};
	roughcut_apply(&f, c);
	p->color_range = f.color_range;
	p->color_trc = f.color_trc;
	p->color_primaries = f.color_primaries;
	p->color_space = f.colorspace;
}
*/
import "C"

import "github.com/asticode/go-astiav"

// statement is what the container of a video track states about its frames. Its shape has
// precedence over the shape that frames have themselves, as in players. Its colors stand in where
// frames name none. HDR without a matrix or primaries has those of BT.2020, the only ones in Table
// 2 of ITU-R BT.2100.
type statement C.roughcut_statement

// statements returns the statements of a container that is open, and of whose packets none has been
// read: afterwards, libav replaces them by those of the packets.
func (s *Source) statements() (list []statement) {
	for _, stream := range s.Format.Streams() {
		list = append(list, statement(C.roughcut_stated(nativeStream(stream))))
	}
	return list
}

// complete completes the parameters of a stream by a statement.
func (c statement) complete(stream *astiav.Stream) {
	own := C.roughcut_statement(c)
	C.roughcut_complete(nativeStream(stream), &own)
}

// statementOf returns the statement for a stream, the zero statement if it appeared later.
func (s *Source) statementOf(stream *astiav.Stream) statement {
	if i := stream.Index(); i < len(s.stated) {
		return s.stated[i]
	}
	return statement{space: C.AVCOL_SPC_UNSPECIFIED, transfer: C.AVCOL_TRC_UNSPECIFIED,
		primaries: C.AVCOL_PRI_UNSPECIFIED}
}

// apply applies a statement to a decoded frame.
func (c statement) apply(f *astiav.Frame) {
	own := C.roughcut_statement(c)
	C.roughcut_apply(cFrame(f), &own)
}
