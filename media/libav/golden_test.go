package libav

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/libav/av"
)

var update = flag.Bool("update", false, "write the golden images in testdata")

// goldenShort is the short side of the images in testdata, in pixels.
const goldenShort = 320

// goldenAlike is the minimum similarity, in dB, of a drawing and its golden image. Versions of
// FreeType differ in the edges of letters. Styles, positions and places differ by more, as
// TestGoldenComparisonFindsDifferences shows.
const goldenAlike = 37

var (
	goldenAspects   = []string{"16:9", "9:16", "1:1"}
	goldenPositions = []string{"top", "middle", "bottom"}
)

// withoutFonts hides the machine's fonts, so that only the bundled fonts are used.
func withoutFonts(t *testing.T) {
	t.Helper()
	none := writeFile(
		t,
		"fonts.conf",
		[]byte(`<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>`),
	)
	t.Setenv("FONTCONFIG_FILE", none)
	t.Setenv("FONTCONFIG_PATH", filepath.Dir(none))
}

// Captions match their golden images in every style, position and aspect ratio.
func TestCaptionsMatchGoldenImages(t *testing.T) {
	withoutFonts(t)
	for _, style := range media.CaptionStyleNames() {
		for _, aspect := range goldenAspects {
			t.Run(style+" "+aspect, func(t *testing.T) {
				var tiles []*image.RGBA
				for _, position := range goldenPositions {
					tiles = append(
						tiles,
						captionTile(t, aspect, media.CaptionOptions{StyleName: style, Position: position}),
					)
				}
				compareGolden(t, fmt.Sprintf("caption-%s-%s", style, shapeName(aspect)), sheet(tiles, 3))
			})
		}
	}
}

// Overlays match their golden images at every position, rotated and blended, and so do cutaways.
func TestOverlaysMatchGoldenImages(t *testing.T) {
	ground := made(
		t, "ground.mp4", "-f", "lavfi", "-i", "color=c=0x205020:s=320x180:r=10:d=1", "-c:v", "libx264",
		"-qp", "8", "-pix_fmt", "yuv420p",
	)
	pixels := quarters(t, "quarters.png", 400, 200)
	for _, aspect := range goldenAspects {
		t.Run(aspect, func(t *testing.T) {
			var tiles []*image.RGBA
			for _, change := range goldenOverlays() {
				tiles = append(tiles, overlayTile(t, ground, aspect, placed(t, pixels, 0, 1000, change)))
			}
			compareGolden(t, "overlays-"+shapeName(aspect), sheet(tiles, 6))
		})
	}
}

// A drawing in another style, position or color does not match the golden image.
func TestGoldenComparisonFindsDifferences(t *testing.T) {
	withoutFonts(t)
	const aspect = "16:9"
	styles := map[string]*image.RGBA{}
	for _, style := range media.CaptionStyleNames() {
		for _, position := range goldenPositions {
			styles[style+" "+position] = captionTile(
				t,
				aspect,
				media.CaptionOptions{StyleName: style, Position: position},
			)
		}
	}
	styles["larger"] = captionTile(
		t,
		aspect,
		media.CaptionOptions{Position: "bottom", FontSize: 72},
	)
	styles["yellow"] = captionTile(
		t,
		aspect,
		media.CaptionOptions{Position: "bottom", Color: [3]uint8{255, 214, 10}},
	)
	for a, one := range styles {
		for b, other := range styles {
			if db := likeness(one, other); a < b && db >= goldenAlike {
				t.Errorf("%s: %s passes for %s: %.1f dB", aspect, a, b, db)
			}
		}
	}
	ground := made(
		t, "ground.mp4", "-f", "lavfi", "-i", "color=c=0x205020:s=320x180:r=10:d=1", "-c:v", "libx264",
		"-qp", "8", "-pix_fmt", "yuv420p",
	)
	pixels := quarters(t, "quarters.png", 400, 200)
	var seen []*image.RGBA
	for i, change := range goldenOverlays() {
		tile := overlayTile(t, ground, "16:9", placed(t, pixels, 0, 1000, change))
		for j, before := range seen {
			if db := likeness(tile, before); db >= goldenAlike {
				t.Errorf("overlay %d passes for overlay %d: %.1f dB", i, j, db)
			}
		}
		seen = append(seen, tile)
	}
}

// goldenOverlays are the ways to place an image over the footage.
func goldenOverlays() (changes []func(*media.PlacedAsset)) {
	for _, position := range []string{
		"top_left", "top", "top_right", "left", "center", "right", "bottom_left", "bottom", "bottom_right",
	} {
		changes = append(changes, func(a *media.PlacedAsset) { a.Position, a.SizePercent = position, 25 })
	}
	cutaway := func(opacity int) func(*media.PlacedAsset) {
		return func(a *media.PlacedAsset) { a.VisualMode, a.OpacityPercent = media.VisualCutaway, opacity }
	}
	return append(changes, func(a *media.PlacedAsset) {
		a.Position = media.PositionCustom
		a.X = 0.3
		a.Y = 0.7
		a.SizePercent = 40
		a.RotationDeg = 20
		a.FlipH = true
		a.OpacityPercent = 60
	}, cutaway(100), cutaway(50))
}

// captionTile draws a caption of two lines onto a frame that is dark on the left and bright on the
// right.
func captionTile(t *testing.T, aspect string, style media.CaptionOptions) *image.RGBA {
	t.Helper()
	if style.Color == [3]uint8{} {
		style.Color = [3]uint8{255, 255, 255}
	}
	words := []media.Word{
		{Text: "Light", StartMS: 0, EndMS: 900},
		{Text: "öffnet", StartMS: 900, EndMS: 1500},
		{Text: "Türen", StartMS: 1500, EndMS: 2000},
	}
	lines := []media.CaptionLine{{Text: "Light öffnet\nTüren", StartMS: 0, EndMS: 2000}}
	plan := captionPlan(t, aspect, goldenShort, &media.CaptionTrack{Options: style, Lines: lines, Words: words})
	return rgbOf(drawTextAt(t, plan, 30), plan.Width, plan.Height)
}

// captionPlan is a plan of two empty seconds with captions.
func captionPlan(t testing.TB, aspect string, short int, captions *media.CaptionTrack) media.RenderPlan {
	t.Helper()
	clip := media.RenderClip{
		Info: media.Info{
			DurationMS: 2000,
			Video:      &media.VideoInfo{Width: 640, Height: 360, Rate: media.Rate{Num: 30, Den: 1}},
		},
	}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{clip},
		nil,
		media.RenderSettings{
			ShortSide:     short,
			AspectRatio:   aspect,
			Background:    "#206040",
			VolumePercent: 100,
			Captions:      captions,
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// drawTextAt draws the text of a frame of a plan onto a frame that is dark on the left and bright
// on the right. It decodes and encodes nothing.
func drawTextAt(t testing.TB, plan media.RenderPlan, frame int64) []byte {
	t.Helper()
	ground, err := av.Canvas{Width: plan.Width, Height: plan.Height, Background: plan.Background}.Blank()
	if err != nil {
		t.Fatal(err)
	}
	defer ground.Free()
	luma, stride := av.PlaneBytes(ground, 0, plan.Height)
	for y := range plan.Height {
		for x := plan.Width / 2; x < plan.Width; x++ {
			luma[y*stride+x] = 200
		}
	}
	text, err := newTextRenderer(plan, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer text.close()
	text.at(frame)
	drawn, err := text.draw(ground)
	if err != nil {
		t.Fatal(err)
	}
	defer drawn.Free()
	return planes(drawn)
}

// errEnough ends a drawing after the wanted frame.
var errEnough = errors.New("one is enough")

// overlayTile draws the first frame of an asset over footage.
func overlayTile(t *testing.T, ground, aspect string, asset media.PlacedAsset) *image.RGBA {
	t.Helper()
	plan := makePlan(
		t,
		nil,
		media.RenderSettings{
			ShortSide:   goldenShort / 2,
			AspectRatio: aspect,
			Background:  "#102080",
			Assets:      []media.PlacedAsset{asset},
		},
		ground,
	)
	var first *image.RGBA
	err := drawn(plan, func(pixels []byte) error {
		first = rgbOf(pixels, plan.Width, plan.Height)
		return errEnough
	})
	if !errors.Is(err, errEnough) {
		t.Fatal(err)
	}
	return first
}

// rgbOf converts 4:2:0 planes, BT.709 limited range, to an image.
func rgbOf(planes []byte, width, height int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	half := width / 2
	u, v := planes[width*height:], planes[width*height+half*(height/2):]
	level := func(n float64) uint8 { return uint8(math.Round(min(max(n, 0), 255))) }
	for y := range height {
		for x := range width {
			l := 1.1644 * (float64(planes[y*width+x]) - 16)
			b, r := float64(u[y/2*half+x/2])-128, float64(v[y/2*half+x/2])-128
			out.SetRGBA(x, y, color.RGBA{level(l + 1.7927*r), level(l - 0.2132*b - 0.5329*r), level(l + 2.1124*b), 255})
		}
	}
	return out
}

// sheet arranges images of one size in rows of the given number of columns.
func sheet(tiles []*image.RGBA, columns int) *image.RGBA {
	size := tiles[0].Bounds().Size()
	all := image.NewRGBA(image.Rect(0, 0, size.X*min(columns, len(tiles)), size.Y*((len(tiles)+columns-1)/columns)))
	for i, tile := range tiles {
		at := image.Pt(i%columns*size.X, i/columns*size.Y)
		draw.Draw(all, image.Rectangle{at, at.Add(size)}, tile, image.Point{}, draw.Src)
	}
	return all
}

// compareGolden compares an image with the golden image of a name in testdata, or writes it there.
func compareGolden(t *testing.T, name string, got *image.RGBA) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		var out bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stored, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	want := image.NewRGBA(stored.Bounds())
	draw.Draw(want, want.Rect, stored, image.Point{}, draw.Src)
	if db := likeness(got, want); db < goldenAlike {
		t.Errorf(
			"it differs: %.1f dB. If that is intended, run the test with -args -update and inspect %s",
			db, path,
		)
	}
}

// likeness returns the similarity of two images in dB, 0 if their sizes differ.
func likeness(a, b *image.RGBA) float64 {
	if a.Bounds() != b.Bounds() {
		return 0
	}
	return psnr(a.Pix, b.Pix)
}

func shapeName(aspect string) string { return strings.ReplaceAll(aspect, ":", "x") }
