package store

import "testing"

func TestPresetsKeepTheirRules(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	sound := Preset{PresetHead: PresetHead{Name: "a"}, CensorshipMode: "none", IsDefault: true}
	for range MaxPresets {
		get(w.Presets().Create(u.UUID, sound))(t)
	}
	_, err := w.Presets().Create(u.UUID, sound)
	wantCode(t, err, Unprocessable, "plan_limit_presets")
	get(w.Presets().Create(stranger.UUID, sound))(t)
	list := get(w.Presets().List(u.UUID))(t)
	for i, p := range list {
		if p.IsDefault != (i == MaxPresets-1) {
			t.Errorf("preset %d: %+v", i, p)
		}
	}
	_, err = w.Presets().Update(u.UUID, list[0].UUID, func(p *Preset) { p.PacingLevel = 101 })
	wantCode(t, err, Unprocessable, "unprocessable")
	got := get(
		w.Presets().Update(
			u.UUID,
			list[0].UUID,
			func(p *Preset) { p.UUID, p.UserUUID, p.IsDefault = "x", stranger.UUID, true },
		),
	)(t)
	if got.UUID != list[0].UUID || got.UserUUID != u.UUID {
		t.Errorf("the change removed %+v", got)
	}
	wantCode(t, w.Presets().Delete(stranger.UUID, list[0].UUID), Forbidden, "forbidden")
	must(t, w.Presets().Delete(u.UUID, list[0].UUID))
	wantCode(t, w.Access(u.UUID, "preset", list[0].UUID), NotFound, "not_found")

	look := PreviewPreset{
		PresetHead:      PresetHead{Name: "l"},
		Format:          "1:1",
		FileType:        "mkv",
		Background:      "#000000",
		CaptionStyle:    "bold",
		CaptionSize:     8,
		CaptionPosition: "top",
		CaptionColor:    "#ffffff",
		CaptionLength:   "short",
	}
	kept := get(w.PreviewPresets().Create(u.UUID, look))(t)
	must(t, w.Access(u.UUID, "preset", kept.UUID))
	wantCode(t, w.Access(stranger.UUID, "preset", kept.UUID), Forbidden, "forbidden")
	_, err = w.PreviewPresets().Update(u.UUID, kept.UUID, func(p *PreviewPreset) { p.CaptionColor = "red" })
	wantCode(t, err, Unprocessable, "unprocessable")
	_, err = w.PreviewPresets().Update(u.UUID, kept.UUID, func(p *PreviewPreset) { p.FileType = "avi" })
	wantCode(t, err, Unprocessable, "unprocessable")
	w.reopen()
	if after := get(w.PreviewPresets().List(u.UUID))(t); len(after) != 1 || after[0] != kept {
		t.Errorf("after a restart: %+v", after)
	}
	w.clean()
}

func TestCheckFindsBrokenPresets(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	must(t, w.update(func(tx *txn) error {
		for _, id := range []string{"a", "b"} {
			if err := presets.Put(
				tx,
				&Preset{PresetHead: PresetHead{UUID: id, UserUUID: u.UUID}, IsDefault: true},
			); err != nil {
				return err
			}
		}
		return previewPresets.Put(tx, &PreviewPreset{PresetHead: PresetHead{UUID: "c", UserUUID: "nobody"}})
	}))
	codes := map[string]bool{}
	for _, f := range get(w.Check(t.Context()))(t) {
		codes[f.Code] = true
	}
	if !codes["preset_count"] || !codes["owner_gone"] || len(codes) != 2 {
		t.Errorf("findings %v", codes)
	}
}
