package e2e

import (
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// gardenWords are the words of a talk of 8 s.
func gardenWords() (words []media.Word) {
	const text = "Every single garden wants water before noon. Nobody ever waters roses during the midday heat."
	for i, text := range strings.Fields(text) {
		start := int64(300 + i*480)
		words = append(words, media.Word{Text: text, StartMS: start, EndMS: start + 400, Probability: 0.9})
	}
	return words
}

// seedGarden is a project for everything that the preview draws: plain footage of 8 s with a green
// square, captions, an active cut from 2 to 3 s, twelve inactive cuts of four kinds, and a rotated
// image from 4 to 8 s. The asset of that image is "logo".
func seedGarden(t *testing.T, dir string, _ seed) seed {
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	user := call[record](c, "GET", "/api/v1/users/me", nil, 200)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Garden"}, 201)
	root := "/api/v1/projects/" + project.UUID
	clip := c.upload(project.UUID, film(
		t, "garden.mp4", "-f", "lavfi", "-i",
		"color=c=0x3c5a78:s=1280x720:r=25:d=8,drawbox=x=420:y=120:w=200:h=200:c=0x20b040:t=fill",
		"-f", "lavfi", "-i", "sine=frequency=300:r=48000:d=8",
		"-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "12", "-c:a", "aac",
	))
	comesTo(t, c, root+"/clips/", "ready")
	still := film(t, "logo.png", "-f", "lavfi", "-i", "color=c=red:s=300x100", "-frames:v", "1")
	logo := c.asset(c.addAsset(still, "image/png").UUID)
	server.stop()

	heard := detect.Evidence{DurationMS: 8000, Words: gardenWords()}
	analyzeWith(t, dir, user.UUID, project.UUID, heard, func(clip string, result *store.AnalysisResult) {
		result.Edits = nil
		kinds := media.DetectedKinds()
		for i := range int64(12) {
			result.Edits = append(result.Edits, store.DetectedEdit{
				ClipUUID: clip, Type: kinds[int(i)%len(kinds)], Reason: "made up", Confidence: 0.5,
				Span: media.Span{StartMS: 3300 + 300*i, EndMS: 3400 + 300*i},
			})
		}
	})
	server = serve(t, dir, nil, "--owner")
	c = server.owner(t)
	call[record](c, "POST", root+"/edits/", map[string]any{"type": "manual", "start_ms": 2000, "end_ms": 3000}, 201)
	placed := map[string]any{
		"type": "asset", "asset_file_id": logo.FileID, "start_ms": 4000, "end_ms": 8000,
		"overlay_position": "top_right", "overlay_size_percent": 30, "overlay_rotation_deg": 20,
	}
	call[record](c, "POST", root+"/edits/", placed, 201)
	c.findFaces(project.UUID)
	server.stop()
	return seed{Owner: true, Facts: map[string]string{
		"project": project.UUID, "clip": clip.UUID, "logo": logo.FileID,
	}}
}
