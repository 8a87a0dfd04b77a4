package av

/*
#cgo pkg-config: libavutil
#include <stdlib.h>
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
*/
import "C"

import (
	"strings"
	"unsafe"

	"roughcut/media"
)

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
