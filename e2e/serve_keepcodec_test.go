package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// TestExportKeepsHEVC exports an HEVC recording as HEVC, which copies most frames, and as H.264.
// H.264 is the default and the fallback if the frame format differs. The record of each export
// names its codec and the reason.
func TestExportKeepsHEVC(t *testing.T) {
	t.Parallel()
	talk := mediatest.Talk(
		t,
		mediatest.TalkOptions{
			Width:      1280,
			Height:     720,
			Seconds:    6,
			VideoCodec: "libx265",
			GOP:        30,
			BFrames:    2,
			OpenGOP:    true,
			VideoOptions: []string{
				"-colorspace",
				"bt709",
				"-color_primaries",
				"bt709",
				"-color_trc",
				"bt709",
				"-color_range",
				"tv",
			},
		},
	)
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "HEVC"}, 201)
	root := "/api/v1/projects/" + project.UUID
	c.upload(project.UUID, talk.Path)
	comesTo(t, c, root+"/clips/", "ready")
	call[record](c, "POST", root+"/edits/", map[string]any{"type": "manual", "start_ms": 1500, "end_ms": 2300}, 201)
	type settings map[string]string
	for _, e := range []struct {
		settings       settings
		codec, because string
		copied         bool
	}{
		{settings{"resolution": "720p", "video_codec": "source"}, "hevc", "", true},
		{settings{"resolution": "720p"}, "h264", "", false},
		{
			settings{"resolution": "720p", "aspect_ratio": "1:1", "video_codec": "source"}, "h264",
			"the export is 720×720, the recording is 1280×720", false,
		},
	} {
		export := call[record](
			c, "POST", root+"/exports/", map[string]any{"name": "x", "export_settings": e.settings}, 202,
		)
		comesTo(t, c, root+"/exports/", "completed")
		made := call[struct {
			Rendering struct {
				Copied  int64  `json:"copied_frames"`
				Codec   string `json:"video_codec"`
				Because string `json:"h264_because"`
				Again   string `json:"repeated_because"`
			} `json:"rendering"`
		}](c, "GET", "/api/v1/exports/"+export.UUID, nil, 200).Rendering
		if made.Codec != e.codec || made.Because != e.because || (made.Copied > 75) != e.copied || made.Again != "" {
			t.Errorf("with %v: %+v", e.settings, made)
		}
		video := filepath.Join(dir, "out.mp4")
		c.download(export.UUID, video)
		report, err := mediatest.Command(
			t, "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=codec_name,nb_frames",
			"-of", "csv=p=0", video,
		).Output()
		if want := e.codec + ",156"; err != nil || strings.TrimSpace(string(report)) != want {
			t.Errorf("with %v: %q, want %q, %v", e.settings, report, want, err)
		}
	}
	server.stop()
	doctor(t, dir)
}
