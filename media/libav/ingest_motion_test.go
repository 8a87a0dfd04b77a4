package libav

import (
	"bytes"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/bitstream"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// Size, rate and length of the footage of these tests. Something happens in the seconds from
// sceneFrom to sceneTo.
const (
	sceneWidth, sceneHeight = 640, 360
	sceneRate, sceneSeconds = 12, 16
	sceneFrom, sceneTo      = 5, 9
)

// canvasGray is one gray frame.
type canvasGray struct{ pixels []byte }

// texture returns a frame with an irregular pattern.
func texture(seed uint64) canvasGray {
	random := rand.New(rand.NewPCG(seed, 0))
	c := canvasGray{make([]byte, sceneWidth*sceneHeight)}
	for y := range sceneHeight {
		for x := range sceneWidth {
			wave := math.Sin(float64(x)/9)*math.Cos(float64(y)/13)*40 + float64(random.IntN(25))
			c.pixels[y*sceneWidth+x] = byte(110 + wave)
		}
	}
	return c
}

// patch copies a rectangle of another frame to a position.
func (c canvasGray) patch(from canvasGray, fromX, fromY, x, y, width, height int) {
	for row := range height {
		if y+row < 0 || y+row >= sceneHeight || x < 0 || x+width > sceneWidth {
			continue
		}
		copy(c.pixels[(y+row)*sceneWidth+x:][:width], from.pixels[(fromY+row)*sceneWidth+fromX:][:width])
	}
}

// scenes draws frame n of each kind of footage. busy is whether something happens.
func scenes() map[string]func(c canvasGray, n int, busy bool) {
	page, other := texture(1), texture(2)
	wave := func(n int, seconds, pixels float64) int {
		return int(math.Round(pixels * math.Sin(2*math.Pi*float64(n)/sceneRate/seconds)))
	}
	caret := func(c canvasGray, n, x int) {
		if n/(sceneRate/2)%2 == 0 {
			for y := range 10 {
				c.pixels[(100+y)*sceneWidth+x] = 255
			}
		}
	}
	// A head that sways and talks, with the noise of a camera.
	person := func(c canvasGray, n int) {
		c.patch(other, 0, 0, 260+wave(n, 4, 4), 100+wave(n, 2.7, 2), 120, 160)
		c.patch(page, n*7%400, 0, 300, 210+wave(n, 0.4, 3), 40, 12)
	}
	noise := func(c canvasGray, n int) {
		random := rand.New(rand.NewPCG(uint64(n), 7))
		for i := range c.pixels {
			c.pixels[i] = byte(int(c.pixels[i]) + random.IntN(11) - 5)
		}
	}
	return map[string]func(c canvasGray, n int, busy bool){
		"screen, typing": func(c canvasGray, n int, _ bool) {
			typed := min(max(n-sceneFrom*sceneRate, 0), (sceneTo-sceneFrom)*sceneRate) / 2
			for i := range typed {
				c.patch(other, i*11%500, i*7%300, 60+i*8, 100, 7, 10)
			}
			caret(c, n, 60+typed*8)
		},
		"screen, scrolling": func(c canvasGray, n int, _ bool) {
			at := min(max(n-sceneFrom*sceneRate, 0), (sceneTo-sceneFrom)*sceneRate) * 4
			c.patch(other, 0, at, 40, 40, 400, min(280, sceneHeight-at))
			caret(c, n, 500)
		},
		"screen, pointer": func(c canvasGray, n int, _ bool) {
			at := min(max(n-sceneFrom*sceneRate, 0), (sceneTo-sceneFrom)*sceneRate)
			c.patch(other, 0, 0, 100+at*8, 60+at*4, 12, 18)
		},
		"camera, hands": func(c canvasGray, n int, busy bool) {
			person(c, n)
			if busy {
				c.patch(other, 200, 0, 120+wave(n, 0.9, 70), 260+wave(n, 1.3, 40), 90, 80)
				c.patch(other, 300, 0, 420+wave(n, 1.1, 70), 260+wave(n, 0.8, 40), 90, 80)
			}
			noise(c, n)
		},
		"camera, nothing": func(c canvasGray, n int, _ bool) { person(c, n); noise(c, n) },
		"still, noise":    func(c canvasGray, n int, _ bool) { noise(c, n) },
		"still":           func(canvasGray, int, bool) {},
	}
}

// encodeScene encodes a scene with the given options of ffmpeg.
func encodeScene(t testing.TB, draw func(canvasGray, int, bool), args ...string) string {
	t.Helper()
	var raw bytes.Buffer
	page := texture(1)
	for n := range sceneSeconds * sceneRate {
		c := canvasGray{bytes.Clone(page.pixels)}
		draw(c, n, n >= sceneFrom*sceneRate && n < sceneTo*sceneRate)
		raw.Write(c.pixels)
	}
	path := filepath.Join(t.TempDir(), "scene.mp4")
	command := mediatest.Command(t, "ffmpeg", append(append([]string{
		"-v", "error", "-nostdin", "-f", "rawvideo", "-pix_fmt", "gray", "-s", "640x360", "-r", "12", "-i", "pipe:0",
		"-vf", "setsar=1", "-pix_fmt", "yuv420p", "-movflags", "+faststart",
	}, args...), path)...)
	command.Stdin = &raw
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// motionOf ingests a recording and returns its motion. With packets, only keyframes are decoded.
func motionOf(t testing.TB, path string, packets bool) []byte {
	t.Helper()
	got, err := New().Ingest(t.Context(), media.IngestRequest{
		Path:                path,
		SpritePath:          filepath.Join(t.TempDir(), "sprite.jpg"),
		SkipProxyIfPlayable: packets,
		Motion:              true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got.Motion
}

// clearSeconds returns in how many seconds the video clearly moves. pipeline/detect has the same
// limit.
func clearSeconds(motion []byte) (n int) {
	for _, value := range motion {
		if value >= 1.5*media.MotionOctave {
			n++
		}
	}
	return n
}

// Motion locates an event in footage that is decoded and in footage whose packets alone are read,
// whatever the rate control of the encoder. A second next to the event may count as part of it.
func TestMotionShowsWhereSomethingHappens(t *testing.T) {
	checkMotionOfEncoders(t, map[string]string{"quality": "-preset veryfast -crf 23 -g 24"})
}

func TestLongMotionShowsWhereSomethingHappens(t *testing.T) {
	needsLong(t)
	checkMotionOfEncoders(t, map[string]string{
		"no b-frames":   "-preset ultrafast -crf 23 -g 12 -bf 0",
		"bit rate":      "-preset superfast -b:v 900k -maxrate 1200k -bufsize 1200k -g 24",
		"constant rate": "-preset superfast -b:v 1500k -minrate 1500k -maxrate 1500k -bufsize 750k -g 24 -nal-hrd cbr",
	})
}

func checkMotionOfEncoders(t *testing.T, encoders map[string]string) {
	t.Helper()
	for name, options := range encoders {
		for scene, draw := range scenes() {
			t.Run(scene+"/"+name, func(t *testing.T) {
				t.Parallel()
				path := encodeScene(t, draw, append([]string{"-c:v", "libx264"}, strings.Fields(options)...)...)
				ways := map[string]bool{"packets": true}
				if name == "quality" {
					ways["frames"] = false
				}
				for way, packets := range ways {
					checkMotion(t, way, scene, motionOf(t, path, packets))
				}
			})
		}
	}
}

// checkMotion checks that a recording of a scene moves where something happens.
func checkMotion(t *testing.T, way, scene string, got []byte) {
	t.Helper()
	if len(got) != sceneSeconds {
		t.Fatalf("%s: %d values", way, len(got))
	}
	happens := strings.Contains(scene, "screen") || strings.Contains(scene, "hands")
	during, before, after := got[sceneFrom:sceneTo], got[:sceneFrom-2], got[sceneTo+2:]
	if n := clearSeconds(during); (happens && n < len(during)-1) || (!happens && n > 0) {
		t.Errorf("%s: motion in %d of %d seconds: %v", way, n, len(during), got)
	}
	if n := clearSeconds(before) + clearSeconds(after); n > 0 {
		t.Errorf("%s: motion in %d seconds before or after: %v", way, n, got)
	}
}

// Motion without a sprite sheet, as for `roughcut cut`, shows the same, wherever keyframes are.
func TestMotionWithoutSpriteSheet(t *testing.T) {
	t.Parallel()
	checkMotionOfPackets(t, map[string]string{"far": "-g 96 -bf 3"})
}

func TestLongMotionWithoutSpriteSheet(t *testing.T) {
	needsLong(t)
	checkMotionOfPackets(t, map[string]string{"near": "-g 12 -bf 0", "alone": "-g 1"})
}

func checkMotionOfPackets(t *testing.T, distances map[string]string) {
	t.Helper()
	for keyframes, options := range distances {
		for scene, draw := range scenes() {
			if keyframes == "alone" && scene == "camera, hands" {
				continue // one frame a second shows hands only now and then
			}
			t.Run(scene+"/"+keyframes, func(t *testing.T) {
				t.Parallel()
				path := encodeScene(t, draw, append([]string{"-c:v", "libx264"}, strings.Fields(options)...)...)
				checkMotion(t, keyframes, scene, listen(t, path, true).IngestResult.Motion)
			})
		}
	}
}

// A recording without video has no motion.
func TestAudioHasNoMotion(t *testing.T) {
	audio := filepath.Join(t.TempDir(), "audio.wav")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "sine=d=2", audio)
	if got := motionOf(t, audio, true); got != nil {
		t.Errorf("audio: %v", got)
	}
}

// The complexity of packets compensates for their quantization, whatever else their slices hold. It
// does not count filler data.
func TestComplexityCompensatesForQuantization(t *testing.T) {
	const constant = ":ipratio=1:pbratio=1:aq-mode=0"
	for name, c := range map[string]struct {
		options string
		qp      float64
	}{
		"fine":             {"-preset veryfast -qp 20 -x264-params no-mbtree=1" + constant, 20},
		"coarse":           {"-preset veryfast -qp 32 -x264-params no-mbtree=1" + constant, 32},
		"baseline profile": {"-preset veryfast -profile:v baseline -qp 32 -x264-params no-mbtree=1" + constant, 32},
		"weights and slices": {
			"-preset slow -qp 32 -x264-params weightp=2:ref=4:b-pyramid=normal:slices=3" + constant, 32,
		},
		"interlaced": {"-preset veryfast -qp 32 -x264-params interlaced=1" + constant, 32},
	} {
		complexity, size := complexityOf(t, c.options)
		if got := complexity / size / math.Exp2((c.qp-26)/6); got < 0.8 || got > 1.01 {
			t.Errorf("%s: the complexity is %.3f of what its quantization says", name, got)
		}
	}
	if complexity, size := complexityOf(
		t, "-preset veryfast -b:v 6M -minrate 6M -maxrate 6M -bufsize 3M -qmin 26 -qmax 26 -nal-hrd cbr",
	); complexity > size/2 {
		t.Errorf("of %.0f bytes, most of them filler data, %.0f count", size, complexity)
	}
}

// complexityOf returns the complexity and the size of all packets of an encoded scene.
func complexityOf(t *testing.T, options string) (complexity, size float64) {
	t.Helper()
	path := encodeScene(
		t, scenes()["screen, scrolling"], append([]string{"-c:v", "libx264"}, strings.Fields(options)...)...,
	)
	r, err := av.OpenPackets(t.Context(), path, astiav.MediaTypeVideo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	of := bitstream.Complexity(r.Track.Params.ExtraData())
	if err := r.ReadAll(func(p *astiav.Packet) error {
		complexity += of(av.PacketData(p))
		size += float64(p.Size())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return complexity, size
}
