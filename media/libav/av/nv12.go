package av

/*
#include <libavutil/frame.h>

// Copies an 8-bit 4:2:0 frame to an NV12 frame of the same size.
static void roughcut_nv12(const AVFrame *from, AVFrame *to) {
	for (int y = 0; y < from->height; y++)
		__builtin_memcpy(to->data[0] + (ptrdiff_t)y * to->linesize[0],
			from->data[0] + (ptrdiff_t)y * from->linesize[0], from->width);
	int width = (from->width + 1) / 2;
	for (int y = 0; y < (from->height + 1) / 2; y++) {
		const uint8_t *u = from->data[1] + (ptrdiff_t)y * from->linesize[1];
		const uint8_t *v = from->data[2] + (ptrdiff_t)y * from->linesize[2];
		uint8_t *uv = to->data[1] + (ptrdiff_t)y * to->linesize[1];
		for (int x = 0; x < width; x++) {
			uv[2 * x] = u[x];
			uv[2 * x + 1] = v[x];
		}
	}
}
*/
import "C"

import "github.com/asticode/go-astiav"

// interleaveChroma copies an 8-bit 4:2:0 frame to an NV12 frame of the same size.
func interleaveChroma(from, to *astiav.Frame) { C.roughcut_nv12(cFrame(from), cFrame(to)) }
