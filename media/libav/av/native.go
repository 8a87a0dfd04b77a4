package av

/*
#cgo pkg-config: libavcodec libavutil libswresample libavfilter libavformat libswscale
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
#include <string.h>

static void roughcut_set_packet_timebase(AVCodecContext *c, int num, int den) {
	c->pkt_timebase = (AVRational){num, den};
}
static int64_t roughcut_pts(const AVFrame *f) {
	return f->best_effort_timestamp != AV_NOPTS_VALUE ? f->best_effort_timestamp : f->pts;
}
static int roughcut_interlaced(const AVFrame *f) { return (f->flags & AV_FRAME_FLAG_INTERLACED) != 0; }
static int roughcut_channels(const AVFrame *f) { return f->ch_layout.nb_channels; }
static uint64_t roughcut_layout(const AVFrame *f) {
	return f->ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? f->ch_layout.u.mask : 0;
}

static int roughcut_unnamed(const AVFrame *f) { return f->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC; }

// Replaces a layout without an order, as many WAV files have, and one with an order that the
// resampler lacks, by the usual one for the number of channels.
static void roughcut_name_layout(AVFrame *f) {
	if (f->ch_layout.order == AV_CHANNEL_ORDER_NATIVE) return;
	int n = f->ch_layout.nb_channels;
	av_channel_layout_uninit(&f->ch_layout);
	av_channel_layout_default(&f->ch_layout, n);
}

static void roughcut_set_layout(AVFrame *f, uint64_t mask) {
	av_channel_layout_uninit(&f->ch_layout);
	av_channel_layout_from_mask(&f->ch_layout, mask);
}

static int roughcut_matrix(const AVFrame *f, int32_t *to) {
	const AVFrameSideData *d = av_frame_get_side_data(f, AV_FRAME_DATA_DISPLAYMATRIX);
	if (!d || d->size < 9 * sizeof(int32_t)) return 0;
	memcpy(to, d->data, 9 * sizeof(int32_t));
	return 1;
}

// Strips everything that an encoder must not inherit from the source: picture type, flags, cropping
// and side data.
static void roughcut_strip(AVFrame *f) {
	f->pict_type = AV_PICTURE_TYPE_NONE;
	f->flags &= ~(AV_FRAME_FLAG_KEY | AV_FRAME_FLAG_INTERLACED | AV_FRAME_FLAG_TOP_FIELD_FIRST);
	f->repeat_pict = 0;
	f->crop_left = f->crop_right = f->crop_top = f->crop_bottom = 0;
	while (f->nb_side_data > 0) av_frame_remove_side_data(f, f->side_data[0]->type);
}

// Makes a packet share the bytes of another, without its properties.
static int roughcut_share(AVPacket *to, const AVPacket *from) {
	if (!from->buf) return AVERROR(EINVAL);
	to->buf = av_buffer_ref(from->buf);
	if (!to->buf) return AVERROR(ENOMEM);
	to->data = from->data;
	to->size = from->size;
	return 0;
}

// Returns the time stamp of the last keyframe in a stream's index that is shown at or before ts.
// Returns AV_NOPTS_VALUE if the index ends more than a second before ts. An index may hold DTS, and
// frames are shown up to video_delay frames later.
static int64_t roughcut_keyframe(AVStream *s, int64_t ts) {
	const AVIndexEntry *last = avformat_index_get_entry(s, avformat_index_get_entries_count(s) - 1);
	if (!last || last->timestamp < ts - av_rescale_q(1, (AVRational){1, 1}, s->time_base)) return AV_NOPTS_VALUE;
	AVRational rate = s->avg_frame_rate;
	int64_t late = rate.num > 0 ? av_rescale_q(s->codecpar->video_delay, av_inv_q(rate), s->time_base) : 0;
	const AVIndexEntry *key = avformat_index_get_entry_from_timestamp(s, ts - late, AVSEEK_FLAG_BACKWARD);
	return key ? key->timestamp : AV_NOPTS_VALUE;
}

typedef struct {
	int64_t time, pos;
	int32_t size;
	int8_t key, hidden;
} roughcut_entry;

// Copies n entries of a stream's index.
static void roughcut_index(AVStream *s, int from, int n, roughcut_entry *to) {
	for (int i = 0; i < n; i++) {
		const AVIndexEntry *e = avformat_index_get_entry(s, from + i);
		to[i] = (roughcut_entry){
			.time = e->timestamp, .pos = e->pos, .size = e->size,
			.key = (e->flags & AVINDEX_KEYFRAME) != 0, .hidden = (e->flags & AVINDEX_DISCARD_FRAME) != 0,
		};
	}
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/asticode/go-astiav"
)

// NoPTS is libav's "unknown" for a time stamp.
const NoPTS = int64(-1 << 63)

// Version returns the version of FFmpeg, such as "FFmpeg 7.1".
func Version() string {
	return fmt.Sprintf("FFmpeg %s", C.GoString(C.av_version_info()))
}

func cFrame(f *astiav.Frame) *C.AVFrame { return (*C.AVFrame)(f.UnsafePointer()) }

// setPacketTimeBase tells a decoder the time base of its packets. Without it, a decoder cannot trim
// encoder delay.
func setPacketTimeBase(c *astiav.CodecContext, base astiav.Rational) {
	C.roughcut_set_packet_timebase((*C.AVCodecContext)(c.UnsafePointer()), C.int(base.Num()), C.int(base.Den()))
}

// frameBytes returns the size of a frame in bytes, 0 if the format is not known.
func frameBytes(format astiav.PixelFormat, width, height int) int64 {
	return max(0, int64(C.av_image_get_buffer_size(int32(format), C.int(width), C.int(height), 1)))
}

// flushDecoder drops everything in flight, as needed after a seek.
func flushDecoder(c *astiav.CodecContext) {
	C.avcodec_flush_buffers((*C.AVCodecContext)(c.UnsafePointer()))
}

// indexedKeyframe looks up the last keyframe that is shown at or before pts in a stream's index. ok
// is false if the index does not say.
func indexedKeyframe(s *astiav.Stream, pts int64) (key int64, ok bool) {
	key = int64(C.roughcut_keyframe(nativeStream(s), C.int64_t(pts)))
	return key, key != NoPTS
}

// An astiav.Stream holds only an unexported pointer to its AVStream. This line stops compiling when
// that changes.
const _ = unsafe.Sizeof(uintptr(0)) - unsafe.Sizeof(astiav.Stream{})

func nativeStream(s *astiav.Stream) *C.AVStream { return *(**C.AVStream)(unsafe.Pointer(s)) }

// IndexLength returns the number of packets in a stream's index so far.
func IndexLength(s *astiav.Stream) int {
	return int(C.avformat_index_get_entries_count(nativeStream(s)))
}

// IndexEntry is a packet in a stream's index.
type IndexEntry struct {
	Time   int64 // DTS in the time base of the stream
	pos    int64 // in the file
	Size   int64 // bytes
	Key    bool
	hidden bool // it is decoded, but not shown
}

// eachIndexed calls visit with the packets in a stream's index so far, from one on, until visit
// fails.
func eachIndexed(s *astiav.Stream, from int, visit func(i int, e IndexEntry) error) error {
	var found [512]C.roughcut_entry
	for n := IndexLength(s); from < n; {
		some := found[:min(len(found), n-from)]
		C.roughcut_index(nativeStream(s), C.int(from), C.int(len(some)), &some[0])
		for i, e := range some {
			entry := IndexEntry{int64(e.time), int64(e.pos), int64(e.size), e.key != 0, e.hidden != 0}
			if err := visit(from+i, entry); err != nil {
				return err
			}
		}

		from += len(some)
	}

	return nil
}

// IndexEntries returns the packets in a stream's index so far.
func IndexEntries(s *astiav.Stream) (entries []IndexEntry) {
	_ = eachIndexed(s, 0, func(_ int, e IndexEntry) error {
		entries = append(entries, e)
		return nil
	})
	return entries
}

// An astiav.Packet holds only an unexported pointer to its AVPacket, like an astiav.Stream.
const _ = unsafe.Sizeof(uintptr(0)) - unsafe.Sizeof(astiav.Packet{})

func nativePacket(p *astiav.Packet) *C.AVPacket { return *(**C.AVPacket)(unsafe.Pointer(p)) }

// PacketData returns the bytes of a packet without a copy, unlike astiav's Data. The memory is the
// packet's.
func PacketData(p *astiav.Packet) []byte {
	c := nativePacket(p)
	if c.data == nil {
		return nil
	}
	return unsafe.Slice((*byte)(c.data), int(c.size))
}

// SharedPacket returns a packet that shares the bytes of another, without its times, flags and side
// data. The caller frees it.
func SharedPacket(from *astiav.Packet) (*astiav.Packet, error) {
	own := astiav.AllocPacket()
	if code := C.roughcut_share(nativePacket(own), nativePacket(from)); code < 0 {
		own.Free()
		return nil, fmt.Errorf("copying a packet: %w", astiav.Error(code))
	}

	return own, nil
}

// setUnpadded marks an output track as having no encoder padding, so that players play the audio of
// its first packet.
func setUnpadded(s *astiav.Stream) { nativeStream(s).codecpar.initial_padding = 0 }

// reorderDelay returns the reorder delay of an opened encoder: how many frames display order may
// lag behind decoding order.
func reorderDelay(c *astiav.CodecContext) int {
	return int((*C.AVCodecContext)(c.UnsafePointer()).has_b_frames)
}

// TrackDelay returns the same number for the video of an input track.
func TrackDelay(t *Track) int { return int(nativeStream(t.Stream).codecpar.video_delay) }

// framePTS returns a frame's time stamp in the time base of its stream, or NoPTS.
func framePTS(f *astiav.Frame) int64 { return int64(C.roughcut_pts(cFrame(f))) }

// frameDuration returns a frame's own duration in the time base of its stream, 0 if unknown.
func frameDuration(f *astiav.Frame) int64 { return int64(cFrame(f).duration) }

// IsInterlaced reports whether a frame consists of two fields.
func IsInterlaced(f *astiav.Frame) bool { return C.roughcut_interlaced(cFrame(f)) != 0 }

func frameChannels(f *astiav.Frame) int { return int(C.roughcut_channels(cFrame(f))) }

// layoutMask returns the speakers that a frame's channels belong to, 0 if unknown.
func layoutMask(f *astiav.Frame) uint64 { return uint64(C.roughcut_layout(cFrame(f))) }

// LowFrequencyChannel returns which channel of an audio track, from 0, is for low frequencies, -1
// if none is.
func LowFrequencyChannel(t *Track) int {
	layout := &nativeStream(t.Stream).codecpar.ch_layout
	return max(-1, int(C.av_channel_layout_index_from_channel(layout, C.AV_CHAN_LOW_FREQUENCY)))
}

// setLayout sets the speakers that a frame's channels belong to, as layoutMask has them.
func setLayout(f *astiav.Frame, mask uint64) { C.roughcut_set_layout(cFrame(f), C.uint64_t(mask)) }

// namesNoSpeakers reports whether the channels of a frame belong to no speakers.
func namesNoSpeakers(f *astiav.Frame) bool { return C.roughcut_unnamed(cFrame(f)) != 0 }

// nameLayout gives the channels of a frame their usual speakers if the frame does not name any, or
// names them in an unusual order.
func nameLayout(f *astiav.Frame) { C.roughcut_name_layout(cFrame(f)) }

// colorTransfer returns the transfer characteristic of a frame, as in ITU-T H.273.
func colorTransfer(f *astiav.Frame) int { return int(cFrame(f).color_trc) }

// colorPrimaries returns the color primaries of a frame, as in ITU-T H.273.
func colorPrimaries(f *astiav.Frame) int { return int(cFrame(f).color_primaries) }

// Tag709 is TagColors for BT.709 limited range.
func Tag709(f *astiav.Frame) { TagColors(f, FrameColors{}) }

// TagColors states the colors of a frame and strips everything that an encoder must not inherit
// from the source.
func TagColors(f *astiav.Frame, colors FrameColors) {
	C.roughcut_strip(cFrame(f))
	c, to := cFrame(f), colors.Stated()
	c.color_range, c.colorspace = C.enum_AVColorRange(to.colors), C.enum_AVColorSpace(to.space)
	c.color_primaries, c.color_trc = C.enum_AVColorPrimaries(to.primaries),
		C.enum_AVColorTransferCharacteristic(to.transfer)
	c.sample_aspect_ratio = C.AVRational{1, 1}
}

// displayMatrix returns the display matrix that a frame carries.
func displayMatrix(f *astiav.Frame) (matrix [9]uint32, ok bool) {
	ok = C.roughcut_matrix(cFrame(f), (*C.int32_t)(unsafe.Pointer(&matrix))) != 0
	return matrix, ok
}

// TagTrack states the colors of a track.
func TagTrack(s *astiav.Stream, colors FrameColors) {
	p, to := nativeStream(s).codecpar, colors.Stated()
	p.color_range, p.color_space = C.enum_AVColorRange(to.colors), C.enum_AVColorSpace(to.space)
	p.color_primaries, p.color_trc = C.enum_AVColorPrimaries(to.primaries),
		C.enum_AVColorTransferCharacteristic(to.transfer)
}

// PlaneBytes returns the given number of rows of plane i of a frame, stride bytes each. The memory
// is the frame's.
func PlaneBytes(f *astiav.Frame, i, rows int) (data []byte, stride int) {
	c := cFrame(f)
	stride = int(c.linesize[i])
	return unsafe.Slice((*byte)(unsafe.Pointer(c.data[i])), stride*rows), stride
}

// PlaneFloats returns the samples of channel i, less than media.MaxChannels, of a planar float
// frame. The memory is the frame's.
func PlaneFloats(f *astiav.Frame, i int) []float32 {
	c := cFrame(f)
	return unsafe.Slice((*float32)(unsafe.Pointer(c.data[i])), int(c.nb_samples))
}

// packedFloats returns the interleaved samples of a float frame with that many channels. The memory
// is the frame's.
func packedFloats(f *astiav.Frame, channels int) []float32 {
	c := cFrame(f)
	return unsafe.Slice((*float32)(unsafe.Pointer(c.data[0])), int(c.nb_samples)*channels)
}

// packed16 is packedFloats for 16-bit samples.
func packed16(f *astiav.Frame, channels int) []int16 {
	c := cFrame(f)
	return unsafe.Slice((*int16)(unsafe.Pointer(c.data[0])), int(c.nb_samples)*channels)
}

// setTime sets PTS and duration of a frame and removes its other time stamps, after a filter
// changed them.
func setTime(f *astiav.Frame, pts, duration int64) {
	n := cFrame(f)
	n.pts, n.best_effort_timestamp, n.duration = C.int64_t(pts), C.int64_t(pts), C.int64_t(duration)
}
