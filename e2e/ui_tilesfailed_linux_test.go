package e2e

import (
	"syscall"
	"testing"
	"time"
)

// TestBrowserFailedSpriteSheet kills the engine that makes the sprite sheet of a recording. The
// editor says why it is missing and makes it again. The steps are in web/e2e/tiles-failed.mjs.
func TestBrowserFailedSpriteSheet(t *testing.T) {
	t.Parallel()
	video := lecture(t)
	server := serve(t, t.TempDir(), nil)
	c := signUp(t, server)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Lecture"}, 201)
	killed := make(chan error, 1)
	go func() { killed <- killTiles(t, server, c, project.UUID) }()
	browse(t, "tiles-failed.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+project.UUID, "VIDEO="+video)
	if err := <-killed; err != nil {
		t.Error(err)
	}
	server.stop()
}

// killTiles waits for the engine that makes the sprite sheet of the only clip of a project, and
// kills it.
func killTiles(t *testing.T, server *running, c *client, project string) error {
	type clip struct {
		Pending bool `json:"sprite_pending"`
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		clips, _ := attempt[list[clip]](c, "GET", "/api/v1/projects/"+project+"/clips/", nil, 200)
		if len(clips.Items) == 1 && clips.Items[0].Pending {
			if engine := server.engineOf(); engine != 0 {
				return syscall.Kill(engine, syscall.SIGKILL)
			}
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			return t.Context().Err()
		}
	}
}
