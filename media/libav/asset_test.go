package libav

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// inspectAll requests everything that an asset can have.
func inspectAll(t *testing.T, path string) (a media.Asset, poster, proxy string) {
	t.Helper()
	dir := t.TempDir()
	poster, proxy = filepath.Join(dir, "poster.jpg"), filepath.Join(dir, "proxy.mp4")
	last := 0.0
	a, err := New().Asset(
		context.Background(),
		media.AssetRequest{Path: path, PosterPath: poster, ProxyPath: proxy, Outline: true},
		func(f float64) {
			if f < last {
				t.Errorf("progress fell from %.3f to %.3f", last, f)
			}
			last = f
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if last != 1 {
		t.Errorf("progress ended at %.3f", last)
	}
	return a, poster, proxy
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func posterOf(t *testing.T, path string) image.Image {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	video, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return video
}

// Each kind of asset is detected from its data, measured, and gets a poster. Only files that
// browsers do not play get a proxy.
func TestAssetIsInspected(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, args ...string) string {
		path := filepath.Join(dir, name)
		mediatest.FFmpeg(t, append(args, path)...)
		return path
	}
	video := []string{"-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=2"}
	audio := []string{"-f", "lavfi", "-i", "sine=d=2:r=48000"}
	both := append(append([]string{}, video...), audio...)
	with := func(a []string, b ...string) []string { return append(append([]string{}, a...), b...) }
	for _, c := range []struct {
		path, kind, contentType string
		ms                      int64
		proxy                   bool
		width, height           int // of the poster
	}{
		{file("a.png", with(video, "-frames:v", "1")...), "image", "image/png", 0, false, 480, 270},
		{file("a.jpg", with(video, "-frames:v", "1")...), "image", "image/jpeg", 0, false, 480, 270},
		{file("a.bmp", with(video, "-frames:v", "1")...), "image", "image/bmp", 0, false, 480, 270},
		{file("a.webp", with(video, "-frames:v", "1")...), "image", "image/webp", 0, false, 480, 270},
		{file("small.gif", with(video, "-vf", "scale=160:90,fps=10")...), "image", "image/gif", 2000, false, 160, 90},
		{
			file("a.mp4", with(both, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac")...), "video",
			"video/mp4", 2000, false, 480, 270,
		},
		{
			file("a.mov", with(both, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le")...),
			"video", "video/quicktime", 2000, true, 480, 270,
		},
		{
			file("aac.mov", with(both, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac")...), "video",
			"video/quicktime", 2000, false, 480, 270,
		},
		{
			file("ten.mp4", with(video, "-c:v", "libx264", "-pix_fmt", "yuv420p10le")...), "video", "video/mp4",
			2000, true, 480, 270,
		},
		{
			file(
				"hevc.mp4",
				with(video, "-c:v", "libx265", "-x265-params", "log-level=none", "-pix_fmt", "yuv420p")...,
			),
			"video", "video/mp4", 2000, true, 480, 270,
		},
		{
			file(
				"a.webm",
				with(both, "-c:v", "libvpx", "-pix_fmt", "yuv420p", "-deadline", "realtime", "-c:a", "libopus")...,
			),
			"video", "video/webm", 2000, false, 480, 270,
		},
		{
			file(
				"a.ts",
				with(both, "-vf", "scale=202:360,setsar=1", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac")...,
			),
			"video", "video/mp2t", 2000, true, 202, 360,
		},
		{file("a.mp3", with(audio, "-write_xing", "0", "-q:a", "4")...), "audio", "audio/mpeg", 2000, false, 0, 0},
		{file("a.wav", audio...), "audio", "audio/wav", 2000, false, 0, 0},
		{file("a.flac", audio...), "audio", "audio/flac", 2000, false, 0, 0},
		{file("a.m4a", audio...), "audio", "audio/mp4", 2000, false, 0, 0},
		{file("lossless.m4a", with(audio, "-c:a", "alac")...), "audio", "audio/mp4", 2000, true, 0, 0},
		{file("a.ogg", with(audio, "-c:a", "libvorbis")...), "audio", "audio/ogg", 2000, true, 0, 0},
	} {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			a, poster, proxy := inspectAll(t, c.path)
			stat, err := os.Stat(c.path)
			if err != nil || a.Kind != c.kind || a.ContentType != c.contentType || a.SizeBytes != stat.Size() {
				t.Errorf("got %+v of %v bytes", a, stat.Size())
			}
			if a.Info.DurationMS < c.ms-60 || a.Info.DurationMS > c.ms+60 {
				t.Errorf("lasts %d ms, want %d", a.Info.DurationMS, c.ms)
			}
			if steady := slices.Min(
				append([]byte{255}, a.Outline...),
			) > 20; (len(a.Outline) == media.OutlineBars && steady) != (c.kind == media.KindAudio) {
				t.Errorf("the outline is %d", a.Outline)
			}
			if exists(proxy) != c.proxy {
				t.Errorf("a proxy is there: %v", exists(proxy))
			}
			if c.proxy {
				again, _, none := inspectAll(t, proxy)
				if exists(none) || again.Info.DurationMS < c.ms-60 || again.Info.DurationMS > c.ms+60 {
					t.Errorf("the proxy is %+v", again)
				}
			}
			if c.width == 0 {
				if exists(poster) {
					t.Error("audio has a poster")
				}
				return
			}
			if size := posterOf(t, poster).Bounds().Size(); size != image.Pt(c.width, c.height) {
				t.Errorf("the poster is %v", size)
			}
		})
	}
}

// Transparent areas of a poster are white, and a photo with EXIF orientation is upright.
func TestPosterTransparencyAndOrientation(t *testing.T) {
	dir := t.TempDir()
	clear := filepath.Join(dir, "clear.png")
	half := image.NewNRGBA(image.Rect(0, 0, 300, 200))
	for i := range half.Pix {
		half.Pix[i] = map[bool]byte{true: 255}[i%4 >= 2 && i/4%300 < 150] // opaque blue, and nothing
	}
	var coded bytes.Buffer
	if err := png.Encode(&coded, half); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(clear, coded.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, poster, _ := inspectAll(t, clear)
	r, g, b, _ := posterOf(t, poster).At(250, 100).RGBA()
	if r>>8 < 250 || g>>8 < 250 || b>>8 < 250 {
		t.Errorf("the transparent area shows as %d %d %d", r>>8, g>>8, b>>8)
	}
	r, g, b, _ = posterOf(t, poster).At(50, 100).RGBA()
	if r>>8 > 20 || g>>8 > 20 || b>>8 < 230 {
		t.Errorf("blue shows as %d %d %d", r>>8, g>>8, b>>8)
	}
	plain := filepath.Join(dir, "plain.jpg")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "color=c=red:s=320x180,drawbox=x=0:y=0:w=160:h=180:color=lime:t=fill",
		"-frames:v", "1", plain,
	)
	data, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	// Orientation 6: rotate by 90 degrees clockwise.
	exif := "\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08" +
		"\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	turned := writeFile(t, "turned.jpg", append(append(append([]byte{}, data[:2]...), exif...), data[2:]...))
	a, poster, _ := inspectAll(t, turned)
	if v := a.Info.Video; v.Width != 180 || v.Height != 320 || v.RotationDeg != 90 {
		t.Errorf("a turned photo is %+v", v)
	}
	video := posterOf(t, poster)
	if size := video.Bounds().Size(); size != image.Pt(180, 320) {
		t.Errorf("its poster is %v", size)
	}
	if r, g, _, _ := video.At(90, 40).RGBA(); g < r { // the left side of the stored photo is at the top
		t.Error("the poster is upside down")
	}
}

// A file that is not an asset leaves no files and gets an error that says why.
func TestUnreadableAssetIsRefused(t *testing.T) {
	good, err := os.ReadFile(mediatest.Talk(t, small()).Path)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "text": []byte(strings.Repeat("not an image at all\n", 100)), "half": good[:len(good)/2],
		"svg":      []byte(`<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>`),
		"playlist": []byte("#EXTM3U\n#EXTINF:5,\n/etc/passwd\n"),
		"png":      []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x02\x00\x00\x00"),
	} {
		t.Run(name, func(t *testing.T) {
			path, dir := writeFile(t, "a.png", data), t.TempDir()
			var fault *av.MediaError
			_, err := New().Asset(
				context.Background(),
				media.AssetRequest{Path: path, PosterPath: filepath.Join(dir, "a"), ProxyPath: filepath.Join(dir, "b")},
				nil,
			)
			if !errors.As(err, &fault) {
				t.Errorf("Asset: %v", err)
			}
			_, err = New().Trim(
				context.Background(),
				media.TrimRequest{Path: path, OutPath: filepath.Join(dir, "c")},
				nil,
			)
			if !errors.As(err, &fault) {
				t.Errorf("Trim: %v", err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("left %v %v", left, err)
			}
		})
	}
}

// The measured length wins over a header with a wrong length.
func TestLengthIsMeasured(t *testing.T) {
	data, err := os.ReadFile(mediatest.Talk(t, small()).Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, box := range []string{"mvhd", "tkhd", "mdhd"} { // durations of 0
		for at := bytes.Index(data, []byte(box)); at >= 0; {
			offset := map[string]int{"mvhd": 20, "tkhd": 24, "mdhd": 20}[box]
			copy(data[at+offset:], []byte{0, 0, 0, 1})
			next := bytes.Index(data[at+4:], []byte(box))
			if next < 0 {
				break
			}
			at += 4 + next
		}
	}
	a, _, _ := inspectAll(t, writeFile(t, "lying.mp4", data))
	if a.Info.DurationMS < 7900 || a.Info.DurationMS > 8100 {
		t.Errorf("8 s last %d ms", a.Info.DurationMS)
	}
}
