package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"roughcut/media/mediatest"
)

// TestBrowserTimelines sends a project to another editor and takes a new order of its clips over.
// The steps are in web/e2e/timelines.mjs.
func TestBrowserTimelines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	talk := func(name string, o mediatest.TalkOptions) string {
		o.Seconds, o.GOP, o.VideoOptions = 6, 30, bt709
		data, err := os.ReadFile(mediatest.Talk(t, o).Path)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	steady := talk("steady.mp4", mediatest.TalkOptions{Width: 320, Height: 180})
	variable := talk("variable.mp4", mediatest.TalkOptions{Width: 320, Height: 180, Variable: true})
	server := serve(t, t.TempDir(), nil, "--owner")
	c := server.owner(t)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Two"}, 201)
	c.upload(project.UUID, steady)
	c.upload(project.UUID, variable)
	c.clipsReady(project.UUID, 2)
	browse(t, "timelines.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+project.UUID,
		"RECORDING="+steady)
	server.stop()
}
