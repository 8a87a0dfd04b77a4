package server

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store"
	"roughcut/store/billing"
)

var timestampPattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$`)

func TestMainFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	created := p.do(
		"POST",
		"/api/v1/projects/",
		map[string]any{"name": " Talk ", "settings": map[string]any{"zoom": 2}},
	).want(201, "")
	project := created.text("uuid")
	if created.text("status") != "created" || created.text("name") != "Talk" ||
		created.text("settings", "zoom") != "2" ||
		created.value("transcript") != nil ||
		!timestampPattern.MatchString(created.text("created_at")) {
		t.Errorf("new project %s", created.body)
	}
	base := "/api/v1/projects/" + project
	p.do("POST", base+"/analyze", map[string]any{}).want(400, "no_clips")

	clip := p.readyClip(project)
	record := p.do("GET", base+"/clips/", nil).want(200, "")
	if record.text("items", 0, "status") != "ready" || record.text("items", 0, "frame_rate") != "29.97002997002997" ||
		record.text("items", 0, "sprite_seconds_per_tile") != "1" ||
		record.text("items", 0, "waveform") != "true" {
		t.Errorf("ready clip %s", record.body)
	}
	if got := p.do("GET", base+"/analysis-cost", nil).want(200, ""); got.text("estimated_minutes") != "0.17" ||
		got.text("sufficient") != "true" {
		t.Errorf("estimate %s", got.body)
	}

	started := p.do("POST", base+"/analyze", map[string]any{"pacing_level": 50, "language": nil}).want(202, "")
	run := started.text("run_uuid")
	if started.text("status") != "analyzing" || started.text("estimated_minutes") != "0.17" {
		t.Errorf("analyze responds with %s", started.body)
	}
	p.do("POST", base+"/analyze", map[string]any{}).want(409, "already_analyzing")
	p.do("POST", base+"/analysis-runs/"+run+"/activate", nil).want(422, "run_not_activatable")
	if got := p.do("GET", "/api/v1/payments/subscription/status", nil).want(
		200,
		"",
	).text("credits", "ai_minutes", "reserved"); got != "0.17" {
		t.Errorf("reserved minutes %s", got)
	}
	w.doubt = media.LanguageUnsure
	w.finishAnalysis(clip)
	holds(
		t, p.do("GET", base+"/analysis-runs/"+run, nil).want(200, ""),
		map[string]any{"language": nil, "spoken_language": "en", "language_doubt": "unsure", "model": "tiny"},
	)
	full := p.do("GET", base+"/analysis-runs/"+run, nil).want(200, "")
	if full.text("status") != "completed" || full.text("model") != "tiny" ||
		full.text("transcript", "words", 1, "text") != "brave" ||
		full.text("credits_charged") != "0.17" ||
		full.value("language") != nil {
		t.Errorf("run %s", full.body)
	}
	if got := p.do("GET", base, nil).want(
		200,
		"",
	); got.text("active_run_id") != run || got.text("transcript", "language") != "en" ||
		got.text("duration_ms") != "10000" {
		t.Errorf("project %s", got.body)
	}
	p.do("POST", base+"/analysis-runs/"+run+"/cancel", nil).want(409, "conflict")
	p.do("POST", base+"/analysis-runs/"+run+"/activate", nil).want(200, "")
	if got := p.do("GET", base+"/analysis-runs", nil).want(200, "").text("items", 0, "edit_count"); got != "1" {
		t.Errorf("edit count %s", got)
	}
	if got := p.do("GET", "/api/v1/search?q=brave", nil).want(200, ""); got.status != 200 {
		t.Errorf("search responds with %s", got.body)
	}
	p.do("DELETE", base, nil).want(204, "")
	p.do("GET", base, nil).want(404, "not_found")
}

func TestDraftsAndExports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	p.do("POST", base+"/exports/", map[string]any{"name": "early"}).want(400, "no_clips")
	clip := p.readyClip(project)
	p.analyze(project, clip)
	edit := p.do("GET", base+"/edits/", nil).text("items", 0, "uuid")

	draft := p.do("POST", base+"/drafts/", map[string]any{
		"name":           "short",
		"edit_overrides": map[string]any{edit: map[string]any{"active": false}},
		"export_settings": map[string]any{
			"resolution": "720p",
			"platform":   "web",
			"audio":      map[string]any{"main_volume_percent": 40},
		},
	}).want(201, "")
	if draft.text("edit_overrides", edit, "active") != "false" || draft.text("export_settings", "platform") != "web" {
		t.Errorf("draft %s", draft.body)
	}
	address := "/api/v1/drafts/" + draft.text("uuid")
	list := p.do("GET", base+"/drafts/", nil).want(200, "")
	if list.text("items", 0, "name") != "short" || strings.Contains(string(list.body), "edit_overrides") ||
		strings.Contains(string(list.body), "export_settings") {
		t.Errorf("list %s", list.body)
	}
	if got := p.do("GET", address, nil).want(200, ""); got.text("edit_overrides", edit, "active") != "false" ||
		got.text("export_settings", "audio", "main_volume_percent") != "40" {
		t.Errorf("draft %s", got.body)
	}
	p.do(
		"POST",
		base+"/drafts/",
		map[string]any{"name": "x", "edit_overrides": map[string]any{noSuchUUID: map[string]any{}}},
	).want(422, "unknown_edit")
	p.do(
		"POST",
		base+"/drafts/",
		map[string]any{"name": "x", "edit_overrides": map[string]any{edit: map[string]any{"end_ms": clipMS + 1}}},
	).want(400, "out_of_bounds")
	p.do(
		"PATCH",
		address,
		map[string]any{"edit_overrides": map[string]any{edit: map[string]any{"start_ms": 5, "end_ms": 5}}},
	).want(422, "unprocessable")
	if got := p.do("PATCH", address, map[string]any{"name": "shorter"}).want(
		200,
		"",
	); got.text("name") != "shorter" ||
		got.text("edit_overrides", edit, "active") != "false" {
		t.Errorf("changed draft %s", got.body)
	}

	export := p.do(
		"POST",
		base+"/exports/",
		map[string]any{
			"name":            "e",
			"draft_id":        draft.text("uuid"),
			"export_settings": map[string]any{"aspect_ratio": "1:1"},
		},
	).want(202, "")
	if export.text("status") != "queued" || export.text("export_settings", "resolution") != "720p" ||
		export.text("export_settings", "aspect_ratio") != "1:1" ||
		export.text("export_settings", "audio", "main_volume_percent") != "40" ||
		export.value("expires_at") == nil {
		t.Errorf("export %s", export.body)
	}
	p.do("POST", base+"/exports/", map[string]any{"name": "e", "draft_id": noSuchUUID}).want(404, "not_found")
	one := "/api/v1/exports/" + export.text("uuid")
	p.do("GET", one+"/download-url", nil).want(409, "conflict")
	if got := p.do("POST", one+"/cancel", nil).want(202, ""); got.text("status") != "cancelled" {
		t.Errorf("cancelled export %s", got.body)
	}
	p.do("POST", one+"/cancel", nil).want(409, "conflict")
	p.do("DELETE", one, nil).want(204, "")
	p.do("GET", base+"/exports/?page_size=1", nil).want(200, "")
	p.do("GET", base+"/drafts/", nil).want(200, "")
	p.do("DELETE", address, nil).want(204, "")
	p.do("GET", address, nil).want(404, "not_found")
}

func TestProjectsAreListedInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	for _, name := range []string{"red", "green", "blue"} {
		p.project(name)
		w.clock.Advance(time.Second)
	}
	w.person("other").project("red")
	list := p.do("GET", "/api/v1/projects/?page_size=2", nil).want(200, "")
	if list.text("total") != "3" || list.text("items", 0, "name") != "blue" || list.text("page_size") != "2" ||
		len(list.value("items").([]any)) != 2 {
		t.Errorf("first page %s", list.body)
	}
	if got := p.do("GET", "/api/v1/projects/?q=RE", nil).want(200, ""); got.text("total") != "2" {
		t.Errorf("search for RE: %s", got.body)
	}
	if got := p.do("GET", "/api/v1/projects/?page=9", nil).want(200, ""); len(got.value("items").([]any)) != 0 {
		t.Errorf("page past the end: %s", got.body)
	}
	one := "/api/v1/projects/" + list.text("items", 0, "uuid")
	if got := p.do("PATCH", one, map[string]any{"name": "navy", "settings": map[string]any{"a": 1}}).want(
		200,
		"",
	); got.text("name") != "navy" ||
		got.text("settings", "a") != "1" {
		t.Errorf("changed project %s", got.body)
	}
	p.do("PATCH", one, map[string]any{"name": "   "}).want(422, "unprocessable")
}

func TestWaveformIsReduced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	clip := p.readyClip(p.project("Talk"))
	whole := p.do("GET", "/api/v1/clips/"+clip+"/waveform", nil).want(200, "")
	peaks := whole.value("peaks").([]any)
	if whole.text("samples_per_second") != "100" || whole.text("duration_ms") != "10000" || len(peaks) != 1000 ||
		peaks[2].(float64) != 255 {
		t.Errorf("the waveform has %d peaks: %.100s", len(peaks), whole.body)
	}
	var reduced struct {
		Rate  float64 `json:"samples_per_second"`
		Peaks []int   `json:"peaks"`
	}
	if err := json.Unmarshal(
		p.do("GET", "/api/v1/clips/"+clip+"/waveform?samples=300", nil).want(200, "").body,
		&reduced,
	); err != nil {
		t.Fatal(err)
	}
	if len(reduced.Peaks) > 300 || len(reduced.Peaks) < 150 ||
		math.Abs(float64(len(reduced.Peaks))/reduced.Rate-10) > 0.05 {
		t.Errorf("%d peaks at %v per second", len(reduced.Peaks), reduced.Rate)
	}
	for i, peak := range reduced.Peaks {
		if peak != 255 {
			t.Fatalf("peak %d is %d: the largest one is lost", i, peak)
		}
	}
	p.do("GET", "/api/v1/clips/"+clip+"/waveform?samples=0", nil).want(422, "unprocessable")
}

func TestOwnerModeChargesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	owner, err := w.store.User(w.server.ownerUUID)
	if err != nil {
		t.Fatal(err)
	}
	p := w.signIn(owner)
	status := p.do("GET", "/api/v1/payments/subscription/status", nil).want(200, "")
	if status.text("tier") != "viral" || status.text("can_watermark_free") != "true" {
		t.Errorf("the owner's tier is %s", status.body)
	}
}

func ownerMode(o *Options, so *store.Options) {
	o.Settings.Owner = true
	so.TierTable = billing.DefaultTierTable()
	so.TierTable.Unlimited = true
}
