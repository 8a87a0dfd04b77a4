package e2e

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/libav"
	"roughcut/media/mediatest"
)

// estimated is an estimate of an export.
type estimated struct {
	Method    string `json:"method"`
	Because   string `json:"encoded_because"`
	RenderMS  int64  `json:"render_ms"`
	SizeBytes int64  `json:"size_bytes"`
	Basis     string `json:"basis"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Differ    bool   `json:"clips_differ"`
}

// finished is a finished export.
type finished struct {
	SizeBytes int64 `json:"size_bytes"`
	Rendering struct {
		Copied   int64 `json:"copied_frames"`
		RenderMS int64 `json:"render_ms"`
	} `json:"rendering"`
}

// bt709 are encoder options for footage that states its colors.
var bt709 = []string{
	"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
}

// TestExportIsAsRecorded exports recordings without settings. The export has the size, the aspect
// ratio and the frame rate of the first clip, also of an upright phone clip and at 1440p, and
// copies as much as possible. Explicit settings still hold. The estimate names the method, the
// reason and the size.
func TestExportIsAsRecorded(t *testing.T) {
	talk := func(o mediatest.TalkOptions) string {
		o.Seconds, o.GOP, o.VideoOptions = 6, 30, bt709
		return mediatest.Talk(t, o).Path
	}
	landscape := talk(mediatest.TalkOptions{Width: 640, Height: 360, RateNum: 25})
	phone := talk(mediatest.TalkOptions{Width: 360, Height: 640, RotationDeg: 90})
	large := talk(mediatest.TalkOptions{Width: 2560, Height: 1440})
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	type settings = map[string]any
	for _, e := range []struct {
		name     string
		clips    []string
		settings settings
		want     string // size for display, frame rate and stored rotation
		method   string
		because  string // part of the reason
		differ   bool
	}{
		{"landscape", []string{landscape}, settings{}, "640x360 25 0", "copy", "", false},
		{"upright phone clip", []string{phone}, settings{}, "360x640 30 90", "copy", "", false},
		{"1440p", []string{large}, settings{"video_codec": "source"}, "2560x1440 30 0", "copy", "", false},
		{
			"first clip decides", []string{phone, landscape}, settings{}, "360x640 30 0", "encode",
			"talk.mp4 is 640×360 and the first clip is 360×640", true,
		},
		{
			"chosen resolution", []string{landscape}, settings{"resolution": "720p"}, "1280x720 25 0", "encode",
			"720p is chosen and the recording is 360p", false,
		},
		{
			"chosen shape", []string{landscape}, settings{"resolution": "720p", "aspect_ratio": "9:16"},
			"720x1280 25 0", "encode", "9:16 is chosen", false,
		},
	} {
		project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": e.name}, 201)
		root := "/api/v1/projects/" + project.UUID
		for _, clip := range e.clips {
			c.upload(project.UUID, clip)
		}
		c.clipsReady(project.UUID, len(e.clips))
		call[record](
			c, "POST", root+"/edits/", map[string]any{"type": "manual", "start_ms": 1500, "end_ms": 2300}, 201,
		)
		guess := call[estimated](
			c, "POST", root+"/exports/estimate", map[string]any{"export_settings": e.settings}, 200,
		)
		export := call[record](
			c, "POST", root+"/exports/", map[string]any{"name": "x", "export_settings": e.settings}, 202,
		)
		comesTo(t, c, root+"/exports/", "completed")
		video := filepath.Join(dir, "out.mp4")
		c.download(export.UUID, video)
		info, err := libav.New().Probe(t.Context(), video)
		if err != nil {
			t.Fatal(err)
		}
		v := info.Video
		got := fmt.Sprintf("%dx%d %.4g %d", v.Width, v.Height, v.Rate.Float(), v.RotationDeg)
		if got != e.want || guess.Width != v.Width || guess.Height != v.Height {
			t.Errorf("%s: the export is %s, want %s; the estimate is %+v", e.name, got, e.want, guess)
		}
		made := call[finished](c, "GET", "/api/v1/exports/"+export.UUID, nil, 200)
		if (e.method != "" && guess.Method != e.method) || !strings.Contains(guess.Because, e.because) ||
			guess.Differ != e.differ || guess.RenderMS <= 0 {
			t.Errorf("%s: the estimate is %+v", e.name, guess)
		}
		if copied := made.Rendering.Copied > 75; copied != (guess.Method == "copy") {
			t.Errorf("%s: %d frames are copied, the estimate is %+v", e.name, made.Rendering.Copied, guess)
		}
		off := math.Abs(float64(guess.SizeBytes)/float64(made.SizeBytes) - 1)
		if made.Rendering.RenderMS <= 0 {
			t.Errorf("%s: the record has no render time: %+v", e.name, made)
		}
		if guess.Method == "copy" && (off > 0.2 || guess.Basis != "index") {
			t.Errorf("%s: the export has %d bytes, the estimate was %+v", e.name, made.SizeBytes, guess)
		}
	}
	server.stop()
	doctor(t, dir)
}

// clipsReady waits until a number of clips of a project are ready.
func (c *client) clipsReady(project string, count int) {
	c.t.Helper()
	poll(c.t, func() bool {
		ready := 0
		for _, clip := range call[list[record]](c, "GET", "/api/v1/projects/"+project+"/clips/", nil, 200).Items {
			if clip.Status == "ready" {
				ready++
			}
		}
		return ready == count
	})
}
