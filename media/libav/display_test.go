package libav

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// Names that ffprobe gives to the metadata of HDR10.
const (
	masteringName = "Mastering display metadata"
	lightName     = "Content light level metadata"
)

// displays returns the metadata of HDR10 of each frame, and of the container, by name.
func displays(t *testing.T, path string) (frames []map[string]string, stream map[string]string) {
	t.Helper()
	type list []map[string]any
	var found struct {
		Frames []struct {
			Side list `json:"side_data_list"`
		}
		Streams []struct {
			Side list `json:"side_data_list"`
		}
	}
	out, err := mediatest.Command(
		t, "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_frames", "-show_streams",
		"-show_entries", "frame=pts:stream=index:frame_side_data:stream_side_data", "-of", "json", path,
	).Output()
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil {
		t.Fatal(err)
	}
	read := func(l list) map[string]string {
		named := map[string]string{}
		for _, d := range l {
			name, _ := d["side_data_type"].(string)
			if name == masteringName || name == lightName {
				text, _ := json.Marshal(d)
				named[name] = string(text)
			}
		}
		return named
	}
	for _, f := range found.Frames {
		frames = append(frames, read(f.Side))
	}
	return frames, read(found.Streams[0].Side)
}

// The metadata of HDR10 is on every frame of an export and in its container, with the values of the
// recording.
func TestHDR10MetadataIsKept(t *testing.T) {
	t.Parallel()
	const mastering = "master-display=G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(40000000,50)"
	const light = "max-cll=1000,400"
	pq := []string{
		"-colorspace", "bt2020nc", "-color_trc", "smpte2084", "-color_primaries", "bt2020", "-color_range", "tv",
	}
	both := []string{lightName, masteringName}
	for name, c := range map[string]struct {
		params string
		want   []string
		remux  []string // of the recording
		format string
	}{
		"both":           {mastering + ":" + light, both, nil, "mp4"},
		"both as MOV":    {mastering + ":" + light, both, nil, "mov"},
		"only mastering": {mastering + ":cll=0", []string{masteringName}, nil, "mp4"},
		"only light":     {light, []string{lightName}, nil, "mp4"},
		"in Matroska":    {mastering + ":" + light, both, []string{".mkv"}, "mp4"},
		"only in the container": {
			mastering + ":" + light, both,
			[]string{".mp4", "-bsf:v", "filter_units=remove_types=39"}, "mp4",
		},
		"none": {"hash=0", nil, nil, "mp4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := mediatest.Talk(t, hevcTalk(func(o *mediatest.TalkOptions) {
				o.Seconds, o.PixelFormat, o.BFrames = 8, "yuv420p10le", 2
				o.VideoOptions = append(x265(2, 30, "repeat-headers=1:"+c.params), pq...)
			})).Path
			if c.remux != nil {
				remuxed := t.TempDir() + "/remuxed" + c.remux[0]
				mediatest.FFmpeg(t, append(append([]string{"-i", path, "-c", "copy"}, c.remux[1:]...), remuxed)...)
				path = remuxed
			}
			source, _ := displays(t, path)
			if got := slices.Sorted(maps.Keys(source[0])); !slices.Equal(got, c.want) {
				t.Fatalf("the recording has %v", got)
			}
			plan := makePlan(t, everySecond(7500), media.RenderSettings{KeepCodec: true, Format: c.format}, path)
			out, made := renderPlan(t, plan)
			checkKept(t, made)
			if made.Copied == 0 || made.Encoded == 0 {
				t.Errorf("made %+v", made)
			}
			frames, stream := displays(t, out)
			wrong := 0
			for _, f := range frames {
				if !maps.Equal(f, source[0]) {
					wrong++
				}
			}
			if int64(len(frames)) != plan.Frames() || wrong > 0 {
				t.Errorf("%d of %d frames have other metadata", wrong, len(frames))
			}
			if !maps.Equal(stream, source[0]) {
				t.Errorf("the container states %v, want %v", stream, source[0])
			}
		})
	}
}
