package server

import (
	"os"
	"testing"

	"roughcut/store/account"
)

// TestResourceConflicts checks the 409 and 422 rules of single operations.
func TestResourceConflicts(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	base := "/api/v1/projects/" + f.ids["project_uuid"]
	unsent, _ := f.p.sendAsset("image/png", nil)
	group := f.ids["asset_group_uuid"]
	f.p.do("POST", "/api/v1/asset-groups/"+group+"/assets", map[string]any{"asset_uuid": unsent}).want(
		409,
		"asset_not_ready",
	)
	f.p.do("POST", "/api/v1/assets/"+unsent+"/groups/bulk", map[string]any{"group_ids": []string{group}}).want(
		409,
		"asset_not_ready",
	)

	f.p.do("GET", base+"/edits/?active_only=perhaps", nil).want(422, "unprocessable")
	f.p.do(
		"PATCH",
		base+"/edits/",
		map[string]any{"edits": []any{map[string]any{"uuid": f.ids["edit_uuid"], "end_ms": clipMS + 1}}},
	).want(400, "out_of_bounds")
	queued := f.p.do("POST", base+"/analyze", map[string]any{}).want(202, "").text("run_uuid")
	f.p.do(
		"POST",
		base+"/analysis-runs/"+queued+"/replan",
		map[string]any{"pacing_level": 50, "false_start_sensitivity": 50},
	).want(409, "conflict")
	f.p.do("POST", base+"/analysis-runs/"+queued+"/cancel", nil).want(202, "")

	unheard := f.p.project("never analyzed")
	processing, _ := f.p.upload(unheard, []byte("bytes"))
	f.p.do("POST", "/api/v1/projects/"+unheard+"/clips/"+processing+"/confirm", nil).want(202, "")
	f.p.do("POST", "/api/v1/projects/"+unheard+"/exports/", map[string]any{"name": "e"}).want(409, "clips_processing")
	f.p.do("GET", "/api/v1/projects/"+unheard+"/chapters.txt", nil).want(409, "clips_processing")
	f.p.do("GET", "/api/v1/projects/"+unheard+"/chapters.vtt", nil).want(409, "clips_processing")
	f.p.do("POST", "/api/v1/projects/"+unheard+"/exports/estimate", map[string]any{}).want(409, "clips_processing")
	f.w.finishClip()
	all := f.p.do(
		"POST",
		base+"/edits/",
		map[string]any{"type": "manual", "start_ms": 0, "end_ms": clipMS},
	).want(201, "").text("uuid")
	for _, kind := range []string{"srt", "vtt", "txt"} {
		f.p.do("GET", "/api/v1/projects/"+unheard+"/captions."+kind, nil).want(409, "no_transcript")
		f.p.do("GET", base+"/captions."+kind, nil).want(422, "unprocessable") // everything is cut
	}
	f.p.do("DELETE", "/api/v1/edits/"+all, nil).want(204, "")
	f.p.do("DELETE", "/api/v1/clips/"+f.ids["clip_uuid"], nil).want(204, "")
	for _, kind := range []string{"srt", "vtt", "txt"} {
		f.p.do("GET", base+"/captions."+kind, nil).want(400, "no_clips")
	}
	for range 99 { // a file exists
		if _, err := f.w.store.CreateAccessToken(
			account.AccessToken{UserUUID: f.p.user.UUID, Name: "t", Hash: f.w.store.NewID()},
			f.p.user.Epoch,
		); err != nil {
			t.Fatal(err)
		}
	}
	f.p.do("POST", "/api/v1/users/me/tokens", map[string]any{"name": "one too many"}).want(409, "conflict")
}

func TestMissingLinkedFilesAreNotExported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	p := w.launched()
	project := "/api/v1/projects/" + p.project("Talk")
	path := recordingAt(t, "talk.mp4")
	p.do("POST", project+"/clips/reference", map[string]any{"path": path}).want(202, "")
	w.finishClip()
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.do("POST", project+"/exports/", map[string]any{"name": "e"}).want(409, "reference_changed")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p.do("POST", project+"/exports/", map[string]any{"name": "e"}).want(409, "reference_missing")
}
