package store

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"roughcut/media"
)

func TestDraftAndExportRules(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	p, other, empty := w.project(u), w.project(u), w.project(u)
	c := w.ready(p, 10_000)
	w.ready(other, 10_000)
	theirs := w.project(stranger)
	w.ready(theirs, 1_000)
	w.analyzed(p, AnalysisResult{Edits: []DetectedEdit{silence(c.UUID, 1_000, 2_000)}})
	edit := get(w.Edits(u.UUID, p.UUID, false))(t)[0].UUID
	foreign := get(w.CreateEdit(u.UUID, other.UUID, manual(0, 10)))(t).UUID
	cases := []struct {
		name      string
		overrides map[string]Override
		settings  string
		kind      Kind
		code      string
	}{
		{name: "nothing"},
		{name: "start beyond the stored end", overrides: map[string]Override{edit: {StartMS: ptr(int64(5_000))}}},
		{name: "start at the end", overrides: map[string]Override{edit: {StartMS: ptr(int64(10_000))}}},
		{
			name:      "start past the end",
			overrides: map[string]Override{edit: {StartMS: ptr(int64(10_001))}},
			kind:      Invalid,
			code:      "out_of_bounds",
		},
		{
			name:      "end past the end",
			overrides: map[string]Override{edit: {EndMS: ptr(int64(10_001))}},
			kind:      Invalid,
			code:      "out_of_bounds",
		},
		{
			name:      "backwards",
			overrides: map[string]Override{edit: {StartMS: ptr(int64(5)), EndMS: ptr(int64(5))}},
			kind:      Unprocessable,
			code:      "unprocessable",
		},
		{
			name:      "negative",
			overrides: map[string]Override{edit: {StartMS: ptr(int64(-5))}},
			kind:      Unprocessable,
			code:      "unprocessable",
		},
		{
			name:      "unknown edit",
			overrides: map[string]Override{"none": {Active: ptr(true)}},
			kind:      Unprocessable,
			code:      "unknown_edit",
		},
		{
			name:      "edit of another project",
			overrides: map[string]Override{foreign: {Active: ptr(true)}},
			kind:      Unprocessable,
			code:      "unknown_edit",
		},
		{
			name:      "unknown before out of bounds",
			overrides: map[string]Override{edit: {EndMS: ptr(int64(10_001))}, "none": {}},
			kind:      Unprocessable,
			code:      "unknown_edit",
		},
		{name: "strange resolution", settings: `{"resolution":"8k"}`, kind: Unprocessable, code: "unprocessable"},
		{name: "strange codec", settings: `{"video_codec":"hevc"}`, kind: Unprocessable, code: "unprocessable"},
		{
			name:     "strange color",
			settings: `{"letterbox_background":"red"}`,
			kind:     Unprocessable,
			code:     "unprocessable",
		},
		{
			name: "all of it",
			settings: `{"audio_censorship":"bleep",
				"captions":{"enabled":true,"style":"karaoke","font_size":8,"position":"top",
				"color":"#FF0000","font":"Noto Sans"},
				"audio":{"normalize":true,"target_lufs":-23.5,"noise_reduction":true,"noise_floor":-80}}`,
		},
		{
			name:     "strange censorship",
			settings: `{"audio_censorship":"beep"}`,
			kind:     Unprocessable,
			code:     "unprocessable",
		},
		{name: "strange style", settings: `{"captions":{"style":"page"}}`, kind: Unprocessable, code: "unprocessable"},
		{
			name:     "strange position",
			settings: `{"captions":{"position":"left"}}`,
			kind:     Unprocessable,
			code:     "unprocessable",
		},
		{
			name:     "larger than 200 %",
			settings: `{"punch_in":{"scale_percent":201}}`,
			kind:     Unprocessable,
			code:     "unprocessable",
		},
		{name: "a point outside", settings: `{"punch_in":{"x":1.1}}`, kind: Unprocessable, code: "unprocessable"},
		{
			name:     "a crop outside",
			settings: `{"crop_keyframes":[{"clip_uuid":"c","at_ms":0,"x":0.5,"y":-0.1}]}`,
			kind:     Unprocessable,
			code:     "unprocessable",
		},
		{
			name:     "a crop before the clip",
			settings: `{"crop_keyframes":[{"clip_uuid":"c","at_ms":-1,"x":0.5,"y":0.5}]}`,
			kind:     Unprocessable,
			code:     "unprocessable",
		},
		{name: "too small", settings: `{"captions":{"font_size":7}}`, kind: Unprocessable, code: "unprocessable"},
		{name: "too large", settings: `{"captions":{"font_size":201}}`, kind: Unprocessable, code: "unprocessable"},
		{
			name:     "a font that is a path",
			settings: `{"captions":{"font":"../../etc/passwd"}}`,
			kind:     Unprocessable,
			code:     "unprocessable",
		},
		{
			name:     "a font that is a tag",
			settings: `{"captions":{"font":"{\\an8}"}}`,
			kind:     Unprocessable,
			code:     "unprocessable",
		},
		{
			name:     "color of captions",
			settings: `{"captions":{"color":"white"}}`,
			kind:     Unprocessable,
			code:     "unprocessable",
		},
		{name: "target too loud", settings: `{"audio":{"target_lufs":0}}`, kind: Unprocessable, code: "unprocessable"},
		{name: "floor too low", settings: `{"audio":{"noise_floor":-81}}`, kind: Unprocessable, code: "unprocessable"},
		{
			name:     "too loud",
			settings: `{"audio":{"main_volume_percent":101}}`,
			kind:     Unprocessable,
			code:     "unprocessable",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			draft, draftErr := w.CreateDraft(
				u.UUID,
				p.UUID,
				DraftChange{Name: ptr(c.name), EditOverrides: c.overrides, ExportSettings: json.RawMessage(c.settings)},
			)
			_, exportErr := w.CreateExport(
				u.UUID,
				p.UUID,
				NewExport{Name: c.name, Overrides: c.overrides, Settings: json.RawMessage(c.settings)},
			)
			if c.code == "" {
				must(t, errors.Join(draftErr, exportErr))
				if len(draft.EditOverrides) != len(c.overrides) {
					t.Errorf("draft %+v", draft)
				}
				return
			}
			wantCode(t, draftErr, c.kind, c.code)
			wantCode(t, exportErr, c.kind, c.code)
		})
	}
	get(w.CreateDraft(u.UUID, empty.UUID, DraftChange{}))(t)
	_, err := w.CreateDraft(
		u.UUID,
		empty.UUID,
		DraftChange{EditOverrides: map[string]Override{"none": {StartMS: ptr(int64(-1))}}},
	)
	wantCode(t, err, Invalid, "no_clips")
	_, err = w.CreateExport(u.UUID, empty.UUID, NewExport{})
	wantCode(t, err, Invalid, "no_clips")

	hers := get(w.CreateDraft(u.UUID, p.UUID, DraftChange{}))(t)
	_, err = w.CreateExport(u.UUID, p.UUID, NewExport{DraftID: ptr("none")})
	wantCode(t, err, NotFound, "not_found")
	_, err = w.CreateExport(u.UUID, other.UUID, NewExport{DraftID: &hers.UUID})
	wantCode(t, err, NotFound, "not_found")
	_, err = w.CreateExport(stranger.UUID, theirs.UUID, NewExport{DraftID: &hers.UUID})
	wantCode(t, err, Forbidden, "forbidden")
	_, err = w.Draft(stranger.UUID, hers.UUID)
	wantCode(t, err, Forbidden, "forbidden")
	wantCode(t, w.DeleteDraft(stranger.UUID, hers.UUID), Forbidden, "forbidden")
	must(t, w.DeleteDraft(u.UUID, hers.UUID))
	_, err = w.Draft(u.UUID, hers.UUID)
	wantCode(t, err, NotFound, "not_found")
	everything := get(w.CreateEdit(u.UUID, p.UUID, manual(0, 10_000)))(t)
	_, err = w.CreateExport(u.UUID, p.UUID, NewExport{})
	wantCode(t, err, Unprocessable, "unprocessable")
	get(
		w.CreateExport(
			u.UUID,
			p.UUID,
			NewExport{Overrides: map[string]Override{everything.UUID: {Active: ptr(false)}}},
		),
	)(t)
	w.clean()
}

func TestExportFreezesItsInput(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	first, second := w.ready(p, 10_000), w.ready(p, 10_000)
	w.analyzed(
		p,
		AnalysisResult{
			Edits: []DetectedEdit{
				silence(first.UUID, 1_000, 2_000),
				silence(first.UUID, 1_500, 3_000),
				silence(second.UUID, 0, 1_000),
				silence(second.UUID, 5_000, 6_000),
			},
		},
	)
	list := get(w.Edits(u.UUID, p.UUID, false))(t)
	draft := get(
		w.CreateDraft(u.UUID, p.UUID, DraftChange{
			ExportSettings: json.RawMessage(`{"resolution":"720p","audio":{"main_volume_percent":50},"platform":"x"}`),
			EditOverrides: map[string]Override{
				list[2].UUID: {Active: ptr(false)},
				list[3].UUID: {StartMS: ptr(int64(15_500))},
			},
		}),
	)(t)
	e := get(
		w.CreateExport(u.UUID, p.UUID, NewExport{
			Name:     "out",
			DraftID:  &draft.UUID,
			Settings: json.RawMessage(`{"aspect_ratio":"9:16","audio":{"normalize":true}}`),
			Overrides: map[string]Override{
				list[2].UUID: {EndMS: ptr(int64(10_500))},
				list[3].UUID: {EndMS: ptr(int64(15_800))},
			},
		}),
	)(t)
	get(w.UpdateEdit(u.UUID, list[0].UUID, EditChange{Active: ptr(false)}))(t) // too late for this export
	must(t, w.DeleteDraft(u.UUID, draft.UUID))
	w.clock.Advance(30 * 24 * time.Hour) // after the end of the trial; the export keeps its terms

	in := get(w.ExportInput(w.claim()))(t)
	equal(t, "cuts", in.Cuts, []media.Span{{StartMS: 1_000, EndMS: 3_000}, {StartMS: 15_500, EndMS: 15_800}})
	want := DefaultExportSettings()
	want.Resolution = "720p"
	want.AspectRatio = "9:16"
	want.Audio.MainVolumePercent = 50
	want.Audio.Normalize = true
	if !reflect.DeepEqual(in.Settings, want) || in.Export.DurationMS != 17_700 || in.Export.WatermarkRequired ||
		!in.Export.ExpiresAt.Equal(e.CreatedAt.Add(90*24*time.Hour)) {
		t.Errorf("input %+v", in)
	}
	var all map[string]any
	must(t, json.Unmarshal(e.Settings, &all))
	if audio := all["audio"].(map[string]any); audio["normalize"] != true || audio["main_volume_percent"] != 50.0 ||
		all["platform"] != "x" {
		t.Errorf("settings %s", e.Settings)
	}
	for i, clip := range in.Clips {
		if _, err := os.Stat(clip.Path); err != nil || clip.Info.DurationMS != 10_000 {
			t.Errorf("clip %d: %+v %v", i, clip, err)
		}
	}
}

// An export freezes words and caption lines only when a setting needs them.
func TestExportFreezesTheTranscript(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	first, second := w.ready(p, 10_000), w.ready(p, 10_000)
	said := media.Transcript{Words: []media.Word{{Text: "oh", StartMS: 1_000, EndMS: 1_500}}}
	w.analyzed(
		p,
		AnalysisResult{
			Language: "en",
			Transcripts: []ClipTranscript{
				{ClipUUID: first.UUID, Transcript: said},
				{ClipUUID: second.UUID, Transcript: said},
			},
			CaptionLines: []ClipCaption{
				{ClipUUID: second.UUID, TimedText: media.TimedText{Text: "oh", StartMS: 1_000, EndMS: 1_500}},
			},
		},
	)
	for settings, want := range map[string]ExportTranscript{
		`{}`: {},
		`{"audio_censorship":"mute"}`: {
			Language: "en",
			Words: []media.Word{
				{Text: "oh", StartMS: 1_000, EndMS: 1_500},
				{Text: "oh", StartMS: 11_000, EndMS: 11_500},
			},
		},
		`{"captions":{"enabled":true}}`: {Language: "en", Words: []media.Word{
			{Text: "oh", StartMS: 1_000, EndMS: 1_500},
			{Text: "oh", StartMS: 11_000, EndMS: 11_500},
		},
			Captions: []media.CaptionLine{{Text: "Oh!", StartMS: 11_000, EndMS: 11_500}}},
	} {
		lines, _, err := w.CaptionLines(u.UUID, p.UUID, Page{Number: 1, Size: 10})
		must(t, err)
		line := lines[0]
		get(w.UpdateCaptionLine(u.UUID, line.UUID, CaptionChange{Text: ptr("Oh!")}))(t)
		get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "x", Settings: json.RawMessage(settings)}))(t)
		get(w.UpdateCaptionLine(u.UUID, line.UUID, CaptionChange{Text: ptr("too late")}))(t)
		job := w.claim()
		got := get(w.ExportInput(job))(t).Transcript
		equal(t, settings, got.Words, want.Words)
		equal(t, settings, got.Captions, want.Captions)
		if got.Language != want.Language {
			t.Errorf("%s: the language is %q", settings, got.Language)
		}
		must(t, w.FailExport(job, "enough"))
	}
	w.clean()
}

func TestExportLifecycle(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	p := w.project(u)
	w.ready(p, 10_000)
	e := get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
	_, err := w.CancelExport(stranger.UUID, e.UUID)
	wantCode(t, err, Forbidden, "forbidden")
	j := w.claim()
	must(t, w.StartExport(j))
	must(t, w.ExportProgress(j, "render", 130))
	if got := get(w.Export(u.UUID, e.UUID))(t); got.Status != ExportRendering || got.Step != "render" ||
		got.Progress != 100 {
		t.Errorf("export %+v", got)
	}
	get(w.CancelExport(u.UUID, e.UUID))(t)
	late := w.temp(10)
	if _, err := w.FinishExport(j, late, media.RenderResult{}); !errors.Is(err, ErrStaleJob) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(late); err == nil {
		t.Error("the late file still exists")
	}
	_, err = w.CancelExport(u.UUID, e.UUID)
	wantCode(t, err, Conflict, "conflict")

	done := get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
	get(w.FinishExport(w.claim(), w.temp(99), media.RenderResult{DurationMS: 10_000, Width: 1920, Height: 1080}))(t)
	list, total, err := w.Exports(u.UUID, p.UUID, Page{Number: 1, Size: 1})
	if err != nil || total != 2 || len(list) != 1 || list[0].UUID != done.UUID {
		t.Errorf("list %+v of %d, %v", list, total, err)
	}
	if n := get(w.SweepExpired())(t); n != 0 {
		t.Errorf("%d expired too early", n)
	}
	w.clock.Advance(91 * 24 * time.Hour)
	if n := get(w.SweepExpired())(t); n != 1 {
		t.Errorf("%d expired", n)
	}
	got := get(w.Export(u.UUID, done.UUID))(t)
	if got.Status != ExportExpired {
		t.Errorf("export %+v", got)
	}
	if _, err := os.Stat(w.FilePath(done.key())); err == nil {
		t.Error("the expired file still exists")
	}
	w.clean()
	must(t, w.DeleteExport(u.UUID, e.UUID))
	must(t, w.DeleteExport(u.UUID, done.UUID))
	_, err = w.Export(u.UUID, done.UUID)
	wantCode(t, err, NotFound, "not_found")
	w.clean()
}

// An export crops each clip by its own keyframes. Keyframes of other clips have no effect.
func TestExportCropsClipsByTheirKeyframes(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	first, second := w.ready(p, 10_000), w.ready(p, 10_000)
	settings := json.RawMessage(`{"fit":"crop","aspect_ratio":"9:16","punch_in":{"scale_percent":115,"ease":true},
		"crop_keyframes":[{"clip_uuid":"` + second.UUID + `","at_ms":500,"x":0.25,"y":0.5},
		{"clip_uuid":"11111111-1111-4111-8111-111111111111","at_ms":0,"x":1,"y":1}]}`)
	get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "out", Settings: settings}))(t)
	in := get(w.ExportInput(w.claim()))(t)
	if len(in.Clips[0].Crop) > 0 {
		t.Errorf("clip %s is cropped by %v", first.UUID, in.Clips[0].Crop)
	}
	equal(t, "crop", in.Clips[1].Crop, []media.CropKeyframe{{MS: 500, X: 0.25, Y: 0.5}})
	want := media.PunchIn{Scale: 1.15, Ease: true, X: 0.5, Y: 0.4, Face: true}
	if got := in.Settings.PunchIn.Plan(); got != want {
		t.Errorf("punch-in %+v, want %+v", got, want)
	}
}

// Each clip gets the choices for its own joins. Without a punch-in of the project, only joins
// enlarge.
func TestExportHasJoinsOfItsClips(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	first, second := w.ready(p, 10_000), w.ready(p, 10_000)
	settings := json.RawMessage(`{"punch_in":{"joins":[{"clip_uuid":"` + second.UUID + `","at_ms":500,"size":"in"},
		{"clip_uuid":"` + second.UUID + `","at_ms":900,"change":"eased"},
		{"clip_uuid":"11111111-1111-4111-8111-111111111111","at_ms":0,"size":"out"}]}}`)
	get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "out", Settings: settings}))(t)
	in := get(w.ExportInput(w.claim()))(t)
	if len(in.Clips[0].Joins) > 0 {
		t.Errorf("clip %s has the joins %v", first.UUID, in.Clips[0].Joins)
	}
	equal(t, "joins", in.Clips[1].Joins, []media.Join{
		{MS: 500, Size: media.JoinIn}, {MS: 900, Change: media.JoinEased},
	})
	want := media.PunchIn{Scale: media.DefaultPunchIn, X: 0.5, Y: 0.4, Face: true, JoinsOnly: true}
	if got := in.Settings.PunchIn.Plan(); got != want {
		t.Errorf("punch-in %+v, want %+v", got, want)
	}
	for _, wrong := range []string{
		`{"punch_in":{"joins":[{"clip_uuid":"x","at_ms":-1}]}}`,
		`{"punch_in":{"joins":[{"clip_uuid":"x","at_ms":0,"size":"up"}]}}`,
		`{"punch_in":{"joins":[{"clip_uuid":"x","at_ms":0,"change":"soft"}]}}`,
		`{"audio_clips":{"color":"green"}}`,
	} {
		_, err := w.CreateExport(u.UUID, p.UUID, NewExport{Name: "no", Settings: json.RawMessage(wrong)})
		wantCode(t, err, Unprocessable, "unprocessable")
	}
}

// A point that was set before the face could take its place stays, and so does a chosen center.
func TestCenterOfPunchIn(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]string{
		`{}`:                                     CenterFace,
		`{"punch_in":{"scale_percent":115}}`:     CenterFace,
		`{"punch_in":{"x":0.5,"y":0.4}}`:         CenterFace,
		`{"punch_in":{"x":0.3}}`:                 CenterPoint,
		`{"punch_in":{"center":"point"}}`:        CenterPoint,
		`{"punch_in":{"x":0.3,"center":"face"}}`: CenterFace,
		`{"punch_in":{"center":"nose","x":0.3}}`: "",
	} {
		got, err := parseSettings(json.RawMessage(settings))
		if want == "" {
			wantCode(t, err, Unprocessable, "unprocessable")
		} else if err != nil || got.PunchIn.Center != want {
			t.Errorf("%s has the center %q, %v; want %s", settings, got.PunchIn.Center, err, want)
		}
	}
}
