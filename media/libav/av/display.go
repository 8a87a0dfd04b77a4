package av

/*
#cgo pkg-config: libavcodec libavutil
#include <limits.h>
#include <libavcodec/codec_par.h>
#include <libavcodec/packet.h>
#include <libavutil/frame.h>
#include <libavutil/mastering_display_metadata.h>

// Has what a frame states about the display of its mastering and about its light levels.
typedef struct {
	int colors, luminance, light;
	double primary[3][2], white[2], least, most;
	unsigned peak, average;
} roughcut_display;

static roughcut_display roughcut_display_of(const AVFrame *f) {
	roughcut_display d = {0};
	AVFrameSideData *s = av_frame_get_side_data(f, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
	if (s) {
		const AVMasteringDisplayMetadata *m = (void *)s->data;
		d.colors = m->has_primaries;
		d.luminance = m->has_luminance;
		for (int k = 0; k < 2; k++) {
			for (int i = 0; i < 3; i++) d.primary[i][k] = av_q2d(m->display_primaries[i][k]);
			d.white[k] = av_q2d(m->white_point[k]);
		}
		d.least = av_q2d(m->min_luminance);
		d.most = av_q2d(m->max_luminance);
	}
	s = av_frame_get_side_data(f, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
	if (s) {
		const AVContentLightMetadata *c = (void *)s->data;
		d.light = 1;
		d.peak = c->MaxCLL;
		d.average = c->MaxFALL;
	}
	return d;
}

static AVRational roughcut_ratio(unsigned value, int unit) {
	return (AVRational){value > INT_MAX ? INT_MAX : value, unit};
}

static int roughcut_set_mastering(AVCodecParameters *p, int *c, unsigned least, unsigned most) {
	size_t size;
	AVMasteringDisplayMetadata *m = av_mastering_display_metadata_alloc_size(&size);
	if (!m) return AVERROR(ENOMEM);
	for (int i = 0; i < 6; i++) m->display_primaries[i / 2][i % 2] = roughcut_ratio(c[i], 50000);
	for (int k = 0; k < 2; k++) m->white_point[k] = roughcut_ratio(c[6 + k], 50000);
	m->min_luminance = roughcut_ratio(least, 10000);
	m->max_luminance = roughcut_ratio(most, 10000);
	m->has_primaries = m->has_luminance = 1;
	if (av_packet_side_data_add(&p->coded_side_data, &p->nb_coded_side_data,
			AV_PKT_DATA_MASTERING_DISPLAY_METADATA, m, size, 0)) return 0;
	av_free(m);
	return AVERROR(ENOMEM);
}

static int roughcut_set_light(AVCodecParameters *p, unsigned peak, unsigned average) {
	size_t size;
	AVContentLightMetadata *c = av_content_light_metadata_alloc(&size);
	if (!c) return AVERROR(ENOMEM);
	c->MaxCLL = peak;
	c->MaxFALL = average;
	if (av_packet_side_data_add(&p->coded_side_data, &p->nb_coded_side_data,
			AV_PKT_DATA_CONTENT_LIGHT_LEVEL, c, size, 0)) return 0;
	av_free(c);
	return AVERROR(ENOMEM);
}
*/
import "C"

import (
	"fmt"
	"math"

	"github.com/asticode/go-astiav"

	"roughcut/media/bitstream"
)

// DisplayOf returns the display that a decoded frame states.
func DisplayOf(f *astiav.Frame) (d bitstream.Display) {
	found := C.roughcut_display_of(cFrame(f))
	const colorUnit, luminanceUnit = 50_000, 10_000
	units := func(value C.double, unit, most float64) float64 {
		return min(max(0, math.Round(float64(value)*unit)), most)
	}
	if found.colors != 0 && found.luminance != 0 {
		d.Mastered = true
		for i := range 2 {
			for k := range 3 {
				d.Colors[2*k+i] = uint16(units(found.primary[k][i], colorUnit, math.MaxUint16))
			}
			d.Colors[6+i] = uint16(units(found.white[i], colorUnit, math.MaxUint16))
		}

		d.Least = uint32(units(found.least, luminanceUnit, math.MaxUint32))
		d.Most = uint32(units(found.most, luminanceUnit, math.MaxUint32))
	}

	if found.light != 0 {
		d.Lit = true
		d.Peak, d.Average = uint16(min(found.peak, math.MaxUint16)), uint16(min(found.average, math.MaxUint16))
	}

	return d
}

// StateDisplay states a display on a track.
func StateDisplay(s *astiav.Stream, d bitstream.Display) error {
	p := nativeStream(s).codecpar
	var code C.int
	if d.Mastered {
		var colors [8]C.int
		for i, c := range d.Colors {
			colors[i] = C.int(c)
		}
		code = C.roughcut_set_mastering(p, &colors[0], C.unsigned(d.Least), C.unsigned(d.Most))
	}

	if d.Lit && code >= 0 {
		code = C.roughcut_set_light(p, C.unsigned(d.Peak), C.unsigned(d.Average))
	}
	if code < 0 {
		return fmt.Errorf("adding the light levels to the video: %w", astiav.Error(code))
	}
	return nil
}
