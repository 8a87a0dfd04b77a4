package libav

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func small() mediatest.TalkOptions {
	return mediatest.TalkOptions{Width: 320, Height: 180, Seconds: 8, Hiss: true}
}

func TestUnreadableFileIsRefusedWithReason(t *testing.T) {
	talk := mediatest.Talk(t, small())
	movie, err := os.ReadFile(talk.Path)
	if err != nil {
		t.Fatal(err)
	}
	sorenson := filepath.Join(t.TempDir(), "sorenson.flv")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=320x180:d=1", "-c:v", "flv1", sorenson)
	adpcm := filepath.Join(t.TempDir(), "adpcm.mkv")
	mediatest.FFmpeg(t, "-i", talk.Path, "-c:v", "copy", "-c:a", "adpcm_ms", adpcm)
	many := filepath.Join(t.TempDir(), "many.mkv")
	args := []string{"-f", "lavfi", "-i", "sine=d=0.2"}
	for range 33 { // one more than are supported
		args = append(args, "-map", "0")
	}
	mediatest.FFmpeg(t, append(args, "-c:a", "flac", many)...)
	cases := []struct{ name, path, want string }{
		{"empty", writeFile(t, "a.mp4", nil), "empty"},
		{
			"text",
			writeFile(t, "b.mp4", []byte(strings.Repeat("this is only text\n", 900))),
			"no readable video or audio",
		},
		{"one byte", writeFile(t, "c.mp4", []byte{0}), "no readable video or audio"},
		{
			"html",
			writeFile(t, "d.mp4", []byte("<!doctype html><html><body>not found</body></html>")),
			"no readable video or audio",
		},
		{
			"noise",
			writeFile(t, "e.mp4", bytes.Repeat([]byte{0x5a, 0x13, 0xc7, 0x01, 0x9e}, 40000)),
			"no readable video or audio",
		},
		{
			"svg",
			writeFile(
				t,
				"f.mp4",
				[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>`),
			),
			"no readable video or audio",
		},
		{"without index", writeFile(t, "g.mp4", movie[:len(movie)/2]), "truncated"},
		{"folder", t.TempDir(), "not a regular file"},
		{"video codec", sorenson, "Sorenson Spark (flv1)"},
		{"audio codec", adpcm, "Microsoft ADPCM (adpcm_ms)"},
		{"33 tracks", many, "33 tracks"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := New().Probe(context.Background(), c.path)
			var problem *av.MediaError
			if !errors.As(err, &problem) || !strings.Contains(problem.Message, c.want) {
				t.Errorf("Probe: %v, want a MediaError with %q", err, c.want)
			}
			proxy := filepath.Join(t.TempDir(), "proxy.mp4")
			if _, err = New().Ingest(
				context.Background(),
				media.IngestRequest{Path: c.path, ProxyPath: proxy},
				nil,
			); !errors.As(err, &problem) {
				t.Errorf("Ingest: %v, want a MediaError", err)
			}
			if _, err := os.Stat(proxy); !os.IsNotExist(err) {
				t.Errorf("Ingest left a proxy behind: %v", err)
			}
		})
	}
}

func TestMissingFileIsNotAMediaError(t *testing.T) {
	_, err := New().Probe(context.Background(), filepath.Join(t.TempDir(), "none.mp4"))
	var problem *av.MediaError
	if !errors.Is(err, os.ErrNotExist) || errors.As(err, &problem) {
		t.Fatalf("%v", err)
	}
}

// A playlist with the extension of a movie opens neither the files nor the addresses that it names.
func TestPlaylistOpensNoOtherFile(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var touched atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			touched.Add(1)
			conn.Close()
		}
	}()
	bait := filepath.Join(t.TempDir(), "bait.mp4")
	data, err := os.ReadFile(mediatest.Talk(t, small()).Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bait, data, 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Unix(1_000_000_000, 0)
	if err := os.Chtimes(bait, long, long); err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String() + "/a.mp4"
	for name, text := range map[string]string{
		"ffconcat": "ffconcat version 1.0\nfile '" + bait + "'\nfile '" + address + "'\n",
		"hls": "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n" + bait +
			"\n#EXTINF:5,\n" + address + "\n#EXT-X-ENDLIST\n",
		"dash": `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period>` +
			`<AdaptationSet mimeType="video/mp4"><Representation id="1"><BaseURL>` + address +
			`</BaseURL></Representation></AdaptationSet></Period></MPD>`,
		"sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\n" +
			"m=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
		"cue": "FILE \"" + bait + "\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, "talk.mp4", []byte(text))
			var problem *av.MediaError
			if _, err := New().Probe(context.Background(), path); !errors.As(err, &problem) {
				t.Errorf("Probe: %v, want a MediaError", err)
			}
			_, err := New().Ingest(
				context.Background(),
				media.IngestRequest{Path: path, ProxyPath: filepath.Join(t.TempDir(), "p.mp4")},
				nil,
			)
			if !errors.As(err, &problem) {
				t.Errorf("Ingest: %v, want a MediaError", err)
			}
		})
	}
	listener.Close()
	<-done
	if n := touched.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
	if at, ok := accessTime(bait); ok && at.After(long.Add(time.Hour)) {
		t.Errorf("the named file was read at %v", at)
	}
}

func TestMatroskaNamedMP4Works(t *testing.T) {
	options := small()
	options.Container = "mkv"
	data, err := os.ReadFile(mediatest.Talk(t, options).Path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := New().Probe(context.Background(), writeFile(t, "talk.mp4", data))
	if err != nil || info.Format != "matroska" || info.ContentType != "video/x-matroska" {
		t.Fatalf("%+v %v", info, err)
	}
}

// A truncated recording is ingested up to its end.
func TestTruncatedRecordings(t *testing.T) {
	for name, options := range map[string]mediatest.TalkOptions{
		"faststart":  {OutputOptions: []string{"-movflags", "+faststart"}},
		"fragmented": {OutputOptions: []string{"-movflags", "frag_keyframe+empty_moov"}, GOP: 30},
		"matroska":   {Container: "mkv"},
		"mpegts":     {Container: "ts"},
	} {
		t.Run(name, func(t *testing.T) {
			options.Width = 320
			options.Height = 180
			options.Seconds = 12
			options.Hiss = true
			data, err := os.ReadFile(mediatest.Talk(t, options).Path)
			if err != nil {
				t.Fatal(err)
			}
			path := writeFile(t, "cut.mp4", data[:len(data)*6/10])
			proxy := filepath.Join(t.TempDir(), "proxy.mp4")
			got, err := New().Ingest(context.Background(), media.IngestRequest{Path: path, ProxyPath: proxy}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if ms := got.Info.DurationMS; ms < 4000 || ms > 9500 {
				t.Errorf("decoded %d ms of some 7200", ms)
			}
			if n := int64(len(mediatest.FrameNumbers(t, proxy))); n != got.Info.Video.Rate.Frame(got.Info.DurationMS) {
				t.Errorf(
					"the proxy has %d frames, the duration says %d",
					n, got.Info.Video.Rate.Frame(got.Info.DurationMS),
				)
			}
		})
	}
}

// A file whose time stamps claim a hundred hours is refused by decoded time, without a hundred
// hours of output.
func TestFalseTimeStampsAreRefused(t *testing.T) {
	_, err := New().Ingest(
		context.Background(),
		media.IngestRequest{Path: falseTimeStamps(t), ProxyPath: filepath.Join(t.TempDir(), "p.mp4")},
		nil,
	)
	checkTooLong(t, err)
}

// falseTimeStamps returns a recording whose last frame claims to be a hundred hours later.
func falseTimeStamps(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "long.mkv")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "testsrc2=s=160x90:r=10:d=1", "-vf", "setpts='if(lt(N,9),PTS,360000/TB)'",
		"-fps_mode", "vfr", "-enc_time_base", "1/1000", "-c:v", "libx264", path,
	)
	return path
}

func checkTooLong(t *testing.T, err error) {
	t.Helper()
	var problem *av.MediaError
	if !errors.As(err, &problem) || !strings.Contains(problem.Message, "longer than 12 hours") {
		t.Fatalf("%v", err)
	}
}

// Flipped bytes anywhere in a recording cause at most an error.
func TestDamagedRecordingsDoNotCrash(t *testing.T) {
	sources := map[string]mediatest.TalkOptions{}
	for _, container := range []string{"mp4", "mkv", "ts", "avi"} {
		options := small()
		options.Container, options.Seconds = container, 4
		sources[container] = options
	}
	for _, name := range []string{"dv avi", "dnxhr mov", "xdcam mxf", "ffv1", "huffyuv", "utvideo"} {
		options := recorders()[name].TalkOptions
		options.Seconds = 1
		sources[name] = options
	}
	checkDamaged(t, sources, 60_000)
}

// Damage to the time stamps of these recordings can make them longer, within the limits.
func TestLongDamagedStreamsDoNotCrash(t *testing.T) {
	needsLong(t)
	sources := map[string]mediatest.TalkOptions{}
	for _, name := range []string{
		"avchd lpcm", "avchd ac3", "ts eac3", "ts dts", "hdv", "mpg", "dvd lpcm", "flv", "dv", "wmv 7", "wmv 8",
	} {
		options := recorders()[name].TalkOptions
		options.Seconds = 1
		sources[name] = options
	}
	checkDamaged(t, sources, av.MaxSeconds*1000)
}

func checkDamaged(t *testing.T, sources map[string]mediatest.TalkOptions, longest int64) {
	t.Helper()
	for container, options := range sources {
		data, err := os.ReadFile(mediatest.Talk(t, options).Path)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range 6 {
			t.Run(fmt.Sprintf("%s %d", container, seed), func(t *testing.T) {
				t.Parallel()
				damaged := bytes.Clone(data)
				for i, x := 0, uint32(seed*7919+1); i < len(damaged)/400; i++ {
					x = x*1664525 + 1013904223
					damaged[int(x)%len(damaged)] ^= byte(x >> 13)
				}
				path := writeFile(t, "damaged", damaged)
				got, err := New().Ingest(
					context.Background(),
					media.IngestRequest{Path: path, ProxyPath: filepath.Join(t.TempDir(), "p.mp4")},
					nil,
				)
				var problem *av.MediaError
				if err != nil && !errors.As(err, &problem) {
					t.Fatalf("%v", err)
				}
				if err == nil && got.Info.DurationMS > longest {
					t.Errorf("made %d ms of %.0f s", got.Info.DurationMS, options.Seconds)
				}
			})
		}
	}
}

// A full disk is reported as such, and no file is left.
func TestFullDiskIsReported(t *testing.T) {
	talk := mediatest.Talk(t, small())
	full := func(name string) string {
		link := filepath.Join(t.TempDir(), name)
		if err := os.Symlink("/dev/full", link); err != nil {
			t.Fatal(err)
		}
		return link
	}
	plan := makePlan(t, nil, media.RenderSettings{}, talk.Path)
	calls := map[string]func(path string) error{
		"render": func(path string) error { _, err := New().Render(context.Background(), plan, path, nil); return err },
		"proxy": func(path string) error {
			_, err := New().Ingest(context.Background(), media.IngestRequest{Path: talk.Path, ProxyPath: path}, nil)
			return err
		},
		"speech": func(path string) error {
			_, err := New().Ingest(context.Background(), media.IngestRequest{Path: talk.Path, SpeechPath: path}, nil)
			return err
		},
		"sprite": func(path string) error {
			_, err := New().Ingest(context.Background(), media.IngestRequest{Path: talk.Path, SpritePath: path}, nil)
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			path := full(name)
			if err := call(path); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%v, want ENOSPC", err)
			}
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("something is left at the path: %v", err)
			}
		})
	}
}
