package av

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// A self-test encodes testFrames frames with a forced keyframe in the middle. A driver that does
// not answer within testLimit has failed.
const (
	testFrames = 30
	testWidth  = 640
	testHeight = 360
	testCRF    = 20
	testLimit  = 20 * time.Second
)

// ChooseEncoder tests the known hardware encoders that a setting allows, and returns the first one
// that passes. media.EncoderAuto skips encoders that libav was built without. A test encodes 30
// frames, decodes them, and compares them with the originals. wanted is media.EncoderAuto,
// media.EncoderSoftware or one of HardwareEncoders.
func ChooseEncoder(known []HardwareEncoder, wanted string) media.EncoderChoice {
	choice := media.EncoderChoice{Wanted: wanted, Name: media.EncoderSoftware, Tests: []media.EncoderTest{}}
	for _, h := range known {
		if !h.isAllowed(wanted) {
			continue
		}
		test := media.EncoderTest{Name: h.Name}
		if err := h.test(); err != nil {
			test.Fault = err.Error()
			if fault := (HardwareFault{}); errors.As(err, &fault) {
				test.Fault = fault.err.Error()
			}
		}

		choice.Tests = append(choice.Tests, test)
		if test.Fault == "" {
			choice.Name = h.Name
			break
		}
	}

	return choice
}

// isAllowed reports whether a setting allows the encoder. media.EncoderAuto allows every encoder
// that libav was built with.
func (h *HardwareEncoder) isAllowed(wanted string) bool {
	if wanted == media.EncoderAuto {
		return hasEncoder(h.Codec)
	}
	return wanted == h.Name
}

// test runs the self-test of an encoder. If the driver does not answer, the test's thread stays.
func (h *HardwareEncoder) test() error {
	result := make(chan error, 1)
	go func() { result <- Safely(h.encodeAndCompare)() }()
	select {
	case err := <-result:
		return err
	case <-time.After(testLimit):
		return HardwareFault{h.Name, fmt.Errorf("it did not answer for %v", testLimit)}
	}
}

// encodeAndCompare encodes the test frames, decodes them, and compares both.
func (h *HardwareEncoder) encodeAndCompare() (err error) {
	settings := VideoSettings{Width: testWidth, Height: testHeight, Rate: media.Rate{Num: 30, Den: 1},
		Effort: Effort{CRF: testCRF}, Keyframes: 10 * testFrames}
	e, err := NewHardwareEncoder(nil, settings, h)
	if err != nil {
		return err
	}
	defer e.Close()
	frames, err := testPattern()
	defer func() { freeAll(frames) }()
	if err != nil {
		return err
	}
	var packets []*astiav.Packet
	defer func() {
		for _, p := range packets {
			p.Free()
		}
	}()
	e.Put = func(p *astiav.Packet) error {
		packets = append(packets, p)
		return nil
	}
	for i, f := range frames {
		f.SetPts(int64(i))
		f.SetPictureType(astiav.PictureTypeNone)
		if i%(testFrames/2) == 0 {
			f.SetPictureType(astiav.PictureTypeI)
		}
		if err := e.Encode(f); err != nil {
			return err
		}
	}

	if err := e.Drain(); err != nil {
		return err
	}
	if err := checkTestPackets(packets); err != nil {
		return HardwareFault{h.Name, err}
	}
	if err := compareTestFrames(e.context, packets, frames); err != nil {
		return HardwareFault{h.Name, err}
	}
	return nil
}

// checkTestPackets checks that each frame has one packet, and that the forced keyframes are there.
func checkTestPackets(packets []*astiav.Packet) error {
	seen := make([]bool, testFrames)
	for _, p := range packets {
		if p.Pts() < 0 || p.Pts() >= testFrames || seen[p.Pts()] {
			return fmt.Errorf("it wrote a packet with the time %d", p.Pts())
		}
		seen[p.Pts()] = true
		if p.Pts()%(testFrames/2) == 0 && !p.Flags().Has(astiav.PacketFlagKey) {
			return fmt.Errorf("frame %d is not a keyframe", p.Pts())
		}
	}

	if slices.Contains(seen, false) {
		return fmt.Errorf("it wrote %d packets for %d frames", len(packets), testFrames)
	}
	return nil
}

// compareTestFrames decodes packets and compares the frames with the originals.
func compareTestFrames(from *astiav.CodecContext, packets []*astiav.Packet, frames []*astiav.Frame) error {
	codec := astiav.FindDecoderByName("h264")
	if codec == nil {
		return errors.New("libav was built without the decoder h264")
	}
	params := astiav.AllocCodecParameters()
	defer params.Free()
	decoder := astiav.AllocCodecContext(codec)
	defer decoder.Free()
	if err := from.ToCodecParameters(params); err != nil {
		return fmt.Errorf("opening the decoder: %w", err)
	}
	if err := decoder.FromCodecParameters(params); err != nil {
		return fmt.Errorf("opening the decoder: %w", err)
	}
	decoder.SetThreadCount(1)
	if err := decoder.Open(codec, nil); err != nil {
		return fmt.Errorf("opening the decoder: %w", err)
	}
	made := astiav.AllocFrame()
	defer made.Free()
	next := 0
	for _, p := range append(slices.Clone(packets), nil) {
		if err := decoder.SendPacket(p); err != nil && !IsEOF(err) {
			return fmt.Errorf("decoding its packets: %w", err)
		}
		for ; decoder.ReceiveFrame(made) == nil; next++ {
			if next >= len(frames) {
				return errors.New("it wrote more frames than it got")
			}
			if made.Width() != testWidth || made.Height() != testHeight {
				return fmt.Errorf("its frames are %d x %d pixels", made.Width(), made.Height())
			}
			if db := LumaPSNR(frames[next], made); db < VerifiedPSNR {
				return fmt.Errorf("frame %d differs from the original (%.1f dB)", next, db)
			}
			made.Unref()
		}
	}

	if next != len(frames) {
		return fmt.Errorf("%d of %d frames can be decoded", next, len(frames))
	}
	return nil
}

// testPattern returns frames with gradients, edges and movement. The caller frees them.
func testPattern() (frames []*astiav.Frame, err error) {
	for n := range testFrames {
		f, err := Canvas{Width: testWidth, Height: testHeight, Format: astiav.PixelFormatYuv420P}.Blank()
		if err != nil {
			return frames, err
		}
		frames = append(frames, f)
		for plane := range 3 {
			width, height := testWidth, testHeight
			if plane > 0 {
				width, height = width/2, height/2
			}
			data, stride := PlaneBytes(f, plane, height)
			for y := range height {
				row := data[y*stride : y*stride+width]
				for x := range row {
					row[x] = testPixel(plane, x+4*n, y+n)
				}
			}
		}
	}

	return frames, nil
}

// testPixel returns a pixel of the test pattern: a checkerboard over a gradient.
func testPixel(plane, x, y int) byte {
	value := 40 + (x/4+y/3)%120
	if plane == 0 && (x/32+y/32)%2 == 0 {
		value += 60
	}
	return byte(value)
}

func freeAll(frames []*astiav.Frame) {
	for _, f := range frames {
		f.Free()
	}
}
