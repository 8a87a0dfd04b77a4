package libav

import (
	"errors"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// footageKinds are videos of four colored quarters, 400 x 200 on display, as different cameras and
// programs store them.
func footageKinds() map[string][]string {
	hdr := func(transfer string) []string {
		return []string{
			"film.mp4", "-vf", "scale=out_color_matrix=bt2020:out_range=tv,format=yuv420p10le",
			"-c:v", "libx265", "-x265-params", "log-level=none:qp=8", "-color_primaries", "bt2020",
			"-color_trc", transfer, "-colorspace", "bt2020nc", "-color_range", "tv",
		}
	}
	plain := func(name, format string, codec ...string) []string {
		return append(
			[]string{
				name,
				"-vf",
				"scale=out_color_matrix=bt709:out_range=tv,format=" + format,
				"-colorspace", "bt709", "-color_range", "tv", "-c:v",
			},
			codec...)
	}
	return map[string][]string{
		"pq":           hdr("smpte2084"),
		"hlg":          hdr("arib-std-b67"),
		"10 bit h264":  plain("film.mp4", "yuv420p10le", "libx264", "-qp", "8"),
		"10 bit hevc":  plain("film.mp4", "yuv420p10le", "libx265", "-x265-params", "log-level=none:qp=8"),
		"12 bit 4:4:4": plain("film.mkv", "yuv444p12le", "libx265", "-x265-params", "log-level=none:qp=8"),
		"prores":       plain("film.mov", "yuv422p10le", "prores_ks"),
		"10 bit vp9":   plain("film.webm", "yuv420p10le", "libvpx-vp9", "-b:v", "2M", "-deadline", "realtime"),
		"full range": {
			"film.mp4", "-vf", "scale=out_color_matrix=bt601:out_range=pc,format=yuv420p",
			"-colorspace", "smpte170m", "-color_range", "pc", "-c:v", "libx264", "-qp", "8",
		},
		"turned 90":    plain("film.mov", "yuv420p", "libx264", "-qp", "8"),
		"turned 270":   plain("film.mp4", "yuv420p10le", "libx264", "-qp", "8"),
		"turned 180":   plain("film.mp4", "yuv420p", "libx265", "-x265-params", "log-level=none:qp=8"),
		"wide samples": plain("film.mp4", "yuv420p,scale=200:200,setsar=2", "libx264", "-qp", "8"),
		"alpha vp9": {
			"film.webm", "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuva420p",
			"-c:v", "libvpx-vp9", "-b:v", "2M", "-deadline", "realtime",
		},
		"gif":        {"film.gif", "-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"},
		"jpeg":       {"film.jpg", "-frames:v", "1", "-q:v", "1"},
		"16 bit png": {"film.png", "-frames:v", "1", "-pix_fmt", "rgb48be"},
		"grey of a png": {
			"film.png", "-frames:v", "1", "-pix_fmt", "pal8",
			"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse",
		},
	}
}

// An asset of any format keeps its colors, aspect ratio and orientation over footage, blended with
// it, and instead of it.
func TestOverlayFormatsKeepColors(t *testing.T) {
	ground := made(
		t, "ground.mp4", "-f", "lavfi", "-i", "color=c=0x205020:s=320x180:r=10:d=1", "-c:v", "libx264",
		"-qp", "8", "-pix_fmt", "yuv420p",
	)
	source := quarters(t, "quarters.png", 400, 200)
	upright := [4]string{"red", "lime", "blue", "yellow"} // from the top left to the bottom right
	turns := map[string]struct {
		clockwise int
		quarters  [4]string
	}{
		"turned 90":  {90, [4]string{"blue", "red", "yellow", "lime"}},
		"turned 180": {180, [4]string{"yellow", "blue", "lime", "red"}},
		"turned 270": {270, [4]string{"lime", "yellow", "red", "blue"}},
	}
	for name, args := range footageKinds() {
		t.Run(name, func(t *testing.T) {
			path := made(
				t,
				args[0],
				append([]string{"-loop", "1", "-framerate", "10", "-t", "0.5", "-i", source}, args[1:]...)...)
			want := upright
			turn, turned := turns[name]
			if turned {
				path, want = mediatest.RotatedCopy(t, path, turn.clockwise), turn.quarters
			}
			for how, change := range map[string]func(*media.PlacedAsset){
				"over":    func(a *media.PlacedAsset) { a.SizePercent = 25 },
				"mixed":   func(a *media.PlacedAsset) { a.SizePercent, a.OpacityPercent = 25, 85 },
				"cutaway": func(a *media.PlacedAsset) { a.VisualMode = media.VisualCutaway },
			} {
				tile := overlayTile(t, ground, "16:9", placed(t, path, 0, 400, change))
				middle := tile.Rect.Size().Div(2)
				for i, color := range want {
					dx, dy := (i%2*2-1)*14, (i/2*2-1)*10
					if got := tile.RGBAAt(middle.X+dx, middle.Y+dy); !isColor(got, color) {
						t.Errorf("%s: quarter %d is %v, not %s", how, i, got, color)
					}
				}
				if sideways := turn.clockwise%180 != 0; how == "over" {
					w := tile.Rect.Dx() / 4
					if far := tile.RGBAAt(middle.X, middle.Y+w/2+8); isColor(far, want[2]) != sideways &&
						isColor(far, want[3]) != sideways {
						t.Errorf("below the middle is %v: the aspect ratio is wrong", far)
					}
				}
			}
		})
	}
}

// isColor reports whether a color is closest to the named one, tolerating the effects of tone
// mapping.
func isColor(c color.RGBA, name string) bool {
	const high, apart = 130, 60
	r, g, b := int(c.R), int(c.G), int(c.B)
	switch name {
	case "red":
		return r > high && r > g+apart && r > b+apart
	case "lime":
		return g > high && g > r+apart && g > b+apart
	case "blue":
		return b > high && b > r+apart && b > g+apart
	case "yellow":
		return r > high && g > high && min(r, g) > b+apart
	}
	return false
}

// The maximum number of simultaneous assets is drawn, each in its place and the last on top. One
// more is refused with advice.
func TestSixteenOverlaysAtOnce(t *testing.T) {
	ground := made(
		t, "ground.mp4", "-f", "lavfi", "-i", "color=c=0x205020:s=320x180:r=10:d=1", "-c:v", "libx264",
		"-qp", "8", "-pix_fmt", "yuv420p",
	)
	film := made(
		t, "film.mp4", "-loop", "1", "-framerate", "10", "-t", "0.5", "-i", quarters(t, "quarters.png", 64, 64),
		"-c:v", "libx264", "-qp", "8", "-pix_fmt", "yuv420p",
	)
	var assets []media.PlacedAsset
	for i := range 16 {
		assets = append(assets, placed(t, film, 0, 500, func(a *media.PlacedAsset) {
			a.Position = media.PositionCustom
			a.X = (float64(i%4) + 0.5) / 4
			a.Y = (float64(i/4) + 0.5) / 4
			a.SizePercent = 10
		}))
	}
	plan := makePlan(t, nil, media.RenderSettings{Assets: assets}, ground)
	err := drawn(plan, func(pixels []byte) error {
		image := rgbOf(pixels, plan.Width, plan.Height)
		for i := range 16 {
			x, y := (2*(i%4)+1)*plan.Width/8, (2*(i/4)+1)*plan.Height/8
			if c := image.RGBAAt(x-6, y-6); !isColor(c, "red") {
				return fmt.Errorf("asset %d: %v", i, c)
			}
		}
		return errEnough
	})
	if !errors.Is(err, errEnough) {
		t.Error(err)
	}
	info := plan.Inputs[0]
	clip := media.RenderClip{
		Path: info.Path,
		Info: media.Info{
			DurationMS: 1000,
			Video:      &media.VideoInfo{Width: 320, Height: 180, Rate: media.Rate{Num: 10, Den: 1}},
		},
	}
	if _, err := media.NewRenderPlan(
		[]media.RenderClip{clip},
		nil,
		media.RenderSettings{Assets: append(assets, assets[0])},
	); err == nil ||
		!strings.Contains(err.Error(), "switch some of them off") {
		t.Errorf("seventeen: %v", err)
	}
}
