//go:build desktop

package desktop

// #include <stdlib.h>
// #include "gtk.h"
import "C"

import (
	"fmt"
	"slices"
	"unsafe"
)

// part is a part of GStreamer that WebKit needs to play the proxies of recordings, which are H.264
// and AAC in MP4. One of its elements is enough.
type part struct {
	elements []string
	lack     Lack
}

// parts are named with the packages of Debian and Ubuntu.
var parts = []part{
	{[]string{"playbin3"}, Lack{"a player", "gstreamer1.0-plugins-base"}},
	{[]string{"qtdemux"}, Lack{"a reader of MP4 files", "gstreamer1.0-plugins-good"}},
	{
		[]string{"avdec_h264", "openh264dec", "vah264dec", "vaapih264dec", "v4l2h264dec", "v4l2slh264dec", "nvh264dec"},
		Lack{"a decoder of H.264 video", "gstreamer1.0-libav"},
	},
	{[]string{"avdec_aac", "fdkaacdec", "faad"}, Lack{"a decoder of AAC audio", "gstreamer1.0-libav"}},
	{[]string{"scaletempo"}, Lack{"a filter for the playback speed", "gstreamer1.0-plugins-good"}},
	{[]string{"autoaudiosink"}, Lack{"the search for an audio output", "gstreamer1.0-plugins-good"}},
	{
		[]string{"pulsesink", "pipewiresink", "alsasink"},
		Lack{"an audio output", "gstreamer1.0-pulseaudio"},
	},
}

// Lack is a part of GStreamer that the window needs and the machine lacks.
type Lack struct{ Part, Package string }

// Lacks returns the parts of GStreamer that the machine lacks. ok is false if GStreamer itself does
// not start. The first call on a machine can take seconds, because GStreamer looks at each plugin.
func Lacks() (lacks []Lack, ok bool) {
	for _, p := range parts {
		found := slices.ContainsFunc(p.elements, func(name string) bool {
			text := C.CString(name)
			defer C.free(unsafe.Pointer(text))
			answer := C.hasElement(text)
			ok = ok || answer >= 0
			return answer == 1
		})
		if !found {
			lacks = append(lacks, p.lack)
		}
	}

	return lacks, ok
}

// WebKitVersion returns the version of WebKitGTK.
func WebKitVersion() string {
	var version [3]C.uint
	C.webkitVersion(&version[0])
	return fmt.Sprintf("%d.%d.%d", version[0], version[1], version[2])
}
