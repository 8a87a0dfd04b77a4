package libav

/*
#cgo pkg-config: libavcodec libavutil libswresample libavfilter libavformat libswscale
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/frame.h>
#include <string.h>

static void roughcut_set_packet_timebase(AVCodecContext *c, int num, int den) { c->pkt_timebase = (AVRational){num, den}; }
static int64_t roughcut_pts(const AVFrame *f) { return f->best_effort_timestamp != AV_NOPTS_VALUE ? f->best_effort_timestamp : f->pts; }
static int roughcut_interlaced(const AVFrame *f) { return (f->flags & AV_FRAME_FLAG_INTERLACED) != 0; }
static int roughcut_channels(const AVFrame *f) { return f->ch_layout.nb_channels; }
static uint64_t roughcut_layout(const AVFrame *f) { return f->ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? f->ch_layout.u.mask : 0; }

// A layout without an order (many WAV files have none) is taken for the usual one of that many
// channels.
static void roughcut_name_layout(AVFrame *f) {
	if (f->ch_layout.order != AV_CHANNEL_ORDER_UNSPEC) return;
	int n = f->ch_layout.nb_channels;
	av_channel_layout_uninit(&f->ch_layout);
	av_channel_layout_default(&f->ch_layout, n);
}

static int roughcut_matrix(const AVFrame *f, int32_t *to) {
	const AVFrameSideData *d = av_frame_get_side_data(f, AV_FRAME_DATA_DISPLAYMATRIX);
	if (!d || d->size < 9 * sizeof(int32_t)) return 0;
	memcpy(to, d->data, 9 * sizeof(int32_t));
	return 1;
}

// What an encoder must not inherit from the source: its picture types, its time stamps' neighbours,
// its side data.
static void roughcut_strip(AVFrame *f) {
	f->pict_type = AV_PICTURE_TYPE_NONE;
	f->flags &= ~(AV_FRAME_FLAG_KEY | AV_FRAME_FLAG_INTERLACED | AV_FRAME_FLAG_TOP_FIELD_FIRST);
	f->repeat_pict = 0;
	f->crop_left = f->crop_right = f->crop_top = f->crop_bottom = 0;
	while (f->nb_side_data > 0) av_frame_remove_side_data(f, f->side_data[0]->type);
}

// A packet of the same bytes as another, without its properties.
static int roughcut_share(AVPacket *to, const AVPacket *from) {
	if (!from->buf) return AVERROR(EINVAL);
	to->buf = av_buffer_ref(from->buf);
	if (!to->buf) return AVERROR(ENOMEM);
	to->data = from->data;
	to->size = from->size;
	return 0;
}

// The last keyframe of a stream's index that is shown at or before ts, AV_NOPTS_VALUE where the
// index ends more than a second before ts. An index may hold decoding times; pictures are shown up
// to video_delay frames later.
static int64_t roughcut_keyframe(AVStream *s, int64_t ts) {
	const AVIndexEntry *last = avformat_index_get_entry(s, avformat_index_get_entries_count(s) - 1);
	if (!last || last->timestamp < ts - av_rescale_q(1, (AVRational){1, 1}, s->time_base)) return AV_NOPTS_VALUE;
	AVRational rate = s->avg_frame_rate;
	int64_t late = rate.num > 0 ? av_rescale_q(s->codecpar->video_delay, av_inv_q(rate), s->time_base) : 0;
	const AVIndexEntry *key = avformat_index_get_entry_from_timestamp(s, ts - late, AVSEEK_FLAG_BACKWARD);
	return key ? key->timestamp : AV_NOPTS_VALUE;
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/asticode/go-astiav"
)

// noPTS is libav's "unknown" for a time stamp.
const noPTS = int64(-1 << 63)

func nativeVersion() string {
	return fmt.Sprintf("FFmpeg %s", C.GoString(C.av_version_info()))
}

func native(f *astiav.Frame) *C.AVFrame { return (*C.AVFrame)(f.UnsafePointer()) }

// setPacketTimeBase tells a decoder the unit of its packets, without which it cannot trim encoder
// delay.
func setPacketTimeBase(c *astiav.CodecContext, base astiav.Rational) {
	C.roughcut_set_packet_timebase((*C.AVCodecContext)(c.UnsafePointer()), C.int(base.Num()), C.int(base.Den()))
}

// flushDecoder forgets everything in flight, as needed after a seek.
func flushDecoder(c *astiav.CodecContext) {
	C.avcodec_flush_buffers((*C.AVCodecContext)(c.UnsafePointer()))
}

// indexedKeyframe looks up the last keyframe that is shown at or before pts in a stream's index;
// false where the index does not tell.
func indexedKeyframe(s *astiav.Stream, pts int64) (key int64, ok bool) {
	key = int64(C.roughcut_keyframe(nativeStream(s), C.int64_t(pts)))
	return key, key != noPTS
}

// An astiav.Stream is a pointer to its AVStream and nothing else, which it keeps to itself. This
// line does not compile once that is no longer so.
const _ = unsafe.Sizeof(uintptr(0)) - unsafe.Sizeof(astiav.Stream{})

func nativeStream(s *astiav.Stream) *C.AVStream { return *(**C.AVStream)(unsafe.Pointer(s)) }

// indexLength returns how many packets a stream's index names so far.
func indexLength(s *astiav.Stream) int {
	return int(C.avformat_index_get_entries_count(nativeStream(s)))
}

// An astiav.Packet is a pointer to its AVPacket and nothing else, as an astiav.Stream.
const _ = unsafe.Sizeof(uintptr(0)) - unsafe.Sizeof(astiav.Packet{})

func nativePacket(p *astiav.Packet) *C.AVPacket { return *(**C.AVPacket)(unsafe.Pointer(p)) }

// packetData returns the bytes of a packet, which are the packet's: its own Data copies them.
func packetData(p *astiav.Packet) []byte {
	c := nativePacket(p)
	if c.data == nil {
		return nil
	}
	return unsafe.Slice((*byte)(c.data), int(c.size))
}

// sharedPacket returns a packet of the same bytes as another, without its times, flags and side
// data. The caller frees it.
func sharedPacket(from *astiav.Packet) (*astiav.Packet, error) {
	own := astiav.AllocPacket()
	if code := C.roughcut_share(nativePacket(own), nativePacket(from)); code < 0 {
		own.Free()
		return nil, fmt.Errorf("copying a picture: %w", astiav.Error(code))
	}
	return own, nil
}

// setUnpadded says of a track that is written that the sound of its first packet is heard, and not
// what an encoder puts before it.
func setUnpadded(s *astiav.Stream) { nativeStream(s).codecpar.initial_padding = 0 }

// reorderDelay returns how many pictures an opened encoder may hold back while others are shown
// before them.
func reorderDelay(c *astiav.CodecContext) int {
	return int((*C.AVCodecContext)(c.UnsafePointer()).has_b_frames)
}

// trackDelay returns the same of the pictures of a track.
func trackDelay(t *track) int { return int(nativeStream(t.stream).codecpar.video_delay) }

// framePTS returns a frame's time stamp in stream units, or noPTS.
func framePTS(f *astiav.Frame) int64 { return int64(C.roughcut_pts(native(f))) }

// frameDuration returns a frame's own duration in stream units, 0 where unknown.
func frameDuration(f *astiav.Frame) int64 { return int64(native(f).duration) }

func isInterlaced(f *astiav.Frame) bool { return C.roughcut_interlaced(native(f)) != 0 }

func frameChannels(f *astiav.Frame) int { return int(C.roughcut_channels(native(f))) }

// layoutMask returns which speakers a frame's channels are for, 0 where that is not known.
func layoutMask(f *astiav.Frame) uint64 { return uint64(C.roughcut_layout(native(f))) }

// nameLayout gives the channels of a frame the usual meaning where they have none.
func nameLayout(f *astiav.Frame) { C.roughcut_name_layout(native(f)) }

// transfer returns the transfer characteristic of a frame, as in ITU-T H.273.
func transfer(f *astiav.Frame) int { return int(native(f).color_trc) }

// primaries returns the colour primaries of a frame, as in ITU-T H.273.
func primaries(f *astiav.Frame) int { return int(native(f).color_primaries) }

// tag709 marks a frame as BT.709 limited range and takes away what an encoder must not inherit from
// the source.
func tag709(f *astiav.Frame) {
	C.roughcut_strip(native(f))
	c := native(f)
	c.color_range, c.colorspace = C.AVCOL_RANGE_MPEG, C.AVCOL_SPC_BT709
	c.color_primaries, c.color_trc = C.AVCOL_PRI_BT709, C.AVCOL_TRC_BT709
	c.sample_aspect_ratio = C.AVRational{1, 1}
}

// displayMatrix returns the matrix that a picture carries.
func displayMatrix(f *astiav.Frame) (matrix [9]uint32, ok bool) {
	ok = C.roughcut_matrix(native(f), (*C.int32_t)(unsafe.Pointer(&matrix))) != 0
	return matrix, ok
}

// tagTrack709 marks a track as BT.709 limited range.
func tagTrack709(s *astiav.Stream) {
	p := nativeStream(s).codecpar
	p.color_range, p.color_space = C.AVCOL_RANGE_MPEG, C.AVCOL_SPC_BT709
	p.color_primaries, p.color_trc = C.AVCOL_PRI_BT709, C.AVCOL_TRC_BT709
}

// planeBytes returns rows lines of plane i of a picture, stride bytes each. The memory is the
// frame's.
func planeBytes(f *astiav.Frame, i, rows int) (data []byte, stride int) {
	c := native(f)
	stride = int(c.linesize[i])
	return unsafe.Slice((*byte)(unsafe.Pointer(c.data[i])), stride*rows), stride
}

// planeFloats returns the samples of channel i of a planar float frame. The memory is the frame's.
func planeFloats(f *astiav.Frame, i int) []float32 {
	c := native(f)
	return unsafe.Slice((*float32)(unsafe.Pointer(c.data[i])), int(c.nb_samples))
}

// packedInt16 returns the samples of a mono 16-bit frame. The memory is the frame's.
func packedInt16(f *astiav.Frame) []byte {
	c := native(f)
	return unsafe.Slice((*byte)(unsafe.Pointer(c.data[0])), int(c.nb_samples)*2)
}

// settle makes a frame's time stamp the only one that it has, after a filter changed it.
func setOnlyPTS(f *astiav.Frame) { native(f).best_effort_timestamp = native(f).pts }
