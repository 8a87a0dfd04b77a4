package e2e

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"roughcut/media/mediatest"
)

// film makes a media file with ffmpeg.
func film(t *testing.T, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if out, err := mediatest.Command(
		t, "ffmpeg",
		append(append([]string{"-v", "error", "-nostdin", "-y"}, args...), path)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// pixel returns the RGB color of a pixel at a time.
func pixel(t *testing.T, path string, ms int64, x, y int) [3]int {
	t.Helper()
	out, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-nostdin", "-ss", fmt.Sprintf("%dms", ms), "-i", path, "-frames:v", "1",
		"-vf", fmt.Sprintf("scale=in_color_matrix=bt709,format=rgb24,crop=1:1:%d:%d:exact=1", x, y), "-f",
		"rawvideo", "pipe:1",
	).Output()
	if err != nil || len(out) != 3 {
		t.Fatalf("pixel at %d, %d: %v %v", x, y, out, err)
	}
	return [3]int{int(out[0]), int(out[1]), int(out[2])}
}

// TestPlacedAssetsAreRendered places an image and an audio file. The export shows and plays them at
// their place, even though one is changed and the other deleted right after the export was created.
func TestPlacedAssetsAreRendered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	main := film(
		t, "main.mp4", "-f", "lavfi", "-i", "color=c=white:s=640x360:r=25:d=6", "-f", "lavfi", "-i",
		"sine=frequency=300:r=48000:d=6", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac",
	)
	logo := c.asset(
		c.addAsset(
			film(t, "logo.png", "-f", "lavfi", "-i", "color=c=red:s=200x100", "-frames:v", "1"), "image/png",
		).UUID,
	)
	bell := c.asset(
		c.addAsset(
			film(t, "bell.wav", "-f", "lavfi", "-i", "sine=frequency=1000:r=48000:d=3", "-af", "volume=2"),
			"audio/wav",
		).UUID,
	)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "A film"}, 201)
	root := "/api/v1/projects/" + project.UUID
	events := c.events(project.UUID, "CLIP_READY", "EXPORT_COMPLETE", "EXPORT_FAILED")
	c.upload(project.UUID, main)
	wait(t, events)
	place := func(edit map[string]any) record {
		t.Helper()
		edit["active"], edit["reason"] = true, ""
		return call[record](c, "POST", root+"/edits/", edit, 201)
	}
	place(map[string]any{"type": "manual", "start_ms": 1000, "end_ms": 2000})
	shown := place(
		map[string]any{
			"type":                    "asset",
			"asset_file_id":           logo.FileID,
			"start_ms":                3000,
			"end_ms":                  4000,
			"overlay_position":        "bottom_right",
			"overlay_size_percent":    25,
			"overlay_opacity_percent": 100,
		},
	)
	place(
		map[string]any{
			"type":            "asset",
			"asset_file_id":   bell.FileID,
			"start_ms":        4000,
			"end_ms":          5000,
			"audio_mode":      "replace",
			"asset_offset_ms": 500,
		},
	)
	export := call[record](
		c, "POST", root+"/exports/",
		map[string]any{"name": "first", "export_settings": map[string]string{"resolution": "720p"}}, 202,
	)
	call[record](c, "PATCH", "/api/v1/edits/"+shown.UUID, map[string]any{"overlay_position": "top_left"}, 200)
	call[struct{}](c, "DELETE", "/api/v1/assets/"+logo.UUID, nil, 204)
	if event := wait(t, events); event["storage_key"] == nil {
		t.Fatalf("%v", event)
	}
	out := filepath.Join(dir, "download.mp4")
	c.download(export.UUID, out)

	white, red := [3]int{255, 255, 255}, [3]int{255, 0, 0}
	x, y := 1280-29-160, 720-29-80 // center of the logo
	for at, want := range map[int64][3]int{1900: white, 2040: red, 2940: red, 3100: white} {
		if got := pixel(
			t, out, at, x, y,
		); math.Abs(float64(got[0]-want[0])) > 14 || math.Abs(float64(got[1]-want[1])) > 14 ||
			math.Abs(float64(got[2]-want[2])) > 14 {
			t.Errorf("at %d ms the color of the logo is %v", at, got)
		}
	}
	if got := pixel(t, out, 2500, x-180, y); got[1] < 240 {
		t.Errorf("the color left of the logo is %v", got)
	}
	sound := mediatest.PCM(t, out, 48000)
	for at, heard := range map[int64]bool{2500: false, 3100: true, 3900: true, 4500: false} {
		if tone := tonePower(sound, at); heard != (tone > 0.1) {
			t.Errorf("at %d ms the bell has amplitude %.3f", at, tone)
		}
	}
	if call[struct{ Total int }](c, "GET", root+"/edits/", nil, 200).Total != 2 {
		t.Error("the edit of a deleted asset still exists")
	}
	server.stop()
	doctor(t, dir)
}
