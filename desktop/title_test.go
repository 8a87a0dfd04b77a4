package desktop

import "testing"

func TestTitleHasTheProgressOfExportsOnce(t *testing.T) {
	for _, tc := range []struct {
		page     string
		progress float64
		want     string
	}{
		{"", -1, "Roughcut"},
		{"Talk · Roughcut", -1, "Talk · Roughcut"},
		{"Talk · Roughcut", 0.456, "Exporting 45% · Talk · Roughcut"},
		{"100% wool · Roughcut", 0.1, "Exporting 10% · 100% wool · Roughcut"},
		{"Exporting 45% · Talk · Roughcut", 0.456, "Exporting 45% · Talk · Roughcut"},
		{"Finding cuts 7\u00a0% · Talk · Roughcut", 0.456, "Finding cuts 7\u00a0% · Talk · Roughcut"},
		{"Uploading %34 · Talk · Roughcut", 0.456, "Uploading %34 · Talk · Roughcut"},
		{"Processing ٣٤٪\u061c · Talk · Roughcut", 0.456, "Processing ٣٤٪\u061c · Talk · Roughcut"},
	} {
		if got := title(tc.page, tc.progress); got != tc.want {
			t.Errorf("title(%q, %g) = %q, want %q", tc.page, tc.progress, got, tc.want)
		}
	}
}
