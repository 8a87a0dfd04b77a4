package e2e

import (
	"os"
	"path/filepath"
	"roughcut/media/mediatest"
	"strings"
	"testing"
)

// TestAPITalk takes a talk through the API of a metered server, from sign-up to the
// download.
func TestAPITalk(t *testing.T) {
	t.Parallel()
	talk := wholeTalk(t)
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)})
	c := signUp(t, server)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "A talk"}, 201)
	root := "/api/v1/projects/" + project.UUID
	events := c.events(
		project.UUID, "CLIP_PROCESSING", "CLIP_READY", "ANALYSIS_STARTED", "ANALYSIS_COMPLETE",
		"EXPORT_STARTED", "EXPORT_COMPLETE",
	)
	c.upload(project.UUID, talk.Path)
	wait(t, events)
	wait(t, events)
	call[struct{}](
		c, "POST", root+"/analyze",
		map[string]int{"pacing_level": pacing, "false_start_sensitivity": falseStarts}, 202,
	)
	wait(t, events)
	complete := wait(t, events)
	edits := call[list[cutEdit]](c, "GET", root+"/edits/", nil, 200).Items
	if int(complete["edit_count"].(float64)) != len(edits) || len(edits) == 0 {
		t.Fatalf("the event has %v edits, the list has %d", complete["edit_count"], len(edits))
	}
	export := call[record](
		c, "POST", root+"/exports/",
		map[string]string{"name": "first"}, 202,
	)
	wait(t, events)
	wait(t, events)
	out := filepath.Join(dir, "download.mp4")
	c.download(export.UUID, out)
	rendered := call[struct {
		DurationMS int64 `json:"duration_ms"`
	}](c, "GET", "/api/v1/exports/"+export.UUID, nil, 200)
	checkCut(t, talk, out, edits, rendered.DurationMS)
	first := call[exported](c, "GET", "/api/v1/exports/"+export.UUID, nil, 200).Rendering
	if first.Copied+first.Encoded == 0 || first.Kept != 0 {
		t.Errorf("frames of the first export: %+v", first)
	}
	again := call[record](
		c, "POST", root+"/exports/",
		map[string]string{"name": "again"}, 202,
	)
	comesTo(t, c, root+"/exports/", "completed")
	if r := call[exported](
		c, "GET", "/api/v1/exports/"+again.UUID, nil, 200,
	).Rendering; r.Encoded != 0 || r.Copied != first.Copied ||
		r.Kept != first.Encoded {
		t.Errorf("frames of the repeated export: %+v, of the first: %+v", r, first)
	}
	server.stop()
	doctor(t, dir)
}

// exported is the part of an export that tells where its frames came from.
type exported struct {
	Rendering struct {
		Copied  int64 `json:"copied_frames"`
		Encoded int64 `json:"encoded_frames"`
		Kept    int64 `json:"kept_frames"`
	} `json:"rendering"`
}

// download downloads a completed export.
func (c *client) download(export, path string) {
	c.t.Helper()
	address := call[struct {
		URL       string `json:"url"`
		SizeBytes int64  `json:"size_bytes"`
	}](c, "GET", "/api/v1/exports/"+export+"/download-url", nil, 200)
	status, body, err := newClient(c.t, c.base).do("GET", strings.TrimPrefix(address.URL, c.base), nil)
	if err != nil || status != 200 || int64(len(body)) != address.SizeBytes {
		c.t.Fatalf("download: status %d, %d bytes of %d, %v", status, len(body), address.SizeBytes, err)
	}
	if err := os.WriteFile(path, body, 0o600); err != nil {
		c.t.Fatal(err)
	}
}
