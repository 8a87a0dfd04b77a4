package store

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Export settings that are accepted stay the same when they are stored and read.
func FuzzExportSettings(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"resolution":"720p","fit":"crop","punch_in":{"scale_percent":120,"x":0.5,"y":1e300}}`,
		`{"captions":{"enabled":true,"style":"karaoke","font_size":-1,"color":"#12345"}}`,
		`{"audio":{"main_volume_percent":100},"format":"mkv"}`, `[]`, `null`, `{"resolution":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		settings, err := parseSettings(raw)
		if err != nil {
			if err.Error() == "" {
				t.Error("refused without a reason")
			}
			return
		}
		stored, err := json.Marshal(settings)
		if err != nil {
			t.Fatalf("accepted settings cannot be stored: %v", err)
		}
		again, err := parseSettings(stored)
		if err != nil || !reflect.DeepEqual(again, settings) {
			t.Errorf("%s was stored as %s, which reads as %+v, %v", raw, stored, again, err)
		}
	})
}
