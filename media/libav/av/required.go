package av

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// allowedFormats are the demuxers for the containers that Roughcut reads, by libav's names.
var allowedFormats = strings.Join(demuxerNames(), ",")

// allowedDecoders are the decoders for the codecs that Roughcut reads, by libav's names. libav gets
// the list too, as a second line of defense.
var allowedDecoders = strings.Join(decoderNames(), ",")

func demuxerNames() (names []string) {
	for _, c := range media.Containers() {
		names = append(names, c.Name)
		if c.Also != "" {
			names = append(names, c.Also)
		}
	}

	return names
}

func decoderNames() (names []string) {
	for _, c := range media.Codecs() {
		names = append(names, c.DecoderName())
	}
	return names
}

// Components are the parts of libav that this package uses, by libav's names. media/native/build.sh
// builds exactly these; a test compares both.
type Components struct {
	demuxers, decoders, encoders, muxers, Filters, bitstreamFilters []string
	probes                                                          []string // demuxers that open no file
	hardware                                                        []string // encoders that a build may lack
}

// Required returns the components that this package uses. Code that asks libav for an encoder, a
// muxer or a filter gets it only if it is listed here.
func Required() Components {
	return Components{
		demuxers: demuxerNames(),
		// MPEG streams do not always name the codecs of their tracks. libav asks these demuxers.
		probes:   []string{"mpegvideo", "m4v", "h264", "hevc", "ac3", "eac3", "dts"},
		decoders: decoderNames(),
		encoders: []string{"libx264", "libx265", EncoderAAC, "libmp3lame", "libopus", "flac", "pcm_s16le"},
		hardware: hardwareCodecs(),
		muxers:   []string{MuxerMP4, MuxerM4A, muxerMOV, "matroska", "mp3", muxerWAV, muxerFLAC, muxerOpus},
		Filters: []string{
			"buffer", "buffersink", "abuffer", "abuffersink", // the ends of every graph
			"bwdif",                                // deinterlacing
			"scale", "zscale", "tonemap", "format", // size, colors, HDR
			"transpose", "hflip", "vflip", // orientation
			"crop", "pad", "rotate", // fit to the canvas, rotated overlays
			"afftdn", "aformat", // noise reduction
		},
		// libav inserts these itself: extract_extradata when it opens MPEG-TS, vp9_superframe_split
		// in the VP9 decoder, the others in the muxers of MP4 and Matroska.
		bitstreamFilters: []string{"extract_extradata", "aac_adtstoasc", "vp9_superframe", "vp9_superframe_split"},
	}
}

// Missing returns the required components that the linked libav lacks, such as "decoder h264". A
// bundled build lacks none; a system's libav may.
func Missing() []string { return Required().missing() }

func (c Components) missing() (missing []string) {
	check := func(kind string, names []string, exists func(name string) bool) {
		for _, name := range names {
			if !exists(name) {
				missing = append(missing, kind+" "+name)
			}
		}
	}
	check("demuxer", slices.Concat(c.demuxers, c.probes),
		func(name string) bool { return astiav.FindInputFormat(name) != nil })
	check("decoder", c.decoders, func(name string) bool { return astiav.FindDecoderByName(name) != nil })
	check("encoder", c.encoders, func(name string) bool { return astiav.FindEncoderByName(name) != nil })
	check("muxer", c.muxers, func(name string) bool { return astiav.FindOutputFormat(name) != nil })
	check("filter", c.Filters, func(name string) bool { return astiav.FindFilterByName(name) != nil })
	check("bitstream filter", c.bitstreamFilters, func(name string) bool {
		return astiav.FindBitStreamFilterByName(name) != nil
	})
	return missing
}

// hardwareCodecs returns libav's names of the hardware encoders.
func hardwareCodecs() (names []string) {
	for _, h := range KnownEncoders() {
		names = append(names, h.Codec)
	}
	return names
}

// findEncoder returns an encoder that is listed.
func findEncoder(name string) (*astiav.Codec, error) {
	codec, listed := astiav.FindEncoderByName(name), Required()
	if err := checkFound("encoder", name, slices.Concat(listed.encoders, listed.hardware), codec != nil); err != nil {
		return nil, err
	}
	return codec, nil
}

// hasEncoder reports whether libav was built with an encoder.
func hasEncoder(name string) bool { return astiav.FindEncoderByName(name) != nil }

// findFilter returns a filter that is listed as required.
func findFilter(name string) (*astiav.Filter, error) {
	filter := astiav.FindFilterByName(name)
	if err := checkFound("filter", name, Required().Filters, filter != nil); err != nil {
		return nil, err
	}
	return filter, nil
}

// checkMuxer reports why a muxer cannot be used, if it cannot.
func checkMuxer(name string) error {
	return checkFound("muxer", name, Required().muxers, astiav.FindOutputFormat(name) != nil)
}

func checkFound(kind, name string, listed []string, exists bool) error {
	switch {
	case !slices.Contains(listed, name):
		return fmt.Errorf("the %s %q is not in the list of required components", kind, name)
	case !exists:
		return fmt.Errorf("libav was built without the %s %q", kind, name)
	}

	return nil
}
