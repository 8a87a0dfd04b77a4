package e2e

import (
	"maps"
	"testing"

	"roughcut/media/mediatest"
)

// TestEstimatesMatchExports compares estimates with the finished exports. Sizes of copies are
// within 20 %. Sizes of encodes are within 40 % after the first export of a recording. Only the
// timing test compares times.
func TestEstimatesMatchExports(t *testing.T) {
	t.Parallel()
	compareEstimates(t, 0, 16, 320, 180)
}

// TestTimingEstimatesMatchExports also compares times. Fixed costs hide in recordings of a minute.
func TestTimingEstimatesMatchExports(t *testing.T) {
	mediatest.NeedsTiming(t)
	compareEstimates(t, 0.4, 60, 1280, 720)
}

// estimateCase is an export whose estimate is compared.
type estimateCase struct {
	name     string
	talk     mediatest.TalkOptions
	settings map[string]any
}

func estimateCases() []estimateCase {
	type o = mediatest.TalkOptions
	type s = map[string]any
	phone := o{GOP: 30}
	screen := o{GOP: 250, BFrames: 3}
	hevc := o{GOP: 60, VideoCodec: "libx265", VideoOptions: []string{"-x265-params", "log-level=error"}}
	grain := o{GOP: 30, Filter: "noise=alls=8:allf=t"}
	return []estimateCase{
		{"phone", phone, s{}},
		{"screen", screen, s{}},
		{"phone, smaller", phone, s{"resolution": "720p", "aspect_ratio": "1:1"}},
		{"screen, 9:16", screen, s{"resolution": "720p", "aspect_ratio": "9:16", "fit": "crop"}},
		{"upright", o{GOP: 30, RotationDeg: 90}, s{}},
		{"grain, other shape", grain, s{"resolution": "720p", "aspect_ratio": "1:1", "fit": "crop"}},
		{"variable rate", o{GOP: 30, Variable: true}, s{}},
		{"HEVC as H.264", hevc, s{}},
		{"HEVC kept", hevc, s{"video_codec": "source"}},
		{"normalized", phone, s{"audio": s{"normalize": true, "noise_reduction": true}}},
		{"MKV", phone, s{"format": "mkv"}},
		{"audio", phone, s{"format": "flac"}},
	}
}

// compareEstimates exports recordings of a length and a frame size, each twice. The second export
// flips the video, so that nothing comes from the cache. timeLimit is the accepted error of the
// render time of the second export as a share, 0 for any.
func compareEstimates(t *testing.T, timeLimit, seconds float64, width, height int) {
	t.Helper()
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	for _, e := range estimateCases() {
		e.talk.Seconds, e.talk.Width, e.talk.Height, e.talk.Hiss = seconds, width, height, true
		if e.talk.RotationDeg != 0 {
			e.talk.Width, e.talk.Height = height, width
		}
		e.talk.VideoOptions = append(e.talk.VideoOptions, bt709...)
		project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": e.name}, 201)
		root := "/api/v1/projects/" + project.UUID
		c.upload(project.UUID, mediatest.Talk(t, e.talk).Path)
		c.clipsReady(project.UUID, 1)
		for start := 1500; start < int(1000*seconds)-3000; start += 6100 {
			cut := map[string]any{"type": "manual", "start_ms": start, "end_ms": start + 1300}
			call[record](c, "POST", root+"/edits/", cut, 201)
		}
		for _, flipped := range []bool{false, true} {
			settings := maps.Clone(e.settings)
			settings["video_flip_h"] = flipped
			asked := map[string]any{"name": "x", "export_settings": settings}
			body := map[string]any{"export_settings": settings}
			said := call[estimated](c, "POST", root+"/exports/estimate", body, 200)
			export := call[record](c, "POST", root+"/exports/", asked, 202)
			comesTo(t, c, root+"/exports/", "completed")
			made := call[finished](c, "GET", "/api/v1/exports/"+export.UUID, nil, 200)
			size := float64(said.SizeBytes) / float64(made.SizeBytes)
			took := float64(said.RenderMS) / float64(made.Rendering.RenderMS)
			t.Logf("%-20s %-6s %-7s %9d bytes, estimated ×%.2f; %6d ms, estimated ×%.2f",
				e.name, said.Method, said.Basis, made.SizeBytes, size, made.Rendering.RenderMS, took)
			limit := map[string]float64{"index": 0.2, "learned": 0.4, "guess": 1}[said.Basis]
			if said.Basis == "learned" && !flipped {
				continue // from exports of other recordings
			}
			if size < 1-limit || size > 1+limit {
				t.Errorf("%s: the export has %d bytes, the estimate was %+v", e.name, made.SizeBytes, said)
			}
			if timeLimit > 0 && flipped && (took < 1-timeLimit || took > 1+timeLimit) {
				t.Errorf("%s: the export took %d ms, the estimate was %d",
					e.name, made.Rendering.RenderMS, said.RenderMS)
			}
		}
	}
	server.stop()
	doctor(t, dir)
}
