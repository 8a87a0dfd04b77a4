package director

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
)

// talk returns a clip with a word every half second. The stem of a word is the word in lower case
// without a final s; stop words have no stem.
func talk(id, text string) Clip {
	c := Clip{ID: id}
	for i, word := range strings.Fields(text) {
		c.Words = append(
			c.Words,
			media.Word{Text: " " + word, StartMS: int64(i) * 500, EndMS: int64(i)*500 + 400, Probability: 1},
		)
		c.Stems = append(c.Stems, stems(word))
	}
	return c
}

func stems(text string) (list []string) {
	for _, word := range words(strings.ToLower(text)) {
		if !slices.Contains([]string{"the", "a", "this", "is", "of", "and", "at", "up"}, word) {
			list = append(list, strings.TrimSuffix(word, "s"))
		}
	}
	return list
}

func asset(id, kind, name string, texts ...Text) Asset {
	a := Asset{ID: id, Kind: kind, Name: name, Texts: append([]Text{{Field: Name, Text: name}}, texts...)}
	if kind != media.KindImage {
		a.DurationMS = 20_000
	}
	for i, t := range a.Texts {
		a.Texts[i].Stems = stems(t.Text)
	}
	return a
}

func whole(clips ...Clip) []Segment {
	var kept []Segment
	for _, c := range clips {
		kept = append(kept, Segment{c.ID, media.Span{EndMS: c.Words[len(c.Words)-1].EndMS}})
	}
	return kept
}

// padding returns n words that match no asset.
func padding(n int) string { return strings.TrimSpace(strings.Repeat("well ", n)) }

func directed(clips []Clip, assets []Asset, kept []Segment, notes string) []Placement {
	return Place(Find(clips, assets, notes, stems(notes)), kept, nil, notes)
}

// A placement starts at the words that match an asset, quotes them, and has the more confidence the
// more of a text they match.
func TestPlaceFindsMentionedAssets(t *testing.T) {
	clip := talk("c", padding(20)+" this is the Espresso machine, and "+padding(60)+" beans "+padding(20))
	for _, c := range []struct {
		name   string
		asset  Asset
		active bool
		says   string
		at     int64
	}{
		{
			"a part of the name", asset("a", media.KindImage, "Espresso close-up"), true,
			"You say “Espresso”, which matches the name of “Espresso close-up”.", 11_500,
		},
		{
			"the whole name", asset("a", media.KindVideo, "Espresso machine"), true,
			"You say “Espresso machine”, which matches the name of “Espresso machine”.", 11_500,
		},
		{
			"a tag",
			asset("a", media.KindImage, "IMG_2031", Text{Field: Tag, Text: "bean"}),
			true,
			"You say “beans”, which matches the tag “bean” of “IMG_2031”.",
			43_000,
		},
		{
			"a group",
			asset("a", media.KindImage, "x1", Text{Field: Group, Text: "Machines"}),
			true,
			"You say “machine”, which matches the group “Machines” of “x1”.",
			12_000,
		},
		{
			"one word of a long description",
			asset("a", media.KindImage, "x1", Text{Field: Description, Text: "what to do with beans once roasted"}),
			false,
			"You say “beans”, which matches the description of a group of “x1”.",
			43_000,
		},
		{
			"little of a long name", asset("a", media.KindImage, "holiday beach beans hotel"), false,
			"You say “beans”, which matches the name of “holiday beach beans hotel”.", 43_000,
		},
	} {
		got := directed([]Clip{clip}, []Asset{c.asset}, whole(clip), "")
		if len(got) != 1 {
			t.Errorf("%s: got %d placements, want 1", c.name, len(got))
			continue
		}
		if p := got[0]; p.Active != c.active || p.Reason != c.says || p.StartMS != c.at-leadMS || p.Confidence <= 0 ||
			p.Confidence >= 1 {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
	for _, silent := range []Asset{
		asset("a", media.KindImage, "Photo"), asset("a", media.KindImage, "42"), asset("a", media.KindImage, "the"),
		asset("a", media.KindImage, "tractor"),
	} {
		if got := directed([]Clip{clip}, []Asset{silent}, whole(clip), ""); len(got) != 0 {
			t.Errorf("%s: %+v", silent.Name, got)
		}
	}
}

// For any cuts, no placement crosses a cut, covers the opening, is too close to another one or
// repeats an asset too soon.
func TestPlacementsKeepTheirLimits(t *testing.T) {
	text := ""
	for i := range 120 {
		text += padding(5) + " " + []string{"espresso", "grinder", "milk", "kettle"}[i%4] + " "
	}
	clips := []Clip{talk("c", text), talk("d", text)}
	assets := []Asset{
		asset("e", media.KindImage, "Espresso"),
		asset("g", media.KindVideo, "Grinder"),
		asset("m", media.KindAudio, "Milk"),
		asset("k", media.KindImage, "Kettle", Text{Field: Tag, Text: "hot"}),
	}
	for shift := int64(0); shift < 3000; shift += 370 {
		var kept []Segment
		for _, c := range clips {
			for at := shift; at+4100 < 350_000; at += 4700 {
				kept = append(kept, Segment{c.ID, media.Span{StartMS: at, EndMS: at + 4100}})
			}
		}
		got := directed(clips, assets, kept, "")
		s := newScene(kept)
		if most := int(3*s.total/60_000) + 1; len(got) < 8 || len(got) > most {
			t.Errorf("got %d placements, want 8 to %d", len(got), most)
		}
		var before int64 = -gapMS
		last, covered := map[string]int64{}, int64(0)
		for i, p := range got {
			segment, ok := s.find(p.ClipID, p.StartMS)
			if !ok || p.EndMS > segment.EndMS || p.Duration() <= 0 {
				t.Fatalf("%+v crosses a cut (%+v)", p, segment)
			}
			from := segment.onVideo(p.StartMS)
			if from < openingMS || from < before+gapMS {
				t.Errorf("placement %d is at %d ms, and the one before ends at %d ms", i, from, before)
			}
			if end, ok := last[p.AssetID]; ok && from < end+repeatGapMS {
				t.Errorf("asset %s repeats at %d ms after %d ms", p.AssetID, from, end)
			}
			placed := slices.IndexFunc(assets, func(a Asset) bool { return a.ID == p.AssetID })
			least, _, most := displayTimes(assets[placed].Kind)
			if p.Duration() < least || p.Duration() > most {
				t.Errorf("asset %s is shown for %d ms", p.AssetID, p.Duration())
			}
			before, last[p.AssetID] = from+p.Duration(), from+p.Duration()
			covered += p.Duration()
		}
		if float64(covered) > maxCoverage*float64(s.total) {
			t.Errorf("%d of %d ms are covered", covered, s.total)
		}
	}
}

// Words in a cut or near a fixed placement get no placement.
func TestPlaceAvoidsCutsAndFixedPlacements(t *testing.T) {
	clip := talk("c", padding(40)+" espresso "+padding(60)+" grinder "+padding(40))
	assets := []Asset{asset("e", media.KindImage, "Espresso"), asset("g", media.KindImage, "Grinder")}
	kept := []Segment{{"c", media.Span{EndMS: 19_000}}, {"c", media.Span{StartMS: 25_000, EndMS: 70_000}}}
	if got := directed([]Clip{clip}, assets, kept, ""); len(got) != 1 || got[0].AssetID != "g" {
		t.Errorf("%+v", got)
	}
	mentions := Find([]Clip{clip}, assets, "", nil)
	if got := Place(
		mentions,
		whole(clip),
		[]FixedPlacement{{"c", "other", media.Span{StartMS: 49_000, EndMS: 50_000}}},
		"",
	); len(got) != 1 ||
		got[0].AssetID != "e" {
		t.Errorf("%+v", got)
	}
	if got := Place(mentions, whole(clip), nil, ""); len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

// Each kind of note in the package comment has a case here.
func TestNotesSelectPlacements(t *testing.T) {
	clip := talk(
		"c",
		padding(30)+" espresso "+padding(60)+" jingle "+padding(60)+" grinder "+padding(60)+" logo stamp "+padding(10),
	)
	coffee := Text{Field: Group, Text: "Coffee"}
	assets := []Asset{
		asset("e", media.KindImage, "Espresso", coffee),
		asset("j", media.KindAudio, "Jingle"),
		asset("g", media.KindVideo, "Grinder", coffee),
		asset("l", media.KindImage, "Stamp", Text{Field: Tag, Text: "logos"}),
	}
	for notes, want := range map[string]string{
		"":                                     "e j g l",
		"I like it warm.":                      "e j g l",
		"nothing":                              "",
		"No assets at all, please":             "",
		"no music":                             "e g l",
		"Without videos, no pictures":          "j",
		"only images":                          "e l",
		"Only the group Coffee":                "e g",
		"use only 'Espresso'":                  "e",
		"no logos":                             "e j g",
		"don't use the Grinder; no music":      "e l",
		"at most 2":                            "e j",
		"1 image":                              "e",
		"only in the first minute":             "e j",
		"nothing in the last minute":           "e j",
		"not in the first 50 seconds":          "g l",
		"after the first minute, but no logos": "g",
		"nothing but pictures":                 "e l",
		"only in the last 40 seconds":          "g l",
	} {
		var got []string
		for _, p := range directed([]Clip{clip}, assets, whole(clip), notes) {
			got = append(got, p.AssetID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q places %v, want %s", notes, got, want)
		}
	}
	if few, many := ParseNotes("just a few"), ParseNotes("as much as possible"); few.Density >= 1 || many.Density <= 1 {
		t.Errorf("a few: %+v, many: %+v", few, many)
	}
}

// Notes override the instructions of groups, which override the default layout.
func TestLayoutFollowsNotesAndInstructions(t *testing.T) {
	clip := talk("c", padding(30)+" espresso "+padding(30))
	image, video := asset("e", media.KindImage, "Espresso"), asset("e", media.KindVideo, "Espresso")
	guided := asset("e", media.KindImage, "Espresso", Text{Field: Instructions, Text: "Show it full screen."})
	for _, c := range []struct {
		asset                Asset
		notes                string
		mode, position, play string
	}{
		{image, "", "overlay", "top_right", "mute"},
		{video, "", "cutaway", "center", "mute"},
		{guided, "", "cutaway", "top_right", "mute"},
		{image, "Full-screen!", "cutaway", "top_right", "mute"},
		{guided, "small, in the lower left corner", "overlay", "bottom_left", "mute"},
		{video, "as overlays", "overlay", "top_right", "mute"},
		{asset("e", media.KindAudio, "Espresso"), "", "none", "center", "mix"},
	} {
		got := directed([]Clip{clip}, []Asset{c.asset}, whole(clip), c.notes)
		if len(got) != 1 || got[0].VisualMode != c.mode || got[0].Position != c.position || got[0].AudioMode != c.play {
			t.Errorf("%s, %q: %+v", c.asset.Kind, c.notes, got)
		}
	}
}

// The words of the notes favor the assets whose texts contain them. The order of the assets does
// not matter.
func TestNotesFavorAssetsInAnyOrder(t *testing.T) {
	clip := talk("c", padding(30)+" espresso "+padding(30))
	assets := []Asset{
		asset("a", media.KindImage, "Espresso", Text{Field: Tag, Text: "studio"}),
		asset("b", media.KindImage, "Espresso", Text{Field: Tag, Text: "vintage"}),
	}
	for notes, want := range map[string]string{"": "a", "I would love a vintage look": "b"} {
		first := directed([]Clip{clip}, assets, whole(clip), notes)
		if len(first) != 1 || first[0].AssetID != want {
			t.Errorf("%q places %+v", notes, first)
		}
		if again := directed(
			[]Clip{clip},
			[]Asset{assets[1], assets[0]},
			whole(clip),
			notes,
		); !reflect.DeepEqual(first, again) {
			t.Errorf("%q: another order of the assets gives %+v instead of %+v", notes, again, first)
		}
	}
}

// ParseNotes and ParseLayout return valid rules for any text.
func FuzzNotes(f *testing.F) {
	for _, seed := range []string{
		"", "at most 99999999999999999999 images", "first second last minute", "no,no;no", "only only",
		"\xff\xfe", "after the first minute but not",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, notes string) {
		if w := ParseNotes(notes); w.Most < 0 || w.Density <= 0 || w.From.ms < 0 || w.To.ms < 0 {
			t.Errorf("%q: %+v", notes, w)
		}
		if m := ParseLayout(notes); m.VisualMode != "" && m.VisualMode != "cutaway" && m.VisualMode != "overlay" {
			t.Errorf("%q: %+v", notes, m)
		}
	})
}
