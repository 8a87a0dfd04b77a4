package libav

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/asticode/go-astiav"
)

// hardwareEncoder is an H.264 encoder of a graphics processor. It makes no B-frames, so packets are
// in the order of frames.
type hardwareEncoder struct {
	name    string // as in the settings
	codec   string // libav's name
	options func(crf int) [][2]string
	// feed returns what converts frames for an encoder that is about to open; nil if the encoder
	// takes 8-bit 4:2:0 frames in memory. It may set fields of the context.
	feed func(c *astiav.CodecContext) (feeder, error)
}

// feeder converts frames for an encoder. The returned frame is the caller's.
type feeder interface {
	feed(f *astiav.Frame) (*astiav.Frame, error)
	close()
}

// hardwareEncoders returns the known hardware encoders in the order in which they are tried.
func hardwareEncoders() []hardwareEncoder {
	return []hardwareEncoder{
		{name: "nvenc", codec: "h264_nvenc", options: func(crf int) [][2]string {
			return [][2]string{{"preset", "p4"}, {"tune", "hq"}, {"rc", "vbr"}, {"cq", fmt.Sprint(crf)}, {"b", "0"},
				{"bf", "0"}, {"profile", "high"}, {"forced-idr", "1"}, {"a53cc", "0"}}
		}},
		{name: "qsv", codec: "h264_qsv", feed: feedNV12, options: func(crf int) [][2]string {
			return [][2]string{{"preset", "medium"}, {"global_quality", fmt.Sprint(crf)}, {"b", "0"}, {"bf", "0"},
				{"profile", "high"}, {"forced_idr", "1"}, {"a53cc", "0"}}
		}},
		{name: "vaapi", codec: "h264_vaapi", feed: feedVAAPI, options: func(crf int) [][2]string {
			return [][2]string{{"rc_mode", "CQP"}, {"qp", fmt.Sprint(crf)}, {"bf", "0"}, {"profile", "high"}}
		}},
		{name: "videotoolbox", codec: "h264_videotoolbox", options: func(crf int) [][2]string {
			// The quality is 1 to 100, in units of libav's lambda.
			return [][2]string{{"flags", "+qscale"}, {"global_quality", fmt.Sprint(118 * (100 - 2*crf))}, {"bf", "0"},
				{"profile", "high"}, {"allow_sw", "0"}, {"a53cc", "0"}}
		}},
		{name: "amf", codec: "h264_amf", feed: feedNV12, options: func(crf int) [][2]string {
			return [][2]string{{"quality", "quality"}, {"rc", "cqp"}, {"qp_i", fmt.Sprint(crf)},
				{"qp_p", fmt.Sprint(crf)}, {"bf", "0"}, {"profile", "high"}, {"forced_idr", "1"}}
		}},
	}
}

// HardwareEncoders returns the names of the hardware encoders that Roughcut can use.
func HardwareEncoders() (names []string) {
	for _, h := range hardwareEncoders() {
		names = append(names, h.name)
	}
	return names
}

// hardwareFault is a failure of a hardware encoder, after which the software encoder repeats the
// work.
type hardwareFault struct {
	name string
	err  error
}

func (h hardwareFault) Error() string { return fmt.Sprintf("the encoder %s failed: %v", h.name, h.err) }
func (h hardwareFault) Unwrap() error { return h.err }

// newHardwareEncoder opens a hardware encoder of H.264 High, 8-bit 4:2:0, BT.709, with one tick of
// its time base per frame. It adds its track. Errors: hardwareFault.
func newHardwareEncoder(m *muxer, s videoSettings, h *hardwareEncoder) (*encoder, error) {
	e, err := s.open(m, h.codec, h.options(s.effort.crf), h)
	if h.name == "nvenc" && errors.Is(err, astiav.ErrEperm) { // libav's error if a library of the driver is missing
		err = fmt.Errorf("NVIDIA's driver is missing (%s)", nvidiaDriver())
	}
	if err != nil {
		return nil, hardwareFault{h.name, err}
	}
	e.delay = int64(reorderDelay(e.context))
	if len(e.context.ExtraData()) == 0 {
		e.close()
		return nil, hardwareFault{h.name, errors.New("it gives no parameter sets")}
	}

	return e, nil
}

// nvidiaDriver names the libraries of NVIDIA's driver that libav loads.
func nvidiaDriver() string {
	if runtime.GOOS == "windows" {
		return "nvcuda.dll and nvEncodeAPI64.dll"
	}
	return "libcuda.so.1 and libnvidia-encode.so.1"
}

// fault marks an error of a hardware encoder.
func (e *encoder) fault(err error) error {
	if e.hardware == nil {
		return fmt.Errorf("encoding: %w", err)
	}
	return hardwareFault{e.hardware.name, err}
}

// feed passes a frame to the encoder, which holds its own reference.
func (e *encoder) feed(f *astiav.Frame) error {
	if e.feeder == nil {
		return e.context.SendFrame(f)
	}
	fed, err := e.feeder.feed(f)
	if err != nil {
		return err
	}
	defer fed.Free()
	fed.SetPts(f.Pts())
	fed.SetPictureType(f.PictureType())
	return e.context.SendFrame(fed)
}

// nv12Feeder converts frames to NV12 in memory.
type nv12Feeder struct{}

func feedNV12(c *astiav.CodecContext) (feeder, error) {
	c.SetPixelFormat(astiav.PixelFormatNv12)
	return nv12Feeder{}, nil
}

func (nv12Feeder) feed(f *astiav.Frame) (*astiav.Frame, error) {
	to := astiav.AllocFrame()
	to.SetWidth(f.Width())
	to.SetHeight(f.Height())
	to.SetPixelFormat(astiav.PixelFormatNv12)
	if err := to.AllocBuffer(0); err != nil {
		to.Free()
		return nil, fmt.Errorf("allocating a frame: %w", err)
	}

	interleaveChroma(f, to)
	tag709(to)
	return to, nil
}

func (nv12Feeder) close() {}

// vaapiFeeder uploads frames to a graphics processor with VA-API.
type vaapiFeeder struct {
	nv12Feeder
	device *astiav.HardwareDeviceContext
	frames *astiav.HardwareFramesContext
}

// vaapiPool is how many frames the encoder may hold.
const vaapiPool = 20

func feedVAAPI(c *astiav.CodecContext) (feeder, error) {
	device, err := astiav.CreateHardwareDeviceContext(astiav.HardwareDeviceTypeVAAPI, "", nil, 0)
	if err != nil {
		return nil, fmt.Errorf("no device in /dev/dri has a driver of VA-API: %w", err)
	}
	v := &vaapiFeeder{device: device, frames: astiav.AllocHardwareFramesContext(device)}
	v.frames.SetHardwarePixelFormat(astiav.PixelFormatVaapi)
	v.frames.SetSoftwarePixelFormat(astiav.PixelFormatNv12)
	v.frames.SetWidth(c.Width())
	v.frames.SetHeight(c.Height())
	v.frames.SetInitialPoolSize(vaapiPool)
	if err := v.frames.Initialize(); err != nil {
		v.close()
		return nil, fmt.Errorf("allocating frames of the graphics device: %w", err)
	}

	c.SetPixelFormat(astiav.PixelFormatVaapi)
	c.SetHardwareFramesContext(v.frames)
	return v, nil
}

func (v *vaapiFeeder) feed(f *astiav.Frame) (*astiav.Frame, error) {
	memory, err := v.nv12Feeder.feed(f)
	if err != nil {
		return nil, err
	}
	defer memory.Free()
	to := astiav.AllocFrame()
	if err = to.AllocHardwareBuffer(v.frames); err == nil {
		err = memory.TransferHardwareData(to)
	}
	if err != nil {
		to.Free()
		return nil, fmt.Errorf("copying a frame to the graphics device: %w", err)
	}

	tag709(to)
	return to, nil
}

func (v *vaapiFeeder) close() {
	v.frames.Free()
	v.device.Free()
}

// encoderTitle returns the name of an encoder of a render in the report of an export.
func encoderTitle(h *hardwareEncoder, hevc bool) string {
	switch {
	case h != nil:
		return h.name
	case hevc:
		return "x265"
	}

	return "x264"
}
