package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// guideScript is the talk in the screenshots of the user guide.
const guideScript = `rate 16000
floor -62
pause 700
say en-us 160 hello everyone and welcome back to the channel
pause 900
say en-us 160 today we are going to
pause 500
say en-us 160 today we are going to talk about light in a small kitchen
pause 1900
say en-us 160 um the first thing you need is a window
pause 1300
say en-us 160 open it in the morning because the light is warm
pause 800
say en-us 160 a tripod is better than
pause 450
say en-us 160 a tripod is better than a table because the picture is quiet
pause 2200
say en-us 160 use a good microphone and record the sound again if it is loud
pause 1500
say en-us 160 that is basically everything so thank you for watching
pause 600
say en-us 160 please subscribe and see you next friday
pause 2500
`

// TestLongBrowserGuide takes the steps of the user guide in a browser. With ROUGHCUT_DOCS=1 it
// replaces the screenshots in docs/images.
func TestLongBrowserGuide(t *testing.T) {
	needsLong(t)
	images := t.TempDir()
	if os.Getenv("ROUGHCUT_DOCS") != "" {
		folder, err := filepath.Abs("../docs/images")
		if err != nil {
			t.Fatal(err)
		}
		images = folder
	}
	server := serve(t, t.TempDir(), []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	talk := guideTalk(t)
	project := c.guideProject("Light in a small kitchen", talk, true)
	c.guideProject("Microphones under 100 dollars", talk, false)
	for name, filter := range map[string]string{
		"Window at dusk":    "crop=330:400:90:70",
		"Camera on a shelf": "crop=380:300:940:60",
		"Microphone":        "crop=330:230:740:520",
	} {
		asset := c.addAsset(guideStill(t, name, filter), "image/png")
		if asset = c.asset(asset.UUID); asset.Status != "uploaded" {
			t.Fatalf("the asset %s has the status %s", name, asset.Status)
		}
	}

	browse(t, "guide.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+project, "IMAGES="+images)
	if err := os.WriteFile(filepath.Join(images, "before-after.svg"), c.beforeAfter(project), 0o644); err != nil {
		t.Fatal(err)
	}

	for _, name := range strings.Fields("projects editor cut captions export library settings shortcuts") {
		for _, scheme := range []string{"dark", "light"} {
			path := filepath.Join(images, name+"-"+scheme+".webp")
			if info, err := os.Stat(path); err != nil || info.Size() < 4000 {
				t.Errorf("the screenshot %s is missing or empty: %v", filepath.Base(path), err)
			}
		}
	}
}

// guideTalk returns a recording of a drawn speaker who reads guideScript.
func guideTalk(t *testing.T) string {
	t.Helper()
	return filmSpeech(t, mediatest.Speak(t, guideScript), 720)
}

// filmSpeech returns a recording of the drawn speaker with this audio and height.
func filmSpeech(t *testing.T, speech mediatest.Speech, height int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kitchen-light.mp4")
	cmd := mediatest.Command(t, "ffmpeg", "-v", "error",
		"-framerate", "30", "-i", "testdata/scene.svg",
		"-f", "s16le", "-ar", "16000", "-ac", "1", "-i", "pipe:0",
		// The drawing is read once. A slow movement of the camera makes frames differ.
		"-vf", fmt.Sprintf("loop=-1:1,crop=1280:720:60+50*sin(t/7):34+30*sin(t/5),scale=-2:%d,format=yuv420p", height),
		"-c:v", "libx264", "-preset", "veryfast", "-g", "60", "-c:a", "aac", "-ar", "48000", "-shortest", path)
	cmd.Stdin = bytes.NewReader(speech.Raw)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	return path
}

// guideStill returns an image cut out of the drawn scene.
func guideStill(t *testing.T, name, filter string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".png")
	cmd := mediatest.Command(t, "ffmpeg", "-v", "error", "-i", "testdata/scene.svg", "-vf", filter,
		"-frames:v", "1", path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	return path
}

// guideProject creates a project with the recording, analyzes it if asked to, and returns its UUID.
func (c *client) guideProject(name, talk string, analyze bool) string {
	c.t.Helper()
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": name}, 201).UUID
	root := "/api/v1/projects/" + project
	c.upload(project, talk)
	poll(c.t, func() bool {
		return call[list[record]](c, "GET", root+"/clips/", nil, 200).Items[0].Status == "ready"
	})
	if analyze {
		call[map[string]any](c, "POST", root+"/analyze", map[string]any{"pacing_level": 60, "language": "en"}, 202)
		poll(c.t, func() bool { return call[record](c, "GET", root, nil, 200).Status == "analyzed" })
		call[map[string]any](c, "POST", root+"/caption-lines/generate", map[string]any{"max_words": 7}, 200)
	}
	return project
}

// Sizes of the drawing of a recording before and after its cuts, in pixels.
const (
	drawingWidth = 1000
	laneHeight   = 72
	barCount     = 400
)

// beforeAfter draws the waveform of a project's recording with its cuts, and the waveform of what
// remains, on one scale.
func (c *client) beforeAfter(project string) []byte {
	c.t.Helper()
	root := "/api/v1/projects/" + project
	clip := call[list[record]](c, "GET", root+"/clips/", nil, 200).Items[0]
	wave := call[struct {
		DurationMS       int64   `json:"duration_ms"`
		SamplesPerSecond float64 `json:"samples_per_second"`
		Peaks            []int   `json:"peaks"`
	}](c, "GET", fmt.Sprintf("/api/v1/clips/%s/waveform?samples=%d", clip.UUID, barCount), nil, 200)
	edits := call[list[cutEdit]](c, "GET", root+"/edits/?active_only=true", nil, 200).Items
	slices.SortFunc(edits, func(a, b cutEdit) int { return cmp.Compare(a.StartMS, b.StartMS) })

	var before, after strings.Builder
	step := 1000 / wave.SamplesPerSecond
	scale := float64(drawingWidth) / float64(wave.DurationMS)
	for _, e := range edits {
		fmt.Fprintf(&before, "<rect class=\"band\" x=\"%.1f\" y=\"26\" width=\"%.1f\" height=\"%d\" rx=\"3\"/>\n",
			float64(e.StartMS)*scale, float64(e.EndMS-e.StartMS)*scale, laneHeight)
	}
	kept := 0
	for n, peak := range wave.Peaks {
		at := int64((float64(n) + 0.5) * step)
		cut := slices.ContainsFunc(edits, func(e cutEdit) bool { return e.StartMS <= at && at < e.EndMS })
		bar(&before, map[bool]string{true: "cut", false: "kept"}[cut], float64(n)*step*scale, 26, step*scale, peak)
		if !cut {
			bar(&after, "kept", float64(kept)*step*scale, 150, step*scale, peak)
			kept++
		}
	}
	return []byte(fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -6 %d 244" role="img"
  font-family="Inter, system-ui, sans-serif" font-size="13">
<title>A recording with its cuts, and the video that remains</title>
<style>
.page{fill:#fff}.kept{fill:#4c6ef5}.cut{fill:#e8590c;opacity:.7}.band{fill:#ffe8d6}.text{fill:#495057}
@media (prefers-color-scheme:dark){.page{fill:#16181d}.kept{fill:#7c96ff}.cut{fill:#ff922b;opacity:.8}
.band{fill:#3d2a18}.text{fill:#adb5bd}}
</style>
<rect class="page" x="-12" y="-6" width="100%%" height="100%%" rx="10"/>
<text class="text" y="16">Recording: %s, with %d proposed cuts</text>
%s<text class="text" y="140">First cut: %s</text>
%s</svg>
`, drawingWidth+24, seconds(wave.DurationMS), len(edits), before.String(),
		seconds(int64(float64(kept)*step)), after.String()))
}

// bar draws one bar of a waveform in a lane that begins at y.
func bar(b *strings.Builder, class string, x, y, width float64, peak int) {
	height := max(2, float64(peak)/255*laneHeight)
	fmt.Fprintf(b, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"1\"/>\n",
		class, x, y+(laneHeight-height)/2, width*0.7, height)
}

// seconds writes a length as people say it.
func seconds(ms int64) string { return fmt.Sprintf("%d s", (ms+500)/1000) }
