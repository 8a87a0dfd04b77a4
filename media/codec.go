package media

import "slices"

// Codec is a codec that Roughcut reads.
type Codec struct {
	Name    string // libav's
	Decoder string // libav's name of its decoder; "" is the name of the codec
	Title   string // for people
	Kind    string // "video" or "audio"
	Intra   bool   // every frame decodes without others
}

// Video codecs that Roughcut reads, and audio codecs. media/native/build.sh enables their decoders.
var codecs = slices.Concat(
	ofKind("video", []Codec{
		{Name: "h264", Title: "H.264"},
		{Name: "hevc", Title: "H.265 (HEVC)"},
		{Name: "av1", Decoder: "libdav1d", Title: "AV1"},
		{Name: "vp9", Title: "VP9"},
		{Name: "vp8", Title: "VP8"},
		{Name: "mpeg4", Title: "MPEG-4 part 2 (Xvid, DivX)"},
		{Name: "mpeg2video", Title: "MPEG-2"},
		{Name: "mpeg1video", Title: "MPEG-1"},
		{Name: "wmv1", Title: "Windows Media Video 7"},
		{Name: "wmv2", Title: "Windows Media Video 8"},
		{Name: "dvvideo", Title: "DV", Intra: true},
		{Name: "prores", Title: "ProRes", Intra: true},
		{Name: "dnxhd", Title: "DNxHD and DNxHR", Intra: true},
		{Name: "mjpeg", Title: "Motion JPEG", Intra: true},
		{Name: "ffv1", Title: "FFV1"},
		{Name: "huffyuv", Title: "Huffyuv", Intra: true},
		{Name: "ffvhuff", Title: "Huffyuv (FFmpeg)", Intra: true},
		{Name: "utvideo", Title: "Ut Video", Intra: true},
		{Name: "png", Title: "PNG", Intra: true},
		{Name: "gif", Title: "GIF", Intra: true},
		{Name: "webp", Title: "WebP", Intra: true},
		{Name: "bmp", Title: "BMP", Intra: true},
	}),
	ofKind("audio", []Codec{
		{Name: "aac", Title: "AAC"},
		{Name: "mp3", Decoder: "mp3float", Title: "MP3"},
		{Name: "mp2", Decoder: "mp2float", Title: "MPEG audio layer II (MP2)"},
		{Name: "ac3", Title: "AC-3 (Dolby Digital)"},
		{Name: "eac3", Title: "E-AC-3 (Dolby Digital Plus)"},
		{Name: "dts", Decoder: "dca", Title: "DTS"},
		{Name: "opus", Title: "Opus"},
		{Name: "vorbis", Title: "Vorbis"},
		{Name: "flac", Title: "FLAC"},
		{Name: "alac", Title: "Apple Lossless (ALAC)"},
		{Name: "wmav1", Title: "Windows Media Audio 7"},
		{Name: "wmav2", Title: "Windows Media Audio 8 and 9"},
		{Name: "pcm_bluray", Title: "LPCM of AVCHD and Blu-ray"},
		{Name: "pcm_dvd", Title: "LPCM of DVD"},
		{Name: "pcm_s16le", Title: titlePCM},
		{Name: "pcm_s16be", Title: titlePCM},
		{Name: "pcm_s24le", Title: titlePCM},
		{Name: "pcm_s24be", Title: titlePCM},
		{Name: "pcm_s32le", Title: titlePCM},
		{Name: "pcm_s32be", Title: titlePCM},
		{Name: "pcm_f32le", Title: titlePCM},
		{Name: "pcm_f32be", Title: titlePCM},
		{Name: "pcm_f64le", Title: titlePCM},
		{Name: "pcm_f64be", Title: titlePCM},
		{Name: "pcm_u8", Title: titlePCM},
		{Name: "pcm_s8", Title: titlePCM},
		{Name: "pcm_alaw", Title: "G.711"},
		{Name: "pcm_mulaw", Title: "G.711"},
	}),
)

const titlePCM = "PCM of 8 to 64 bits"

func ofKind(kind string, list []Codec) []Codec {
	for i := range list {
		list[i].Kind = kind
	}
	return list
}

// Codecs returns the codecs that Roughcut reads: video codecs, then audio codecs.
func Codecs() []Codec { return slices.Clone(codecs) }

// CodecNamed returns the codec with libav's name. ok is false if Roughcut does not read it.
func CodecNamed(name string) (c Codec, ok bool) {
	for _, c := range codecs {
		if c.Name == name {
			return c, true
		}
	}

	return Codec{}, false
}

// DecoderName returns libav's name of the decoder.
func (c Codec) DecoderName() string {
	if c.Decoder != "" {
		return c.Decoder
	}
	return c.Name
}

// refusedTitles are the usual names of codecs that Roughcut does not read, by libav's names.
var refusedTitles = map[string]string{
	"wmv3": "Windows Media Video 9", "vc1": "VC-1", "wmv3image": "Windows Media Video 9 Image",
	"vc1image": "Windows Media Video 9 Image", "mss1": "Windows Media Screen 7", "mss2": "Windows Media Screen 9",
	"msmpeg4v1": "Microsoft MPEG-4 version 1", "msmpeg4v2": "Microsoft MPEG-4 version 2",
	"msmpeg4v3": "Microsoft MPEG-4 version 3 (DivX 3)", "msvideo1": "Microsoft Video 1",
	"wmapro": "Windows Media Audio Professional", "wmalossless": "Windows Media Audio Lossless",
	"wmavoice": "Windows Media Audio Voice",

	"flv1": "Sorenson Spark", "vp6": "On2 VP6", "vp6f": "On2 VP6", "vp6a": "On2 VP6 with transparency",
	"flashsv": "Flash Screen Video", "flashsv2": "Flash Screen Video 2", "vp7": "On2 VP7", "theora": "Theora",
	"h261": "H.261", "h263": "H.263", "h263p": "H.263+", "vvc": "H.266 (VVC)", "evc": "MPEG-5 EVC",
	"cavs": "AVS", "avs2": "AVS2", "avs3": "AVS3", "dirac": "Dirac",
	"rv10": "RealVideo", "rv20": "RealVideo", "rv30": "RealVideo 8", "rv40": "RealVideo 9",
	"svq1": "Sorenson Video", "svq3": "Sorenson Video 3", "cinepak": "Cinepak", "rpza": "Apple Video",
	"qtrle": "QuickTime Animation", "indeo2": "Intel Indeo 2", "indeo3": "Intel Indeo 3",
	"indeo4": "Intel Indeo 4", "indeo5": "Intel Indeo 5",
	"rawvideo": "uncompressed video", "v210": "uncompressed 10-bit video", "v308": "uncompressed video",
	"v408": "uncompressed video", "v410": "uncompressed 10-bit video", "r210": "uncompressed 10-bit video",
	"cfhd": "CineForm", "hap": "Hap", "hq_hqa": "Canopus HQ", "hqx": "Canopus HQX", "cllc": "Canopus Lossless",
	"magicyuv": "MagicYUV", "lagarith": "Lagarith", "vble": "VBLE", "zmbv": "Zip Motion Blocks Video",
	"tscc": "TechSmith Screen Capture", "tscc2": "TechSmith Screen Codec 2", "g2m": "GoToMeeting",
	"jpeg2000": "JPEG 2000", "jpegxl": "JPEG XL", "tiff": "TIFF", "dpx": "DPX", "exr": "OpenEXR",

	"mp1": "MPEG audio layer I", "aac_latm": "AAC in LATM", "truehd": "Dolby TrueHD",
	"mlp": "Meridian Lossless Packing", "ac4": "Dolby AC-4", "dolby_e": "Dolby E", "s302m": "SMPTE 302M",
	"usac": "xHE-AAC", "mpegh_3d_audio": "MPEG-H 3D Audio", "amr_nb": "AMR narrowband", "amr_wb": "AMR wideband",
	"gsm": "GSM", "gsm_ms": "GSM", "speex": "Speex", "nellymoser": "Nellymoser", "ilbc": "iLBC",
	"g722": "G.722", "adpcm_g722": "G.722", "adpcm_g726": "G.726", "g729": "G.729", "g723_1": "G.723.1",
	"adpcm_ms": "Microsoft ADPCM", "adpcm_ima_wav": "IMA ADPCM", "adpcm_ima_qt": "IMA ADPCM (QuickTime)",
	"adpcm_swf": "Flash ADPCM", "adpcm_yamaha": "Yamaha ADPCM",
	"cook": "RealAudio Cook", "sipr": "RealAudio Sipro", "ra_144": "RealAudio 1", "ra_288": "RealAudio 2",
	"atrac3": "ATRAC3", "atrac3p": "ATRAC3+", "atrac9": "ATRAC9", "qdm2": "QDesign Music 2", "qdmc": "QDesign Music",
	"mace3": "MACE 3:1", "mace6": "MACE 6:1", "tta": "True Audio", "wavpack": "WavPack", "ape": "Monkey’s Audio",
	"tak": "TAK", "musepack7": "Musepack", "musepack8": "Musepack", "dsd_lsbf": "DSD", "dsd_msbf": "DSD",
	"pcm_u16le": "unsigned PCM", "pcm_u16be": "unsigned PCM", "pcm_lxf": "planar PCM",
}

// CodecTitle returns the usual name of a codec with libav's name in parentheses, or libav's name of
// a codec without a usual one.
func CodecTitle(name string) string {
	title := refusedTitles[name]
	if c, ok := CodecNamed(name); ok {
		title = c.Title
	}
	if title == "" {
		return name
	}
	return title + " (" + name + ")"
}
