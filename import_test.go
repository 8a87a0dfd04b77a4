package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"roughcut/media/mediatest"
)

// videoSite is a server on loopback with the files of a folder, in ranges or not.
func videoSite(t *testing.T, dir string) string {
	t.Helper()
	site := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(site.Close)
	return site.URL
}

// importing starts a server in owner mode, signs in and makes a project.
func importing(t *testing.T, dir string, env ...string) (c *client, project string) {
	t.Helper()
	server := serve(t, dir, append([]string{"SPEECH_MODEL=" + mediatest.Model(t)}, env...), "--owner")
	c = server.owner(t)
	return c, call[record](c, "POST", "/api/v1/projects/", map[string]any{"name": "Import"}, 201).UUID
}

// A video file on another server becomes a clip that can be played and analysed.
func TestImportOfAVideoFile(t *testing.T) {
	talk := tinyTalk(t)
	site := videoSite(t, filepath.Dir(talk))
	c, project := importing(t, t.TempDir(), "IMPORT_ALLOW_PRIVATE=true")
	events := c.events(project, "CLIP_PROCESSING", "CLIP_READY")
	clip := call[map[string]any](c, "POST", "/api/v1/projects/"+project+"/clips/video-import", map[string]any{"url": site + "/" + filepath.Base(talk)}, 202)
	if clip["source"] != "import" || clip["status"] != "processing" || clip["name"] != filepath.Base(talk) {
		t.Errorf("the clip is %v", clip)
	}
	wait(t, events)
	ready := wait(t, events)
	if ready["clip_uuid"] != clip["uuid"] {
		t.Errorf("ready is %v", ready)
	}
	clips := call[list[clipRecord]](c, "GET", "/api/v1/projects/"+project+"/clips/", nil, 200)
	if len(clips.Items) != 1 || clips.Items[0].Status != "ready" || !clips.Items[0].HasAudio {
		t.Errorf("the clips are %+v", clips.Items)
	}
}
