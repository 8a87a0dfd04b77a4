package server

import (
	"strings"
	"testing"
)

// An export, its estimate and the files for other programs have only a range of the project.
func TestExportsOfRange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	clip := p.readyClip(project)
	p.analyze(project, clip)
	p.do("POST", base+"/edits/", map[string]any{"type": "manual", "start_ms": 4000, "end_ms": 5000}).want(201, "")
	of := func(start, end int64) map[string]any {
		limits := map[string]any{"start_ms": start, "end_ms": end}
		return map[string]any{"name": "short", "export_settings": map[string]any{"range": limits}}
	}
	p.do("POST", base+"/exports/", of(3500, clipMS+1)).want(400, "out_of_bounds")
	p.do("POST", base+"/exports/", of(3500, 3500)).want(422, "unprocessable")
	p.do("POST", base+"/exports/", of(-1, 3500)).want(422, "unprocessable")
	p.do("POST", base+"/exports/", of(4200, 4900)).want(422, "unprocessable")
	p.do("POST", base+"/drafts/", of(5, 5)).want(422, "unprocessable")

	p.do("POST", base+"/exports/", of(3500, 7000)).want(202, "").shows(map[string]any{"duration_ms": 2500})
	estimated := of(3500, 7000)
	delete(estimated, "name")
	got := p.do("POST", base+"/exports/estimate", estimated).want(200, "")
	if ms, ok := got.value("duration_ms").(float64); !ok || ms < 2450 || ms > 2550 {
		t.Errorf("estimate of %v ms, want 2500: %s", ms, got.body)
	}

	for _, c := range []struct{ path, query, has, lacks string }{
		{"/captions.srt", "?end_ms=2000", "hello", "world"},
		{"/captions.vtt", "?start_ms=2500&end_ms=3900", "world", "hello"},
		{"/captions.txt", "?start_ms=2500&end_ms=3900", "world", "hello"},
		{"/timelines/srt", "?start_ms=2500&end_ms=3900", "world", "hello"},
		{"/timelines/json", "?start_ms=2500&end_ms=3900", "world", "hello"},
		{"/timelines/csv", "?start_ms=3500&end_ms=7000", "3.5035,4.004,Segment 1\n5.005,7.007", "0,"},
		{"/timelines/edl", "?start_ms=3500&end_ms=7000", "00:00:03:15", "00:00:00:00 "},
	} {
		text := string(p.do("GET", base+c.path+c.query, nil).want(200, "").body)
		if !strings.Contains(text, c.has) || strings.HasPrefix(text, c.lacks) || strings.Contains(text, " "+c.lacks) {
			t.Errorf("%s%s lacks %q or has %q:\n%s", c.path, c.query, c.has, c.lacks, text)
		}
	}

	p.do("GET", base+"/captions.srt?start_ms=5000&end_ms=4000", nil).want(422, "unprocessable")
	p.do("GET", base+"/timelines/edl?end_ms=99999999", nil).want(400, "out_of_bounds")
	bundle := p.do("GET", base+"/timelines/otio/download-url?start_ms=3500&end_ms=7000", nil).want(200, "")
	p.do("GET", bundle.text("url"), nil).want(200, "")
}
