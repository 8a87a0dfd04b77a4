package e2e

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// drawnFaces writes a frame of 640x360 with faces, as raw luma, and returns the input options of
// ffmpeg for a still recording of it with a tone.
func drawnFaces(t *testing.T, faces ...media.Face) []string {
	t.Helper()
	const width, height = 640, 360
	luma := make([]byte, width*height)
	mediatest.DrawFaces(luma, width, height, faces)
	path := filepath.Join(t.TempDir(), "frame.raw")
	if err := os.WriteFile(path, luma, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{
		"-stream_loop", "149", "-f", "rawvideo", "-pix_fmt", "gray", "-s", "640x360", "-r", "25", "-i", path,
		"-f", "lavfi", "-i", "sine=frequency=300:r=48000:d=6",
	}
}

// Faces are found where the upright frame shows them, whatever the recording.
func TestFacesOfRecordings(t *testing.T) {
	t.Parallel()
	server := serve(t, t.TempDir(), nil, "--owner")
	c := server.owner(t)
	code := []string{"-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac"}
	left := media.Face{X: 0.25, Y: 0.4, Size: 0.4}
	type found struct {
		Faces, Center []struct{ X, Y float64 }
	}
	for _, v := range []struct {
		name    string
		faces   []media.Face
		options []string
		x, y    float64 // negative for no face
	}{
		{"still", []media.Face{left}, nil, 0.25, 0.4},
		{"two", []media.Face{{X: 0.8, Y: 0.5, Size: 0.25}, left}, nil, 0.25, 0.4},
		{"none", nil, nil, -1, -1},
		{"rotated", []media.Face{left}, []string{"-vf", "transpose=cclock"}, 0.25, 0.4},
		{"uneven", []media.Face{left}, []string{"-vf", "select=lt(mod(n\\,11)\\,7)", "-vsync", "vfr"}, 0.25, 0.4},
		{"thin", nil, []string{"-vf", "scale=1280:16"}, -1, -1},
	} {
		project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": v.name}, 201)
		args := append(drawnFaces(t, v.faces...), append(append([]string{}, code...), v.options...)...)
		path := film(t, v.name+".mp4", args...)
		if v.name == "rotated" {
			path = mediatest.RotatedCopy(t, path, 90)
		}
		clip := c.upload(project.UUID, path)
		c.clipsReady(project.UUID, 1)
		got := call[found](c, "GET", "/api/v1/clips/"+clip.UUID+"/faces", nil, 200)
		if v.x < 0 {
			if len(got.Faces) > 0 {
				t.Errorf("%s: faces %+v", v.name, got.Faces)
			}
			continue
		}
		if len(got.Center) != 1 || math.Hypot(got.Center[0].X-v.x, got.Center[0].Y-v.y) > 0.05 {
			t.Errorf("%s: the face is found at %+v, want %v, %v", v.name, got.Center, v.x, v.y)
		}
	}
	server.stop()
}
