package libav

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// listen ingests a recording as for `roughcut cut`, which needs only its audio and its measures.
func listen(t testing.TB, path string, motion bool) products {
	t.Helper()
	request := media.IngestRequest{Path: path, SpeechPath: filepath.Join(t.TempDir(), "speech.raw"), Motion: motion}
	last := 0.0
	got, err := New().Ingest(t.Context(), request, func(f float64) {
		if f < last || f > 1 {
			t.Errorf("progress %.3f after %.3f", f, last)
		}
		last = f
	})
	if err != nil {
		t.Fatal(err)
	}
	return products{request, got}
}

// The packets of a recording tell the same as its decoded frames, in every container and codec.
func TestPacketsTellWhatFramesTell(t *testing.T) {
	t.Parallel()
	recordings := sources()
	for name, options := range map[string]mediatest.TalkOptions{
		"avi":            {Container: "avi", VideoCodec: "mpeg4", AudioCodec: "libmp3lame"},
		"avi b-frames":   {Container: "avi", VideoCodec: "mpeg4", BFrames: 2, VideoOptions: []string{"-bf", "2"}},
		"ts":             {Container: "ts", BFrames: 2},
		"ts open gop":    {Container: "ts", BFrames: 2, OpenGOP: true},
		"webm":           {Container: "webm", VideoCodec: "libvpx-vp9", AudioCodec: "libopus"},
		"vp8":            {Container: "webm", VideoCodec: "libvpx", AudioCodec: "libvorbis"},
		"prores":         {Container: "mov", VideoCodec: "prores_ks", PixelFormat: "yuv422p10le"},
		"mjpeg":          {Container: "mkv", VideoCodec: "mjpeg", PixelFormat: "yuvj420p"},
		"fragments":      {OutputOptions: []string{"-movflags", "frag_keyframe+empty_moov"}, BFrames: 2},
		"few keyframes":  {GOP: 250, BFrames: 3},
		"late video":     {VideoStartMS: 300},
		"late audio":     {AudioStartMS: 300},
		"variable, late": {Variable: true, VideoStartMS: 500, AudioStartMS: 300},
		"no audio":       {NoAudio: true},
		"short video":    {OutputOptions: []string{"-frames:v", "100"}},
		"interlaced":     {VideoOptions: []string{"-flags", "+ildct+ilme", "-x264-params", "interlaced=1"}},
	} {
		options.Width, options.Height, options.Seconds = 320, 180, 6
		recordings[name] = options
	}
	for name, options := range recordings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := mediatest.Talk(t, options).Path
			got, want := listen(t, path, false), ingestFile(t, path)
			if got.Info.DurationMS != want.Info.DurationMS || *got.Info.Video != *want.Info.Video {
				t.Errorf("%d ms, %+v; decoded %d ms, %+v", got.Info.DurationMS, *got.Info.Video,
					want.Info.DurationMS, *want.Info.Video)
			}
			if !slices.Equal(got.Keyframes, want.Keyframes) || !bytes.Equal(got.Peaks, want.Peaks) {
				t.Errorf("%d keyframes and %d peaks; decoded %d and %d", len(got.Keyframes), len(got.Peaks),
					len(want.Keyframes), len(want.Peaks))
			}
			if options.NoAudio {
				return
			}
			speech, err := os.ReadFile(got.SpeechPath)
			if err != nil {
				t.Fatal(err)
			}
			if same, err := os.ReadFile(want.SpeechPath); err != nil || !bytes.Equal(speech, same) {
				t.Errorf("the speech file differs (%v)", err)
			}
		})
	}
}

// A recording is measured to its end even if only its first video frame can be decoded, because
// measuring decodes no video. The audio ends early, so only the video tells the length.
func TestSpeechNeedsNoDecodedVideo(t *testing.T) {
	for codec, options := range map[string][]string{
		"h264":   {"-c:v", "libx264", "-bf", "2"},
		"hevc":   {"-c:v", "libx265", "-x265-params", "log-level=none"},
		"vp8":    {"-c:v", "libvpx"},
		"vp9":    {"-c:v", "libvpx-vp9"},
		"av1":    {"-c:v", "libsvtav1"},
		"mpeg4":  {"-c:v", "mpeg4"},
		"mjpeg":  {"-c:v", "mjpeg", "-pix_fmt", "yuvj420p"},
		"prores": {"-c:v", "prores_ks"},
	} {
		t.Run(codec, func(t *testing.T) {
			t.Parallel()
			intact := filepath.Join(t.TempDir(), "intact.mkv")
			if codec == "prores" {
				intact = filepath.Join(t.TempDir(), "intact.mov") // Matroska strips a header off each packet
			}
			mediatest.FFmpeg(t, slices.Concat(
				[]string{"-f", "lavfi", "-i", "testsrc2=s=160x90:r=10:d=8", "-f", "lavfi", "-i", "sine=d=3"},
				options, []string{"-c:a", "pcm_s16le", intact},
			)...)
			got, want := listen(t, damage(t, intact), false), listen(t, intact, false)
			if got.Info.DurationMS != want.Info.DurationMS || got.Info.DurationMS < 7900 {
				t.Errorf("%d ms, the intact recording has %d", got.Info.DurationMS, want.Info.DurationMS)
			}
			if *got.Info.Video != *want.Info.Video || got.IngestResult.Motion != nil {
				t.Errorf("%+v and motion %v, intact %+v", *got.Info.Video, got.IngestResult.Motion, *want.Info.Video)
			}
		})
	}
}

// A false time stamp in the middle is ignored. At the end it may be a gap, so it counts.
func TestPacketsWithFalseTimeStamps(t *testing.T) {
	even := make([]frameSpan, 40)
	for i := range even {
		even[i] = frameSpan{int64(i), int64(i) + 1}
	}
	for name, c := range map[string]struct {
		change func(spans []frameSpan)
		want   int
	}{
		"nothing":       {func([]frameSpan) {}, 40},
		"outlier":       {func(s []frameSpan) { s[5].index = 9999 }, 39},
		"two outliers":  {func(s []frameSpan) { s[5].index, s[6].index = 9999, 9998 }, 38},
		"first is late": {func(s []frameSpan) { s[0].index = 9999 }, 40},
		"at the end":    {func(s []frameSpan) { s[39].index = 9999 }, 40},
		"reordered end": {func(s []frameSpan) { s[37].index = 9999 }, 40},
		"gap": {func(s []frameSpan) {
			for i := 20; i < 40; i++ {
				s[i].index += 500
			}
			s[19].index, s[20].index = s[20].index, s[19].index
		}, 40},
	} {
		spans := slices.Clone(even)
		c.change(spans)
		if got := withoutOutliers(spans, 100); len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	_, err := New().Ingest(t.Context(), media.IngestRequest{Path: falseTimeStamps(t)}, nil)
	checkTooLong(t, err)
}

// damage returns a copy of a recording that cannot be decoded after its first video packet. The
// last byte of each packet stays, because the parser of VP9 reads it.
func damage(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := av.OpenPackets(t.Context(), path, astiav.MediaTypeVideo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n, from := 0, 0
	if err := r.ReadAll(func(p *astiav.Packet) error {
		packet := av.PacketData(p)
		at := bytes.Index(data[from:], packet)
		if at < 0 {
			t.Fatal("the file does not hold the packet as it is")
		}
		from += at
		if n++; n > 1 {
			for i := range packet[:len(packet)-1] {
				data[from+i] ^= 0xff
			}
		}
		from += len(packet)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, "damaged"+filepath.Ext(path), data)
}
