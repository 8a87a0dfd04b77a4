package av

import (
	"fmt"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/bitstream"
)

// Encoder is an open encoder. It writes a track of a muxer, or passes its packets to Put if it has
// no muxer. Close frees it.
type Encoder struct {
	context *astiav.CodecContext
	mux     *Muxer
	Track   int
	isVideo bool
	Sets    bitstream.AVCConfig        // decoder configuration if the codec is H.264
	HEVC    *bitstream.HEVCConfig      // decoder configuration if the codec is HEVC
	Delay   int64                      // frames that are decoded before others that are shown earlier
	Put     func(*astiav.Packet) error // takes ownership of each packet; by default writes it to the muxer

	Hardware *HardwareEncoder // nil for software
	feeder   Feeder           // nil if frames need no conversion
	silence  *silence         // nil if packets cannot be repeated
}

// Effort is how much time and how many bits an encoder spends on a frame.
type Effort struct {
	Preset    string
	CRF       int
	NoBFrames bool // in H.264
}

// VideoSettings are the settings that differ between proxy and export.
type VideoSettings struct {
	Width, Height int
	Rate          media.Rate
	Effort        Effort
	Keyframes     int // maximum distance between two keyframes, in frames
	Threads       int
	ParameterSet  int // ID of the parameter sets, 0-31
	Format        astiav.PixelFormat
	Delay         int // reorder delay of HEVC in frames, 0-2
	Colors        FrameColors
}

// NewVideoEncoder opens an encoder of H.264 High, 8-bit 4:2:0, with one tick of its time base per
// frame. It adds its track.
func NewVideoEncoder(m *Muxer, s VideoSettings) (*Encoder, error) {
	// annexb=0 makes units with lengths, as in MP4 and in copied packets. sync-lookahead=1 shortens
	// the queue before the lookahead thread: the output stays the same, and at 1080p about 20 MB
	// less are in flight.
	params := fmt.Sprintf("annexb=0:sync-lookahead=1:sps-id=%d", s.ParameterSet)
	if s.Effort.NoBFrames {
		params += ":bframes=0"
	}
	e, err := s.open(
		m,
		"libx264",
		[][2]string{{"preset", s.Effort.Preset}, {"crf", fmt.Sprint(s.Effort.CRF)}, {"profile", "high"},
			{"a53cc", "0"}, {"forced-idr", "1"}, {"x264-params", params}},
		nil,
	)
	if err != nil {
		return nil, err
	}
	e.Delay = int64(reorderDelay(e.context))
	if e.Sets, err = bitstream.ParseAVC(e.context.ExtraData()); err != nil {
		e.Close()
		return nil, fmt.Errorf("reading the encoder's parameter sets: %w", err)
	}

	return e, nil
}

// NewHEVCEncoder opens an encoder of HEVC in a format of HEVCFormat. Every keyframe brings
// parameter sets with ID 0. GOPs are closed. Two frames are encoded at a time: more take more
// memory, and the rows of a frame are encoded in parallel anyway. B-frames are as deep as the delay
// allows.
func NewHEVCEncoder(m *Muxer, s VideoSettings) (*Encoder, error) {
	threads := "pools=*"
	if s.Threads > 0 {
		threads = fmt.Sprintf("pools=%d", s.Threads)
	}
	e, err := s.open(
		m,
		"libx265",
		[][2]string{{"preset", s.Effort.Preset}, {"crf", fmt.Sprint(s.Effort.CRF)}, {"forced-idr", "1"}, {"a53cc", "0"},
			{"x265-params", "annexb=0:repeat-headers=1:open-gop=0:frame-threads=2:info=0:log-level=error:" +
				[...]string{"bframes=0", "bframes=3:b-pyramid=0", "bframes=3:b-pyramid=1"}[s.Delay] + ":" + threads}},
		nil,
	)
	if err != nil {
		return nil, err
	}
	e.Delay = int64(s.Delay)
	if e.HEVC, err = bitstream.ParseHEVCParameterSets(e.context.ExtraData()); err != nil {
		e.Close()
		return nil, fmt.Errorf("reading the encoder's parameter sets: %w", err)
	}

	return e, nil
}

// open opens a video encoder. hardware is nil for software.
func (s VideoSettings) open(
	m *Muxer,
	name string,
	options [][2]string,
	hardware *HardwareEncoder,
) (*Encoder, error) {
	codec, err := findEncoder(name)
	if err != nil {
		return nil, err
	}
	c := astiav.AllocCodecContext(codec)
	c.SetWidth(s.Width)
	c.SetHeight(s.Height)
	c.SetPixelFormat(s.Format)
	c.SetSampleAspectRatio(astiav.NewRational(1, 1))
	rate := astiav.NewRational(int(s.Rate.Num), int(s.Rate.Den))
	c.SetTimeBase(rate.Invert())
	c.SetFramerate(rate)
	c.SetGopSize(s.Keyframes)
	colors := s.Colors.Stated()
	c.SetColorRange(colors.colors)
	c.SetColorSpace(colors.space)
	c.SetColorPrimaries(astiav.ColorPrimaries(colors.primaries))
	c.SetColorTransferCharacteristic(astiav.ColorTransferCharacteristic(colors.transfer))
	c.SetThreadCount(0)
	if s.Threads > 0 {
		c.SetThreadCount(s.Threads + s.Threads/2)
	}
	e := &Encoder{context: c, mux: m, isVideo: true, Hardware: hardware}
	if hardware != nil && hardware.Feed != nil {
		if e.feeder, err = hardware.Feed(c); err != nil {
			e.Close()
			return nil, err
		}
	}

	return e.open(codec, rate, options)
}

// open opens the encoder and adds its track. On failure it closes the encoder.
func (e *Encoder) open(codec *astiav.Codec, rate astiav.Rational, options [][2]string) (*Encoder, error) {
	d, err := dictionary(options)
	if err == nil {
		// Added to the codec's own flags: one of them makes libx264 close its GOPs, which a seek in
		// a browser needs.
		e.context.SetFlags(e.context.Flags().Add(astiav.CodecContextFlagGlobalHeader))
		err = e.context.Open(codec, d)
		d.Free()
	}

	if err == nil && e.mux != nil {
		e.Track, err = e.mux.Add(e.context.ToCodecParameters, e.context.TimeBase(), rate)
	}
	e.Put = func(p *astiav.Packet) error { return e.mux.Write(e.Track, p) }
	if err != nil {
		e.Close()
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

// Encode encodes a frame, whose PTS is set, and writes the packets that are ready. The frame stays
// the caller's.
func (e *Encoder) Encode(f *astiav.Frame) error {
	if err := e.feed(f); err != nil {
		return e.fault(err)
	}
	return e.writePackets()
}

// Finish writes the packets that the encoder still holds and ends its track.
func (e *Encoder) Finish() error {
	if err := e.Drain(); err != nil {
		return err
	}
	return e.mux.End(e.Track)
}

// Drain writes the packets that the encoder still holds.
func (e *Encoder) Drain() error {
	if err := e.context.SendFrame(nil); err != nil && !IsEOF(err) {
		return e.fault(err)
	}
	return e.writePackets()
}

func (e *Encoder) writePackets() error {
	for {
		p := astiav.AllocPacket()
		err := e.context.ReceivePacket(p)
		if err != nil {
			p.Free()
			if IsAgain(err) || IsEOF(err) {
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
		if err := e.Put(p); err != nil {
			return err
		}
	}
}

// Close frees the encoder. It does not end the track.
func (e *Encoder) Close() {
	e.context.Free()
	if e.feeder != nil {
		e.feeder.Close()
	}
	if e.silence != nil {
		e.silence.close()
	}
}
