package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"roughcut/media/mediatest"
)

const directorScript = `rate 48000
floor -62
pause 600
say en-us 150 welcome back everyone today we talk about sound
pause 1700
say en-us 150 the first thing you need is a good microphone on your desk
pause 1500
say en-us 150 after that please close all the windows in your room
pause 1900
`

// ranker serves a language model that prefers assets about microphones. It answers nonsense while
// broken is set.
func ranker(t *testing.T, broken *atomic.Bool) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Messages []struct{ Content string } }
		var list struct {
			Candidates []struct {
				ID    int
				Asset string
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) != 2 ||
			json.Unmarshal([]byte(asked.Messages[1].Content), &list) != nil {
			t.Errorf("request to the model: %+v, %v", asked, err)
		}
		ranking := []map[string]any{}
		for _, c := range list.Candidates {
			fit := 0.2
			if strings.Contains(c.Asset, "Microphone") {
				fit = 0.91
			}
			ranking = append(ranking, map[string]any{"id": c.ID, "fit": fit})
		}
		content, _ := json.Marshal(map[string]any{"ranking": ranking})
		if broken.Load() {
			content = []byte("As a language model I cannot do that.")
		}
		_ = json.NewEncoder(w).Encode(
			map[string]any{
				"choices": []any{
					map[string]any{"message": map[string]string{"role": "assistant", "content": string(content)}},
				},
			},
		)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// placedEdit is a placement in the list of edits.
type placedEdit struct {
	UUID, Type, Reason string
	RunUUID            *string `json:"run_uuid"`
	Active             bool
	Confidence         float64
	StartMS            int64  `json:"start_ms"`
	EndMS              int64  `json:"end_ms"`
	AssetFileID        string `json:"asset_file_id"`
	Position           string `json:"overlay_position"`
}

func (c *client) placements(root string) (list []placedEdit) {
	c.t.Helper()
	for _, e := range call[struct{ Items []placedEdit }](c, "GET", root+"/edits/", nil, 200).Items {
		if e.Type == "asset" {
			list = append(list, e)
		}
	}
	return list
}

// TestDirectorPlacesAssets places assets where a talk mentions them, ranked by a language model and
// then without it. An export shows one of them.
func TestDirectorPlacesAssets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var broken atomic.Bool
	server := serve(
		t,
		dir,
		[]string{
			"SPEECH_MODEL=" + mediatest.Model(t),
			"DIRECTOR_LLM_URL=" + ranker(t, &broken),
			"DIRECTOR_LLM_MODEL=judge",
		},
		"--owner",
	)
	c := server.owner(t)
	picture := func(name, color string, tags ...string) assetRecord {
		a := c.asset(
			c.addAsset(
				film(t, name+".png", "-f", "lavfi", "-i", "color=c="+color+":s=200x200", "-frames:v", "1"),
				"image/png",
			).UUID,
		)
		return call[assetRecord](
			c, "PATCH", "/api/v1/assets/"+a.UUID,
			map[string]any{"display_name": name, "tags": append([]string{}, tags...)}, 200,
		)
	}
	microphone, house := picture("Microphone close-up", "red"), picture("IMG_0042", "blue", "window")
	picture("Espresso", "green")
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "A talk"}, 201)
	root := "/api/v1/projects/" + project.UUID
	events := c.events(project.UUID, "CLIP_READY", "ANALYSIS_COMPLETE", "ANALYSIS_COMPLETE", "EXPORT_COMPLETE")
	c.upload(
		project.UUID,
		mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, Script: directorScript}).Path,
	)
	wait(t, events)
	type run struct {
		Report     *string `json:"director_report"`
		Transcript struct {
			Words []struct {
				Text    string
				StartMS int64 `json:"start_ms"`
				EndMS   int64 `json:"end_ms"`
			}
		}
	}
	analyze := func() run {
		t.Helper()
		started := call[struct {
			RunUUID string `json:"run_uuid"`
		}](c, "POST", root+"/analyze", map[string]any{
			"language": "en", "director_notes": "no videos, put pictures into the bottom left corner",
		}, 202)
		if event := wait(t, events); event["edit_count"] == nil {
			t.Fatalf("%v", event)
		}
		return call[run](c, "GET", root+"/analysis-runs/"+started.RunUUID, nil, 200)
	}
	first := analyze()
	if first.Report == nil || !strings.Contains(*first.Report, "A language model ranked them.") {
		t.Errorf("the report of the run is %v", first.Report)
	}
	said := func(what string) int64 {
		for _, w := range first.Transcript.Words {
			if strings.Contains(strings.ToLower(w.Text), what) {
				return w.StartMS
			}
		}
		t.Fatalf("the transcript lacks %s: %+v", what, first.Transcript.Words)
		return 0
	}
	placed := func(asset assetRecord, what string, byModel bool) placedEdit {
		t.Helper()
		list, at := c.placements(root), said(what)
		if len(list) != 1 {
			t.Fatalf("placements: %+v", list)
		}
		p := list[0]
		if p.AssetFileID != asset.FileID || !p.Active || byModel != (p.Confidence == 0.91) || p.RunUUID == nil ||
			p.Position != "bottom_left" || p.StartMS > at || at >= p.EndMS || p.StartMS < at-1500 ||
			!strings.Contains(strings.ToLower(p.Reason), "you say “"+what) {
			t.Fatalf("%s is said at %d ms, its placement is %+v", what, at, p)
		}
		return p
	}
	placed(microphone, "microphone", true) // only one fits
	broken.Store(true)
	second := analyze()
	if second.Report == nil || !strings.Contains(*second.Report, "did not respond correctly") {
		t.Errorf("without the model, the report of the run is %+v", second)
	}
	shown := placed(house, "window", false)

	// without cuts, the export has the times of the recording
	for _, e := range call[struct{ Items []placedEdit }](c, "GET", root+"/edits/", nil, 200).Items {
		if e.Type != "asset" {
			call[record](c, "PATCH", "/api/v1/edits/"+e.UUID, map[string]any{"active": false}, 200)
		}
	}
	export := call[record](
		c, "POST", root+"/exports/",
		map[string]any{"name": "first", "export_settings": map[string]string{"resolution": "720p"}}, 202,
	)
	if event := wait(t, events); event["storage_key"] == nil {
		t.Fatalf("%v", event)
	}
	out := filepath.Join(dir, "download.mp4")
	c.download(export.UUID, out)
	x, y := 29+1280*35/200, 720-29-1280*35/200 // center of the image
	for at, want := range map[int64]bool{
		shown.StartMS - 200: false, (shown.StartMS + shown.EndMS) / 2: true, shown.EndMS + 200: false,
	} {
		if got := pixel(t, out, at, x, y); want != (got[0] < 60 && got[1] < 60 && got[2] > 200) {
			t.Errorf("at %d ms (shown from %d to %d) the color is %v", at, shown.StartMS, shown.EndMS, got)
		}
	}
	server.stop()
	doctor(t, dir)
}
