package screen_test

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"roughcut/media/screen"
)

const width, height, frames = 960, 540, 6

// glyphs are marks of 6 x 9 pixels like letters.
var glyphs = func() (set [40][9]uint8) {
	random := rand.New(rand.NewPCG(1, 1))
	for i := range set {
		for row := range set[i] {
			set[i][row] = uint8(random.IntN(32)) & uint8(random.IntN(32)|random.IntN(32))
		}
	}

	return set
}()

// page draws lines of text on two surfaces, scrolled by so many pixels.
func page(surface, side, ink uint8, scrolled int) *image.YCbCr {
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	for y := range height {
		for x := range width {
			img.Y[y*width+x] = surface
			if x < width/5 {
				img.Y[y*width+x] = side
			}
		}
	}

	for line := range 60 {
		random := rand.New(rand.NewPCG(uint64(line), 2))
		for column := range 20 + random.IntN(60) {
			glyph, top := glyphs[random.IntN(len(glyphs))], line*20-scrolled
			for row, bits := range glyph {
				for x := range 5 {
					if y := top + row; bits>>x&1 == 1 && y >= 0 && y < height {
						img.Y[y*width+220+column*7+x] = ink
					}
				}
			}
		}
	}

	return img
}

// talker draws a person in front of a background with light that falls from a side. The person
// sways. Without noise, a denoised recording looks like that.
func talker(background func(x, y int) float64, noise float64, sway int) *image.YCbCr {
	random := rand.New(rand.NewPCG(uint64(sway), 3))
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	for y := range height {
		for x := range width {
			light := background(x, y)
			u, v := float64(x-480-sway)/170, float64(y-300)/230
			if r := math.Hypot(u, v); r < 1 {
				light = 190 - 70*r + 12*math.Sin(9*u)*math.Cos(7*v)
			}
			img.Y[y*width+x] = uint8(light + noise*random.NormFloat64())
		}
	}

	return img
}

func room(x, y int) float64 { return 90 + 60*float64(x)/width + 20*float64(y)/height }

func flat(int, int) float64 { return 230 }

// judge returns the verdict about frames, "nil", "true" or "false".
func judge(draw func(n int) *image.YCbCr) string {
	var w screen.Watch
	for n := range frames {
		w.Add(draw(n))
	}
	return verdict(w.Screen())
}

func verdict(b *bool) string {
	switch {
	case b == nil:
		return "nil"
	case *b:
		return "true"
	}

	return "false"
}

func TestScreensAreRecognized(t *testing.T) {
	for name, draw := range map[string]func(n int) *image.YCbCr{
		"a light page": func(n int) *image.YCbCr { return page(250, 235, 30, n*13) },
		"a dark page":  func(n int) *image.YCbCr { return page(30, 24, 200, n*13) },
		"typing": func(n int) *image.YCbCr {
			img := page(250, 235, 30, 0)
			for i := range 40 * n {
				img.Y[(400+i%9)*width+220+i] = 30
			}
			return img
		},
		"a camera in a corner": func(n int) *image.YCbCr {
			img, person := page(30, 24, 200, n*13), talker(room, 3, n)
			for y := range 180 {
				copy(img.Y[(height-190+y)*width+width-330:][:320], person.Y[(150+y)*width+300:])
			}
			return img
		},
		"a camera for a moment": func(n int) *image.YCbCr {
			if n == 0 {
				return talker(room, 3, n)
			}
			return page(250, 235, 30, n*13)
		},
	} {
		if got := judge(draw); got != "true" {
			t.Errorf("%s: %s, want true", name, got)
		}
	}
}

func TestCamerasAndPatternsAreNoScreens(t *testing.T) {
	for name, draw := range map[string]func(n int) *image.YCbCr{
		"a camera":                func(n int) *image.YCbCr { return talker(room, 3, n*9) },
		"a denoised camera":       func(n int) *image.YCbCr { return talker(room, 0, n*9) },
		"a person on one color":   func(n int) *image.YCbCr { return talker(flat, 0, n*9) },
		"a still image of a page": func(int) *image.YCbCr { return page(250, 235, 30, 0) },
		"black":                   func(int) *image.YCbCr { return page(16, 16, 16, 0) },
		"noise":                   func(n int) *image.YCbCr { return talker(flat, 8, n) },
		"bars that move": func(n int) *image.YCbCr {
			img := page(16, 16, 16, 0)
			for i := range img.Y {
				img.Y[i] = uint8((i%width + 40*n) / 137 * 36)
			}
			return img
		},
		"a camera with a screen at the end": func(n int) *image.YCbCr {
			if n == frames-1 {
				return page(250, 235, 30, 0)
			}
			return talker(room, 3, n*9)
		},
	} {
		if got := judge(draw); got != "false" {
			t.Errorf("%s: %s, want false", name, got)
		}
	}
}

func TestOneFrameIsNotEnough(t *testing.T) {
	var w screen.Watch
	if got := verdict(w.Screen()); got != "nil" {
		t.Errorf("no frame: %s, want nil", got)
	}
	w.Add(page(250, 235, 30, 0))
	if got := verdict(w.Screen()); got != "nil" {
		t.Errorf("one frame: %s, want nil", got)
	}
}
