package e2e

import (
	"encoding/json"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media/mediatest"
	"roughcut/pipeline/detect"
)

// previewCases are export settings with the frame size of the export.
var previewCases = []struct {
	name          string
	width, height int
	settings      string // of the export and of the page
}{
	{"classic", 1280, 720, `{"resolution":"720p","aspect_ratio":"16:9","captions":{"enabled":true,"style":"classic"}}`},
	{
		"karaoke",
		720,
		1280,
		`{"resolution":"720p","aspect_ratio":"9:16","fit":"crop","captions":{"enabled":true,"style":"karaoke"}}`,
	},
	{
		"boxed",
		720,
		720,
		`{"resolution":"720p","aspect_ratio":"1:1","letterbox_background":"#203040",
		"captions":{"enabled":true,"style":"boxed","position":"top"}}`,
	},
	{
		"bold",
		1280,
		720,
		`{"resolution":"720p","aspect_ratio":"16:9","video_flip_h":true,
		"captions":{"enabled":true,"style":"bold","position":"middle","color":"#ffe600"}}`,
	},
	{
		"minimal",
		1280,
		720,
		`{"resolution":"720p","aspect_ratio":"16:9","captions":{"enabled":true,"style":"minimal","font_size":90}}`,
	},
	// The crop moves from 0 to 8 s. The segment after the cut is enlarged.
	{
		"framed",
		720,
		720,
		`{"resolution":"720p","aspect_ratio":"1:1","fit":"crop","video_flip_h":true,
		"punch_in":{"scale_percent":125,"ease":false,"x":0.4,"y":0.3},
		"crop_keyframes":[{"clip_uuid":"CLIP","at_ms":0,"x":0.3,"y":0.5},
			{"clip_uuid":"CLIP","at_ms":8000,"x":0.6,"y":0.5}],
		"captions":{"enabled":true,"style":"classic"}}`,
	},
}

// TestBrowserPreviewMatchesExport compares frames of the player with frames of exports with the
// same settings: every caption style and a rotated image in three aspect ratios, and a punch-in
// with a moving crop. It also uses the export dialog, and places b-roll on the preview.
func TestBrowserPreviewMatchesExport(t *testing.T) {
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	user := call[record](c, "GET", "/api/v1/users/me", nil, 200)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Garden"}, 201)
	root := "/api/v1/projects/" + project.UUID
	c.upload(
		project.UUID,
		film(
			t, "main.mp4", "-f", "lavfi", "-i",
			"color=c=0x3c5a78:s=1280x720:r=25:d=8,drawbox=x=420:y=120:w=200:h=200:c=0x20b040:t=fill",
			"-f", "lavfi", "-i",
			"sine=frequency=300:r=48000:d=8", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "12", "-c:a",
			"aac",
		),
	)
	comesTo(t, c, root+"/clips/", "ready")
	clip := call[list[record]](c, "GET", root+"/clips/", nil, 200).Items[0].UUID
	logo := c.asset(
		c.addAsset(
			film(t, "logo.png", "-f", "lavfi", "-i", "color=c=red:s=300x100", "-frames:v", "1"), "image/png",
		).UUID,
	)
	server.stop()
	analyzeByHand(t, dir, user.UUID, project.UUID, detect.Evidence{DurationMS: 8000, Words: gardenWords()})
	server = serve(t, dir, nil, "--owner")
	c = server.owner(t)
	for _, edit := range call[list[record]](c, "GET", root+"/edits/", nil, 200).Items {
		call[struct{}](c, "PATCH", "/api/v1/edits/"+edit.UUID, map[string]bool{"active": false}, 200)
	}
	call[record](c, "POST", root+"/edits/", map[string]any{"type": "manual", "start_ms": 2000, "end_ms": 3000}, 201)
	call[record](
		c,
		"POST",
		root+"/edits/",
		map[string]any{"type": "asset", "asset_file_id": logo.FileID, "start_ms": 4000, "end_ms": 8000,
			"overlay_position": "top_right", "overlay_size_percent": 30, "overlay_rotation_deg": 20},
		201,
	)

	pictures := t.TempDir()
	var kept []string
	looks := slices.Clone(previewCases)
	for i := range looks {
		looks[i].settings = strings.ReplaceAll(looks[i].settings, "CLIP", clip)
	}
	for _, look := range looks {
		kept = append(kept, fmt.Sprintf(`{"name":%q,"settings":%s}`, look.name, look.settings))
	}
	type shot struct {
		Look, Path string
		Frame      int // of the recording
	}
	shots := decode[[]shot](
		t,
		browse(
			t, "preview.mjs", "BASE_URL="+server.base, "SESSION="+c.session(), "PROJECT="+project.UUID,
			"LOOKS=["+strings.Join(kept, ",")+"]", "PICTURES="+pictures,
		),
	)
	for _, look := range looks {
		export := call[record](
			c, "POST", root+"/exports/",
			map[string]any{"name": look.name, "export_settings": json.RawMessage(look.settings)}, 202,
		)
		comesTo(t, c, root+"/exports/", "completed")
		video := filepath.Join(dir, look.name+".mp4")
		c.download(export.UUID, video)
		for _, s := range shots {
			if s.Look == look.name {
				frame := s.Frame
				if frame >= 75 {
					frame -= 25 // length of the cut in frames
				}
				shown := rgbOf(t, look.width, look.height, "-i", s.Path)
				rendered := rgbOf(
					t, look.width, look.height, "-i", video, "-vf", fmt.Sprintf("select=eq(n\\,%d)", frame),
				)
				comparePictures(t, fmt.Sprintf("%s at frame %d", look.name, frame), shown, rendered)
			}
		}
	}
	server.stop()
	doctor(t, dir)
}

// rgb is an image with 8 bits per channel.
type rgb struct {
	width, height int
	pix           []byte
}

func (p rgb) at(x, y int) (r, g, b int) {
	i := 3 * (y*p.width + x)
	return int(p.pix[i]), int(p.pix[i+1]), int(p.pix[i+2])
}

// bounds returns the bounding box of the pixels that match.
func (p rgb) bounds(wanted func(r, g, b int) bool) (box image.Rectangle) {
	for y := range p.height {
		for x := range p.width {
			if wanted(p.at(x, y)) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

// rgbOf decodes the first frame of an input with ffmpeg and scales it.
func rgbOf(t *testing.T, width, height int, input ...string) rgb {
	t.Helper()
	scale := fmt.Sprintf("scale=%d:%d:flags=area:in_color_matrix=bt709,format=rgb24", width, height)
	if input[len(input)-2] == "-vf" {
		input[len(input)-1] += "," + scale
	} else {
		input = append(input, "-vf", scale)
	}
	pix, err := mediatest.Command(
		t, "ffmpeg",
		append(
			append([]string{"-v", "error", "-nostdin"}, input...), "-frames:v", "1", "-f", "rawvideo", "pipe:1",
		)...).Output()
	if err != nil || len(pix) != 3*width*height {
		t.Fatalf("%v: %d bytes, %v", input, len(pix), err)
	}
	return rgb{width, height, pix}
}

// comparePictures fails if two frames differ more than two renderers do.
func comparePictures(t *testing.T, what string, shown, rendered rgb) {
	t.Helper()
	sum := 0
	for i := range shown.pix {
		sum += max(int(shown.pix[i])-int(rendered.pix[i]), int(rendered.pix[i])-int(shown.pix[i]))
	}
	mean := float64(sum) / float64(len(shown.pix))
	red := func(r, g, b int) bool { return r > 190 && g < 70 && b < 70 }
	green := func(r, g, b int) bool { return g > 130 && r < 90 && b < 110 }
	if a, b := shown.bounds(green), rendered.bounds(green); apart(a, b) > 2 || a.Empty() {
		t.Errorf("%s: the footage is at %v in the preview, at %v in the export", what, a, b)
	}
	light := func(r, g, _ int) bool { return r > 200 && g > 170 }
	if a, b := shown.bounds(red), rendered.bounds(red); apart(a, b) > 2 || a.Empty() != b.Empty() {
		t.Errorf("%s: the placed image is at %v in the preview, at %v in the export", what, a, b)
	}
	a, b := shown.bounds(light), rendered.bounds(light)
	if apart(a, b) > 3 {
		t.Errorf("%s: the caption is at %v in the preview, at %v in the export", what, a, b)
	}
	if mean > 3 {
		t.Errorf("%s: pixels differ by %.2f of 255 on average", what, mean)
	}
	t.Logf("%s: %.2f, the caption is at %v and %v", what, mean, a, b)
}

// apart returns the largest distance between the edges of two boxes.
func apart(a, b image.Rectangle) int {
	return max(abs(a.Min.X-b.Min.X), abs(a.Min.Y-b.Min.Y), abs(a.Max.X-b.Max.X), abs(a.Max.Y-b.Max.Y))
}

func abs(n int) int { return max(n, -n) }
