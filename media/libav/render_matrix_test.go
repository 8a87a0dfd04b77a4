package libav

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// A matrixCell is a recording and its export.
type matrixCell struct {
	mediatest.TalkOptions
	media.RenderSettings
	logos bool   // images are placed over it
	undo  string // the filter that makes its frame numbers readable again
}

// matrixLevel is one value of a factor.
type matrixLevel struct {
	name string
	set  func(*matrixCell)
}

// matrixFactors are the factors of the matrix: export settings, frame rate, audio, frame
// dependencies, orientation, colors, whether video or audio starts first, and whether the codec is
// kept.
func matrixFactors() [][]matrixLevel {
	type cell = matrixCell
	rate := func(num, den int) func(*cell) { return func(c *cell) { c.RateNum, c.RateDen = num, den } }
	audio := func(hertz, channels int) func(*cell) {
		return func(c *cell) { c.SampleRate, c.Channels = hertz, channels }
	}
	coded := func(codec string, gop, b int, open bool) func(*cell) {
		return func(c *cell) { c.VideoCodec, c.GOP, c.BFrames, c.OpenGOP = codec, gop, b, open }
	}
	colors := func(format, primaries, transfer, matrix string) func(*cell) {
		return func(c *cell) {
			c.PixelFormat = format
			c.VideoOptions = []string{
				"-color_primaries", primaries, "-color_trc", transfer, "-colorspace", matrix,
				"-color_range", "tv",
			}
		}
	}
	return [][]matrixLevel{
		{
			{"cuts only", func(*cell) {}},
			{"captions", func(c *cell) {
				c.Captions = &media.CaptionTrack{
					Options: media.CaptionOptions{
						StyleName: "boxed",
						Position:  "top",
						Color:     [3]uint8{255, 255, 255},
					},
					Lines: []media.CaptionLine{
						{Text: "the first line of two", StartMS: 700, EndMS: 2600},
						{Text: "and the other", StartMS: 3700, EndMS: 5000},
					},
				}
			}},
			{"9to16 crop", func(c *cell) { c.ShortSide, c.AspectRatio, c.Fit = 360, "9:16", media.Crop }},
			{"1to1 letterbox", func(c *cell) { c.ShortSide, c.AspectRatio, c.Background = 360, "1:1", "#102040" }},
			{"flips", func(c *cell) { c.FlipH, c.FlipV, c.undo = true, true, "hflip" }},
			{"overlays", func(c *cell) { c.logos = true }},
			{"720p clean loud", func(c *cell) {
				c.ShortSide, c.AspectRatio = 720, "16:9"
				c.Audio = media.AudioSettings{Denoise: true, NoiseFloorDB: -6, Normalize: true, TargetLUFS: -16}
			}},
		},
		{
			{"23.976", rate(24000, 1001)},
			{"25", rate(25, 1)},
			{"29.97", rate(30000, 1001)},
			{"60", rate(60, 1)},
			{
				"variable",
				func(c *cell) { c.Variable, c.RateNum, c.RateDen = true, 30, 1 },
			},
			{"50", rate(50, 1)},
			{"59.94", rate(60000, 1001)},
		},
		{
			{
				"stereo 48",
				audio(48000, 2),
			},
			{"mono 44.1", audio(44100, 1)},
			{"5.1", audio(48000, 6)},
			{"stereo 44.1", audio(44100, 2)},
			{"no audio", func(c *cell) { c.NoAudio = true }},
		},
		{
			{
				"gop 15",
				coded("libx264", 15, 0, false),
			},
			{"gop 250 pyramid", coded("libx264", 250, 7, false)},
			{"open gop", coded("libx264", 24, 3, true)},
			{"hevc", coded("libx265", 60, 4, false)},
			{"hevc open gop", coded("libx265", 30, 4, true)},
		},
		{
			{"upright", func(*cell) {}},
			{"turned 90", func(c *cell) { c.RotationDeg = 90 }},
			{
				"turned 180",
				func(c *cell) { c.RotationDeg = 180 },
			},
			{"turned 270", func(c *cell) { c.RotationDeg = 270 }},
		},
		{
			{"709", colors("yuv420p", "bt709", "bt709", "bt709")},
			{
				"pq",
				colors("yuv420p10le", "bt2020", "smpte2084", "bt2020nc"),
			},
			{"hlg", colors("yuv420p10le", "bt2020", "arib-std-b67", "bt2020nc")},
		},
		{
			{
				"together",
				func(*cell) {},
			},
			{"audio later", func(c *cell) { c.AudioStartMS = 730 }},
			{"video later", func(c *cell) { c.VideoStartMS = 410 }},
		},
		{{"h264", func(*cell) {}}, {"its codec", func(c *cell) { c.KeepCodec = true }}},
	}
}

// matrixCells are cells of the matrix, one digit per factor. Every pair of values of two factors
// occurs in a cell.
const matrixCells = "" +
	"42143101 05402010 10230200 21033021 54420001 33201001 66312001 13412120 51242210 00100221 04331110 " +
	"32010210 63323210 22221120 40431211 11141010 41300120 14003201 60040121 34132120 01213101 23230200 " +
	"43022001 53111120 30423011 24442110 52333001 64211110 03041221 61403210 31340111 12123220 20301101 " +
	"62132220 50002211 44212000 23110011 01120100 13343111 35010101 06000110 15121220 16121220 45233000 " +
	"26233000 02400000 36440000 25340000 00010000 55000000 56000000 46000000 65000000"

// shortMatrix is the number of cells in the short test.
const shortMatrix = 3

func TestMatrixCoversAllPairs(t *testing.T) {
	factors, cells := matrixFactors(), strings.Fields(matrixCells)
	met := map[[4]int]bool{}
	for _, cell := range cells {
		if len(cell) != len(factors) {
			t.Fatalf("%q has not %d factors", cell, len(factors))
		}
		for a := range cell {
			for b := range a {
				met[[4]int{a, int(cell[a] - '0'), b, int(cell[b] - '0')}] = true
			}
		}
	}
	pairs := 0
	for a := range factors {
		for b := range a {
			pairs += len(factors[a]) * len(factors[b])
		}
	}
	if len(met) != pairs || len(cells) > 55 {
		t.Errorf("%d of %d pairs in %d cells", len(met), pairs, len(cells))
	}
}

func TestMatrixOfRecordingsAndExports(t *testing.T) {
	t.Parallel()
	checkMatrix(t, append(strings.Fields(matrixCells)[:shortMatrix:shortMatrix], keptCell))
}

func TestLongMatrixOfRecordingsAndExports(t *testing.T) {
	needsLong(t)
	checkMatrix(t, strings.Fields(matrixCells)[shortMatrix:])
}

// copiedCells are recordings that are copied except for captions and overlays. The matrix has few
// of them.
const copiedCells = "00000000 01110000 02220020 13200000 52120010 03300000 05010000 06120000 " +
	"00030001 06340001 01130011 52430001 13040021 55140001 02230001"

// keptCell is HEVC that is copied except for its captions.
const keptCell = "15040001"

func TestLongCopiesInMatrixAreExact(t *testing.T) {
	needsLong(t)
	checkMatrix(t, strings.Fields(copiedCells))
}

// matrixScript has little speech. The hiss makes every moment recognizable.
const matrixScript = "rate 48000\nfloor -62\npause 300\nsay en-us 160 welcome back everyone\n" +
	"pause 900\nsay en-us 160 the light in this kitchen\npause 400\n"

// matrixCuts leave segments that are long enough to recognize the audio on both sides.
var matrixCuts = []media.Span{
	{StartMS: 1103, EndMS: 1352},
	{StartMS: 2107, EndMS: 2590},
	{StartMS: 3351, EndMS: 3617},
	{StartMS: 4409, EndMS: 4691},
}

// makeCell builds a cell. names are the names of its values.
func makeCell(cell string) (c matrixCell, names string) {
	c.TalkOptions = mediatest.TalkOptions{
		Width:     512,
		Height:    288,
		Seconds:   5.3,
		Hiss:      true,
		NarrowBar: true,
		Script:    matrixScript,
	}
	c.undo = "null"
	var all []string
	for i, factor := range matrixFactors() {
		level := factor[cell[i]-'0']
		level.set(&c)
		all = append(all, level.name)
	}
	return c, strings.Join(all, ", ")
}

// checkMatrix renders cells. In each, every frame must be the planned one, copied frames must be
// exact, and encoded frames close to their input. Audio and video must be in sync on both sides of
// every join. Time stamps must be valid and decoders must report nothing.
func checkMatrix(t *testing.T, cells []string) {
	t.Helper()
	logo := quarters(t, "logo.png", 200, 100)
	for _, cell := range cells {
		c, names := makeCell(cell)
		t.Run(names, func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, c.TalkOptions)
			if c.logos {
				c.Assets = append(
					c.Assets,
					placed(
						t, logo, 900, 3500,
						func(a *media.PlacedAsset) { a.Position, a.SizePercent, a.OpacityPercent = "top_left", 20, 70 },
					),
					placed(
						t, logo, 3000, 5000,
						func(a *media.PlacedAsset) { a.Position, a.SizePercent, a.RotationDeg = "top_right", 20, 15 },
					),
				)
			}
			plan := makePlan(t, matrixCuts, c.RenderSettings, talk.Path)
			out, rendered := renderPlan(t, plan)
			if rendered.RepeatedBecause != "" {
				t.Errorf("it was rendered again: %s", rendered.RepeatedBecause)
			}
			start, counted := clipZero(t, talk.Path)
			checkFrames(
				t, plan, mediatest.FrameNumbers(t, out, c.undo),
				[][]int64{shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)},
			)
			if c.OpenGOP && rendered.Copied > 0 { // copied GOPs are as open as recorded
				checkStamps(t, out)
			} else {
				checkPackets(t, out, math.MaxInt)
			}
			checkSilentDecoder(t, out)
			if !c.NoAudio {
				checkPlacement(t, plan, out, talk, start-counted)
			}
			copied, least := checkAgainstDrawn(t, plan, out)
			t.Logf("%d of %d frames were copied, the worst of the others has %.1f dB", copied, plan.Frames(), least)
		})
	}
}

// leastDB is the minimum PSNR of an encoded frame.
const leastDB = 38

// checkAgainstDrawn compares every frame of an export with the frame before encoding. It returns
// the number of copied frames and the lowest PSNR of the others.
func checkAgainstDrawn(t *testing.T, plan media.RenderPlan, out string) (copied int64, least float64) {
	t.Helper()
	copies := make([]bool, plan.Frames())
	for _, p := range chunksOf(t, plan) {
		for f := p.Start; f < p.Start+p.Frames(); f++ {
			copies[f] = p.Copy
		}
	}
	// An export that keeps a high dynamic range also keeps how the footage is rotated.
	hdr := ffprobe(t, out, "-select_streams", "v:0", "-show_streams").Streams[0].PixFmt == "yuv420p10le"
	args := []string{"-v", "error", "-nostdin", "-i", out, "-map", "0:v:0", "-fps_mode", "passthrough"}
	if hdr {
		args = slices.Insert(args, 0, "-noautorotate")
	}
	cmd := mediatest.Command(t, "ffmpeg", append(args, "-f", "rawvideo", "pipe:1")...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	is, at := bufio.NewReaderSize(pipe, 1<<20), int64(0)
	shown, faults := []byte(nil), 0
	least = math.Inf(1)
	err = drawnBy(plan, attempt{safe: !hdr}, func(pixels []byte) error {
		shown = slices.Grow(shown[:0], len(pixels))[:len(pixels)]
		if _, err := io.ReadFull(is, shown); err != nil {
			return fmt.Errorf("frame %d of the output: %w", at, err)
		}
		db := psnr(pixels, shown)
		if hdr {
			db = deepPSNR(pixels, shown)
		}
		if copies[at] {
			copied++
		} else {
			least = min(least, db)
		}
		if (copies[at] && !math.IsInf(db, 1)) || db < leastDB {
			if faults++; faults <= 3 {
				t.Errorf("frame %d (copied: %v) has %.1f dB", at, copies[at], db)
			}
		}
		at++
		return nil
	})
	_, _ = io.Copy(io.Discard, is)
	if ended := cmd.Wait(); err != nil || ended != nil {
		t.Errorf("%v, %v", err, ended)
	}
	return copied, least
}

// drawn passes every frame of a plan to emit, as 4:2:0 planes. These are the frames that would
// enter the encoder if nothing were copied.
func drawn(plan media.RenderPlan, emit func(pixels []byte) error) error {
	return drawnBy(plan, attempt{safe: true}, emit)
}

// drawnBy is drawn for the colors and the rotation of an attempt.
func drawnBy(plan media.RenderPlan, try attempt, emit func(pixels []byte) error) error {
	ctx, m := av.NewMeter(context.Background(), nil, time.Minute)
	defer m.Close()
	group, ctx := errgroup.WithContext(ctx)
	r := &render{engine: New(), ctx: ctx, plan: plan, meter: m, attempt: try}
	defer r.closeInputs()
	if err := r.locate(); err != nil {
		return err
	}
	if err := r.planChunks(); err != nil {
		return err
	}
	if !try.safe {
		r.encoded = r.plan.Segments // also those that would be copied
	}
	frames, drop := r.startPipeline(group.Go)
	group.Go(func() error {
		for s := range frames {
			pixels := planes(s.frame)
			s.frame.Free()
			for range s.count {
				if err := emit(pixels); err != nil {
					return err
				}
			}
		}
		return nil
	})
	defer drop()
	return group.Wait()
}

// deepPSNR returns the PSNR of 10-bit samples, two bytes each.
func deepPSNR(a, b []byte) float64 {
	sum := 0.0
	for i := 0; i < len(a); i += 2 {
		d := float64(binary.LittleEndian.Uint16(a[i:])) - float64(binary.LittleEndian.Uint16(b[i:]))
		sum += d * d
	}
	return 10 * math.Log10(1023*1023*float64(len(a)/2)/sum)
}

// planes returns the planes of a 4:2:0 frame of 8 or 10 bits, one after the other, without padding.
func planes(f *astiav.Frame) (all []byte) {
	size := 1
	if f.PixelFormat() == astiav.PixelFormatYuv420P10Le {
		size = 2
	}
	for plane := range 3 {
		half := min(plane, 1)
		rows, width := (f.Height()+half)>>half, (f.Width()+half)>>half*size
		data, stride := av.PlaneBytes(f, plane, rows)
		for row := range rows {
			all = append(all, data[row*stride:][:width]...)
		}
	}
	return all
}
