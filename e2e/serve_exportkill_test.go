package e2e

import (
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media/mediatest"
)

// A server that is killed twice during an export resumes with the chunks that it had encoded. The
// result is the same video as without kills.
func TestLongExportResumesAfterKill(t *testing.T) {
	needsLong(t)
	talk := mediatest.Talk(t, mediatest.TalkOptions{Width: 640, Height: 360, Seconds: 40, Hiss: true})
	wanted := map[string]any{
		"name":            "out",
		"export_settings": map[string]string{"resolution": "720p", "aspect_ratio": "16:9"},
	}
	type disturbance func(server *running, c *client, exports string) *running
	exportTalk := func(dir string, disturb disturbance) (exported, string) {
		server := serve(t, dir, []string{"WORKERS=1"}, "--owner")
		c := server.owner(t)
		project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "kill"}, 201)
		root := "/api/v1/projects/" + project.UUID
		c.upload(project.UUID, talk.Path)
		comesTo(t, c, root+"/clips/", "ready")
		export := call[record](c, "POST", root+"/exports/", wanted, 202)
		server = disturb(server, c, root+"/exports/")
		comesTo(t, c, root+"/exports/", "completed")
		made := call[exported](c, "GET", "/api/v1/exports/"+export.UUID, nil, 200)
		path := filepath.Join(t.TempDir(), "out.mp4")
		c.download(export.UUID, path)
		server.stop()
		doctor(t, dir)
		return made, path
	}
	undisturbed, whole := exportTalk(t.TempDir(), func(server *running, _ *client, _ string) *running { return server })
	dir := t.TempDir()
	const killedAt = 5 // chunks, of ten
	made, pieced := exportTalk(dir, func(server *running, c *client, exports string) *running {
		for _, least := range []int{2, killedAt} {
			poll(t, func() bool { return countChunks(t, dir) >= least })
			server.kill()
			server = serve(t, dir, []string{"WORKERS=1"}, "--owner")
			c.base = server.base
			if status := call[list[record]](c, "GET", exports, nil, 200).Items[0].Status; status != "queued" &&
				status != "rendering" {
				t.Fatalf("the server was killed while the export was %s", status)
			}
		}
		return server
	})
	const chunk = 4 * 30 // frames
	if r := made.Rendering; undisturbed.Rendering.Kept != 0 || r.Kept < killedAt*chunk || r.Encoded == 0 ||
		r.Kept+r.Encoded != undisturbed.Rendering.Encoded {
		t.Errorf("without kills: %+v, with two kills: %+v", undisturbed.Rendering, r)
	}
	if a, b := mediatest.FrameNumbers(t, whole), mediatest.FrameNumbers(
		t, pieced,
	); !slices.Equal(a, b) || slices.Contains(a, -1) ||
		int64(len(a)) != talk.Frames {
		t.Errorf(
			"%d frames without kills, %d with two kills, of %d, or different frames", len(a), len(b),
			talk.Frames,
		)
	}
	if !slices.Equal(mediatest.PCM(t, whole, 48000), mediatest.PCM(t, pieced, 48000)) {
		t.Error("the audio differs")
	}
}

// countChunks counts the chunks in the cache.
func countChunks(t *testing.T, dir string) int {
	t.Helper()
	chunks, err := filepath.Glob(filepath.Join(dir, "chunks", "*", "*.chunk"))
	if err != nil {
		t.Fatal(err)
	}
	return len(chunks)
}
