package libav

import (
	"fmt"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/bitstream"
)

// encoder is an open encoder. It writes a track of a muxer, or passes its packets to put if it has
// no muxer. close frees it.
type encoder struct {
	context *astiav.CodecContext
	mux     *muxer
	track   int
	isVideo bool
	sets    bitstream.AVCConfig        // decoder configuration if the codec is H.264
	hevc    *bitstream.HEVCConfig      // decoder configuration if the codec is HEVC
	delay   int64                      // frames that are decoded before others that are shown earlier
	put     func(*astiav.Packet) error // takes ownership of each packet; by default writes it to the muxer

	hardware *hardwareEncoder // nil for software
	feeder   feeder           // nil if frames need no conversion
	silence  *silence         // nil if packets cannot be repeated
}

// effort is how much time and how many bits an encoder spends on a frame.
type effort struct {
	preset    string
	crf       int
	noBFrames bool // in H.264
}

// videoSettings are the settings that differ between proxy and export.
type videoSettings struct {
	width, height int
	rate          media.Rate
	effort        effort
	keyframes     int // maximum distance between two keyframes, in frames
	threads       int
	parameterSet  int // ID of the parameter sets, 0-31
	format        astiav.PixelFormat
	delay         int // reorder delay of HEVC in frames, 0-2
	colors        frameColors
}

// newVideoEncoder opens an encoder of H.264 High, 8-bit 4:2:0, with one tick of its time base per
// frame. It adds its track.
func newVideoEncoder(m *muxer, s videoSettings) (*encoder, error) {
	// annexb=0 makes units with lengths, as in MP4 and in copied packets. sync-lookahead=1 shortens
	// the queue before the lookahead thread: the output stays the same, and at 1080p about 20 MB
	// less are in flight.
	params := fmt.Sprintf("annexb=0:sync-lookahead=1:sps-id=%d", s.parameterSet)
	if s.effort.noBFrames {
		params += ":bframes=0"
	}
	e, err := s.open(
		m,
		"libx264",
		[][2]string{{"preset", s.effort.preset}, {"crf", fmt.Sprint(s.effort.crf)}, {"profile", "high"},
			{"a53cc", "0"}, {"forced-idr", "1"}, {"x264-params", params}},
		nil,
	)
	if err != nil {
		return nil, err
	}
	e.delay = int64(reorderDelay(e.context))
	if e.sets, err = bitstream.ParseAVC(e.context.ExtraData()); err != nil {
		e.close()
		return nil, fmt.Errorf("reading the encoder's parameter sets: %w", err)
	}

	return e, nil
}

// newHEVCEncoder opens an encoder of HEVC Main or Main 10. Every keyframe brings parameter
// sets with ID 0. GOPs are closed. Two frames are encoded at a time: more take more memory, and the
// rows of a frame are encoded in parallel anyway. B-frames are as deep as the delay allows.
func newHEVCEncoder(m *muxer, s videoSettings) (*encoder, error) {
	threads := "pools=*"
	if s.threads > 0 {
		threads = fmt.Sprintf("pools=%d", s.threads)
	}
	e, err := s.open(
		m,
		"libx265",
		[][2]string{{"preset", s.effort.preset}, {"crf", fmt.Sprint(s.effort.crf)}, {"forced-idr", "1"}, {"a53cc", "0"},
			{"x265-params", "annexb=0:repeat-headers=1:open-gop=0:frame-threads=2:info=0:log-level=error:" +
				[...]string{"bframes=0", "bframes=3:b-pyramid=0", "bframes=3:b-pyramid=1"}[s.delay] + ":" + threads}},
		nil,
	)
	if err != nil {
		return nil, err
	}
	e.delay = int64(s.delay)
	if e.hevc, err = bitstream.ParseHEVCParameterSets(e.context.ExtraData()); err != nil {
		e.close()
		return nil, fmt.Errorf("reading the encoder's parameter sets: %w", err)
	}

	return e, nil
}

// open opens a video encoder. hardware is nil for software.
func (s videoSettings) open(
	m *muxer,
	name string,
	options [][2]string,
	hardware *hardwareEncoder,
) (*encoder, error) {
	codec, err := findEncoder(name)
	if err != nil {
		return nil, err
	}
	c := astiav.AllocCodecContext(codec)
	c.SetWidth(s.width)
	c.SetHeight(s.height)
	c.SetPixelFormat(s.format)
	c.SetSampleAspectRatio(astiav.NewRational(1, 1))
	rate := astiav.NewRational(int(s.rate.Num), int(s.rate.Den))
	c.SetTimeBase(rate.Invert())
	c.SetFramerate(rate)
	c.SetGopSize(s.keyframes)
	colors := s.colors.stated()
	c.SetColorRange(colors.colors)
	c.SetColorSpace(colors.space)
	c.SetColorPrimaries(astiav.ColorPrimaries(colors.primaries))
	c.SetColorTransferCharacteristic(astiav.ColorTransferCharacteristic(colors.transfer))
	c.SetThreadCount(0)
	if s.threads > 0 {
		c.SetThreadCount(s.threads + s.threads/2)
	}
	e := &encoder{context: c, mux: m, isVideo: true, hardware: hardware}
	if hardware != nil && hardware.feed != nil {
		if e.feeder, err = hardware.feed(c); err != nil {
			e.close()
			return nil, err
		}
	}

	return e.open(codec, rate, options)
}

// open opens the encoder and adds its track. On failure it closes the encoder.
func (e *encoder) open(codec *astiav.Codec, rate astiav.Rational, options [][2]string) (*encoder, error) {
	d, err := dictionary(options)
	if err == nil {
		// Added to the codec's own flags: one of them makes libx264 close its GOPs, which a seek in
		// a browser needs.
		e.context.SetFlags(e.context.Flags().Add(astiav.CodecContextFlagGlobalHeader))
		err = e.context.Open(codec, d)
		d.Free()
	}

	if err == nil && e.mux != nil {
		e.track, err = e.mux.add(e.context.ToCodecParameters, e.context.TimeBase(), rate)
	}
	e.put = func(p *astiav.Packet) error { return e.mux.write(e.track, p) }
	if err != nil {
		e.close()
		return nil, fmt.Errorf("opening the %s encoder: %w", codec.Name(), err)
	}

	return e, nil
}

// dictionary converts options to libav's form. The caller frees it.
func dictionary(options [][2]string) (*astiav.Dictionary, error) {
	d := astiav.NewDictionary()
	for _, o := range options {
		if err := d.Set(o[0], o[1], 0); err != nil {
			d.Free()
			return nil, fmt.Errorf("setting %s: %w", o[0], err)
		}
	}

	return d, nil
}

// encode encodes a frame, whose PTS is set, and writes the packets that are ready. The frame stays
// the caller's.
func (e *encoder) encode(f *astiav.Frame) error {
	if err := e.feed(f); err != nil {
		return e.fault(err)
	}
	return e.writePackets()
}

// finish writes the packets that the encoder still holds and ends its track.
func (e *encoder) finish() error {
	if err := e.drain(); err != nil {
		return err
	}
	return e.mux.end(e.track)
}

// drain writes the packets that the encoder still holds.
func (e *encoder) drain() error {
	if err := e.context.SendFrame(nil); err != nil && !isEOF(err) {
		return e.fault(err)
	}
	return e.writePackets()
}

func (e *encoder) writePackets() error {
	for {
		p := astiav.AllocPacket()
		err := e.context.ReceivePacket(p)
		if err != nil {
			p.Free()
			if isAgain(err) || isEOF(err) {
				return nil
			}
			return e.fault(err)
		}

		if e.isVideo {
			p.SetDuration(1)
		}
		if e.silence != nil {
			e.silence.note(p)
		}
		if err := e.put(p); err != nil {
			return err
		}
	}
}

func (e *encoder) close() {
	e.context.Free()
	if e.feeder != nil {
		e.feeder.close()
	}
	if e.silence != nil {
		e.silence.close()
	}
}
