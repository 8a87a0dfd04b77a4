package libav

/*
#cgo pkg-config: libavutil
#include <libavutil/frame.h>

static uint8_t roughcut_byte(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

static int roughcut_within(int v, int most) { return v < 0 ? 0 : v > most ? most : v; }

// Divides by d > 0 and rounds to the nearest integer.
static int roughcut_divide(int n, int d) { return (n >= 0 ? n + d / 2 : n - d / 2) / d; }

// Multiplies the colors of a writable planar 8-bit RGBA frame by its alpha.
static void roughcut_premultiply(AVFrame *f) {
	for (int y = 0; y < f->height; y++) {
		const uint8_t *a = f->data[3] + y * f->linesize[3];
		for (int c = 0; c < 3; c++) {
			uint8_t *p = f->data[c] + y * f->linesize[c];
			for (int x = 0; x < f->width; x++) p[x] = (p[x] * a[x] + 127) / 255;
		}
	}
}

// Blends a 4:4:4 frame, premultiplied before its conversion to YUV, over a writable 8-bit 4:2:0
// frame. Both are BT.709 limited range. Where the upper frame is transparent, its colors approach
// black (16, 128, 128), so distances from black add up: out = over + under * (1 - alpha).
static void roughcut_lay(AVFrame *f, const AVFrame *over, int x0, int y0, int percent) {
	const int full = 255 * 100;
	int left = roughcut_within(x0, f->width), right = roughcut_within(x0 + over->width, f->width);
	int top = roughcut_within(y0, f->height), bottom = roughcut_within(y0 + over->height, f->height);
	if (left >= right || top >= bottom) return;
	for (int y = top; y < bottom; y++) {
		const uint8_t *v = over->data[0] + (y - y0) * over->linesize[0] - x0;
		const uint8_t *a = over->data[3] + (y - y0) * over->linesize[3] - x0;
		uint8_t *p = f->data[0] + y * f->linesize[0];
		for (int x = left; x < right; x++)
			if (a[x]) {
				int sum = (v[x] - 16) * 255 * percent + (p[x] - 16) * (full - a[x] * percent);
				p[x] = roughcut_byte(16 + roughcut_divide(sum, full));
			}
	}
	for (int y = top / 2; y < (bottom + 1) / 2; y++)
		for (int x = left / 2; x < (right + 1) / 2; x++) {
			int alpha = 0, sum[3] = {0, 0, 0};
			for (int dy = 0; dy < 2; dy++)
				for (int dx = 0; dx < 2; dx++) {
					int px = 2 * x + dx, py = 2 * y + dy;
					if (px < left || px >= right || py < top || py >= bottom) continue;
					px -= x0; py -= y0;
					alpha += over->data[3][py * over->linesize[3] + px];
					for (int c = 1; c < 3; c++) sum[c] += over->data[c][py * over->linesize[c] + px] - 128;
				}
			for (int c = 1; alpha && c < 3; c++) {
				uint8_t *p = f->data[c] + y * f->linesize[c] + x;
				int mixed = sum[c] * 255 * percent + (*p - 128) * (4 * full - alpha * percent);
				*p = roughcut_byte(128 + roughcut_divide(mixed, 4 * full));
			}
		}
}
*/
import "C"

import (
	"fmt"

	"github.com/asticode/go-astiav"
)

// premultiply multiplies the colors of a planar 8-bit RGBA frame by its alpha. Scaling and
// rotation then do not bleed colors of transparent pixels into visible ones.
func premultiply(f *astiav.Frame) error {
	if err := f.MakeWritable(); err != nil {
		return fmt.Errorf("drawing an asset: %w", err)
	}
	C.roughcut_premultiply((*C.AVFrame)(f.UnsafePointer()))
	return nil
}

// blend blends a premultiplied 4:4:4 frame, its top left corner at x, y, over a writable 4:2:0
// frame.
func blend(on, over *astiav.Frame, x, y, opacityPercent int) {
	C.roughcut_lay(
		(*C.AVFrame)(on.UnsafePointer()),
		(*C.AVFrame)(over.UnsafePointer()),
		C.int(x), C.int(y), C.int(opacityPercent),
	)
}
