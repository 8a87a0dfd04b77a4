package e2e

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"roughcut/media/mediatest"
	"roughcut/media/subtitle"
)

// mltDocument is what the tests compare of a project of Kdenlive or Shotcut.
type mltDocument struct {
	Profile struct {
		Num float64 `xml:"frame_rate_num,attr"`
		Den float64 `xml:"frame_rate_den,attr"`
	} `xml:"profile"`
	Playlists []struct {
		ID    string    `xml:"id,attr"`
		Items []mltItem `xml:",any"`
	} `xml:"playlist"`
}

type mltItem struct {
	XMLName xml.Name
	In      string `xml:"in,attr"`
	Out     string `xml:"out,attr"`
	Length  string `xml:"length,attr"`
}

// mltEntries returns the entries and blanks of the tracks of a project, in frames.
func mltEntries(t *testing.T, path string) (tracks []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc mltDocument
	if err := xml.Unmarshal(data, &doc); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	frames := func(text string) int64 {
		h, rest, clock := strings.Cut(text, ":")
		m, s, _ := strings.Cut(rest, ":")
		if !clock {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		var value [3]float64
		for i, part := range []string{h, m, s} {
			if value[i], err = strconv.ParseFloat(part, 64); err != nil {
				t.Fatal(err)
			}
		}
		return int64(math.Round((3600*value[0] + 60*value[1] + value[2]) * doc.Profile.Num / doc.Profile.Den))
	}
	for _, p := range doc.Playlists {
		if p.ID == "main_bin" || p.ID == "background" {
			continue
		}
		var track strings.Builder
		for _, item := range p.Items {
			switch item.XMLName.Local {
			case "entry":
				fmt.Fprintf(&track, " %d-%d", frames(item.In), frames(item.Out))
			case "blank":
				fmt.Fprintf(&track, " (%d)", frames(item.Length))
			}
		}
		if track.Len() > 0 {
			tracks = append(tracks, track.String())
		}
	}
	return tracks
}

// resave opens a project in Kdenlive or Shotcut and saves it under another name.
func resave(t *testing.T, program, project, saved string) {
	t.Helper()
	run := mediatest.Command(t, "timeout", "-k", "5", "180", "dbus-run-session", "--", "xvfb-run", "-a",
		"-s", "-screen 0 1600x1000x24", "bash", "testdata/resave.sh", program, project, saved)
	if text, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, text)
	}
}

// Kdenlive and Shotcut open their projects of footage of every kind and save them again with the
// same entries.
func TestLongEditorsResaveTimelines(t *testing.T) {
	needsLong(t)
	for name, recordings := range everyFootage(t) {
		for program, extension := range map[string]string{"kdenlive": ".kdenlive", "shotcut": ".mlt"} {
			t.Run(program+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				timelines(t, dir, program, recordings...)
				project, saved := filepath.Join(dir, "cut"+extension), filepath.Join(dir, "saved"+extension)
				want := mltEntries(t, project)
				resave(t, program, project, saved)
				if got := mltEntries(t, saved); len(want) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s saved the entries\n%v\nwant\n%v", program, got, want)
				}
			})
		}
	}
}

// Kdenlive opens the captions next to its project and saves them again.
func TestLongKdenliveKeepsCaptions(t *testing.T) {
	needsLong(t)
	dir := t.TempDir()
	lines, base := filepath.Join(dir, "lines.srt"), filepath.Join(dir, "cut")
	const said = "1\n00:00:00,400 --> 00:00:02,000\nGrüße & mehr\n\n2\n00:00:02,400 --> 00:00:05,000\nof “it”\n\n"
	if err := os.WriteFile(lines, []byte(said), 0o600); err != nil {
		t.Fatal(err)
	}
	talk := timelineTalk(t, mediatest.TalkOptions{RateNum: 25})
	if text, err := program(context.Background(), dir, "cut", talk, "--transcript", lines, "-o", base,
		"--timeline", "kdenlive").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want, err := os.ReadFile(base + ".kdenlive.srt")
	if err != nil || !strings.Contains(string(want), "Grüße & mehr") {
		t.Fatalf("the captions are %q: %v", want, err)
	}
	resave(t, "kdenlive", base+".kdenlive", filepath.Join(dir, "saved.kdenlive"))
	got, err := os.ReadFile(filepath.Join(dir, "saved.kdenlive.srt"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := subtitle.ReadCaptions(got)
	own, err2 := subtitle.ReadCaptions(want)
	if err := errors.Join(err, err2); err != nil || len(kept.Lines) != len(own.Lines) {
		t.Fatalf("Kdenlive saved the captions %q, want %q: %v", got, want, err)
	}
	near := func(a, b int64) bool { return max(a-b, b-a) <= 20 } // half a frame
	for i, k := range kept.Lines {
		if o := own.Lines[i]; k.Text != o.Text || !near(k.StartMS, o.StartMS) || !near(k.EndMS, o.EndMS) {
			t.Errorf("Kdenlive saved caption %d as %+v, want %+v", i, k, o)
		}
	}
}

// OpenShot's importers read the clips of Final Cut 7 XML and of an EDL at their times.
func TestLongOpenShotReadsTimelines(t *testing.T) {
	needsLong(t)
	talk := func(o mediatest.TalkOptions) string { return timelineTalk(t, o) }
	pal := talk(mediatest.TalkOptions{RateNum: 25})
	audio := filepath.Join(t.TempDir(), "audio only.wav")
	extract := mediatest.Command(t, "ffmpeg", "-v", "error", "-i", pal, "-vn", audio)
	if text, err := extract.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for name, c := range map[string]struct {
		rate       string
		recordings []string
	}{
		"25":         {"25", []string{pal}},
		"29.97":      {"30000/1001", []string{talk(mediatest.TalkOptions{RateNum: 30000, RateDen: 1001})}},
		"odd name":   {"25", []string{oddCopy(t, t.TempDir(), pal)}},
		"two":        {"25", inOneFolder(t, pal, talk(mediatest.TalkOptions{RateNum: 25, Hiss: true}))},
		"audio only": {"30", []string{audio}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			args := append([]string{"cut"}, c.recordings...)
			args = append(args, "-o", filepath.Join(dir, "cut"), "--timeline", "otio,xmeml,edl")
			if text, err := program(context.Background(), dir, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			var want []openShotClip
			at := 0.0
			first := readOTIO(t, filepath.Join(dir, "cut.otio"))[0] // other tracks have the same clips
			for _, clip := range first.Children {
				path, err := url.PathUnescape(strings.TrimPrefix(clip.References["DEFAULT_MEDIA"].URL, "file://"))
				if err != nil {
					t.Fatal(err)
				}
				from, n := clip.Source.Start.Value, clip.Source.Duration.Value
				want = append(want, openShotClip{path, at, from, from + n})
				at += n
			}
			for _, file := range []string{"cut.xml", "cut.edl"} {
				got := readOpenShot(t, filepath.Join(dir, file), c.rate, filepath.Dir(c.recordings[0]))
				if len(want) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("OpenShot reads %v from %s\nwant %v", got, file, want)
				}
			}
		})
	}
}

// inOneFolder copies recordings into one folder, as an EDL names no folder.
func inOneFolder(t *testing.T, recordings ...string) (copies []string) {
	t.Helper()
	dir := t.TempDir()
	for i, r := range recordings {
		data, err := os.ReadFile(r)
		if err != nil {
			t.Fatal(err)
		}
		copies = append(copies, filepath.Join(dir, fmt.Sprintf("talk %d.mp4", i+1)))
		if err := os.WriteFile(copies[i], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return copies
}

// readOpenShot returns the clips that OpenShot's importer makes of a file, from the recordings in a
// folder.
func readOpenShot(t *testing.T, path, rate, folder string) (clips []openShotClip) {
	t.Helper()
	run := mediatest.Command(t, "xvfb-run", "-a", "/usr/bin/python3", "testdata/read_openshot.py", path, rate, folder)
	run.Env = append(os.Environ(), "HOME="+filepath.Dir(path))
	var failure strings.Builder
	run.Stderr = &failure
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, failure.String())
	}
	for line := range strings.Lines(string(out)) {
		var track [][]any
		if !strings.HasPrefix(line, "[") || json.Unmarshal([]byte(line), &track) != nil {
			continue
		}
		for _, clip := range track {
			clips = append(clips, openShotClip{
				clip[0].(string), clip[1].(float64), clip[2].(float64), clip[3].(float64),
			})
		}
	}
	return clips
}

// openShotClip is a clip on the timeline of OpenShot: its file, and frames.
type openShotClip struct {
	path                 string
	position, start, end float64
}
