package libav

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// The shape that the container states has precedence over the shape in the stream, as in players.
// No edge of the picture becomes a bar.
func TestShapeIsTheOneOfTheContainer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stream, container, ext string
		width, height          int
	}{
		{"4/3", "4:3", "mp4", 640, 480},
		{"1/1", "16:9", "mov", 640, 360},
		{"16/11", "1:1", "mkv", 640, 640},
		{"3/4", "11:5", "mp4", 792, 360},
	} {
		t.Run(c.ext+" "+c.container, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			own, path := filepath.Join(dir, "own.mp4"), filepath.Join(dir, "talk."+c.ext)
			mediatest.FFmpeg(
				t, "-f", "lavfi", "-i", "color=c=green:s=640x360:d=1:r=25", "-vf", "setsar="+c.stream,
				"-pix_fmt", "yuv420p", "-c:v", "libx264", own,
			)
			mediatest.FFmpeg(t, "-i", own, "-c", "copy", "-aspect", c.container, path)
			info := ingestFile(t, path).Info.Video
			if info.Width != c.width || info.Height != c.height {
				t.Errorf("the recording is %d x %d, want %d x %d", info.Width, info.Height, c.width, c.height)
			}

			out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{AspectRatio: media.AsRecorded}, path))
			for _, at := range [][2]int{{2, 2}, {c.width - 3, 2}, {2, c.height - 3}, {c.width - 3, c.height - 3}} {
				if r, g, b := colorAt(t, out, at[0], at[1]); g < 90 || r > 30 || b > 30 {
					t.Errorf("the picture is %d %d %d at %v, want green", r, g, b, at)
				}
			}
		})
	}
}

// Where the stream names no colors, those of the container hold: in an export that converts them,
// in one that copies them, and in a copy of the whole file.
func TestColorsOfTheContainerHold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		size, matrix, space string
		number              byte // of all three in ITU-T H.273
	}{
		"BT.601 in a large frame": {"1280x720", "bt601", "smpte170m", 6},
		"BT.709 in a small frame": {"320x180", "bt709", "bt709", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "talk.mp4")
			mediatest.FFmpeg(
				t, "-f", "lavfi", "-i", "color=c=0xb04080:s="+c.size+":d=4:r=25,format=gbrp",
				"-vf", "scale=out_color_matrix="+c.matrix+":out_range=tv,format=yuv420p",
				"-colorspace", c.space, "-color_primaries", c.space, "-color_trc", c.space, "-color_range", "tv",
				"-c:v", "libx264", "-qp", "4", "-g", "25", path,
			)
			silenceColors(t, path, c.number)
			cuts := []media.Span{{StartMS: 1400, EndMS: 1600}}
			for kind, plan := range map[string]media.RenderPlan{
				"converted": makePlan(t, nil, media.RenderSettings{FlipH: true}, path),
				"cut":       makePlan(t, cuts, media.RenderSettings{}, path),
				"whole":     makePlan(t, nil, media.RenderSettings{}, path),
			} {
				out, made := renderPlan(t, plan)
				if kind == "converted" {
					if r, g, b := colorAt(t, out, 100, 100); far(r, 0xb0, 5) || far(g, 0x40, 5) || far(b, 0x80, 5) {
						t.Errorf("%s: the color is %02x%02x%02x, want b04080", kind, r, g, b)
					}
					continue
				}

				data, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				box := []byte{'c', 'o', 'l', 'r', 'n', 'c', 'l', 'x', 0, c.number, 0, c.number, 0, c.number, 0}
				if made.Copied == 0 || !bytes.Contains(data, box) {
					t.Errorf("%s: got %+v, want a copy whose container states the colors", kind, made)
				}
			}
		})
	}
}

// silenceColors replaces the primaries, the transfer and the matrix in the sequence parameter set
// of an MP4, which all have a number, by 2, "unspecified". The container keeps its own.
func silenceColors(t *testing.T, path string, number byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte("avcC")) + 12
	set := data[at : at+int(data[at-2])<<8+int(data[at-1])]
	bit := func(i int) byte { return set[i/8] >> (7 - i%8) & 1 }
	found := 0
	for i := 0; i+24 <= 8*len(set); i++ {
		value := uint32(0)
		for k := range 24 {
			value = value<<1 | uint32(bit(i+k))
		}
		if value != uint32(number)<<16|uint32(number)<<8|uint32(number) {
			continue
		}

		found++
		for k := range 24 {
			set[(i+k)/8] &^= 1 << (7 - (i+k)%8)
			set[(i+k)/8] |= byte(uint32(0x020202)>>(23-k)&1) << (7 - (i+k)%8)
		}
	}

	if found != 1 {
		t.Fatalf("the parameter set has the colors %d times", found)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// HDR that names no matrix has the one of BT.2020, and is tone-mapped.
func TestHDRWithoutAMatrixIsConverted(t *testing.T) {
	t.Parallel()
	for _, transfer := range []string{"smpte2084", "arib-std-b67"} {
		t.Run(transfer, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "hdr.mp4")
			mediatest.FFmpeg(
				t, "-f", "lavfi", "-i", "color=c=gray:s=320x180:d=1:r=25,format=yuv420p10le", "-c:v", "libx265",
				"-x265-params", "log-level=none:transfer="+transfer, path,
			)
			got := ingestFile(t, path)
			if !got.Info.Video.HDR {
				t.Error("the recording is not known as HDR")
			}
			out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{}, path))
			if r, g, b := colorAt(t, out, 160, 90); r < 60 || r > 235 || far(r, g, 12) || far(r, b, 12) {
				t.Errorf("mid grey became %d %d %d", r, g, b)
			}
			kept, made := renderPlan(t, makePlan(t, nil, media.RenderSettings{KeepCodec: true}, path))
			if s := ffprobe(t, kept, "-show_streams").Streams[0]; s.Transfer != transfer || made.Copied == 0 {
				t.Errorf("the copy is %+v: %+v", s, made)
			}
		})
	}
}
