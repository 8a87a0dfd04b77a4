package libav

import (
	"github.com/asticode/go-astiav"

	"roughcut/media/libav/av"
	"roughcut/media/screen"
)

// Frames that show whether a recording is a screen.
const (
	screenFrames   = 12   // over the length that the container claims
	screenStepMS   = 1000 // least distance
	mostScreenLook = 48   // if the container claims too little
)

// screenWatch looks at a few frames of a recording to recognize a screen. It uses frames that are
// decoded for other products. Without any, it decodes a few keyframes. close frees it.
type screenWatch struct {
	in      *ingest
	canvas  av.Canvas
	stepMS  int64
	looks   int64
	decoder *av.Decoder // of keyframes; nil before the first
	watch   screen.Watch
}

// newScreenWatch returns nil unless the request asks for it and the recording has a video.
func newScreenWatch(in *ingest) *screenWatch {
	v := in.info.Video
	if !in.request.Screen || v == nil || v.Still {
		return nil
	}
	return &screenWatch{in: in, canvas: proxyCanvas(v), stepMS: max(screenStepMS, in.info.DurationMS/screenFrames)}
}

// due reports whether a look is due at a frame that is shown until a grid frame, and counts it. It
// is false for nil.
func (w *screenWatch) due(until int64) bool {
	if w == nil || w.looks == mostScreenLook || w.in.info.Video.Rate.MS(until) <= w.looks*w.stepMS {
		return false
	}
	w.looks = min(w.in.info.Video.Rate.MS(until)/w.stepMS+1, mostScreenLook)
	return true
}

// addProxy looks at a frame in the format of a proxy, if a look is due.
func (w *screenWatch) addProxy(f *astiav.Frame, until int64) {
	if w.due(until) {
		w.watch.Add(frameImage(f, w.canvas.Width, w.canvas.Height))
	}
}

// add looks at a decoded frame, if a look is due.
func (w *screenWatch) add(f *astiav.Frame, orient av.Orientation, until int64) error {
	if !w.due(until) {
		return nil
	}
	img, err := drawFrame(w.canvas, f, orient)
	if err == nil {
		w.watch.Add(img)
	}
	return err
}

// addKeyframe decodes a keyframe and looks at it. A keyframe that cannot be decoded shows nothing.
func (w *screenWatch) addKeyframe(key *astiav.Packet) {
	t := w.in.source.Video
	if w.decoder == nil {
		d, err := av.NewDecoder(w.in.source, t, 1, [2]string{"skip_loop_filter", "all"})
		if err != nil {
			w.looks = mostScreenLook
			return
		}

		w.decoder = d
	}

	f := astiav.AllocFrame()
	defer f.Free()
	w.decoder.Reset()
	w.decoder.Send(key)
	w.decoder.Send(nil)
	if ok, err := w.decoder.Receive(f); !ok || err != nil {
		return
	}
	if img, err := drawFrame(w.canvas, f, av.TrackOrientation(t)); err == nil {
		w.watch.Add(img)
	}
	w.in.meter.Alive()
}

// addListed is addKeyframe for a packet that is only listed.
func (w *screenWatch) addListed(p av.ListedPacket) error {
	data, err := w.in.source.Data(p, p.Size)
	if err != nil {
		return err
	}
	key := astiav.AllocPacket()
	defer key.Free()
	if err := key.FromData(data); err != nil {
		return err
	}
	key.SetPts(p.PTS)
	w.addKeyframe(key)
	return nil
}

// result reports whether the recording is a screen, nil if that is not known.
func (w *screenWatch) result() *bool {
	if w == nil {
		return nil
	}
	return w.watch.Screen()
}

func (w *screenWatch) close() {
	if w != nil && w.decoder != nil {
		w.decoder.Close()
	}
}
