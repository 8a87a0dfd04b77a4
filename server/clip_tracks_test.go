package server

import (
	"fmt"
	"testing"

	"roughcut/media"
)

// screenClip returns a ready clip of a project with a silent desktop track, a microphone, which is
// heard, and a track that does not decode.
func (p *person) screenClip(project string) string {
	speech, silence := true, false
	clip, _ := p.upload(project, []byte("bytes of a recording"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	p.w.finishClipWith(clipMS, func(info *media.Info) {
		info.AudioTracks = []media.AudioTrack{
			{Stream: 1, Channels: 2, SampleRate: 48000, Codec: "aac", Title: "Desktop", Speech: &silence},
			{Stream: 2, Channels: 1, SampleRate: 48000, Codec: "aac", Language: "eng", Speech: &speech, Played: true},
			{Stream: 3, Codec: "ac3", Undecodable: true},
		}
	})
	return clip
}

// A clip lists its audio tracks. A choice is stored, and the history undoes it.
func TestChooseClipTracks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	clip := p.screenClip(project)
	run := p.analyze(project, clip)
	heard := func(want ...bool) {
		t.Helper()
		r := p.do("GET", base+"/clips/", nil).want(200, "")
		for i, one := range want {
			if got := r.text("items", 0, "tracks", i, "heard"); got != fmt.Sprint(one) {
				t.Errorf("track %d is heard: %s", i+1, got)
			}
		}
	}
	heard(false, true, false)
	choose := func(tracks ...int) *reply {
		return p.do("PUT", "/api/v1/clips/"+clip+"/tracks", map[string]any{"heard": tracks})
	}
	r := choose(1, 2).want(200, "")
	holds(t, r, map[string]any{"audio_tracks": 3, "tracks_pending": true})
	heard(true, true, false)
	for i, want := range []map[string]any{
		{"index": 1, "codec": "aac", "title": "Desktop", "channels": 2, "decodable": true, "speech": false},
		{"index": 2, "codec": "aac", "language": "eng", "channels": 1, "decodable": true, "speech": true},
		{"index": 3, "codec": "ac3", "channels": 0, "decodable": false, "heard": false},
	} {
		for name, value := range want {
			if got := r.text("tracks", i, name); got != fmt.Sprint(value) {
				t.Errorf("track %d has %s %v, want %v", i+1, name, got, value)
			}
		}
	}
	holds(t, p.do("GET", base+"/analysis-runs/"+run, nil).want(200, ""), map[string]any{"covers_clips": false})
	for _, wrong := range [][]int{{}, {4}, {0}, {3}} {
		choose(wrong...).want(422, "unprocessable")
	}
	p.do("POST", base+"/edit-history/undo", nil).want(200, "")
	heard(false, true, false)
	holds(t, p.do("GET", base+"/analysis-runs/"+run, nil).want(200, ""), map[string]any{"covers_clips": true})

	first := map[string]any{"heard": []int{1}}
	p.do("PUT", "/api/v1/clips/"+noSuchUUID+"/tracks", first).want(404, "not_found")
	w.person("other").do("PUT", "/api/v1/clips/"+clip+"/tracks", first).want(403, "forbidden")
	w.finishClip() // with the tracks of the undo
	p.do("POST", base+"/analyze", map[string]any{}).want(202, "")
	choose(1).want(409, "conflict")
}

// A clip with one audio track lists it too.
func TestOneAudioTrackIsListed(t *testing.T) {
	t.Parallel()
	p := newWorld(t).person("p")
	project := p.project("Talk")
	p.readyClip(project)
	r := p.do("GET", "/api/v1/projects/"+project+"/clips/", nil).want(200, "")
	if r.text("items", 0, "tracks", 0, "index") != "1" || r.text("items", 0, "tracks", 0, "heard") != "true" {
		t.Errorf("clips %s", r.body)
	}
}
