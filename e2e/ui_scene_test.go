package e2e

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// TestBrowserScene works on what surrounds the cuts: many kinds of cuts in a laptop window, several
// clips at once, chapters on the timeline, the punch-in of one join, music under speech, and the
// waveform of a recording without video. The preview of the waveform matches the export.
func TestBrowserScene(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	user := call[record](c, "GET", "/api/v1/users/me", nil, 200)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Garden"}, 201)
	root := "/api/v1/projects/" + project.UUID
	tone := func(name string, seconds int) string {
		source := fmt.Sprintf("sine=frequency=300:r=48000:d=%d,volume=4*mod(t\\,1):eval=frame", seconds)
		return film(t, name, "-f", "lavfi", "-i", source)
	}
	for _, path := range []string{
		film(
			t, "main.mp4", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=8", "-f", "lavfi", "-i",
			"sine=frequency=300:r=48000:d=8", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "12", "-c:a", "aac",
		),
		tone("one.wav", 4), tone("two.wav", 3),
	} {
		c.upload(project.UUID, path)
	}
	allReady(t, c, root)
	music := c.asset(c.addAsset(tone("music.wav", 8), "audio/wav").UUID)
	cover := film(t, "cover.png", "-f", "lavfi", "-i", "color=c=0x402020:s=300x300", "-frames:v", "1")
	c.asset(c.addAsset(cover, "image/png").UUID)
	server.stop()
	heard := detect.Evidence{DurationMS: 8000, Words: gardenWords()}
	analyzeWith(t, dir, user.UUID, project.UUID, heard, func(clip string, result *store.AnalysisResult) {
		result.Edits = nil
		kinds := []string{media.EditSilence, media.EditFalseStart, media.EditFiller, media.EditStutter}
		for i := range int64(12) {
			result.Edits = append(result.Edits, store.DetectedEdit{
				ClipUUID: clip, Type: kinds[i%4], Span: media.Span{StartMS: 3300 + 300*i, EndMS: 3400 + 300*i},
				Reason: "made up", Confidence: 0.5,
			})
		}
	})
	server = serve(t, dir, nil, "--owner")
	c = server.owner(t)
	call[record](c, "POST", root+"/edits/", map[string]any{"type": "manual", "start_ms": 2000, "end_ms": 3000}, 201)
	call[record](
		c, "POST", root+"/edits/",
		map[string]any{"type": "asset", "asset_file_id": music.FileID, "start_ms": 500, "end_ms": 7500}, 201,
	)

	picture := filepath.Join(t.TempDir(), "waveform.png")
	seen := decode[struct{ Seconds float64 }](t, browse(
		t, "scene.mjs", "BASE_URL="+server.base, "SESSION="+c.session(), "PROJECT="+project.UUID, "PICTURE="+picture,
	))
	chosen := call[struct {
		Settings map[string]any `json:"export_settings"`
	}](c, "GET", root, nil, 200)
	export := call[record](
		c, "POST", root+"/exports/", map[string]any{"name": "waveform", "export_settings": chosen.Settings}, 202,
	)
	comesTo(t, c, root+"/exports/", "completed")
	video := filepath.Join(dir, "waveform.mp4")
	c.download(export.UUID, video)
	frame := int(math.Floor((seen.Seconds-1)*25 + 0.01)) // the cut is 1 s long
	shown := rgbOf(t, 640, 360, "-i", picture)
	rendered := rgbOf(t, 640, 360, "-i", video, "-vf", fmt.Sprintf("select=eq(n\\,%d)", frame))
	sum := 0
	for i := range shown.pix {
		sum += abs(int(shown.pix[i]) - int(rendered.pix[i]))
	}
	if mean := float64(sum) / float64(len(shown.pix)); mean > 4 {
		t.Errorf("the preview of the waveform differs from the export by %.1f of 255", mean)
	}
	server.stop()
	doctor(t, dir)
}

// allReady waits until every clip of a project is ready.
func allReady(t *testing.T, c *client, root string) {
	t.Helper()
	poll(t, func() bool {
		for _, clip := range call[list[record]](c, "GET", root+"/clips/", nil, 200).Items {
			if clip.Status != "ready" {
				return false
			}
		}
		return true
	})
}
