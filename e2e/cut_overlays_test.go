package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
	"roughcut/media/libav"
	"roughcut/media/mediatest"
)

// drawn makes a media file with ffmpeg.
func drawn(t *testing.T, path string, args ...string) string {
	t.Helper()
	args = append(append([]string{"-v", "error", "-f", "lavfi"}, args...), path)
	if text, err := mediatest.Command(t, "ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return path
}

// overlaid returns a recording with placed assets of every kind: an image with transparent parts
// that is rotated and flipped, a video and a cutaway, with opacity and fades.
func overlaid(t *testing.T, dir string) interchange.Project {
	t.Helper()
	probe := func(path string) media.Info {
		info, err := libav.New().Probe(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	logo := drawn(t, filepath.Join(dir, "logo.png"), "-i", "color=c=yellow:s=160x80,format=rgba,"+
		"geq=r='255*lt(X,80)':g='255*lt(Y,40)':b='255*gt(X,80)':a='255*gt(X+Y,40)'", "-frames:v", "1")
	roll := drawn(t, filepath.Join(dir, "roll.mp4"), "-i", "testsrc2=s=320x180:r=25:d=6", "-pix_fmt", "yuv420p")
	talk := timelineTalk(t, mediatest.TalkOptions{RateNum: 25})
	asset := media.PlacedAsset{Placement: media.NewPlacement("", media.KindVideo)}
	image, video, cutaway := asset, asset, asset
	image.Path, image.Name, image.ID, image.Info = logo, "logo.png", "1", probe(logo)
	image.Span = media.Span{StartMS: 0, EndMS: 2000}
	image.Position, image.SizePercent, image.OpacityPercent = media.PositionCustom, 30, 60
	image.X, image.Y, image.RotationDeg, image.FlipH = 0.7, 0.35, 30, true
	image.FadeInMS, image.FadeOutMS = 400, 600
	video.Path, video.Name, video.ID, video.Info = roll, "roll.mp4", "2", probe(roll)
	video.Span, video.OffsetMS = media.Span{StartMS: 600, EndMS: 3000}, 1000
	video.Position, video.SizePercent, video.OpacityPercent = "bottom_left", 40, 100
	video.FlipV, video.FadeInMS = true, 800
	cutaway.Path, cutaway.Name, cutaway.ID, cutaway.Info = roll, "roll.mp4", "2", probe(roll)
	cutaway.Span, cutaway.VisualMode, cutaway.OpacityPercent = media.Span{StartMS: 2200, EndMS: 3600},
		media.VisualCutaway, 80
	return interchange.Project{
		Name: "overlays", VolumePercent: 100, Assets: []media.PlacedAsset{image, video, cutaway},
		Recordings: []interchange.Recording{{UUID: "1", Name: filepath.Base(talk), Path: talk, Info: probe(talk)}},
		Edits: []interchange.Edit{
			{UUID: "1", Kind: media.EditManual, StartMS: 4000, EndMS: 12_000, Active: true},
		},
	}
}

// renderProject renders a project like an export.
func renderProject(t *testing.T, p interchange.Project, out string) {
	t.Helper()
	var clips []media.RenderClip
	for _, r := range p.Recordings {
		clips = append(clips, media.RenderClip{Path: r.Path, Info: r.Info})
	}
	var cuts []media.Span
	for _, e := range p.Edits {
		cuts = append(cuts, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
	}
	side, _ := media.ShortSide(media.AsRecorded)
	plan, err := media.NewRenderPlan(clips, cuts, media.RenderSettings{
		ShortSide: side, AspectRatio: media.AsRecorded, VolumePercent: p.VolumePercent, Assets: p.Assets,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := libav.New().Render(context.Background(), plan, out, nil); err != nil {
		t.Fatal(err)
	}
}

// smallFrames returns the frames of a video as RGB of 64x36 pixels.
func smallFrames(t *testing.T, path string) [][]byte {
	t.Helper()
	const size = 64 * 36 * 3
	raw, err := mediatest.Command(t, "ffmpeg", "-v", "error", "-i", path, "-vf", "scale=64:36:flags=area",
		"-pix_fmt", "rgb24", "-f", "rawvideo", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	var frames [][]byte
	for ; len(raw) >= size; raw = raw[size:] {
		frames = append(frames, raw[:size])
	}
	return frames
}

// frameDifference returns the mean difference between two frames, and the share of values that
// differ by more than 40.
func frameDifference(a, b []byte) (mean, far float64) {
	for i := range a {
		d := int(a[i]) - int(b[i])
		mean += float64(max(d, -d))
		if max(d, -d) > 40 {
			far++
		}
	}
	return mean / float64(len(a)), far / float64(len(a))
}

// MLT draws overlays like the export: with their place, rotation, flip, opacity and fades, over
// footage and over recordings without video. Kdenlive and Shotcut keep them.
func TestLongTimelinesDrawTheOverlays(t *testing.T) {
	needsLong(t)
	t.Run("video", func(t *testing.T) {
		dir := t.TempDir()
		drawsOverlays(t, dir, overlaid(t, dir))
	})
	t.Run("audio", func(t *testing.T) {
		dir := t.TempDir()
		p := overlaid(t, dir)
		path := drawn(t, filepath.Join(dir, "said.wav"), "-i", "sine=440:d=2")
		info, err := libav.New().Probe(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		said := interchange.Recording{UUID: "2", Name: "said.wav", Path: path, Info: info}
		p.Recordings = append([]interchange.Recording{said}, p.Recordings...)
		p.Edits[0].EndMS += 2000
		drawsOverlays(t, dir, p)
	})
}

// drawsOverlays compares the frames of a project that MLT renders with the export.
func drawsOverlays(t *testing.T, dir string, p interchange.Project) {
	t.Helper()
	video := filepath.Join(dir, "export.mp4")
	renderProject(t, p, video)
	want := smallFrames(t, video)
	line, err := interchange.New(p, interchange.Place{Folder: dir}, false)
	if err != nil {
		t.Fatal(err)
	}
	draws := func(project string) {
		t.Helper()
		melt(t, project, project+".mp4", "in=0", "out=99") // Kdenlive makes the background longer
		got := smallFrames(t, project+".mp4")
		if len(got) != len(want) || len(want) != 100 {
			t.Fatalf("%s has %d frames, the export %d", project, len(got), len(want))
		}
		for i := range want {
			if mean, far := frameDifference(got[i], want[i]); mean > 3 || far > 0.02 {
				t.Errorf("%s: frame %d differs by %.1f in the mean, and clearly in %.1f %%", project, i, mean, 100*far)
			}
		}
	}
	for format, extension := range map[string]string{"mlt": ".xml", "shotcut": ".mlt", "kdenlive": ".kdenlive"} {
		var text bytes.Buffer
		if err := interchange.Write(&text, format, line, interchange.Options{}); err != nil {
			t.Fatal(err)
		}
		project, saved := filepath.Join(dir, format+extension), filepath.Join(dir, format+" saved"+extension)
		if err := os.WriteFile(project, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		draws(project)
		if format != "mlt" {
			resave(t, format, project, saved)
			draws(saved)
		}
	}
}
