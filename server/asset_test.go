package server

import (
	"strings"
	"testing"
	"time"

	"roughcut/store"
)

// group creates an asset group.
func (p *person) group(name string) string {
	p.w.t.Helper()
	return p.do("POST", "/api/v1/asset-groups/", map[string]any{"name": name}).want(201, "").text("uuid")
}

func TestAssetFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	group := p.group("B-roll")
	asset, fileID := p.sendAsset(
		"video/mp4",
		map[string]any{"group_id": group, "display_name": "City", "tags": []string{"night", "Night"}},
	)
	if n := p.do("GET", "/api/v1/assets/", nil).want(200, "").value("total"); n != 0.0 {
		t.Errorf("%v assets before the confirm", n)
	}
	at := "/api/v1/assets/" + asset
	p.do("GET", at+"/video-url", nil).want(409, "asset_not_ready")
	p.do("PATCH", at, map[string]any{"display_name": "x"}).want(409, "asset_not_ready")
	r := p.do("POST", at+"/confirm", nil).want(202, "")
	for field, want := range map[string]any{
		"uuid": asset, "user_asset_id": asset, "asset_file_id": fileID, "kind": "video",
		"status": "pending", "size_bytes": 20.0,
		"duration_ms": nil, "width": nil, "display_name": "City", "group_id": group, "error": nil, "poster_url": nil} {
		if got := r.value(field); got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	if tags := r.value("tags").([]any); len(tags) != 1 || tags[0] != "night" {
		t.Errorf("tags %v", tags)
	}
	p.do("POST", at+"/confirm", nil).want(200, "")
	p.do("GET", at+"/video-url", nil).want(409, "asset_not_ready")
	p.do("GET", at+"/poster", nil).want(404, "not_found")
	w.finishAsset("video/mp4")
	r = p.do("GET", "/api/v1/assets/?group_id="+group+"&q=ci&kind=video&tag=NIGHT", nil).want(200, "")
	if r.text("items", 0, "status") != "uploaded" || r.value("items", 0, "duration_ms") != float64(assetMS) ||
		r.value("items", 0, "width") != 1280.0 ||
		r.value("items", 0, "audio_channels") != float64(assetChannels) ||
		r.value("total") != 1.0 {
		t.Errorf("%s", r.body)
	}
	if used := p.do("GET", "/api/v1/users/me", nil).value("storage_used_bytes"); used != 20.0 {
		t.Errorf("%v bytes used", used)
	}
	poster := r.text("items", 0, "poster_url")
	if got := p.do("GET", poster, nil).want(
		200,
		"",
	); string(got.body) != "poster" || got.header.Get("Content-Type") != "image/jpeg" ||
		!strings.Contains(got.header.Get("Cache-Control"), "immutable") {
		t.Errorf("poster: %q %v", got.body, got.header)
	}
	w.anonymous().do("GET", poster, nil).want(401, "not_authenticated")
	if tags := p.do("GET", "/api/v1/assets/tags", nil).want(
		200,
		"",
	); tags.text("items", 0, "tag") != "night" || tags.value("items", 0, "asset_count") != 1.0 ||
		tags.value("total") != 1.0 {
		t.Errorf("%s", tags.body)
	}
	if n := p.do("GET", "/api/v1/assets/ungrouped?q=ci&kind=video", nil).want(200, "").value("total"); n != 0.0 {
		t.Errorf("%v assets without a group", n)
	}
	p.do("GET", "/api/v1/assets/ungrouped?kind=planet", nil).want(422, "unprocessable")
	r = p.do("GET", at+"/video-url", nil).want(200, "")
	if r.value("expires_in") != 3600.0 || strings.Contains(r.text("url"), "/media/") {
		t.Errorf("%s", r.body)
	}
	request := w.anonymous().request("GET", r.text("url"), nil)
	request.Header.Set("Range", "bytes=6-7")
	if got := w.send(request).want(206, ""); string(got.body) != "of" || got.header.Get("Content-Type") != "video/mp4" {
		t.Errorf("a range: %q %v", got.body, got.header)
	}
	w.anonymous().do("HEAD", r.text("url"), nil).want(200, "")
	w.clock.Advance(time.Hour + time.Second)
	w.anonymous().do("GET", r.text("url"), nil).want(401, "not_authenticated")
	r = p.do("PATCH", at, map[string]any{"display_name": "Town", "tags": []string{}}).want(200, "")
	if r.text("display_name") != "Town" || len(r.value("tags").([]any)) != 0 {
		t.Errorf("%s", r.body)
	}
	p.do("DELETE", at, nil).want(204, "")
	p.do("GET", at+"/video-url", nil).want(404, "not_found")
	if used := p.do("GET", "/api/v1/users/me", nil).value("storage_used_bytes"); used != 0.0 {
		t.Errorf("%v bytes used", used)
	}
}

func TestAssetAddressOpensOnlyItsAsset(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.person("p"), w.person("other")
	project := p.project("x")
	clip := p.readyClip(project)
	asset := p.readyAsset("audio/mpeg")
	address := p.do("GET", "/api/v1/assets/"+asset+"/video-url", nil).want(200, "").text("url")
	media := p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "").text("url")
	w.anonymous().do("GET", address, nil).want(200, "")
	w.anonymous().do("GET", strings.Replace(address, "/asset/", "/media/", 1), nil).want(401, "not_authenticated")
	w.anonymous().do("GET", strings.Replace(media, "/media/", "/asset/", 1), nil).want(401, "not_authenticated")
	w.anonymous().do("GET", address+"x", nil).want(401, "not_authenticated")
	other.do("GET", "/api/v1/assets/"+asset+"/poster", nil).want(403, "forbidden")
	p.do("POST", "/api/v1/auth/logout-all", nil).want(200, "")
	w.anonymous().do("GET", address, nil).want(401, "not_authenticated")
}

func TestAssetPresignErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Options, o *store.Options) { o.MaxUploadBytes = 1 << 20 })
	p, stranger := w.person("p"), w.person("stranger")
	theirs := stranger.group("g")
	body := func(more map[string]any) map[string]any {
		b := map[string]any{"filename": "a.png", "content_type": "image/png", "size_bytes": 10}
		for k, v := range more {
			b[k] = v
		}
		return b
	}
	for _, c := range []struct {
		more   map[string]any
		status int
		code   string
	}{
		{map[string]any{"size_bytes": 1<<20 + 1}, 422, "file_too_large"},
		{map[string]any{"size_bytes": 0}, 422, "unprocessable"},
		{map[string]any{"filename": "a.svg", "content_type": "image/svg+xml"}, 422, "content_type_not_allowed"},
		{map[string]any{"content_type": ""}, 201, ""},
		{map[string]any{"content_type": "", "filename": "train"}, 422, "content_type_not_allowed"},
		{map[string]any{"filename": nil}, 422, "unprocessable"},
		{map[string]any{"tags": "x"}, 422, "unprocessable"},
		{map[string]any{"tags": []string{strings.Repeat("x", 101)}}, 422, "unprocessable"},
		{map[string]any{"group_id": noSuchUUID}, 404, "not_found"},
		{map[string]any{"group_id": theirs}, 403, "forbidden"},
		{map[string]any{"group_id": nil, "display_name": nil}, 201, ""},
	} {
		p.do("POST", "/api/v1/assets/presign", body(c.more)).want(c.status, c.code)
	}
	p.do("GET", "/api/v1/assets/?kind=planet", nil).want(422, "unprocessable")
	p.do("GET", "/api/v1/assets/?group_id="+theirs, nil).want(403, "forbidden")
	p.do("GET", "/api/v1/assets/?group_id="+noSuchUUID, nil).want(404, "not_found")
	asset, _ := p.sendAsset("image/png", nil)
	p.do("GET", "/api/v1/asset-groups/", nil).want(200, "")
	stranger.do("POST", "/api/v1/assets/"+asset+"/confirm", nil).want(403, "forbidden")
}

func TestGroupsOfAssets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, stranger := w.person("p"), w.person("stranger")
	first := p.do(
		"POST",
		"/api/v1/asset-groups/",
		map[string]any{
			"name":                 "a",
			"description":          "d",
			"default_instructions": "i",
			"is_default":           true,
			"is_pinned":            true,
		},
	).want(201, "").text("uuid")
	second := p.do("POST", "/api/v1/asset-groups/", map[string]any{"name": "b", "is_default": true}).want(
		201,
		"",
	).text("uuid")
	theirs := stranger.group("c")
	r := p.do("GET", "/api/v1/asset-groups/", nil).want(200, "")
	if r.text("items", 0, "uuid") != first || r.value("items", 0, "is_default") != false ||
		r.value("items", 1, "is_default") != true ||
		r.value("total") != 2.0 {
		t.Errorf("groups, pinned first, one default: %s", r.body)
	}
	asset := p.readyAsset("image/png") // joins the default group
	at := "/api/v1/assets/" + asset
	if got := p.do("GET", at+"/groups", nil).want(200, "").text("items", 0, "uuid"); got != second {
		t.Errorf("the asset is in %s", got)
	}
	for range 2 {
		p.do("POST", "/api/v1/asset-groups/"+first+"/assets", map[string]any{"asset_uuid": asset}).want(204, "")
	}
	for _, id := range []struct {
		id     string
		status int
	}{{theirs, 403}, {noSuchUUID, 404}} {
		p.do("POST", at+"/groups/bulk", map[string]any{"group_ids": []string{first, id.id}}).want(id.status, "")
	}
	stranger.do("POST", "/api/v1/asset-groups/"+theirs+"/assets", map[string]any{"asset_uuid": asset}).want(
		403,
		"forbidden",
	)
	p.do("POST", "/api/v1/asset-groups/"+first+"/assets", map[string]any{"asset_uuid": noSuchUUID}).want(
		404,
		"not_found",
	)
	p.do("POST", "/api/v1/asset-groups/"+first+"/assets", map[string]any{"asset_uuid": "x"}).want(404, "not_found")
	third := p.group("third")
	if added := p.do(
		"POST",
		at+"/groups/bulk",
		map[string]any{"group_ids": []string{first, third, third}},
	).want(200, "").value("added"); added != 1.0 {
		t.Errorf("added %v", added)
	}
	if r := p.do("GET", "/api/v1/asset-groups/"+third+"/assets?page_size=1", nil).want(
		200,
		"",
	); r.value("total") != 1.0 ||
		r.text("items", 0, "group_id") != second {
		t.Errorf("%s", r.body)
	}
	p.do("DELETE", "/api/v1/asset-groups/"+second+"/assets/"+asset, nil).want(204, "")
	p.do("DELETE", "/api/v1/asset-groups/"+second+"/assets/"+asset, nil).want(404, "not_found")
	p.do("DELETE", "/api/v1/asset-groups/"+first, nil).want(204, "")
	if r := p.do("GET", "/api/v1/assets/", nil).want(200, ""); r.text("items", 0, "group_id") != third {
		t.Errorf("%s", r.body)
	}
	p.do("DELETE", "/api/v1/asset-groups/"+third, nil).want(204, "")
	if r := p.do("GET", "/api/v1/assets/ungrouped", nil).want(200, ""); r.value("total") != 1.0 ||
		r.value("items", 0, "group_id") != nil {
		t.Errorf("%s", r.body)
	}
	if r := p.do(
		"PATCH",
		"/api/v1/asset-groups/"+second,
		map[string]any{"name": "new", "is_pinned": true},
	).want(200, ""); r.text("name") != "new" || r.value("is_default") != true ||
		r.value("asset_count") != 0.0 {
		t.Errorf("%s", r.body)
	}
}

func TestAssetEditsOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	asset := p.readyAsset("video/mp4")
	at := "/api/v1/assets/" + asset + "/edit"
	for _, c := range []struct {
		body   string
		status int
		code   string
	}{
		{`{"start_ms":10,"end_ms":10}`, 422, "unprocessable"},
		{`{"start_ms":-1}`, 422, "unprocessable"},
		{`{"cuts":[{"start_ms":5,"end_ms":5}]}`, 422, "unprocessable"},
		{`{"cuts":[{"start_ms":5}]}`, 422, "unprocessable"},
		{`{"save_mode":"move"}`, 422, "unprocessable"},
		{`{"end_ms":8001}`, 400, "out_of_bounds"},
		{`{"start_ms":8001}`, 400, "out_of_bounds"},
		{`{"cuts":[{"start_ms":5,"end_ms":8001}]}`, 400, "out_of_bounds"},
	} {
		p.do("POST", at, []byte(c.body)).want(c.status, c.code)
	}
	r := p.do(
		"POST",
		at,
		map[string]any{"start_ms": 100, "end_ms": nil, "cuts": []any{}, "extract_audio": true, "fast_mode": true},
	).want(202, "")
	copied := r.text("new_asset_uuid")
	if r.text("status") != "pending" || copied == "" || copied == asset {
		t.Errorf("%s", r.body)
	}
	if r := p.do(
		"GET",
		"/api/v1/assets/",
		nil,
	); r.text("items", 0, "uuid") != copied || r.text("items", 0, "status") != "pending" ||
		r.text("items", 0, "kind") != "audio" {
		t.Errorf("%s", r.body)
	}
	p.do("POST", at, map[string]any{"save_mode": "replace"}).want(409, "conflict")
	if err := w.store.FailAsset(w.claim(store.JobAsset), "no"); err != nil {
		t.Fatal(err)
	}
	if r := p.do("POST", at, map[string]any{"save_mode": "replace"}).want(202, ""); r.value("new_asset_uuid") != nil {
		t.Errorf("%s", r.body)
	}
	p.do("GET", "/api/v1/assets/"+asset+"/video-url", nil).want(409, "asset_not_ready")
	p.do("POST", "/api/v1/assets/"+copied+"/edit", map[string]any{}).want(409, "asset_not_ready")
}

func TestPlacedAssetsOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, stranger := w.person("p"), w.person("stranger")
	project := p.project("x")
	p.readyClip(project)
	asset := p.readyAsset("video/mp4")
	fileID := p.do("GET", "/api/v1/assets/", nil).text("items", 0, "asset_file_id")
	stranger.readyAsset("video/mp4")
	theirs := stranger.do("GET", "/api/v1/assets/", nil).text("items", 0, "asset_file_id")
	pending, pendingFile := p.sendAsset("video/mp4", nil)
	p.do("POST", "/api/v1/assets/"+pending+"/confirm", nil).want(202, "")
	edits := "/api/v1/projects/" + project + "/edits/"
	for _, c := range []struct {
		more   map[string]any
		status int
		code   string
	}{
		{map[string]any{"asset_file_id": nil}, 422, "unprocessable"},
		{map[string]any{"asset_file_id": "x"}, 404, "not_found"},
		{map[string]any{"asset_file_id": noSuchUUID}, 404, "not_found"},
		{map[string]any{"asset_file_id": theirs}, 403, "forbidden"},
		{map[string]any{"asset_file_id": pendingFile}, 409, "asset_not_ready"},
		{map[string]any{"type": "manual"}, 422, "unprocessable"},
		{map[string]any{"end_ms": clipMS + 1}, 400, "out_of_bounds"},
		{map[string]any{"end_ms": 500}, 422, "unprocessable"},
		{map[string]any{"asset_offset_ms": assetMS + 1}, 400, "out_of_bounds"},
		{map[string]any{"overlay_x": 1.5}, 422, "unprocessable"},
		{map[string]any{"overlay_opacity_percent": 101}, 422, "unprocessable"},
		{map[string]any{"visual_mode": "x"}, 422, "unprocessable"},
	} {
		body := map[string]any{"type": "asset", "asset_file_id": fileID, "start_ms": 500, "end_ms": 2000}
		for k, v := range c.more {
			body[k] = v
		}
		p.do("POST", edits, body).want(c.status, c.code)
	}
	all := map[string]any{
		"visual_mode":             "cutaway",
		"audio_mode":              "replace",
		"overlay_position":        "custom",
		"overlay_size_percent":    30.0,
		"overlay_opacity_percent": 80.0,
		"overlay_x":               0.25,
		"overlay_y":               0.75,
		"overlay_flip_h":          true,
		"overlay_flip_v":          true,
		"overlay_rotation_deg":    -90.0,
		"audio_volume_percent":    150.0,
		"audio_duck_main":         true,
		"audio_duck_under_voice":  true,
		"fade_in_ms":              250.0,
		"fade_out_ms":             1000.0,
		"loop":                    true,
		"until_end":               false,
		"asset_offset_ms":         float64(assetMS),
	}
	edit := p.do(
		"POST",
		edits,
		map[string]any{"type": "asset", "asset_file_id": fileID, "start_ms": 500, "end_ms": 2000},
	).want(201, "").text("uuid")
	r := p.do("PATCH", "/api/v1/edits/"+edit, all).want(200, "")
	for field, want := range all {
		if got := r.value(field); got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	for _, c := range []struct {
		body   map[string]any
		status int
		code   string
	}{
		{map[string]any{"asset_file_id": noSuchUUID}, 404, "not_found"},
		{map[string]any{"asset_file_id": theirs}, 403, "forbidden"},
		{map[string]any{"asset_file_id": pendingFile}, 409, "asset_not_ready"},
		{map[string]any{"asset_offset_ms": assetMS + 1}, 400, "out_of_bounds"},
		{map[string]any{"audio_volume_percent": 201}, 422, "unprocessable"},
		{map[string]any{"end_ms": clipMS + 1}, 400, "out_of_bounds"},
	} {
		p.do("PATCH", "/api/v1/edits/"+edit, c.body).want(c.status, c.code)
	}
	cut := p.do("POST", edits, map[string]any{"type": "manual", "start_ms": 0, "end_ms": 400}).want(201, "")
	if cut.value("visual_mode") != nil || cut.value("asset_file_id") != nil {
		t.Errorf("a cut places an asset: %s", cut.body)
	}
	p.do("PATCH", "/api/v1/edits/"+cut.text("uuid"), map[string]any{"overlay_flip_h": true}).want(422, "unprocessable")
	p.do("DELETE", "/api/v1/edits/"+edit, nil).want(204, "")
	p.do(
		"POST",
		edits,
		map[string]any{"type": "asset", "asset_file_id": fileID, "start_ms": 500, "end_ms": 2000},
	).want(201, "")
	p.do("DELETE", "/api/v1/assets/"+asset, nil).want(204, "")
	if n := p.do("GET", edits, nil).want(200, "").value("total"); n != 1.0 {
		t.Errorf("%v edits after deleting the asset", n)
	}
}
