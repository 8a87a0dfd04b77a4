package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// compare sends a changed timeline and returns its difference.
func (c *client) compare(project, format, text string) (found difference) {
	c.t.Helper()
	address := c.base + "/api/v1/projects/" + project + "/timelines/" + format + "/compare"
	request, err := http.NewRequest("POST", address, strings.NewReader(text))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("X-CSRF-Token", c.csrf)
	response, err := c.http.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		c.t.Fatalf("comparing %s: %d %s %v", format, response.StatusCode, body, err)
	}
	return decode[difference](c.t, body)
}

type difference struct {
	Changes []struct {
		Kind     string           `json:"kind"`
		Segments []map[string]any `json:"segments"`
	} `json:"changes"`
	Ignored []string `json:"ignored"`
}

// timeline returns the timeline of a project in a format.
func (c *client) timeline(project, format string) string {
	c.t.Helper()
	status, text, err := c.do("GET", "/api/v1/projects/"+project+"/timelines/"+format, nil)
	if err != nil || status != 200 {
		c.t.Fatalf("timeline %s: %d %s %v", format, status, text, err)
	}
	return string(text)
}

// frames is a part of a recording, in frames.
type frames struct{ from, to int }

// reorderedOTIO returns an OTIO file whose video and audio tracks play parts of the recording of
// their first clip.
func reorderedOTIO(t *testing.T, text string, parts []frames) string {
	t.Helper()
	var file map[string]any
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	for _, track := range file["tracks"].(map[string]any)["children"].([]any) {
		track := track.(map[string]any)
		clips := track["children"].([]any)
		if len(clips) == 0 {
			continue
		}
		packed, err := json.Marshal(clips[0])
		if err != nil {
			t.Fatal(err)
		}
		var list []any
		for _, p := range parts {
			clip := decode[map[string]any](t, packed)
			span := clip["source_range"].(map[string]any)
			span["start_time"].(map[string]any)["value"] = p.from
			span["duration"].(map[string]any)["value"] = p.to - p.from
			clip["markers"] = []any{}
			list = append(list, clip)
		}
		track["children"] = list
	}
	changed, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(changed)
}

// reorderedFCPXML returns an FCPXML file whose spine plays parts of the recording of its first
// clip, with 25 frames a second.
func reorderedFCPXML(t *testing.T, text string, parts []frames) string {
	t.Helper()
	spine := regexp.MustCompile(`(?s)<spine>(.*)</spine>`)
	first := regexp.MustCompile(`(?s)<asset-clip .*?(/>|</asset-clip>)`).FindString(spine.FindString(text))
	if first == "" {
		t.Fatalf("no clip in %s", text)
	}
	head := first[:strings.Index(first, ">")]
	var clips strings.Builder
	at := 0
	for _, p := range parts {
		clip := head
		for name, frame := range map[string]int{"offset": at, "start": p.from, "duration": p.to - p.from} {
			value := fmt.Sprintf(` %s="%d/2500s"`, name, 100*frame)
			clip = regexp.MustCompile(` `+name+`="[^"]*"`).ReplaceAllString(clip, value)
		}
		clips.WriteString(strings.TrimSuffix(clip, "/") + "/>")
		at += p.to - p.from
	}
	return spine.ReplaceAllLiteralString(text, "<spine>"+clips.String()+"</spine>")
}

// reorderedLLC returns a project of LosslessCut with parts of a recording as segments.
func reorderedLLC(t *testing.T, text string, parts []frames) string {
	t.Helper()
	file := decode[map[string]any](t, []byte(text))
	var list []any
	for _, p := range parts {
		list = append(list, map[string]any{"start": float64(p.from) / 25, "end": float64(p.to) / 25, "name": ""})
	}
	file["cutSegments"] = list
	changed, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(changed)
}

// A timeline that plays one recording out of order comes back from another editor: Roughcut
// proposes duplicates, the export shows the frames in the new order, the timelines of the project
// have no difference from it, and undo takes all of it back.
func TestReorderedTimelinesAreExported(t *testing.T) {
	t.Parallel()
	talk := mediatest.Talk(t, mediatest.TalkOptions{Seconds: 12, RateNum: 25, Hiss: true, VideoOptions: bt709}).Path
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	// The cuts of 1 to 2 s and 8 to 8.4 s stay; the footage from 5 to 8 s comes last.
	kept := []frames{{0, 25}, {50, 200}, {210, 300}}
	for format, change := range map[string]func(*testing.T, string, []frames) string{
		"otio": reorderedOTIO, "fcpxml": reorderedFCPXML, "llc": reorderedLLC,
	} {
		project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": format}, 201)
		root := "/api/v1/projects/" + project.UUID
		c.upload(project.UUID, talk)
		c.clipsReady(project.UUID, 1)
		for _, cut := range []frames{{1000, 2000}, {8000, 8400}} {
			edit := map[string]any{
				"type": "manual", "start_ms": cut.from, "end_ms": cut.to, "active": true, "reason": "pause",
			}
			call[record](c, "POST", root+"/edits/", edit, 201)
		}
		shows := func(name string, parts []frames) {
			t.Helper()
			out := c.exported(project.UUID, filepath.Join(dir, format+name+".mp4"))
			var want []int64
			for _, p := range parts {
				for n := p.from; n < p.to; n++ {
					want = append(want, int64(n))
				}
			}
			if got := mediatest.FrameNumbers(t, out); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %s: the export shows the frames\n%v, want\n%v", format, name, got, want)
			}
		}
		before := c.timeline(project.UUID, format)
		order := []frames{{210, 300}, {0, 25}, {50, 125}, {125, 200}, {100, 110}}
		found := c.compare(project.UUID, format, change(t, before, order))
		if len(found.Changes) != 1 || found.Changes[0].Kind != "arrange" || len(found.Ignored) > 0 {
			t.Fatalf("%s: %+v", format, found)
		}
		arrangement := map[string]any{"segments": found.Changes[0].Segments}
		made := call[list[record]](c, "PUT", root+"/clips/arrangement", arrangement, 200)
		if made.Total != 3 {
			t.Errorf("%s: %d clips", format, made.Total)
		}
		shows("arranged", order)
		for _, other := range []string{"otio", "fcpxml", "llc"} {
			if again := c.compare(project.UUID, other, c.timeline(project.UUID, other)); len(again.Changes) > 0 ||
				len(again.Ignored) > 0 {
				t.Errorf("%s: the %s of the new order has %+v", format, other, again)
			}
		}
		if os.Getenv("ROUGHCUT_LONG") != "" {
			c.meltShows(project.UUID, talk, filepath.Join(dir, format+"arranged.mp4"))
		}
		call[record](c, "POST", root+"/edit-history/undo", nil, 200)
		shows("undone", kept)
		if after := c.timeline(project.UUID, format); after != before {
			t.Errorf("%s: the timeline after undo is\n%s\nwas\n%s", format, after, before)
		}
		call[record](c, "POST", root+"/edit-history/redo", nil, 200)
		shows("redone", order)
	}
	server.stop()
	doctor(t, dir)
}

// exported exports a project and downloads the video.
func (c *client) exported(project, path string) string {
	c.t.Helper()
	root := "/api/v1/projects/" + project + "/exports/"
	export := call[record](c, "POST", root, map[string]any{"name": filepath.Base(path)}, 202)
	poll(c.t, func() bool {
		now := call[record](c, "GET", "/api/v1/exports/"+export.UUID, nil, 200)
		if now.Status == "failed" {
			c.t.Fatalf("the export failed: %s", now.Error)
		}
		return now.Status == "completed"
	})
	c.download(export.UUID, path)
	return path
}

// meltShows renders the MLT, Shotcut and Kdenlive files of a project of one recording, and compares
// their frames with a video.
func (c *client) meltShows(project, recording, video string) {
	c.t.Helper()
	t := c.t.(*testing.T)
	folder := t.TempDir()
	name := call[list[struct {
		Name string `json:"name"`
	}]](c, "GET", "/api/v1/projects/"+project+"/clips/", nil, 200).Items[0].Name
	data, err := os.ReadFile(recording)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := mediatest.FrameNumbers(t, video)
	for _, format := range []string{"mlt", "shotcut", "kdenlive"} {
		file := filepath.Join(folder, format+".mlt")
		if format == "kdenlive" {
			file = filepath.Join(folder, "a.kdenlive")
		}
		text := []byte(c.timeline(project, format))
		if err := os.WriteFile(file, bytes.TrimSpace(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out := file + ".mp4"
		melt(t, file, out)
		if got := mediatest.FrameNumbers(t, out); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s shows the frames\n%v, the export\n%v", format, got, want)
		}
	}
}
