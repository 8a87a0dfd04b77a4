package e2e

import (
	"testing"

	"roughcut/media"
)

// TestBrowserFaces turns on a punch-in and a crop, which follow the face of a recording. The steps
// are in web/e2e/faces.mjs.
func TestBrowserFaces(t *testing.T) {
	t.Parallel()
	server := serve(t, t.TempDir(), nil, "--owner")
	c := server.owner(t)
	project := func(name string, faces ...media.Face) string {
		made := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": name}, 201)
		args := append(drawnFaces(t, faces...), "-c:v", "libx264", "-preset", "ultrafast", "-g", "25",
			"-pix_fmt", "yuv420p", "-c:a", "aac")
		c.upload(made.UUID, film(t, name+".mp4", args...))
		c.clipsReady(made.UUID, 1)
		call[record](
			c, "POST", "/api/v1/projects/"+made.UUID+"/edits/",
			map[string]any{"type": "manual", "start_ms": 1500, "end_ms": 2300}, 201,
		)
		return made.UUID
	}
	face, none := project("Face", media.Face{X: 0.25, Y: 0.4, Size: 0.4}), project("None")
	browse(t, "faces.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "FACE="+face, "NONE="+none)
	server.stop()
}
