package libav

/*
#cgo pkg-config: libavcodec libavutil
#include <libavcodec/packet.h>
#include <libavutil/frame.h>
#include <stdint.h>
#include <string.h>

// What a WebM packet carries beside its picture under the number of transparency, as a packet of
// its own. 0 where it carries none.
static int roughcut_alpha(const AVPacket *p, AVPacket *alpha) {
	size_t size = 0;
	const uint8_t *data = av_packet_get_side_data(p, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, &size);
	if (!data || size <= 8 || size > INT32_MAX || memcmp(data, "\0\0\0\0\0\0\0\1", 8) || av_new_packet(alpha, size - 8) < 0) return 0;
	memcpy(alpha->data, data + 8, size - 8);
	alpha->pts = p->pts;
	alpha->dts = p->dts;
	return 1;
}

// Makes the luma of one picture the transparency of another. 0 where they do not fit.
static int roughcut_join(AVFrame *f, const AVFrame *alpha) {
	if (f->format != AV_PIX_FMT_YUV420P || alpha->format != AV_PIX_FMT_YUV420P || f->width != alpha->width || f->height != alpha->height || f->buf[3]) return 0;
	if (!(f->buf[3] = av_buffer_ref(alpha->buf[0]))) return 0;
	f->data[3] = alpha->data[0];
	f->linesize[3] = alpha->linesize[0];
	f->format = AV_PIX_FMT_YUVA420P;
	return 1;
}
*/
import "C"

import (
	"github.com/asticode/go-astiav"
)

// alphaTrack decodes the transparency that a WebM has beside its pictures, each coded as a picture
// of its own. close frees it.
type alphaTrack struct {
	decoder *decoder
	packet  *astiav.Packet
	waiting []*astiav.Frame // decoded, and no later than the newest picture
}

// newAlphaTrack returns nil where a track has no transparency beside its pictures.
func newAlphaTrack(s *source, t *track) (*alphaTrack, error) {
	if t.name != "vp8" && t.name != "vp9" {
		return nil, nil
	}
	tags := t.stream.Metadata()
	if tags == nil {
		return nil, nil
	}
	if mode := tags.Get("alpha_mode", nil, 0); mode == nil || mode.Value() != "1" {
		return nil, nil
	}
	d, err := newDecoder(s, t, 1)
	if err != nil {
		return nil, err
	}
	return &alphaTrack{decoder: d, packet: astiav.AllocPacket()}, nil
}

// send decodes what a packet of the pictures carries, nil at the end.
func (a *alphaTrack) send(p *astiav.Packet) {
	if p == nil {
		a.decoder.send(nil)
	} else {
		a.packet.Unref()
		if C.roughcut_alpha(nativePacket(p), nativePacket(a.packet)) == 0 {
			return
		}
		a.decoder.send(a.packet)
	}
	for {
		f := astiav.AllocFrame()
		if ok, err := a.decoder.receive(f); !ok || err != nil {
			f.Free()
			return
		}
		a.waiting = append(a.waiting, f)
	}
}

// join gives a picture its transparency; one that has none of its own stays as it is.
func (a *alphaTrack) join(f *astiav.Frame) {
	for len(a.waiting) > 0 && framePTS(a.waiting[0]) <= framePTS(f) {
		own := a.waiting[0]
		a.waiting = a.waiting[1:]
		if framePTS(own) == framePTS(f) {
			C.roughcut_join((*C.AVFrame)(f.UnsafePointer()), (*C.AVFrame)(own.UnsafePointer()))
		}
		own.Free()
	}
}

// reset forgets what is in flight, after a seek.
func (a *alphaTrack) reset() {
	a.decoder.reset()
	a.drop()
}

func (a *alphaTrack) drop() {
	for _, f := range a.waiting {
		f.Free()
	}
	a.waiting = nil
}

func (a *alphaTrack) close() {
	a.drop()
	a.packet.Free()
	a.decoder.close()
}
