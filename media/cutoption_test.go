package media

import (
	"reflect"
	"testing"
)

// Each field of CutOptions has one row in the table, and its default passes the check.
func TestCutOptionTableDescribesEachField(t *testing.T) {
	o := DefaultCutOptions().WithDefaults()
	seen := map[any]bool{}
	for _, option := range CutOptionTable() {
		seen[option.In(&o)] = true
		if err := option.Check(o); err != nil {
			t.Errorf("the default of %s %v", option.Name, err)
		}
		if option.Flag == "" || option.Help == "" || option.Description == "" {
			t.Errorf("%s has no flag or no text: %+v", option.Name, option)
		}
	}
	if fields := reflect.TypeFor[CutOptions]().NumField(); len(seen) != fields || len(CutOptionTable()) != fields {
		t.Errorf("%d rows describe %d of %d fields", len(CutOptionTable()), len(seen), fields)
	}
	want := CutOptions{
		PacingLevel: 50, FalseStartSensitivity: 50, Breaths: ChoiceRemove, Background: ChoiceRemove,
		FaintSpeech: ChoiceKeep, MuteKinds: []string{},
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("the defaults are %+v", o)
	}
}

func TestCutOptionsOutOfRangeAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		options CutOptions
		says    string
	}{
		"pacing_level": {CutOptions{PacingLevel: 101}, "must be 0 to 100, not 101"},
		"breaths":      {CutOptions{Breaths: "loud"}, `must be remove, shorten or keep, not "loud"`},
		"background":   {CutOptions{Background: "shorten"}, `must be remove or keep, not "shorten"`},
		"mute_kinds": {
			CutOptions{MuteKinds: []string{EditSilence, EditManual}},
			"must be " + OrList(DetectedKinds()) + `, not "manual"`,
		},
	} {
		for _, option := range CutOptionTable() {
			got := ""
			if err := option.Check(c.options.WithDefaults()); err != nil {
				got = err.Error()
			}
			if want := map[bool]string{true: c.says}[option.Name == name]; got != want {
				t.Errorf("%+v: %s %q, want %q", c.options, option.Name, got, want)
			}
		}
	}
}
