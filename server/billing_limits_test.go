package server

import (
	"strings"
	"testing"
	"time"

	"roughcut/store"
	"roughcut/store/billing"
)

// smallPlans sets tiers with small limits. Test accounts are on the trial, which has the tier
// Creator.
func smallPlans(_ *Options, so *store.Options) {
	so.TierTable = billing.DefaultTierTable()
	plan := so.TierTable.Tiers[billing.Creator]
	plan.MaxProjects, plan.StorageQuotaBytes = 2, 100
	so.TierTable.Tiers[billing.Creator] = plan
}

func TestPlanLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, smallPlans)
	p := w.person("p")
	project := p.project("one")
	p.project("two")
	p.do("POST", "/api/v1/projects/", map[string]any{"name": "three"}).want(403, "plan_limit")

	presign := "/api/v1/projects/" + project + "/clips/presign"
	declare := func(size int) *reply {
		return p.do(
			"POST",
			presign,
			map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": size},
		)
	}
	declare(101).want(422, "quota_exceeded")
	r := declare(10).want(201, "")
	w.anonymous().do("PUT", r.text("upload_url"), make([]byte, 101)).want(200, "") // more than declared
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+r.text("clip_uuid")+"/confirm", nil).want(422, "quota_exceeded")
	if got := p.do("GET", "/api/v1/users/me", nil).text("storage_used_bytes"); got != "0" {
		t.Errorf("%s bytes of a rejected upload count", got)
	}
}

func TestCreditsRunOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("long")
	clip, _ := p.upload(project, []byte("long recording"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	p.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(409, "clips_processing")
	w.finishClipOf((40 * time.Minute).Milliseconds())
	if got := p.do("GET", "/api/v1/projects/"+project+"/analysis-cost", nil).want(
		200,
		"",
	); got.text("estimated_minutes") != "40" || got.text("balance") != "30" ||
		got.text("sufficient") != "false" {
		t.Errorf("estimate %s", got.body)
	}
	refused := p.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(402, "insufficient_credits")
	if got := refused.text("detail"); !strings.Contains(got, "need 40") || !strings.Contains(got, "have 30") {
		t.Errorf("detail %q", got)
	}
}

// An analysis hears a recording once for all clips that have it, and charges it once: while it
// runs, when it has ended, and when it waited for another clip.
func TestDuplicatesAreChargedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	clip := p.readyClip(project) // 10 s, which is 0.17 minutes
	for range 2 {
		p.do("POST", "/api/v1/clips/"+clip+"/duplicate", nil).want(201, "")
	}
	minutes := func(field, want string) {
		t.Helper()
		status := p.do("GET", "/api/v1/payments/subscription/status", nil).want(200, "")
		if got := status.text("credits", "ai_minutes", field); got != want {
			t.Errorf("%s minutes are %s, want %s", field, got, want)
		}
	}
	start := func(body map[string]any, estimate string) {
		t.Helper()
		if got := p.do("GET", base+"/analysis-cost", nil).want(200, "").text("estimated_minutes"); got != estimate {
			t.Errorf("the estimate is %s minutes, want %s", got, estimate)
		}
		if got := p.do("POST", base+"/analyze", body).want(202, "").text("estimated_minutes"); got != estimate {
			t.Errorf("analyze responds with %s minutes, want %s", got, estimate)
		}
	}
	start(map[string]any{}, "0.17")
	minutes("reserved", "0.17")
	w.finishAnalysis(clip)
	minutes("balance", "29.83")
	run := p.do("GET", base+"/analysis-runs", nil).want(200, "")
	if got := run.text("items", 0, "credits_charged"); got != "0.17" || run.text("items", 0, "duration_ms") != "30000" {
		t.Errorf("charged %s minutes for %s", got, run.body)
	}
	other, _ := p.upload(project, []byte("bytes of another recording"))
	p.do("POST", base+"/clips/"+other+"/confirm", nil).want(202, "")
	start(map[string]any{"wait_for_clips": true}, "0.17")
	w.finishClip()
	minutes("reserved", "0.34")
	w.finishAnalysis(clip)
	minutes("balance", "29.49")
}

func TestRunsOfOtherProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.person("p"), w.person("other")
	project, second, foreign := p.project("a"), p.project("b"), other.project("c")
	run := p.analyze(second, p.readyClip(second))
	theirs := other.analyze(foreign, other.readyClip(foreign))
	for _, of := range []string{run, theirs} {
		p.do("POST", "/api/v1/projects/"+project+"/analysis-runs/"+of+"/activate", nil).want(422, "run_not_activatable")
		p.do("GET", "/api/v1/projects/"+project+"/analysis-runs/"+of, nil).want(404, "not_found")
	}
}
