package store

import (
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/store/account"
	"roughcut/store/billing"
)

// placing is a detected placement of an asset.
func placing(clipUUID string, a Asset, start, end int64, active bool) DetectedEdit {
	p := media.NewPlacement(a.AssetFileID, a.Kind)
	p.Position, p.SizePercent = "top_right", 35
	return DetectedEdit{
		ClipUUID:   clipUUID,
		Type:       EditAsset,
		Span:       media.Span{StartMS: start, EndMS: end},
		Active:     active,
		Reason:     "You say it.",
		Confidence: 0.8,
		Placement:  &p,
	}
}

// placements returns the edits of type asset and their starts, which are negative for inactive
// edits.
func (w *world) placements(p Project) (list []Edit, starts []int64) {
	w.t.Helper()
	for _, e := range get(w.Edits(p.UserUUID, p.UUID, false))(w.t) {
		if e.Type != EditAsset {
			continue
		}
		list = append(list, e)
		if e.Active {
			starts = append(starts, e.StartMS)
		} else {
			starts = append(starts, -e.StartMS)
		}
	}
	return list, starts
}

func (w *world) wantPlacements(p Project, what string, want ...int64) []Edit {
	w.t.Helper()
	list, starts := w.placements(p)
	if !slices.Equal(starts, want) {
		w.t.Fatalf("%s: placements at %v, want %v", what, starts, want)
	}
	return list
}

// named uploads an asset with a name and finishes its job.
func (w *world) named(u account.User, name string) Asset {
	w.t.Helper()
	return get(w.UpdateAsset(u.UUID, w.asset(u, AssetResult{Asset: movie(9000)}).UUID, &name, nil))(w.t)
}

// A replan and a new analysis replace detected placements. Placements that a person toggled or
// moved stay, and deleted ones do not return.
func TestUserPlacementsSurviveAReplan(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ann")
	p := w.project(u)
	clip := w.ready(p, 60_000)
	cup, mill := w.named(u, "cup.png"), w.named(u, "mill.png")
	found := []DetectedEdit{
		silence(clip.UUID, 1000, 2000),
		placing(clip.UUID, cup, 10_000, 13_000, true),
		placing(clip.UUID, mill, 20_000, 23_000, true),
		placing(clip.UUID, cup, 40_000, 43_000, false),
		placing(clip.UUID, mill, 50_000, 53_000, true),
	}
	run := w.analyzed(p, AnalysisResult{Edits: found})
	list := w.wantPlacements(p, "the analysis", 10_000, 20_000, -40_000, 50_000)
	if e := list[0]; e.RunUUID == nil || *e.RunUUID != run.UUID || e.Reason != "You say it." || e.Placement == nil ||
		e.Placement.SizePercent != 35 {
		t.Errorf("a placement is %+v", e)
	}
	get(w.UpdateEdit(u.UUID, list[1].UUID, EditChange{Active: ptr(false)}))(t)
	get(w.UpdateEdit(u.UUID, list[2].UUID, EditChange{Active: ptr(true), StartMS: ptr(int64(39_000))}))(t)
	if deleted, _, err := w.DeleteEdit(u.UUID, list[3].UUID); err != nil || !deleted {
		t.Fatalf("deleting: %v, %v", deleted, err)
	}
	in := get(w.ReplanInput(u.UUID, p.UUID, run.UUID))(t)
	if len(in.UserEdits) != 2 || in.UserEdits[0].Placement == nil {
		t.Errorf("user edits: %+v", in.UserEdits)
	}
	found[1] = placing(clip.UUID, mill, 11_000, 14_000, true)
	replanned, _, err := w.ReplaceDetectedEdits(
		u.UUID,
		p.UUID,
		run.UUID,
		AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 70}},
		Proposal{Edits: append(found, placing(clip.UUID, cup, 55_000, 58_000, true))},
	)
	must(t, err)
	list = w.wantPlacements(p, "the replan", 11_000, -20_000, 39_000, 55_000)
	if len(replanned) != 5 || list[0].Placement.AssetFileID != mill.AssetFileID {
		t.Errorf("the replan returned %+v", replanned)
	}
	second := w.analyzed(p, AnalysisResult{Edits: found})
	list = w.wantPlacements(p, "the next analysis", 11_000, -20_000, 39_000)
	if !list[1].Touched || *list[1].RunUUID != second.UUID || second.EditCount != 4 {
		t.Errorf("the run has %d edits, one of them %+v", second.EditCount, list[1])
	}
	get(w.ActivateRun(u.UUID, p.UUID, run.UUID))(t)
	w.wantPlacements(p, "the run before", 11_000, -20_000, 39_000, 55_000)
	must(t, w.DeleteAsset(u.UUID, mill.UUID))
	w.wantPlacements(p, "without its asset", 39_000, 55_000)
	kept := Proposal{Edits: found}
	if _, _, err := w.ReplaceDetectedEdits(u.UUID, p.UUID, run.UUID, AnalysisSettings{}, kept); err != nil {
		t.Fatal(err)
	}
	w.wantPlacements(p, "a replan without the asset", 39_000)
	w.clean()
}

// The tier at the start of an analysis decides whether the AI Director runs.
func TestTierDecidesAboutTheDirector(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ann")
	p := w.project(u)
	w.ready(p, 6000)
	if run := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t); !run.Directed {
		t.Error("a trial of Creator lacks the AI Director")
	} else {
		get(w.CancelRun(u.UUID, p.UUID, run.UUID))(t)
	}
	must(t, w.ChangeAccount(u.UUID, AccountChange{Tier: new(billing.Hobby)}))
	if run := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t); run.Directed {
		t.Error("Hobby has the AI Director")
	}
}

// MentionedAssets finds assets by every word in their texts and by other forms of it. It finds them
// right after a change, and only for their owner.
func TestMentionedAssets(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ann"), w.user("bob")
	cup := get(w.UpdateAsset(u.UUID, w.named(u, "cups.png").UUID, nil, &[]string{"Café"}))(t)
	mill := w.named(u, "mill.png")
	w.named(stranger, "cups.png")
	group := get(
		w.CreateGroup(
			u.UUID,
			Group{Name: "Tools", Description: "for brewing", DefaultInstructions: "whenever roasting is explained"},
		),
	)(t)
	get(w.AddToGroups(u.UUID, mill.UUID, group.UUID))(t)
	for said, want := range map[string][]string{
		"a cup":              {cup.AssetFileID},
		"the cafe":           {cup.AssetFileID},
		"tool":               {mill.AssetFileID},
		"brewed":             {mill.AssetFileID},
		"roast":              {mill.AssetFileID},
		"cupboard and the a": nil, "": nil,
	} {
		list := get(w.MentionedAssets(t.Context(), u.UUID, "en", w.WordStems("en", said)))(t)
		var got []string
		for _, a := range list {
			got = append(got, a.AssetFileID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q mentions %+v", said, list)
		}
	}
	get(w.UpdateGroup(u.UUID, group.UUID, func(g *Group) { g.DefaultInstructions = "with chocolate" }))(t)
	list := get(w.MentionedAssets(t.Context(), u.UUID, "en", w.WordStems("en", "chocolates")))(t)
	if len(list) != 1 || len(list[0].Texts) != 4 || list[0].Texts[3].Part != TextInstructions ||
		!slices.Contains(list[0].Texts[3].Stems, "chocol") {
		t.Errorf("%+v", list)
	}
	hits, _, err := w.Search(u.UUID, "chocolate", HitAsset, Page{Number: 1, Size: 10})
	if err != nil || len(hits) != 0 {
		t.Errorf("instructions are found by a search: %+v, %v", hits, err)
	}
}
