package media

import (
	"slices"
	"testing"
)

// Every constant for an edit kind is a name in editkinds.json.
func TestEditKindConstantsMatchTheTable(t *testing.T) {
	for _, name := range []string{EditSilence, EditFalseStart, EditFiller, EditStutter, EditManual, EditAsset} {
		if _, ok := LookupEditKind(name); !ok {
			t.Errorf("editkinds.json has no kind %q", name)
		}
	}
	if IsCut(EditAsset) || !IsCut(EditManual) || slices.Contains(DetectedKinds(), EditManual) {
		t.Error("asset must not be a cut, and manual must not be detected")
	}
}

// Every row of a table has a unique name, and the texts that the UI shows.
func TestTablesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	check := func(table, name string, texts ...string) {
		t.Helper()
		if name == "" || seen[table+name] {
			t.Errorf("%s: name %q is empty or not unique", table, name)
		}
		seen[table+name] = true
		for _, text := range texts {
			if text == "" {
				t.Errorf("%s: %q lacks a text", table, name)
			}
		}
	}
	var fonts []string
	for _, f := range CaptionFonts() {
		check("captionstyles.json, fonts", f.Family, f.File)
		fonts = append(fonts, f.Family)
	}
	for _, s := range CaptionStyles() {
		check("captionstyles.json", s.Name, s.Label, s.Description, s.Font)
		if s.Scale <= 0 {
			t.Errorf("captionstyles.json: %q has scale %v", s.Name, s.Scale)
		}
		for _, choice := range []struct {
			field, value string
			allowed      []string
		}{
			{"font", s.Font, fonts},
			{"box", s.Box, []string{BoxNone, BoxBlock, BoxRows}},
			{"highlight", s.Highlight, []string{HighlightNone, HighlightWord, HighlightBox}},
			{"shows", s.Shows, []string{ShownCaption, ShownWord, ShownSpoken}},
			{"align", s.Align, []string{"center", AlignLeft}},
			{"position", s.Position, []string{"top", "middle", "bottom"}},
		} {
			if !slices.Contains(choice.allowed, choice.value) {
				t.Errorf("captionstyles.json: %s of %q is %q", choice.field, s.Name, choice.value)
			}
		}
	}
	for _, k := range EditKinds() {
		check("editkinds.json", k.Name, k.Label, k.LabelPlural, k.Pattern)
	}
	for _, f := range ExportFormats() {
		check("exportformats.json", f.Name, f.Label, f.Extension, f.ContentType, f.Muxer)
	}
}

func TestBaseLanguageIsThePrimarySubtag(t *testing.T) {
	for tag, want := range map[string]string{"": "", "en": "en", "pt-BR": "pt", "pt_BR": "pt", "ZH-hant-TW": "zh"} {
		if got := BaseLanguage(tag); got != want {
			t.Errorf("BaseLanguage(%q) = %q, want %q", tag, got, want)
		}
	}
}
