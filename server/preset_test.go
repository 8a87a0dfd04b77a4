package server

import (
	"fmt"
	"slices"
	"testing"

	"roughcut/media"
)

const (
	presetsPath  = "/api/v1/users/me/presets"
	previewsPath = "/api/v1/users/me/preview-presets"
)

// holds checks the fields of a record against JSON values.
func holds(t *testing.T, r *reply, want map[string]any) {
	t.Helper()
	for field, value := range want {
		if got := r.value(field); fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s: %s is %v, want %v", r.what, field, got, value)
		}
	}
}

func TestAnalysisPresets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, stranger := w.person("p"), w.person("stranger")
	empty := p.do("GET", presetsPath, nil).want(200, "")
	holds(t, empty, map[string]any{"total": 0, "page": 1, "page_size": 50, "items": []any{}})

	plain := p.do("POST", presetsPath+"/", map[string]any{"name": "plain"}).want(201, "")
	holds(
		t,
		plain,
		map[string]any{
			"name":                    "plain",
			"pacing_level":            50,
			"false_start_sensitivity": 50,
			"language":                nil,
			"audio_clean":             false,
			"censorship_mode":         "none",
			"director_notes":          "",
			"is_default":              false,
		},
	)
	full := map[string]any{
		"name":                    "tight",
		"pacing_level":            100,
		"false_start_sensitivity": 0,
		"language":                "pt-BR",
		"audio_clean":             true,
		"censorship_mode":         "bleep",
		"director_notes":          "more cats",
		"is_default":              true,
	}
	tight := p.do("POST", presetsPath, full).want(201, "")
	holds(t, tight, full)
	path := presetsPath + "/" + tight.text("uuid")

	w.clock.Advance(1e9)
	changed := p.do("PATCH", path, map[string]any{"name": "tighter", "audio_clean": false}).want(200, "")
	holds(
		t,
		changed,
		map[string]any{
			"name":         "tighter",
			"audio_clean":  false,
			"language":     "pt-BR",
			"pacing_level": 100,
			"is_default":   true,
			"created_at":   tight.text("created_at"),
		},
	)
	if changed.text("updated_at") <= tight.text("updated_at") {
		t.Errorf("updated_at is %s", changed.text("updated_at"))
	}
	holds(
		t,
		p.do("PATCH", path, map[string]any{"language": nil}).want(200, ""),
		map[string]any{"language": nil, "name": "tighter"},
	)
	holds(t, p.do("PATCH", path, map[string]any{"language": "de"}).want(200, ""), map[string]any{"language": "de"})
	holds(t, p.do("PATCH", path, map[string]any{}).want(200, ""), map[string]any{"language": "de"})

	if got := stranger.do("GET", presetsPath, nil).want(200, "").text("total"); got != "0" {
		t.Errorf("another user sees %s presets", got)
	}
	stranger.do("PATCH", path, map[string]any{"name": "mine"}).want(403, "forbidden")
	p.do("DELETE", path, nil).want(204, "")
	p.do("DELETE", path, nil).want(404, "not_found")
	if list := p.do("GET", presetsPath, nil).want(200, ""); list.text("total") != "1" ||
		list.text("items", 0, "name") != "plain" {
		t.Errorf("left: %s", list.body)
	}
}

func TestAtMostOneDefaultPreset(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.person("p"), w.person("other")
	theirs := other.do("POST", presetsPath, map[string]any{"name": "theirs", "is_default": true}).want(201, "")
	first := p.do("POST", presetsPath, map[string]any{"name": "a", "is_default": true}).want(201, "").text("uuid")
	second := p.do("POST", presetsPath, map[string]any{"name": "b", "is_default": true}).want(201, "").text("uuid")
	defaults := func() (names string) {
		list := p.do("GET", presetsPath, nil).want(200, "")
		for i := range list.value("items").([]any) {
			if list.value("items", i, "is_default") == true {
				names += list.text("items", i, "name")
			}
		}
		return names
	}
	if got := defaults(); got != "b" {
		t.Errorf("after creating two: %q", got)
	}
	p.do("PATCH", presetsPath+"/"+first, map[string]any{"is_default": true}).want(200, "")
	if got := defaults(); got != "a" {
		t.Errorf("after a change: %q", got)
	}
	p.do("PATCH", presetsPath+"/"+first, map[string]any{"is_default": false}).want(200, "")
	p.do("PATCH", presetsPath+"/"+second, map[string]any{"name": "c"}).want(200, "")
	if got := defaults(); got != "" {
		t.Errorf("after removing the default: %q", got)
	}
	holds(
		t,
		other.do("PATCH", presetsPath+"/"+theirs.text("uuid"), map[string]any{}).want(200, ""),
		map[string]any{"is_default": true},
	)
}

func TestAtMostFiveAnalysisPresets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	done := make(chan int)
	for i := range 12 {
		go func() {
			done <- w.send(p.request("POST", presetsPath, map[string]any{"name": fmt.Sprint("n", i)})).status
		}()
	}
	made, refused := 0, 0
	for range 12 {
		switch <-done {
		case 201:
			made++
		case 422:
			refused++
		}
	}
	if made != 5 || refused != 7 {
		t.Errorf("%d created, %d rejected", made, refused)
	}
	p.do("POST", presetsPath, map[string]any{"name": "sixth"}).want(422, "plan_limit_presets")
	p.do("POST", presetsPath, map[string]any{"name": "sixth", "pacing_level": 101}).want(422, "unprocessable")
	id := p.do("GET", presetsPath, nil).text("items", 0, "uuid")
	p.do("PATCH", presetsPath+"/"+id, map[string]any{"name": "still mine to change"}).want(200, "")
	p.do("DELETE", presetsPath+"/"+id, nil).want(204, "")
	p.do("POST", presetsPath, map[string]any{"name": "fifth again"}).want(201, "")
}

func TestPreviewPresets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, stranger := w.person("p"), w.person("stranger")
	plain := p.do("POST", previewsPath, map[string]any{"name": "plain"}).want(201, "")
	holds(
		t,
		plain,
		map[string]any{
			"name":             "plain",
			"format":           "source",
			"background":       "#000000",
			"caption_style":    "classic",
			"caption_font":     "",
			"caption_size":     48,
			"caption_position": "bottom",
			"caption_color":    "#ffffff",
			"caption_length":   "medium",
			"video_flip_h":     false,
			"video_flip_v":     false,
		},
	)
	full := map[string]any{
		"name":             "shorts",
		"format":           "9:16",
		"background":       "#12aB34",
		"caption_style":    "karaoke",
		"caption_font":     "Inter",
		"caption_size":     200,
		"caption_position": "middle",
		"caption_color":    "#FFEE00",
		"caption_length":   "short",
		"video_flip_h":     true,
		"video_flip_v":     true,
	}
	made := p.do("POST", previewsPath+"/", full).want(201, "")
	holds(t, made, full)
	path := previewsPath + "/" + made.text("uuid")
	for field, value := range map[string]any{
		"name": "s2", "format": "1:1", "background": "#000001", "caption_style": "minimal", "caption_font": "Serif",
		"caption_size": 8, "caption_position": "top", "caption_color": "#010101", "caption_length": "long",
		"video_flip_h": false,
		"video_flip_v": false,
	} {
		full[field] = value
		holds(t, p.do("PATCH", path, map[string]any{field: value}).want(200, ""), full)
	}
	for range 10 { // the limit applies only to analysis presets
		p.do("POST", previewsPath, map[string]any{"name": "more"}).want(201, "")
	}
	if list := p.do("GET", previewsPath, nil).want(
		200,
		"",
	); list.text("total") != "12" || list.text("items", 0, "name") != "plain" ||
		list.text("items", 1, "name") != "s2" {
		t.Errorf("list: %s", list.body)
	}
	stranger.do("PATCH", path, map[string]any{"name": "mine"}).want(403, "forbidden")
	stranger.do("DELETE", path, nil).want(403, "forbidden")
	p.do("DELETE", path, nil).want(204, "")
	p.do("PATCH", path, map[string]any{"name": "gone"}).want(404, "not_found")
}

// The API accepts every caption style of the table, in presets and in the settings of a project.
func TestEveryCaptionStyleIsAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := "/api/v1/projects/" + p.project("styles")
	names := media.CaptionStyleNames()
	if len(names) < 14 || !slices.Equal(names[:5], []string{"classic", "boxed", "bold", "karaoke", "minimal"}) {
		t.Errorf("the styles are %q", names)
	}
	for _, name := range names {
		preset := map[string]any{"name": name, "caption_style": name}
		holds(t, p.do("POST", previewsPath, preset).want(201, ""), preset)
		settings := map[string]any{"captions": map[string]any{"enabled": true, "style": name}}
		got := p.do("PATCH", project, map[string]any{"export_settings": settings}).want(200, "")
		if stored := got.text("export_settings", "captions", "style"); stored != name {
			t.Errorf("%s: the project has %q", name, stored)
		}
	}
	unknown := map[string]any{"name": "x", "caption_style": "sparkling"}
	p.do("POST", previewsPath, unknown).want(422, "unprocessable")
}

func TestPresetKindsAreSeparate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	preset := p.do("POST", presetsPath, map[string]any{"name": "a"}).want(201, "").text("uuid")
	preview := p.do("POST", previewsPath, map[string]any{"name": "b"}).want(201, "").text("uuid")
	for _, path := range []string{presetsPath + "/" + preview, previewsPath + "/" + preset} {
		p.do("PATCH", path, map[string]any{"name": "c"}).want(404, "not_found")
		p.do("DELETE", path, nil).want(404, "not_found")
	}
}

func TestPresetBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	paths := map[string]string{}
	for _, path := range []string{presetsPath, previewsPath} {
		paths[path] = path + "/" + p.do("POST", path, map[string]any{"name": "x"}).want(201, "").text("uuid")
	}
	long := make([]byte, 4001)
	for i := range long {
		long[i] = 'x'
	}
	for _, c := range []struct {
		path, field string
		values      []any
	}{
		{presetsPath, "name", []any{"", string(long[:101]), 5, nil}},
		{presetsPath, "pacing_level", []any{-1, 101, 1.5, "50", nil}},
		{presetsPath, "false_start_sensitivity", []any{-1, 101, "x"}},
		{presetsPath, "language", []any{"", "english", 3}},
		{presetsPath, "audio_clean", []any{"yes", 1}},
		{presetsPath, "censorship_mode", []any{"", "loud", nil}},
		{presetsPath, "director_notes", []any{string(long), 3, nil}},
		{presetsPath, "is_default", []any{"true", nil}},
		{previewsPath, "name", []any{"", string(long[:101])}},
		{previewsPath, "format", []any{"4:3", "", nil}},
		{previewsPath, "background", []any{"black", "#fff", "#00000g", ""}},
		{previewsPath, "caption_style", []any{"fancy", ""}},
		{previewsPath, "caption_font", []any{string(long[:101]), "a\nb", 1}},
		{previewsPath, "caption_size", []any{7, 201, 9.5, "8"}},
		{previewsPath, "caption_position", []any{"left"}},
		{previewsPath, "caption_color", []any{"#ffff", "#12345678"}},
		{previewsPath, "caption_length", []any{"tiny"}},
		{previewsPath, "video_flip_h", []any{1, "no"}},
		{previewsPath, "video_flip_v", []any{1, "no"}},
	} {
		for _, value := range c.values {
			body := map[string]any{"name": "ok"}
			body[c.field] = value
			made := p.do("POST", c.path, body).want(422, "unprocessable")
			changed := p.do("PATCH", paths[c.path], map[string]any{c.field: value}).want(422, "unprocessable")
			if made.text("errors", 0, "field") != c.field || changed.text("errors", 0, "field") != c.field {
				t.Errorf("%s %s %v: %s %s", c.path, c.field, value, made.body, changed.body)
			}
		}
	}
	p.do("POST", presetsPath, map[string]any{"pacing_level": 5}).want(422, "unprocessable")
	p.do("POST", previewsPath, map[string]any{"format": "1:1"}).want(422, "unprocessable")
}

func TestCutDefaultsAreGone(t *testing.T) {
	t.Parallel()
	p := newWorld(t).person("p")
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		p.do(method, "/api/v1/users/me/cut-defaults", nil).want(404, "not_found")
	}
}
