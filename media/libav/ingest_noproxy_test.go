package libav

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// ingestSparing ingests as for a clip, and reports whether a proxy was made.
func ingestSparing(t testing.TB, path string) (products, bool) {
	t.Helper()
	dir := t.TempDir()
	request := media.IngestRequest{
		Path:                path,
		ProxyPath:           filepath.Join(dir, "proxy.mp4"),
		SpritePath:          filepath.Join(dir, "sprite.jpg"),
		SpeechPath:          filepath.Join(dir, "speech.raw"),
		SkipProxyIfPlayable: true,
	}
	got, err := New().Ingest(context.Background(), request, nil)
	if err != nil {
		t.Fatal(err)
	}
	return products{request, got}, exists(request.ProxyPath)
}

// sameTilesLater checks that an ingest that leaves the tiles makes the same products in two steps.
func sameTilesLater(t *testing.T, whole products) {
	t.Helper()
	dir := t.TempDir()
	request := whole.IngestRequest
	request.ProxyPath, request.SpritePath = filepath.Join(dir, "proxy.mp4"), filepath.Join(dir, "sprite.jpg")
	request.SpeechPath = filepath.Join(dir, "speech.raw")
	request.Motion, request.TilesLaterMS = true, 1
	first, err := New().Ingest(t.Context(), request, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !first.TilesLeft || first.Sprite != (media.Sprite{}) || first.Motion != nil || exists(request.SpritePath) {
		t.Errorf("the first step left no tiles: %+v, %d seconds of motion", first.Sprite, len(first.Motion))
	}
	if first.Info.DurationMS != whole.Info.DurationMS || *first.Info.Video != *whole.Info.Video ||
		!bytes.Equal(first.Peaks, whole.Peaks) || !slices.Equal(first.Keyframes, whole.Keyframes) {
		t.Errorf("the first step found %+v of %d ms", *first.Info.Video, first.Info.DurationMS)
	}
	rest, err := New().Tiles(t.Context(), media.TilesRequest{
		Path: request.Path, SpritePath: request.SpritePath, DurationMS: first.Info.DurationMS,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := *whole.Info.Video
	wholeMotion, err := New().Ingest(t.Context(), media.IngestRequest{
		Path: request.Path, ProxyPath: filepath.Join(dir, "p.mp4"), SpritePath: filepath.Join(dir, "s.jpg"),
		SkipProxyIfPlayable: true, Motion: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	one, err := os.ReadFile(whole.SpritePath)
	two, err2 := os.ReadFile(request.SpritePath)
	if rest.Sprite != whole.Sprite || err != nil || err2 != nil || !bytes.Equal(one, two) ||
		!bytes.Equal(rest.Motion, wholeMotion.Motion) {
		t.Errorf("%+v: the second step made %+v and motion %v, one step %+v and %v",
			at, rest.Sprite, rest.Motion, whole.Sprite, wholeMotion.Motion)
	}
}

// An interlaced recording is not left without a proxy, and one whose later keyframes cannot be
// shown asks for one.
func TestTilesAskForAProxy(t *testing.T) {
	t.Parallel()
	talk := mediatest.Talk(t, mediatest.TalkOptions{
		GOP: 30, Seconds: 6, VideoOptions: []string{"-flags", "+ildct+ilme", "-x264-params", "interlaced=1"},
	})
	dir := t.TempDir()
	got, err := New().Ingest(t.Context(), media.IngestRequest{
		Path: talk.Path, ProxyPath: filepath.Join(dir, "p.mp4"), SpritePath: filepath.Join(dir, "s.jpg"),
		SkipProxyIfPlayable: true, Motion: true, TilesLaterMS: 1,
	}, nil)
	if err != nil || got.TilesLeft || !got.Info.Video.Interlaced || !exists(filepath.Join(dir, "p.mp4")) {
		t.Errorf("tiles left: %t, interlaced: %+v, %v", got.TilesLeft, got.Info.Video, err)
	}
	_, err = New().Tiles(t.Context(), media.TilesRequest{
		Path: talk.Path, SpritePath: filepath.Join(dir, "t.jpg"), DurationMS: got.Info.DurationMS,
	}, nil)
	if !errors.Is(err, media.ErrNeedsProxy) || exists(filepath.Join(dir, "t.jpg")) {
		t.Errorf("the tiles of an interlaced recording: %v", err)
	}
}

// Recordings that browsers play well get no proxy. All other products match an ingest with a proxy.
func TestPlayableFootageNeedsNoProxy(t *testing.T) {
	for name, options := range map[string]mediatest.TalkOptions{
		"phone":           {GOP: 30},
		"turned":          {GOP: 30, RotationDeg: 90},
		"mov":             {GOP: 30, Container: "mov"},
		"variable":        {GOP: 30, Variable: true},
		"no audio":        {GOP: 60, NoAudio: true},
		"B-frames, front": {GOP: 60, BFrames: 3, OutputOptions: []string{"-movflags", "+faststart"}},
		"late video":      {GOP: 30, VideoStartMS: 300},
		"late audio":      {GOP: 30, AudioStartMS: 300},
		"fragments":       {GOP: 30, OutputOptions: []string{"-movflags", "frag_keyframe+empty_moov"}},
		"short video":     {GOP: 30, OutputOptions: []string{"-frames:v", "100"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.Seconds = 6
			talk := mediatest.Talk(t, options)
			got, proxy := ingestSparing(t, talk.Path)
			sameTilesLater(t, got)
			want := ingestFile(t, talk.Path)
			if proxy {
				t.Error("a proxy was made")
			}
			if got.Info.DurationMS != want.Info.DurationMS || *got.Info.Video != *want.Info.Video {
				t.Errorf(
					"%d ms %+v, with a proxy %d ms %+v",
					got.Info.DurationMS,
					*got.Info.Video,
					want.Info.DurationMS,
					*want.Info.Video,
				)
			}
			if got.Sprite != want.Sprite || !bytes.Equal(got.Peaks, want.Peaks) {
				t.Errorf(
					"sprite %+v with %d peaks, with a proxy %+v with %d",
					got.Sprite, len(got.Peaks), want.Sprite, len(want.Peaks),
				)
			}
			if options.NoAudio {
				return
			}
			speech, err := os.ReadFile(got.SpeechPath)
			same, err2 := os.ReadFile(want.SpeechPath)
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(speech, same) {
				t.Error("the speech file differs from the speech file of an ingest with a proxy")
			}
		})
	}
}

// Recordings that browsers do not play, or start late or seek slowly, get a proxy.
func TestUnplayableFootageGetsProxy(t *testing.T) {
	t.Parallel()
	cases := map[string]mediatest.TalkOptions{
		"few keyframes": {GOP: 80},
		"both late":     {GOP: 30, VideoStartMS: 500, AudioStartMS: 300},
		"mkv":           {GOP: 30, Container: "mkv"},
		"mov with PCM":  {GOP: 30, Container: "mov", AudioCodec: "pcm_s16le"},
		"10 bit":        {GOP: 30, PixelFormat: "yuv420p10le"},
		"mp3":           {GOP: 30, AudioCodec: "libmp3lame"},
		"wide samples":  {GOP: 30, Filter: "setsar=4/3"},
		"interlaced":    {GOP: 30, VideoOptions: []string{"-flags", "+ildct+ilme", "-x264-params", "interlaced=1"}},
		"too large":     {GOP: 30, Width: 2560, Height: 1440},
		"heavy": {
			GOP:          30,
			VideoOptions: []string{"-x264-params", "qp=0"},
			Width:        320,
			Height:       180,
			RateNum:      60,
			Filter:       "noise=alls=60:allf=t",
		},
	}
	for name, options := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.Seconds = 4
			if _, proxy := ingestSparing(t, mediatest.Talk(t, options).Path); !proxy {
				t.Error("no proxy was made")
			}
		})
	}
	t.Run("truncated", func(t *testing.T) {
		data, err := os.ReadFile(
			mediatest.Talk(
				t,
				mediatest.TalkOptions{GOP: 30, Seconds: 6, OutputOptions: []string{"-movflags", "+faststart"}},
			).Path,
		)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "cut.mp4")
		if err := os.WriteFile(path, data[:len(data)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, proxy := ingestSparing(t, path); !proxy {
			t.Error("no proxy was made")
		}
	})
}

// A tile of a recording without a proxy shows the keyframe nearest to its second.
func TestTilesShowTheNearestKeyframe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steps.mp4")
	mediatest.FFmpeg(
		t, "-f", "lavfi",
		"-i", "color=black:s=320x180:r=30:d=12,format=yuv420p,geq=lum='20+10*floor(2*T)':cb=128:cr=128",
		"-g", "45", "-keyint_min", "45", "-sc_threshold", "0", "-colorspace", "bt709", "-color_range", "tv",
		"-c:v", "libx264", "-crf", "10", path,
	)
	got, proxy := ingestSparing(t, path)
	if proxy || got.Sprite.TotalTiles != 12 {
		t.Fatalf("proxy %t, %+v", proxy, got.Sprite)
	}
	file, err := os.Open(got.SpritePath)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sheet, err := jpeg.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	seen := ""
	for k := range 12 {
		x, y := k%got.Sprite.TilesPerRow*got.Sprite.TileWidth+80, k/got.Sprite.TilesPerRow*got.Sprite.TileHeight+45
		gray, _, _, _ := sheet.At(x, y).RGBA()
		luma := 16 + float64(gray>>8)*219/255
		seen += fmt.Sprintf(" %.1f", float64(int((luma-20)/10+0.5))/2)
	}
	// Keyframes are at 0, 1.5, 3, 4.5 … s.
	if want := " 0.0 1.5 1.5 3.0 4.5 4.5 6.0 7.5 7.5 9.0 10.5 10.5"; seen != want {
		t.Errorf("tiles show the seconds%s, not%s", seen, want)
	}
}
