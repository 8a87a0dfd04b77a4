package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// seedUntiled is a project with a recording of over three minutes whose sprite sheet could not be
// stored. By now it can.
func seedUntiled(t *testing.T, dir string, _ seed) seed {
	t.Helper()
	lecture := film(
		t, "lecture.mp4", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=1:d=200",
		"-f", "lavfi", "-i", "sine=frequency=300:r=48000:d=200",
		"-c:v", "libx264", "-preset", "ultrafast", "-g", "2", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "32k",
	)
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Lecture"}, 201).UUID
	clip := c.send(project, lecture)
	type sheet struct {
		File  string `json:"clip_file_id"`
		Error string `json:"sprite_error"`
	}
	clips := func() []sheet {
		return call[list[sheet]](c, "GET", "/api/v1/projects/"+project+"/clips/", nil, 200).Items
	}
	obstacle := filepath.Join(dir, "media", "clips", clips()[0].File, "sprite.jpg")
	if err := os.MkdirAll(filepath.Join(obstacle, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.confirm(project, clip)
	poll(t, func() bool { return clips()[0].Error != "" })
	server.stop()
	if err := os.RemoveAll(obstacle); err != nil {
		t.Fatal(err)
	}
	return seed{Owner: true, Facts: map[string]string{"project": project}}
}
