package e2e

import (
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"roughcut/media/mediatest"
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

// Kdenlive and Shotcut open their projects and save them again with the same entries.
func TestLongEditorsResaveTimelines(t *testing.T) {
	needsLong(t)
	talk := func(o mediatest.TalkOptions) string { return timelineTalk(t, o) }
	pal := talk(mediatest.TalkOptions{RateNum: 25})
	for name, recordings := range map[string][]string{
		"25":       {pal},
		"29.97":    {talk(mediatest.TalkOptions{RateNum: 30000, RateDen: 1001})},
		"odd name": {oddCopy(t, t.TempDir(), pal)},
		"two":      {pal, talk(mediatest.TalkOptions{RateNum: 25, Hiss: true})},
	} {
		for program, extension := range map[string]string{"kdenlive": ".kdenlive", "shotcut": ".mlt"} {
			t.Run(program+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				timelines(t, dir, program, recordings...)
				project, saved := filepath.Join(dir, "cut"+extension), filepath.Join(dir, "saved"+extension)
				want := mltEntries(t, project)
				run := exec.Command("timeout", "-k", "5", "180", "dbus-run-session", "--", "xvfb-run", "-a",
					"-s", "-screen 0 1600x1000x24", "bash", "testdata/resave.sh", program, project, saved)
				if text, err := run.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", program, err, text)
				}
				if got := mltEntries(t, saved); len(want) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s saved the entries\n%v\nwant\n%v", program, got, want)
				}
			})
		}
	}
}
