package av

/*
#cgo pkg-config: libavutil
#include <stdlib.h>
#include <string.h>
#include <libavutil/frame.h>
#include <libavutil/timecode.h>

// Writes the label of the frame that is n frames before the one that has a label, -n frames after
// it if n is negative. Labels start again after a day. It fails for a label that is wrong at the
// rate, and before 00:00:00:00.
static int roughcut_timecode(const char *label, int num, int den, int n, char *to) {
	AVTimecode tc;
	int code = av_timecode_init_from_string(&tc, (AVRational){num, den}, label, NULL);
	if (code < 0 || tc.start < n) return -1;
	tc.flags |= AV_TIMECODE_FLAG_24HOURSMAX;
	av_timecode_make_string(&tc, to, -n);
	return 0;
}

// Writes the timecode that the stream of a frame states at its group of pictures, or "".
static void roughcut_group_timecode(const AVFrame *f, char *to) {
	const AVFrameSideData *d = av_frame_get_side_data(f, AV_FRAME_DATA_GOP_TIMECODE);
	int64_t bits;
	to[0] = 0;
	if (!d || d->size < sizeof(bits)) return;
	memcpy(&bits, d->data, sizeof(bits));
	av_timecode_make_mpeg_tc_string(to, (uint32_t)bits);
}
*/
import "C"

import (
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// groupTimecode returns the timecode that an MPEG-2 stream states with a frame, or "".
// Encoders without a clock write 0.
func groupTimecode(f *astiav.Frame) string {
	var label [C.AV_TIMECODE_STR_SIZE]C.char
	C.roughcut_group_timecode(cFrame(f), &label[0])
	if text := C.GoString(&label[0]); strings.Trim(text, "0:;") != "" {
		return text
	}
	return ""
}

// SetTimecode states the timecode of a plan on the video track. MP4 and its relatives get a
// timecode track. Without a valid label of the first frame, the file gets no timecode. Call it
// before Start.
func (m *Muxer) SetTimecode(track int, plan media.RenderPlan) error {
	if plan.Timecode == "" {
		return nil
	}
	// A label with a point counts as drop-frame, which libav writes with a semicolon.
	label := C.CString(strings.Replace(plan.Timecode, ".", ";", 1))
	defer C.free(unsafe.Pointer(label))
	var first [C.AV_TIMECODE_STR_SIZE]C.char
	if C.roughcut_timecode(
		label, C.int(plan.Rate.Num), C.int(plan.Rate.Den), C.int(plan.TimecodeFrame), &first[0],
	) < 0 {
		return nil
	}

	metadata, err := dictionary([][2]string{{"timecode", C.GoString(&first[0])}})
	if err != nil {
		return err
	}
	m.tracks[track].stream.SetMetadata(metadata)
	return nil
}

// SetTimeReference makes a WAV file a Broadcast Wave file (EBU Tech 3285) whose first sample is
// that many samples after midnight. created is the creation time of the recording, if it is known.
// Other formats do not state either. Call it before Start.
func (m *Muxer) SetTimeReference(samples int64, created string) error {
	if samples <= 0 || m.format.OutputFormat().Name() != muxerWAV {
		return nil
	}
	m.isBroadcast = true
	date, clock, _ := strings.Cut(strings.TrimSuffix(created, "Z"), "T")
	for key, value := range map[string]string{
		"time_reference":   strconv.FormatInt(samples, 10),
		"origination_date": date, "origination_time": clock[:min(len(clock), len(time.TimeOnly))],
	} {
		if err := m.setTag(-1, key, value); err != nil {
			return err
		}
	}

	return nil
}
