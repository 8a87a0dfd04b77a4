package av

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/asticode/go-astiav"
)

// HardwareEncoder is an H.264 encoder of a graphics processor. It makes no B-frames, so packets are
// in the order of frames.
type HardwareEncoder struct {
	Name    string // as in the settings
	Codec   string // libav's name
	Options func(crf int) [][2]string
	// Feed returns what converts frames for an encoder that is about to open; nil if the encoder
	// takes 8-bit 4:2:0 frames in memory. It may set fields of the context.
	Feed func(c *astiav.CodecContext) (Feeder, error)
}

// Feeder converts frames for an encoder. The returned frame is the caller's.
type Feeder interface {
	// Feed returns the frame that the encoder gets.
	Feed(f *astiav.Frame) (*astiav.Frame, error)
	// Close frees what Feed needs.
	Close()
}

// KnownEncoders returns the known hardware encoders in order of preference.
func KnownEncoders() []HardwareEncoder {
	return []HardwareEncoder{
		{Name: "nvenc", Codec: "h264_nvenc", Options: func(crf int) [][2]string {
			return [][2]string{{"preset", "p4"}, {"tune", "hq"}, {"rc", "vbr"}, {"cq", fmt.Sprint(crf)}, {"b", "0"},
				{"bf", "0"}, {"profile", "high"}, {"forced-idr", "1"}, {"a53cc", "0"}}
		}},
		{Name: "qsv", Codec: "h264_qsv", Feed: feedNV12, Options: func(crf int) [][2]string {
			return [][2]string{{"preset", "medium"}, {"global_quality", fmt.Sprint(crf)}, {"b", "0"}, {"bf", "0"},
				{"profile", "high"}, {"forced_idr", "1"}, {"a53cc", "0"}}
		}},
		{Name: "vaapi", Codec: "h264_vaapi", Feed: feedVAAPI, Options: func(crf int) [][2]string {
			return [][2]string{{"rc_mode", "CQP"}, {"qp", fmt.Sprint(crf)}, {"bf", "0"}, {"profile", "high"}}
		}},
		{Name: "videotoolbox", Codec: "h264_videotoolbox", Options: func(crf int) [][2]string {
			// The quality is 1 to 100, in units of libav's lambda.
			return [][2]string{{"flags", "+qscale"}, {"global_quality", fmt.Sprint(118 * (100 - 2*crf))}, {"bf", "0"},
				{"profile", "high"}, {"allow_sw", "0"}, {"a53cc", "0"}}
		}},
		{Name: "amf", Codec: "h264_amf", Feed: feedNV12, Options: func(crf int) [][2]string {
			return [][2]string{{"quality", "quality"}, {"rc", "cqp"}, {"qp_i", fmt.Sprint(crf)},
				{"qp_p", fmt.Sprint(crf)}, {"bf", "0"}, {"profile", "high"}, {"forced_idr", "1"}}
		}},
	}
}

// HardwareEncoders returns the names of the hardware encoders that Roughcut can use.
func HardwareEncoders() (names []string) {
	for _, h := range KnownEncoders() {
		names = append(names, h.Name)
	}
	return names
}

// HardwareFault is a failure of a hardware encoder. The software encoder then repeats the work.
type HardwareFault struct {
	name string
	err  error
}

func (h HardwareFault) Error() string { return fmt.Sprintf("the encoder %s failed: %v", h.name, h.err) }
func (h HardwareFault) Unwrap() error { return h.err }

// NewHardwareEncoder opens a hardware encoder of H.264 High, 8-bit 4:2:0, BT.709, with one tick of
// its time base per frame. It adds its track. Errors: HardwareFault.
func NewHardwareEncoder(m *Muxer, s VideoSettings, h *HardwareEncoder) (*Encoder, error) {
	e, err := s.open(m, h.Codec, h.Options(s.Effort.CRF), h)
	if h.Name == "nvenc" && errors.Is(err, astiav.ErrEperm) { // libav's error if a library of the driver is missing
		err = fmt.Errorf("NVIDIA's driver is missing (%s)", nvidiaDriver())
	}
	if err != nil {
		return nil, HardwareFault{h.Name, err}
	}
	e.Delay = int64(reorderDelay(e.context))
	if len(e.context.ExtraData()) == 0 {
		e.Close()
		return nil, HardwareFault{h.Name, errors.New("it gives no parameter sets")}
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
func (e *Encoder) fault(err error) error {
	if e.Hardware == nil {
		return fmt.Errorf("encoding: %w", err)
	}
	return HardwareFault{e.Hardware.Name, err}
}

// feed passes a frame to the encoder, which holds its own reference.
func (e *Encoder) feed(f *astiav.Frame) error {
	if e.feeder == nil {
		return e.context.SendFrame(f)
	}
	fed, err := e.feeder.Feed(f)
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

func feedNV12(c *astiav.CodecContext) (Feeder, error) {
	c.SetPixelFormat(astiav.PixelFormatNv12)
	return nv12Feeder{}, nil
}

func (nv12Feeder) Feed(f *astiav.Frame) (*astiav.Frame, error) {
	to := astiav.AllocFrame()
	to.SetWidth(f.Width())
	to.SetHeight(f.Height())
	to.SetPixelFormat(astiav.PixelFormatNv12)
	if err := to.AllocBuffer(0); err != nil {
		to.Free()
		return nil, fmt.Errorf("allocating a frame: %w", err)
	}

	interleaveChroma(f, to)
	Tag709(to)
	return to, nil
}

func (nv12Feeder) Close() {}

// vaapiFeeder uploads frames to a graphics processor with VA-API.
type vaapiFeeder struct {
	nv12Feeder
	device *astiav.HardwareDeviceContext
	frames *astiav.HardwareFramesContext
}

// vaapiPool is how many frames the encoder may hold.
const vaapiPool = 20

func feedVAAPI(c *astiav.CodecContext) (Feeder, error) {
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
		v.Close()
		return nil, fmt.Errorf("allocating frames of the graphics device: %w", err)
	}

	c.SetPixelFormat(astiav.PixelFormatVaapi)
	c.SetHardwareFramesContext(v.frames)
	return v, nil
}

func (v *vaapiFeeder) Feed(f *astiav.Frame) (*astiav.Frame, error) {
	memory, err := v.nv12Feeder.Feed(f)
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

	Tag709(to)
	return to, nil
}

func (v *vaapiFeeder) Close() {
	v.frames.Free()
	v.device.Free()
}

// EncoderTitle returns the name of an encoder of a render in the report of an export.
func EncoderTitle(h *HardwareEncoder, hevc bool) string {
	switch {
	case h != nil:
		return h.Name
	case hevc:
		return "x265"
	}

	return "x264"
}
