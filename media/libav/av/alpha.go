package av

/*
#cgo pkg-config: libavcodec libavutil
#include <libavcodec/packet.h>
#include <libavutil/frame.h>
#include <stdint.h>
#include <string.h>

// Copies the transparency that a WebM packet carries, as a block addition with ID 1, into alpha,
// which owns the copy. Returns 0 if the packet carries none.
static int roughcut_alpha(const AVPacket *p, AVPacket *alpha) {
	size_t size = 0;
	const uint8_t *data = av_packet_get_side_data(p, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, &size);
	if (!data || size <= 8 || size > INT32_MAX || memcmp(data, "\0\0\0\0\0\0\0\1", 8)) return 0;
	if (av_new_packet(alpha, size - 8) < 0) return 0;
	memcpy(alpha->data, data + 8, size - 8);
	alpha->pts = p->pts;
	alpha->dts = p->dts;
	return 1;
}

// Makes the luma of alpha the transparency of f, which gets its own reference to that buffer.
// Returns 0 if size or format do not match.
static int roughcut_join(AVFrame *f, const AVFrame *alpha) {
	if (f->format != AV_PIX_FMT_YUV420P || alpha->format != AV_PIX_FMT_YUV420P) return 0;
	if (f->width != alpha->width || f->height != alpha->height || f->buf[3]) return 0;
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

// alphaTrack decodes the transparency of a WebM file, which stores it in separate frames next to
// the video frames. close frees the track.
type alphaTrack struct {
	decoder *Decoder
	packet  *astiav.Packet
	waiting []*astiav.Frame // decoded, and no later than the newest video frame
}

// newAlphaTrack returns nil if a track has no separate transparency.
func newAlphaTrack(s *Source, t *Track) (*alphaTrack, error) {
	if t.Name != "vp8" && t.Name != "vp9" {
		return nil, nil
	}
	tags := t.Stream.Metadata()
	if tags == nil {
		return nil, nil
	}
	if mode := tags.Get("alpha_mode", nil, 0); mode == nil || mode.Value() != "1" {
		return nil, nil
	}
	d, err := NewDecoder(s, t, 1)
	if err != nil {
		return nil, err
	}
	return &alphaTrack{decoder: d, packet: astiav.AllocPacket()}, nil
}

// send decodes the transparency that a video packet carries, nil at the end.
func (a *alphaTrack) send(p *astiav.Packet) {
	if p == nil {
		a.decoder.Send(nil)
	} else {
		a.packet.Unref()
		if C.roughcut_alpha(nativePacket(p), nativePacket(a.packet)) == 0 {
			return
		}
		a.decoder.Send(a.packet)
	}

	for {
		f := astiav.AllocFrame()
		if ok, err := a.decoder.Receive(f); !ok || err != nil {
			f.Free()
			return
		}

		a.waiting = append(a.waiting, f)
	}
}

// join adds the transparency to a frame, if there is one for its time stamp.
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

// reset drops everything in flight, after a seek.
func (a *alphaTrack) reset() {
	a.decoder.Reset()
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
	a.decoder.Close()
}
