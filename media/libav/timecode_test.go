package libav

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// timecodeOf returns the timecode of a file, as ffprobe finds it on the video track.
func timecodeOf(t *testing.T, path string) string {
	t.Helper()
	out, err := mediatest.Command(
		t, "ffprobe", "-v", "error", "-select_streams", "v:0",
		"-show_entries", "stream_tags=timecode,TIMECODE:format_tags=timecode", "-of", "default=nw=1:nk=1", path,
	).Output()
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}

// An export has the timecode of its first frame, whatever is cut, and whether it is copied or
// encoded.
func TestTimecodeIsKept(t *testing.T) {
	t.Parallel()
	checkTimecode(t, false)
}

func TestLongTimecodeIsKept(t *testing.T) {
	needsLong(t)
	checkTimecode(t, true)
}

// checkTimecode checks each kind of export of every recording, in one of the formats or in all of
// them.
func checkTimecode(t *testing.T, all bool) {
	t.Helper()
	const rate = "testsrc2=s=320x180:d=6:r="
	for i, c := range []struct {
		name, file, rate, timecode string
		options                    []string
		cut                        string
	}{
		{"MOV", "a.mov", "25", "01:02:03:04", nil, "01:02:05:04"},
		{"MP4", "a.mp4", "25", "23:59:58:00", nil, "00:00:00:00"},
		{"MKV", "a.mkv", "25", "10:00:00:00", nil, "10:00:02:00"},
		{"drop frame", "a.mov", "30000/1001", "00:00:59;28", nil, "00:01:02;00"},
		{"MXF", "a.mxf", "25", "01:02:03:04", []string{"-c:v", "mpeg2video"}, "01:02:05:04"},
		{"DV", "a.dv", "25", "01:02:03:04", []string{"-s", "720x576", "-c:v", "dvvideo", "-ac", "2"}, "01:02:05:04"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), c.file)
			args := []string{"-f", "lavfi", "-i", rate + c.rate, "-f", "lavfi", "-i", "sine=r=48000:d=6", "-g", "25"}
			args = append(append(args, "-pix_fmt", "yuv420p", "-bf", "0"), c.options...)
			if c.options != nil {
				args = append(args, "-c:a", "pcm_s16le")
			}
			mediatest.FFmpeg(t, append(args, "-timecode", c.timecode, "-metadata", "timecode="+c.timecode, path)...)
			cuts := []media.Span{{StartMS: 0, EndMS: 2000}, {StartMS: 3000, EndMS: 4000}}
			for j, p := range []struct {
				kind string
				cuts []media.Span
				flip bool
				want string
			}{
				{"whole", nil, false, c.timecode}, {"cut", cuts, false, c.cut}, {"encoded", cuts, true, c.cut},
			} {
				for _, format := range everyOrOne([]string{"mp4", "mov", "mkv"}, i+j, all) {
					plan := makePlan(t, p.cuts, media.RenderSettings{Format: format, FlipH: p.flip}, path)
					out, _ := renderPlan(t, plan)
					if got := timecodeOf(t, out); got != p.want {
						t.Errorf("%s, %s: the timecode is %q, want %q", format, p.kind, got, p.want)
					}
				}
			}
		})
	}
}

// The time of day of a Broadcast Wave recording reaches exports: as the time reference of the first
// sample with the origination date in WAV, as timecode in video.
func TestTimeReferenceIsKept(t *testing.T) {
	t.Parallel()
	const tenHours = 10 * 3600
	cuts := []media.Span{{StartMS: 0, EndMS: 1500}, {StartMS: 2000, EndMS: 2500}}
	for _, rf64 := range []string{"never", "always"} {
		path := filepath.Join(t.TempDir(), "take.wav")
		mediatest.FFmpeg(t, "-f", "lavfi", "-i", "sine=r=44100:d=4", "-write_bext", "1", "-rf64", rf64,
			"-metadata", "time_reference="+strconv.Itoa(tenHours*44100+22050),
			"-metadata", "origination_date=2024-05-06", "-metadata", "origination_time=10:11:12", path)
		for _, c := range []struct {
			format, reference, timecode string
			cuts                        []media.Span
		}{
			{"wav", strconv.Itoa(tenHours*48000 + 24000), "", nil},
			{"wav", strconv.Itoa(tenHours*48000 + 24000 + 72000), "", cuts},
			{"mp4", "", "10:00:00:15", nil},
			{"mov", "", "10:00:02:00", cuts},
			{"mkv", "", "10:00:02:00", cuts},
			{"m4a", "", "", cuts},
			{"flac", "", "", cuts},
		} {
			out, _ := renderPlan(t, makePlan(t, c.cuts, media.RenderSettings{Format: c.format, ShortSide: 120}, path))
			info, err := New().Probe(context.Background(), out)
			if err != nil {
				t.Fatal(err)
			}
			tags := ffprobe(t, out, "-show_format").Format.Tags
			if tags["time_reference"] != c.reference || info.Timecode != c.timecode {
				t.Errorf("%s: the time reference is %q and the timecode %q, want %q and %q",
					c.format, tags["time_reference"], info.Timecode, c.reference, c.timecode)
			}
			if c.format == "wav" && (tags["date"] != "2024-05-06" || tags["creation_time"] != "10:11:12") {
				t.Errorf("the origination is %s %s", tags["date"], tags["creation_time"])
			}
		}
	}
}
