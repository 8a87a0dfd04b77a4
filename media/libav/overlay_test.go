package libav

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// placed places an asset on a span of the project, centerd, at half the width and without its
// audio. change modifies it.
func placed(t testing.TB, path string, startMS, endMS int64, change func(*media.PlacedAsset)) media.PlacedAsset {
	t.Helper()
	inspected, err := New().Asset(context.Background(), media.AssetRequest{Path: path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := media.PlacedAsset{
		Path:      path,
		Name:      filepath.Base(path),
		Info:      inspected.Info,
		Span:      media.Span{StartMS: startMS, EndMS: endMS},
		Placement: media.NewPlacement("", media.KindVideo),
	}
	if change != nil {
		change(&a)
	}
	return a
}

// made returns a file that ffmpeg makes.
func made(t testing.TB, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	mediatest.FFmpeg(t, append(args, path)...)
	return path
}

// quarters returns an image of red, green, blue and yellow quarters from the top left to the bottom
// right.
func quarters(t testing.TB, name string, width, height int) string {
	g := fmt.Sprintf(
		"color=c=red:s=%dx%d[a];color=c=lime:s=%dx%d[b];color=c=blue:s=%dx%d[c];color=c=yellow:s=%dx%d[d];"+
			"[a][b]hstack[e];[c][d]hstack[f];[e][f]vstack,format=rgb24",
		width/2,
		height/2,
		width/2,
		height/2,
		width/2,
		height/2,
		width/2,
		height/2,
	)
	return made(t, name, "-f", "lavfi", "-i", g, "-frames:v", "1")
}

// still is one frame of a video as RGB.
type still struct {
	width, height int
	rgb           []byte
}

func frameOf(t testing.TB, path string, width, height, frame int) still {
	t.Helper()
	out, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-vf",
		fmt.Sprintf(
			`select=eq(n\,%d),scale=in_color_matrix=bt709:out_color_matrix=bt709,format=rgb24`,
			frame,
		),
		"-frames:v", "1", "-f", "rawvideo", "pipe:1",
	).Output()
	if err != nil || len(out) != 3*width*height {
		t.Fatalf("frame %d of %s: %d bytes, %v", frame, path, len(out), err)
	}
	return still{width, height, out}
}

func (s still) at(x, y int) [3]int {
	p := s.rgb[3*(y*s.width+x):]
	return [3]int{int(p[0]), int(p[1]), int(p[2])}
}

// near reports whether the color at a point is within 14 of another.
func (s still) near(x, y int, want [3]int) bool {
	got := s.at(x, y)
	for i := range got {
		if d := got[i] - want[i]; d > 14 || d < -14 {
			return false
		}
	}
	return true
}

var (
	ground = [3]int{0x20, 0x50, 0x20}
	red    = [3]int{255, 0, 0}
	lime   = [3]int{0, 255, 0}
	blue   = [3]int{0, 0, 255}
	yellow = [3]int{255, 255, 0}
)

// overlaid renders assets over a dark green background of 3 s at 10 frames a second.
func overlaid(t testing.TB, aspect string, assets ...media.PlacedAsset) (string, media.RenderPlan) {
	t.Helper()
	path := made(
		t, "ground.mp4", "-f", "lavfi", "-i", "color=c=0x205020:s=640x360:r=10:d=3",
		"-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-colorspace", "bt709",
		"-color_range", "tv", "-c:v", "libx264", "-qp", "8",
	)
	plan := makePlan(
		t,
		nil,
		media.RenderSettings{ShortSide: 360, AspectRatio: aspect, Background: "#205020", Assets: assets},
		path,
	)
	out, _ := renderPlan(t, plan)
	return out, plan
}

// In every output aspect ratio, an overlay has its size, position, pixels and time.
func TestOverlayPositionAndSize(t *testing.T) {
	pattern := quarters(t, "quarters.png", 400, 200)
	for _, test := range []struct {
		aspect, position string
		x, y             float64 // center, in pixels
	}{
		{"16:9", "top_left", 14 + 80, 14 + 40}, {
			"16:9", "bottom_right", 640 - 14 - 80, 360 - 14 - 40,
		}, {"16:9", "top", 320, 14 + 40},
		{"9:16", "right", 360 - 14 - 45, 320}, {
			"9:16", "bottom_left", 14 + 45, 640 - 14 - 22,
		}, {"1:1", "center", 180, 180},
		{"1:1", "left", 14 + 45, 180}, {"1:1", "custom", 0.25 * 360, 0.75 * 360}, {
			"16:9", "custom", 0.25 * 640, 0.75 * 360,
		},
	} {
		t.Run(test.aspect+" "+test.position, func(t *testing.T) {
			t.Parallel()
			out, plan := overlaid(t, test.aspect, placed(t, pattern, 1000, 2000, func(a *media.PlacedAsset) {
				a.Position = test.position
				a.X = 0.25
				a.Y = 0.75
				a.SizePercent = 25
			}))
			keep(t, out, "overlay-"+strings.ReplaceAll(test.aspect, ":", "x")+"-"+test.position+".png", 15)
			w, h := float64(plan.Width)/4, float64(plan.Width)/8
			for frame, shown := range map[int]bool{10: true, 20: false} {
				s := frameOf(t, out, plan.Width, plan.Height, frame)
				for _, c := range []struct {
					dx, dy float64
					want   [3]int
				}{
					{-0.25, -0.25, red}, {0.25, -0.25, lime}, {-0.25, 0.25, blue}, {0.25, 0.25, yellow},
					{-0.5 + 4/w, -0.5 + 4/h, red}, {0.5 - 4/w, 0.5 - 4/h, yellow},
					{-0.5 - 4/w, 0, ground}, {0.5 + 4/w, 0, ground},
					{0, -0.5 - 4/h, ground}, {0, 0.5 + 4/h, ground},
				} {
					x, y, want := int(test.x+c.dx*w), int(test.y+c.dy*h), c.want
					if !shown {
						want = ground
					}
					if !s.near(x, y, want) {
						t.Errorf("frame %d: the pixel at %d, %d is %v, not %v", frame, x, y, s.at(x, y), want)
					}
				}
			}
		})
	}
}

// Flips mirror, rotation turns clockwise around the center and leaves the corners transparent,
// opacity blends, and later assets are on top.
func TestOverlayFlipRotationAndOpacity(t *testing.T) {
	pattern := quarters(t, "quarters.png", 200, 200)
	for name, test := range map[string]struct {
		change func(*media.PlacedAsset)
		want   map[[2]int][3]int // by distance from the center; the image is 160 pixels wide
	}{
		"flip h": {
			func(a *media.PlacedAsset) { a.FlipH = true },
			map[[2]int][3]int{
				{-40, -40}: lime, {40, -40}: red, {-40, 40}: yellow, {40, 40}: blue,
			},
		},
		"flip v": {
			func(a *media.PlacedAsset) { a.FlipV = true },
			map[[2]int][3]int{
				{-40, -40}: blue, {40, -40}: yellow, {-40, 40}: red, {40, 40}: lime,
			},
		},
		"90 degrees": {
			func(a *media.PlacedAsset) { a.RotationDeg = 90 },
			map[[2]int][3]int{
				{-40, -40}: blue, {40, -40}: red, {-40, 40}: yellow, {40, 40}: lime, {84, 0}: ground,
			},
		},
		"45 degrees": {
			func(a *media.PlacedAsset) { a.RotationDeg = 45 },
			map[[2]int][3]int{
				{0, -60}: red, {60, 0}: lime, {-60, 0}: blue, {0, 60}: yellow, {0, -106}: red,
				{0, -120}: ground, {72, 72}: ground, {-72, 72}: ground, {-72, -72}: ground,
			},
		},
		"-45": {
			func(a *media.PlacedAsset) { a.RotationDeg = -45 },
			map[[2]int][3]int{
				{0, -60}: lime, {60, 0}: yellow, {-60, 0}: red, {0, 60}: blue,
			},
		},
		"opacity": {
			func(a *media.PlacedAsset) { a.OpacityPercent = 50 },
			map[[2]int][3]int{
				{-40, -40}: {0x90, 0x28, 0x10}, {40, 40}: {0x90, 0xa8, 0x10}, {84, 0}: ground,
			},
		},
		"no opacity": {
			func(a *media.PlacedAsset) { a.OpacityPercent = 0 },
			map[[2]int][3]int{
				{-40, -40}: ground, {40, 40}: ground,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, plan := overlaid(
				t,
				"16:9",
				placed(t, pattern, 0, 1000, func(a *media.PlacedAsset) { a.SizePercent = 25; test.change(a) }),
			)
			keep(t, out, "turned-"+strings.ReplaceAll(name, " ", "-")+".png", 5)
			s := frameOf(t, out, plan.Width, plan.Height, 5)
			for at, want := range test.want {
				if x, y := 320+at[0], 180+at[1]; !s.near(x, y, want) {
					t.Errorf("%v from the center is %v, not %v", at, s.at(x, y), want)
				}
			}
		})
	}
	t.Run("order", func(t *testing.T) {
		t.Parallel()
		plain := func(color string) string {
			return made(
				t,
				color+".png",
				"-f", "lavfi", "-i",
				"color=c="+color+":s=64x64",
				"-frames:v", "1", "-pix_fmt", "rgb24",
			)
		}
		below, above := placed(t, plain("red"), 0, 2000, nil), placed(
			t, plain("blue"), 0, 1000,
			func(a *media.PlacedAsset) { a.SizePercent = 20 },
		)
		out, plan := overlaid(t, "16:9", below, above)
		if s := frameOf(t, out, plan.Width, plan.Height, 5); !s.near(320, 180, blue) || !s.near(320+100, 180, red) {
			t.Errorf("in the middle is %v, next to it %v", s.at(320, 180), s.at(420, 180))
		}
		if s := frameOf(t, out, plan.Width, plan.Height, 15); !s.near(320, 180, red) {
			t.Errorf("once the upper one is over, in the middle is %v", s.at(320, 180))
		}
	})
}

// Transparent parts of an asset show the footage without a fringe in every format, even if
// transparent pixels have a color.
func TestOverlayTransparency(t *testing.T) {
	// A red disc on pure blue, which is fully transparent.
	disc := "color=c=blue:s=160x160:r=10:d=1,format=rgba," +
		"geq=r='if(lt(hypot(X-79.5,Y-79.5),60),255,0)':g=0:" +
		"b='if(lt(hypot(X-79.5,Y-79.5),60),0,255)':" +
		"a='if(lt(hypot(X-79.5,Y-79.5),60),255,0)'"
	for name, args := range map[string][]string{
		"disc.png":  {"-frames:v", "1"},
		"disc.webp": {"-frames:v", "1", "-c:v", "libwebp", "-lossless", "1"},
		"disc.gif":  {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"},
		"disc.mov":  {"-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le"},
		"vp9.webm":  {"-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p", "-b:v", "2M"},
		"vp8.webm":  {"-c:v", "libvpx", "-pix_fmt", "yuva420p", "-auto-alt-ref", "0", "-b:v", "2M"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := made(t, name, append([]string{"-f", "lavfi", "-i", disc}, args...)...)
			out, plan := overlaid(
				t,
				"16:9",
				placed(t, path, 0, 1000, func(a *media.PlacedAsset) { a.SizePercent = 50 }),
			)
			keep(t, out, "alpha-"+name+".png", 5)
			s := frameOf(t, out, plan.Width, plan.Height, 5)
			if !s.near(320, 180, [3]int{255, 0, 0}) || !s.near(320-150, 180-150, ground) ||
				!s.near(320+150, 180+150, ground) {
				t.Errorf("in the middle is %v, in the corners %v and %v", s.at(320, 180), s.at(170, 30), s.at(470, 330))
			}
			most := 0x20 + 30
			if strings.HasSuffix(name, ".webm") { // its coding smears colors
				most += 80
			}
			for x := 170; x < 470; x++ {
				if c := s.at(x, 180); c[2] > most {
					t.Fatalf("at %d the hidden blue shows: %v", x, c)
				}
			}
		})
	}
}

// A cutaway fills the frame, cropped, in any aspect ratio. At other times the footage shows.
func TestCutawayFillsFrame(t *testing.T) {
	pattern := quarters(t, "quarters.png", 400, 200)
	for _, aspect := range []string{"16:9", "9:16", "1:1"} {
		for _, opacity := range []int{100, 50} {
			t.Run(fmt.Sprint(aspect, opacity), func(t *testing.T) {
				t.Parallel()
				out, plan := overlaid(t, aspect, placed(t, pattern, 1000, 2000, func(a *media.PlacedAsset) {
					a.VisualMode = media.VisualCutaway
					a.OpacityPercent = opacity
					a.FlipH = true
					a.RotationDeg = 30
					a.SizePercent = 10
					a.Position = "top"
				}))
				w, h := plan.Width, plan.Height
				s := frameOf(t, out, w, h, 15)
				keep(t, out, fmt.Sprintf("cutaway-%d-%d.png", w, opacity), 15)
				for at, want := range map[[2]int][3]int{
					{3, 3}: lime, {w - 4, 3}: red, {3, h - 4}: yellow, {w - 4, h - 4}: blue,
					{w/2 - 8, h/2 - 8}: lime, {w/2 + 8, h/2 + 8}: blue,
				} {
					for i := range want {
						want[i] = (want[i]*opacity + ground[i]*(100-opacity)) / 100
					}
					if !s.near(at[0], at[1], want) {
						t.Errorf("at %v is %v, not %v", at, s.at(at[0], at[1]), want)
					}
				}
				if s := frameOf(t, out, w, h, 9); !s.near(w/2, h/2, ground) {
					t.Errorf("before it is %v", s.at(w/2, h/2))
				}
			})
		}
	}
}

// An animation loops for as long as it is placed.
func TestAnimationLoops(t *testing.T) {
	path := made(
		t, "blink.gif", "-f", "lavfi", "-i", "color=c=red:s=64x64:r=10:d=0.4", "-f", "lavfi",
		"-i", "color=c=blue:s=64x64:r=10:d=0.3",
		"-filter_complex", "concat=n=2:v=1:a=0,split[a][b];[a]palettegen[p];[b][p]paletteuse",
	)
	out, plan := overlaid(t, "16:9", placed(t, path, 500, 2600, nil))
	for frame := range 30 {
		want := ground
		if frame >= 5 && frame < 26 {
			if want = blue; (frame-5)%7 < 4 {
				want = red
			}
		}
		if s := frameOf(t, out, plan.Width, plan.Height, frame); !s.near(320, 180, want) {
			t.Errorf("frame %d is %v, not %v", frame, s.at(320, 180), want)
		}
	}
}

// A placed video stays in sync with the output. It starts at its offset. Cuts within it shorten it
// without a jump. It ends with its file.
func TestPlacedVideoStaysInSync(t *testing.T) {
	asset := mediatest.Talk(t, mediatest.TalkOptions{Width: 640, Height: 360, Hiss: true, Seconds: 6})
	main := made(
		t, "ground.mp4", "-f", "lavfi", "-i", "color=c=0x205020:s=640x360:r=30:d=10", "-c:v", "libx264",
		"-qp", "10", "-pix_fmt", "yuv420p",
	)
	a := placed(
		t, asset.Path, 2000, 9500,
		func(a *media.PlacedAsset) { a.VisualMode, a.OffsetMS = media.VisualCutaway, 500 },
	)
	plan := makePlan(
		t,
		[]media.Span{{StartMS: 500, EndMS: 1000}, {StartMS: 3000, EndMS: 4000}},
		media.RenderSettings{Assets: []media.PlacedAsset{a}},
		main,
	)
	out, _ := renderPlan(t, plan)
	zero, _ := clipZero(t, asset.Path)
	source := shownNumbers(t, asset.Path, plan.Rate, zero, 180)
	// Shown from 1500 ms on. After the offset, 5500 ms of the asset are left; the placement has
	// 6500 ms.
	for frame, number := range mediatest.FrameNumbers(t, out) {
		want := int64(-1)
		if k := frame - 45 + 15; frame >= 45 && k < len(source) {
			want = source[k]
		}
		if number != want {
			t.Errorf("frame %d shows %d, not %d", frame, number, want)
		}
	}
}

// The recording is copied around an asset, and every frame is right, also under the asset.
func TestOnlyFramesUnderOverlaysAreEncoded(t *testing.T) {
	talk := mediatest.Talk(
		t,
		mediatest.TalkOptions{Width: 640, Height: 360, Hiss: true, Seconds: 6, VideoOptions: tagged},
	)
	logo := placed(
		t, quarters(t, "logo.png", 200, 100), 3000, 4000,
		func(a *media.PlacedAsset) { a.Position, a.SizePercent = "top_left", 20 },
	)
	plan := makePlan(
		t,
		[]media.Span{{StartMS: 1000, EndMS: 1500}},
		media.RenderSettings{Assets: []media.PlacedAsset{logo}},
		talk.Path,
	)
	out, rendered := renderPlan(t, plan)
	if rendered.Copied < 60 || rendered.Encoded < 30 || rendered.RepeatedBecause != "" {
		t.Errorf("%+v", rendered)
	}
	zero, _ := clipZero(t, talk.Path)
	checkFrames(
		t, plan, mediatest.FrameNumbers(t, out),
		[][]int64{shownNumbers(t, talk.Path, plan.Rate, zero, plan.Inputs[0].Frames)},
	)
	for frame, shown := range map[int]bool{74: false, 75: true, 104: true, 105: false} {
		if s := frameOf(t, out, 640, 360, frame); s.near(14+30, 14+15, red) != shown {
			t.Errorf("frame %d: the logo's corner is %v", frame, s.at(14+30, 14+15))
		}
	}
}

// A file that is not an asset fails with the asset's name, and a cancelled render ends.
func TestUnreadableOverlayIsNamedInError(t *testing.T) {
	good := placed(t, quarters(t, "quarters.png", 64, 64), 0, 2000, nil)
	junk := filepath.Join(t.TempDir(), "logo.png")
	if err := os.WriteFile(junk, []byte("\x89PNG\r\n\x1a\nnot much of an image"), 0o600); err != nil {
		t.Fatal(err)
	}
	main := backdrop(t, 3)
	for name, change := range map[string]func(*media.PlacedAsset){
		"junk":     func(a *media.PlacedAsset) { a.Path = junk },
		"text":     func(a *media.PlacedAsset) { a.Path = "overlay_test.go" },
		"no audio": func(a *media.PlacedAsset) { a.AudioMode, a.Info.Audio = media.AudioMix, &media.AudioInfo{} },
	} {
		bad := good
		bad.Name = "The logo"
		change(&bad)
		out := filepath.Join(t.TempDir(), "out.mp4")
		_, err := New().Render(
			context.Background(),
			makePlan(t, nil, media.RenderSettings{Assets: []media.PlacedAsset{bad}}, main),
			out,
			nil,
		)
		var fault *av.MediaError
		if !errors.As(err, &fault) || !strings.Contains(fault.Message, `"The logo"`) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a file is left", name)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("enough")
	plan := makePlan(t, nil, media.RenderSettings{Assets: []media.PlacedAsset{good}}, main)
	_, err := New().Render(ctx, plan, filepath.Join(t.TempDir(), "out.mp4"), func(fraction float64) {
		if fraction > 0.1 {
			cancel(stop)
		}
	})
	if !errors.Is(err, stop) {
		t.Errorf("a cancelled render: %v", err)
	}
}

// A change of an asset affects only the chunks that show it. The same asset in the same place comes
// from the cache.
func TestChunksWithOverlaysAreCached(t *testing.T) {
	kept := NewChunkCache(t.TempDir(), 1<<30)
	engine := New(WithChunkCache(kept))
	pattern := quarters(t, "quarters.png", 64, 64)
	info, err := engine.Probe(context.Background(), backdrop(t, 6))
	if err != nil {
		t.Fatal(err)
	}
	main := media.RenderClip{Path: backdrop(t, 6), ID: "main", Info: info}
	render := func(id string, startMS int64, size int) media.RenderResult {
		t.Helper()
		a := placed(t, pattern, startMS, startMS+1000, func(a *media.PlacedAsset) { a.ID, a.SizePercent = id, size })
		plan, err := media.NewRenderPlan(
			[]media.RenderClip{main},
			nil,
			media.RenderSettings{
				ShortSide:     180,
				AspectRatio:   "1:1",
				VolumePercent: 100,
				Assets:        []media.PlacedAsset{a},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		made, err := engine.Render(context.Background(), plan, filepath.Join(t.TempDir(), "out.mp4"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	if r := render("logo-1", 2000, 50); r.Reused != 0 {
		t.Errorf("the first time: %+v", r)
	}
	for name, test := range map[string]struct {
		id      string
		size    int
		encoded int64
	}{
		"the same":        {"logo-1", 50, 0},
		"another version": {"logo-2", 50, 10},
		"another size":    {"logo-1", 40, 10},
		"without a name":  {"", 50, 10},
	} {
		if r := render(test.id, 2000, test.size); r.Encoded != test.encoded || r.Reused != 60-test.encoded {
			t.Errorf("%s: %d encoded, %d from the cache", name, r.Encoded, r.Reused)
		}
	}
}
