package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// numbered films 200 frames with 25 frames a second, each of which shows its number in eight
// squares, black or white, the lowest bit on the left.
func numbered(t *testing.T, name string) string {
	t.Helper()
	squares := "color=c=gray:s=640x360:r=25:d=8"
	for bit := range 8 {
		squares += fmt.Sprintf(
			",drawbox=x=%d:y=0:w=80:h=360:c=black:t=fill:enable='not(mod(floor(n/%d)\\,2))'"+
				",drawbox=x=%d:y=0:w=80:h=360:c=white:t=fill:enable='mod(floor(n/%d)\\,2)'",
			80*bit, 1<<bit, 80*bit, 1<<bit,
		)
	}
	return film(
		t, name, "-f", "lavfi", "-i", squares, "-f", "lavfi", "-i", "sine=frequency=300:r=48000:d=8",
		"-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "50", "-c:a", "aac",
	)
}

// TestBrowserTrash goes to the exact frames of cuts and captions, removes a clip and brings it back
// by undo, by the history and from the trash, and adds a speech model from a file.
func TestBrowserTrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	user := call[record](c, "GET", "/api/v1/users/me", nil, 200)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Numbers"}, 201)
	clips := "/api/v1/projects/" + project.UUID + "/clips/"
	c.upload(project.UUID, numbered(t, "first.mp4"))
	comesTo(t, c, clips, "ready")
	server.stop()
	heard := detect.Evidence{DurationMS: 8000, Words: gardenWords()}
	analyzeWith(t, dir, user.UUID, project.UUID, heard, func(clip string, result *store.AnalysisResult) {
		result.Edits = nil
		for _, startMS := range []int64{1000, 2019, 3021, 4999} { // before and after the middle of a frame
			result.Edits = append(result.Edits, store.DetectedEdit{
				ClipUUID: clip, Type: store.EditSilence, Span: media.Span{StartMS: startMS, EndMS: startMS + 400},
				Active: true, Reason: "Silence", Confidence: 0.9,
			})
		}
	})
	server = serve(t, dir, nil, "--owner")
	c = server.owner(t)
	c.upload(project.UUID, numbered(t, "second.mp4"))
	comesTo(t, c, clips, "ready")
	other := filepath.Join(t.TempDir(), "ggml-notes.bin")
	if err := os.WriteFile(other, []byte("not a model"), 0o600); err != nil {
		t.Fatal(err)
	}
	browse(
		t, "trash.mjs", "BASE_URL="+server.base, "SESSION="+c.session(), "PROJECT="+project.UUID, "RATE=25",
		"MODEL="+mediatest.Model(t), "OTHER="+other,
	)
	server.stop()
	doctor(t, dir)
}
