package e2e

import (
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// talkBy is a transcript of WhisperX with two speakers, who take turns.
const talkBy = `{"language": "en", "segments": [
	{"start": 0.2, "end": 1.5, "text": "Welcome to the show.", "speaker": "SPEAKER_00", "words": [
		{"word": "Welcome", "start": 0.2, "end": 0.6}, {"word": "to", "start": 0.6, "end": 0.8},
		{"word": "the", "start": 0.8, "end": 1}, {"word": "show.", "start": 1, "end": 1.5}]},
	{"start": 1.6, "end": 2.9, "text": "Thanks for inviting me.", "speaker": "SPEAKER_01", "words": [
		{"word": "Thanks", "start": 1.6, "end": 1.9}, {"word": "for", "start": 1.9, "end": 2.1},
		{"word": "inviting", "start": 2.1, "end": 2.6}, {"word": "me.", "start": 2.6, "end": 2.9}]},
	{"start": 3, "end": 4, "text": "Let us start.", "speaker": "SPEAKER_00", "words": [
		{"word": "Let", "start": 3, "end": 3.3}, {"word": "us", "start": 3.3, "end": 3.5},
		{"word": "start.", "start": 3.5, "end": 4}]}]}`

// TestBrowserSpeakers imports a transcript with speakers, and renames them in the transcript with
// undo.
func TestBrowserSpeakers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	project := c.guideProject("Interview", mediatest.Talk(t, mediatest.TalkOptions{}).Path, false)
	root := "/api/v1/projects/" + project
	clip := call[list[record]](c, "GET", root+"/clips/", nil, 200).Items[0].UUID
	given := map[string]string{"filename": "talk.json", "text": talkBy}
	call[map[string]any](c, "PUT", "/api/v1/clips/"+clip+"/transcript", given, 200)
	call[map[string]any](c, "POST", root+"/analyze", map[string]any{}, 202)
	poll(t, func() bool { return call[record](c, "GET", root, nil, 200).Status == "analyzed" })
	browse(t, "speakers.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+project)
	found := call[list[struct{ Fragment, Speaker string }]](c, "GET", "/api/v1/search?q=inviting", nil, 200)
	if hits := found.Items; len(hits) != 1 || hits[0].Speaker != "Grace Hopper" ||
		!strings.Contains(hits[0].Fragment, "Grace Hopper: Thanks") {
		t.Errorf("a search finds %v", hits)
	}
	server.stop()
	doctor(t, dir)
}
