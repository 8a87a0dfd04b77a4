package store

import (
	"encoding/json"
	"testing"

	"roughcut/media"
)

// muting returns a project of 10 s with captions and two silences. The edit of the second silence
// mutes.
func muting(t *testing.T) (*world, Project, []Edit) {
	t.Helper()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.ready(p, 10_000)
	second := silence(c.UUID, 5_000, 6_000)
	second.Action = ActionMute
	w.analyzed(p, AnalysisResult{
		Edits:       []DetectedEdit{silence(c.UUID, 1_000, 2_000), second},
		Transcripts: []ClipTranscript{speech(c.UUID, "one", "two", "three")},
		CaptionLines: []ClipCaption{{
			ClipUUID: c.UUID, TimedText: media.TimedText{Text: "one two three", EndMS: 1_400},
		}},
	})
	return w, p, get(w.Edits(p.UserUUID, p.UUID, false))(t)
}

// exported requests an export and returns its input.
func (w *world) exported(p Project, in NewExport) ExportInput {
	w.t.Helper()
	export := get(w.CreateExport(p.UserUUID, p.UUID, in))(w.t)
	got := get(w.ExportInput(w.claim()))(w.t)
	if export.UUID != got.Export.UUID {
		w.t.Fatalf("the job is for export %s, want %s", got.Export.UUID, export.UUID)
	}
	return got
}

func TestMutedEditsRemoveNothing(t *testing.T) {
	t.Parallel()
	w, p, list := muting(t)
	if list[0].Action != ActionCut || list[1].Action != ActionMute {
		t.Fatalf("actions %q and %q", list[0].Action, list[1].Action)
	}
	in := w.exported(p, NewExport{Name: "e"})
	equal(t, "cuts", in.Cuts, []media.Span{{StartMS: 1_000, EndMS: 2_000}})
	equal(t, "muted", in.Muted, []media.Span{{StartMS: 5_000, EndMS: 6_000}})
	if in.Export.DurationMS != 9_000 {
		t.Errorf("the export has %d ms, want 9000: the muted span stays", in.Export.DurationMS)
	}
	pre := get(w.PreRenderInput(p.UUID))(t)
	equal(t, "muted in the pre-render", pre.Muted, in.Muted)

	whole := get(w.CreateEdit(p.UserUUID, p.UUID,
		Edit{StartMS: 0, EndMS: 10_000, Active: true, Action: ActionMute}))(t)
	if whole.Action != ActionMute {
		t.Errorf("a manual mute has the action %q", whole.Action)
	}
	if captions := get(w.EditedCaptions(p.UserUUID, p.UUID, Within{}))(t); len(captions) != 0 {
		t.Errorf("the captions of muted speech are %+v", captions)
	}
	in = w.exported(p, NewExport{Name: "silent"}) // muting everything leaves the video
	equal(t, "muted", in.Muted, []media.Span{{EndMS: 10_000}})
	w.clean()
}

func TestActionsChangeAndAreUndone(t *testing.T) {
	t.Parallel()
	w, p, list := muting(t)
	mute := EditChange{Action: ptr(ActionMute)}
	changed, undo, err := w.UpdateEdits(p.UserUUID, p.UUID, []NamedEditChange{{list[0].UUID, mute}})
	must(t, err)
	if changed[0].Action != ActionMute || !changed[0].Touched || !changed[0].Active {
		t.Errorf("changed %+v", changed[0])
	}
	changed, _, err = w.UpdateEdits(p.UserUUID, p.UUID, undo)
	must(t, err)
	if changed[0].Action != ActionCut {
		t.Errorf("the undo leaves %q", changed[0].Action)
	}
	_, err = w.UpdateEdit(p.UserUUID, list[0].UUID, EditChange{Action: ptr("bleep")})
	wantCode(t, err, Unprocessable, "unprocessable")
	asset := w.asset(get(w.User(p.UserUUID))(t), AssetResult{Asset: sound(5_000)})
	placed := get(w.PlaceAsset(p.UserUUID, p.UUID, manual(0, 10), PlacementChange{AssetFileID: &asset.AssetFileID}))(t)
	if placed.Action != "" {
		t.Errorf("a placement has the action %q", placed.Action)
	}
	_, err = w.UpdateEdit(p.UserUUID, placed.UUID, mute)
	wantCode(t, err, Unprocessable, "unprocessable")
	_, err = w.CreateDraft(p.UserUUID, p.UUID,
		DraftChange{Name: ptr("d"), EditOverrides: map[string]Override{placed.UUID: {Action: ptr(ActionMute)}}})
	wantCode(t, err, Unprocessable, "unprocessable")
	w.clean()
}

// A draft and an export can mute an edit that cuts in the project, and the other way round.
func TestOverridesHoldActions(t *testing.T) {
	t.Parallel()
	w, p, list := muting(t)
	draft := get(w.CreateDraft(p.UserUUID, p.UUID, DraftChange{Name: ptr("d"), EditOverrides: map[string]Override{
		list[0].UUID: {Action: ptr(ActionMute)}, list[1].UUID: {Action: ptr(ActionCut)},
	}}))(t)
	if got := get(w.Draft(p.UserUUID, draft.UUID))(t).EditOverrides[list[0].UUID]; got.Action == nil ||
		*got.Action != ActionMute || got.Active != nil {
		t.Errorf("the draft holds %+v", got)
	}
	in := w.exported(p, NewExport{Name: "e", DraftID: &draft.UUID})
	equal(t, "cuts", in.Cuts, []media.Span{{StartMS: 5_000, EndMS: 6_000}})
	equal(t, "muted", in.Muted, []media.Span{{StartMS: 1_000, EndMS: 2_000}})
	in = w.exported(p, NewExport{Name: "e", DraftID: &draft.UUID, Overrides: map[string]Override{
		list[0].UUID: {Action: ptr(ActionCut)},
	}})
	equal(t, "muted", in.Muted, nil)
}

// Rows from before actions existed cut, and exports from before have no muted spans.
func TestRowsWithoutActionsCut(t *testing.T) {
	t.Parallel()
	var row editRow
	must(t, json.Unmarshal([]byte(`{"UUID":"e","Type":"silence","Active":true,"StartMS":0}`), &row))
	if e := row.served(&timeline{}); e.Action != ActionCut || e.TakeGroup != "" {
		t.Errorf("an old edit is served as %+v", e)
	}
	stored, err := json.Marshal(editRow{Edit: Edit{UUID: "e", Type: EditSilence}})
	must(t, err)
	for _, name := range []string{"Action", "TakeGroup", "TakeNumber"} {
		var fields map[string]any
		must(t, json.Unmarshal(stored, &fields))
		if _, there := fields[name]; there {
			t.Errorf("a plain cut stores %s", name)
		}
	}
	var run runRow
	must(t, json.Unmarshal([]byte(`{"PacingLevel":50}`), &run))
	o := run.CutOptions.WithDefaults()
	if o.Breaths != media.ChoiceRemove || o.Background != media.ChoiceRemove || o.FaintSpeech != media.ChoiceKeep ||
		o.KeepDemonstrations || o.ExactEdges || len(o.MuteKinds) != 0 || run.ActionOf(EditSilence) != ActionCut {
		t.Errorf("an old run has the options %+v", o)
	}
}

func TestUnknownCutOptionsAreRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	w.ready(p, 10_000)
	for _, o := range []media.CutOptions{
		{Breaths: "loud"}, {Background: "shorten"}, {FaintSpeech: "all"}, {PacingLevel: 101},
		{FalseStartSensitivity: -1}, {MuteKinds: []string{EditManual}},
	} {
		_, err := w.StartAnalysis(p.UserUUID, p.UUID, AnalysisSettings{CutOptions: o})
		wantCode(t, err, Unprocessable, "unprocessable")
		_, err = w.Presets().Create(
			p.UserUUID,
			Preset{PresetHead: PresetHead{Name: "p"}, CensorshipMode: "none", CutOptions: o},
		)
		wantCode(t, err, Unprocessable, "unprocessable")
	}
	all := media.CutOptions{
		Breaths:            media.ChoiceShorten,
		Background:         media.ChoiceKeep,
		FaintSpeech:        media.ChoiceRemove,
		KeepDemonstrations: true,
		ExactEdges:         true,
		MuteKinds:          []string{EditFiller, EditSilence},
	}
	run := get(w.StartAnalysis(p.UserUUID, p.UUID, AnalysisSettings{CutOptions: all}))(t)
	if run.ActionOf(EditSilence) != ActionMute || run.ActionOf(EditFalseStart) != ActionCut ||
		run.Breaths != media.ChoiceShorten {
		t.Errorf("the run has the options %+v", run.CutOptions)
	}
}
