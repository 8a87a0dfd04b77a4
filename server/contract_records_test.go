package server

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"roughcut/server/contract"
)

// full is an account with one resource of each kind, and the response of each of its GET
// operations.
type full struct {
	w         *world
	p         *person
	ids       map[string]string
	responses map[string]*reply // by operation
}

func newFull(t *testing.T) *full {
	t.Helper()
	w := newWorld(t)
	f := &full{w: w, p: w.person("ada"), responses: map[string]*reply{}}
	f.ids = everything(f.p)
	project, asset := f.ids["project_uuid"], f.ids["asset_uuid"]
	f.p.do("POST", "/api/v1/users/me/preview-presets", map[string]any{"name": "p", "format": "9:16"}).want(201, "")
	f.p.do(
		"POST",
		"/api/v1/asset-groups/"+f.ids["asset_group_uuid"]+"/assets",
		map[string]any{"asset_uuid": asset},
	).want(204, "")
	file := f.p.do("GET", "/api/v1/assets/", nil).text("items", 0, "asset_file_id")
	f.p.do(
		"POST",
		"/api/v1/projects/"+project+"/edits/",
		map[string]any{"type": "asset", "asset_file_id": file, "start_ms": 0, "end_ms": 1000},
	).want(201, "")
	for _, op := range sortedOperations(w) {
		if op.Route.Method == "GET" && op.Access == contract.SignedIn && !op.Streams {
			path := fill(op, f.ids)
			if op.ID == "search" {
				path += "?q=hello"
			}
			if r := f.p.do("GET", path, nil); r.status == 200 &&
				strings.Contains(r.header.Get("Content-Type"), "json") {
				f.responses[op.ID] = r
			}
		}
	}
	if len(f.responses) < 30 {
		t.Errorf("only %d operations responded: %v", len(f.responses), slices.Sorted(maps.Keys(f.responses)))
	}
	return f
}

// walk visits every field below a value.
func walk(path string, node any, visit func(path, field string, value any)) {
	switch n := node.(type) {
	case map[string]any:
		for field, value := range n {
			visit(path, field, value)
			walk(path+"."+field, value, visit)
		}
	case []any:
		for _, item := range n {
			walk(path, item, visit)
		}
	}
}

// TestCommonShapesOfResponses checks on every operation: IDs are UUIDs, times are UTC with
// milliseconds, and lists have items, total, page and page_size.
func TestCommonShapesOfResponses(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	for id, r := range f.responses {
		walk(id, r.value(), func(path, field string, value any) {
			number, isNumber := value.(float64)
			switch {
			case value == nil || strings.Contains(path, ".settings") || strings.Contains(path, ".timings"):
			case strings.HasSuffix(field, "_at") || field == "timestamp" || field == "beta_renewal_date":
				if text, ok := value.(string); !ok || !timestampPattern.MatchString(text) {
					t.Errorf("%s.%s is %v", path, field, value)
				}
			case strings.HasSuffix(field, "_ms") || strings.HasSuffix(field, "_percent") ||
				strings.HasSuffix(field, "_bytes") || strings.HasSuffix(field, "_count"):
				if !isNumber || number != math.Trunc(number) {
					t.Errorf("%s.%s is %v", path, field, value)
				}
			case field == "uuid":
				if text, _ := value.(string); !uuidPattern.MatchString(text) {
					t.Errorf("%s.%s is %v", path, field, value)
				}
			case field == "items":
				envelope := r.value().(map[string]any)
				for _, name := range []string{"total", "page", "page_size"} {
					if _, ok := envelope[name].(float64); !ok {
						t.Errorf("%s has no %s", path, name)
					}
				}
			}
		})
	}
	for _, op := range sortedOperations(f.w) {
		if strings.HasPrefix(op.ID, "list") && f.responses[op.ID] != nil {
			if _, isList := f.responses[op.ID].value().(map[string]any)["items"].([]any); !isList {
				t.Errorf("%s responds with %s", op.ID, f.responses[op.ID].body)
			}
		}
	}
	sent := f.p.do("GET", "/api/v1/projects/", nil)
	if got := sent.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q", got)
	}
}

// TestTrailingSlashDoesNotMatter sends each operation with and without a slash, signed in and
// signed out.
func TestTrailingSlashDoesNotMatter(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	for _, op := range sortedOperations(f.w) {
		if op.Streams {
			continue
		}
		path := strings.TrimSuffix(fill(op, f.ids), "/")
		// without the CSRF token nothing changes
		for _, p := range []*person{f.w.anonymous(), {w: f.w, cookie: f.p.cookie}} {
			without, with := p.do(op.Route.Method, path, nil), p.do(op.Route.Method, path+"/", nil)
			if without.status != with.status || (without.status >= 300 && without.status < 400) {
				t.Errorf("%s %s responds with %d, with a slash %d", op.Route.Method, path, without.status, with.status)
			}
			if op.Access != contract.SignedIn {
				break // rate limits count permitted requests
			}
		}
	}
}

// TestRecordsHaveTheirFields checks that each record has all fields that the API promises.
func TestRecordsHaveTheirFields(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	const every = "uuid created_at updated_at "
	run := every + "status pacing_level false_start_sensitivity language edit_count silence_count false_start_count " +
		"spoken_language language_doubt model credits_charged duration_ms error"
	project := every + "name status settings active_run_id duration_ms clip_count error"
	draft := every + "name edit_overrides export_settings"
	export := every + "name project_uuid status progress step error draft_id export_settings duration_ms size_bytes " +
		"width height content_type expires_at watermark_required storage_key"
	for op, fields := range map[string]string{
		"getMe": every + "name username email email_verified storage_used_bytes is_admin has_password oauth_providers",
		"getBillingStatus": "tier subscription_status trial_ends_at credits has_active_plan trial_used " +
			"billing_interval discount_used is_beta beta_credits_used beta_credits_total " +
			"beta_renewal_date storage_used_bytes storage_quota_bytes project_count max_projects can_use_ai_director " +
			"can_watermark_free can_access_support",
		"getProject": project + " transcript", "listProjects": strings.Replace(project, " settings", "", 1),
		"listRuns": run, "getRun": run + " transcript model timings",
		"listClips": every + "clip_file_id position name status error source duration_ms width height frame_rate " +
			"has_audio size_bytes content_type waveform sprite_key sprite_seconds_per_tile",
		"listEdits": every + "run_uuid type start_ms end_ms active reason confidence", "listDrafts": every + "name",
		"getDraft": draft, "listExports": export, "getExport": export,
		"listAssets": every +
			"user_asset_id asset_file_id kind content_type size_bytes duration_ms width height display_name tags " +
			"group_id status error",
		"listAssetGroups":  every + "name description default_instructions is_default is_pinned asset_count",
		"listCaptionLines": every + "text original_text sequence start_ms end_ms",
		"listPresets": every +
			"name pacing_level false_start_sensitivity language audio_clean censorship_mode director_notes is_default",
		"listPreviewPresets": every +
			"name format background caption_style caption_font caption_size caption_position caption_color " +
			"caption_length video_flip_h video_flip_v",
		"listPrices": "price_id tier interval amount_cents currency entitlements",
		"listInvoices": "uuid created_at kind description amount_cents currency period_start period_end " +
			"status",
		"listTokens":             "uuid name created_at expires_at last_used_at",
		"estimateAnalysisCost":   "estimated_minutes balance sufficient",
		"getClipWaveform":        "duration_ms samples_per_second peaks",
		"getClipProxyURL":        "url expires_in sprite",
		"getExportDownloadURL":   "url expires_in filename size_bytes",
		"getAssetVideoURL":       "url expires_in",
		"listAssetGroupsOfAsset": every + "name asset_count",
		"listGroupAssets":        every + "display_name status",
	} {
		response := f.responses[op]
		if response == nil {
			t.Errorf("%s did not answer", op)
			continue
		}
		record := response.value().(map[string]any)
		if items, isList := record["items"].([]any); isList {
			if len(items) == 0 {
				t.Errorf("%s is empty", op)
				continue
			}
			record = items[0].(map[string]any)
		}
		for _, field := range strings.Fields(fields) {
			if _, there := record[field]; !there {
				t.Errorf("%s has no %s: %v", op, field, slices.Sorted(maps.Keys(record)))
			}
		}
	}
	for _, e := range f.responses["listEdits"].value("items").([]any) {
		if e := e.(map[string]any); e["type"] == "asset" {
			for _, field := range strings.Fields(
				"asset_file_id asset_offset_ms visual_mode audio_mode overlay_position overlay_size_percent " +
					"overlay_opacity_percent overlay_x overlay_y overlay_flip_h overlay_flip_v overlay_rotation_deg " +
					"audio_volume_percent audio_duck_main audio_duck_under_voice fade_in_ms fade_out_ms loop until_end",
			) {
				if e[field] == nil {
					t.Errorf("a placed asset has no %s", field)
				}
			}
		}
	}
	for field := range f.responses["listTokens"].value("items", 0).(map[string]any) {
		if field == "token" {
			t.Error("a list contains tokens")
		}
	}
}

// TestInvalidIDsAreNotFound checks that an ID in a path, query or body that is not a UUID is 404.
func TestInvalidIDsAreNotFound(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	base, asset := "/api/v1/projects/"+f.ids["project_uuid"], "/api/v1/assets/"+f.ids["asset_uuid"]
	group := "/api/v1/asset-groups/" + f.ids["asset_group_uuid"]
	for _, id := range []string{"17", "", noSuchUUID, strings.ToUpper(noSuchUUID[:9]) + "zz"} {
		for _, r := range []*reply{
			f.p.do("POST", base+"/exports/", map[string]any{"name": "e", "draft_id": id}),
			f.p.do("POST", group+"/assets", map[string]any{"asset_uuid": id}),
			f.p.do("POST", asset+"/groups/bulk", map[string]any{"group_ids": []string{id}}),
			f.p.do(
				"POST", "/api/v1/assets/presign",
				map[string]any{"filename": "a.png", "content_type": "image/png", "size_bytes": 5, "group_id": id},
			),
			f.p.do(
				"POST", "/api/v1/assets/import-video",
				map[string]any{"url": "https://example.org/talk.mp4", "group_id": id},
			),
			f.p.do(
				"POST", base+"/edits/",
				map[string]any{"type": "asset", "asset_file_id": id, "start_ms": 0, "end_ms": 10},
			),
		} {
			if r.status != 404 {
				t.Errorf("%s with %q responds with %d %s", r.what, id, r.status, r.body)
			}
		}
		if id != "" {
			f.p.do("GET", "/api/v1/assets/?group_id="+id, nil).want(404, "not_found")
		}
		// a cut places no asset
		f.p.do("PATCH", "/api/v1/edits/"+f.ids["edit_uuid"], map[string]any{"asset_file_id": id}).want(422, "")
		f.p.do(
			"POST",
			base+"/drafts/",
			map[string]any{"name": "d", "edit_overrides": map[string]any{id: map[string]any{}}},
		).want(422, "unknown_edit")
		f.p.do("PUT", base+"/clips/order", map[string]any{"clip_uuids": []string{id}}).want(422, "unprocessable")
	}
	f.p.upgrade(99).want(404, "not_found")
	f.p.downgrade(99).want(404, "not_found")
}

// TestResourcesOfOthersInBodiesAreForbidden sends bodies that name resources of another user.
func TestResourcesOfOthersInBodiesAreForbidden(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	eve := f.w.person("eve")
	project := eve.project("Talk")
	eve.readyClip(project)
	base := "/api/v1/projects/" + project
	own := eve.do("POST", "/api/v1/asset-groups/", map[string]any{"name": "g"}).want(201, "").text("uuid")
	file := f.responses["listAssets"].text("items", 0, "asset_file_id")
	for _, r := range []*reply{
		eve.do("POST", base+"/exports/", map[string]any{"name": "e", "draft_id": f.ids["draft_uuid"]}),
		eve.do("POST", "/api/v1/asset-groups/"+own+"/assets", map[string]any{"asset_uuid": f.ids["asset_uuid"]}),
		eve.do(
			"POST", "/api/v1/assets/presign",
			map[string]any{
				"filename": "a.png", "content_type": "image/png", "size_bytes": 5,
				"group_id": f.ids["asset_group_uuid"],
			},
		),
		eve.do(
			"POST", base+"/edits/",
			map[string]any{"type": "asset", "asset_file_id": file, "start_ms": 0, "end_ms": 10},
		),
	} {
		r.want(403, "forbidden")
	}
	eve.do(
		"POST",
		base+"/drafts/",
		map[string]any{"name": "d", "edit_overrides": map[string]any{f.ids["edit_uuid"]: map[string]any{}}},
	).want(422, "unknown_edit")
	eve.do("PUT", base+"/clips/order", map[string]any{"clip_uuids": []string{f.ids["clip_uuid"]}}).want(
		422,
		"unprocessable",
	)
}
