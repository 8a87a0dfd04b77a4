package cli

import (
	"reflect"
	"strings"
	"testing"

	"roughcut/media"
)

func TestAudioTrackFlag(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values     []string
		recordings int
		want       [][]int
	}{
		{nil, 2, [][]int{nil, nil}},
		{[]string{"2"}, 2, [][]int{{1}, {1}}},
		{[]string{"1, 3"}, 1, [][]int{{0, 2}}},
		{[]string{"2", "1,2"}, 2, [][]int{{1}, {0, 1}}},
	} {
		got, err := parseTracks(c.values, c.recordings)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %v %v, want %v", c.values, got, err, c.want)
		}
	}

	for _, wrong := range [][]string{{"0"}, {"x"}, {""}, {"1,"}, {"1", "2"}, {"1,1"}} {
		if _, err := parseTracks(wrong, 3); err == nil || !strings.HasPrefix(err.Error(), "--audio-track must be") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestCutNamesItsAudioTracks(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	info := media.Info{Audio: &media.AudioInfo{}, AudioTracks: []media.AudioTrack{
		{Codec: "aac", Title: "Desktop", Speech: &no},
		{Codec: "aac", Language: "eng", Speech: &yes, Played: true},
		{Codec: "adpcm_ms", Undecodable: true},
	}}
	want := "talk.mkv: audio track 2 (eng, AAC), the first with speech. " +
		"Others: 1 (Desktop, AAC, no speech). Choose with --audio-track."
	warning := "\ntalk.mkv: warning: audio track 3 (Microsoft ADPCM (adpcm_ms), cannot be decoded). " +
		"It is damaged, or Roughcut does not read its codec, so it is left out."
	want += warning
	if got := tracksHeard("/x/talk.mkv", info, false); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	info.AudioTracks[0].Speech = &yes
	want = "talk.mkv: audio track 2 (eng, AAC), with speech. Others: 1 (Desktop, AAC). " +
		"Choose with --audio-track." + warning
	if got := tracksHeard("/x/talk.mkv", info, false); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	info.AudioTracks[0].Speech = &no
	if err := info.Hear([]int{0, 1}); err != nil {
		t.Fatal(err)
	}
	want = "talk.mkv: audio track 1 (Desktop, AAC, no speech) and 2 (eng, AAC)." + warning
	if got := tracksHeard("talk.mkv", info, true); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	microphones := media.Info{Audio: &media.AudioInfo{}}
	for _, title := range []string{"A", "B", "C"} {
		microphones.AudioTracks = append(microphones.AudioTracks, media.AudioTrack{Title: title, Played: true})
	}
	want = "talk.mkv: audio track 1 (A), 2 (B) and 3 (C)."
	if got := tracksHeard("talk.mkv", microphones, true); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	damaged := media.Info{AudioTracks: []media.AudioTrack{{Codec: "aac", Undecodable: true}}}
	want = "talk.mp4 has no sound in the output: audio track 1 (AAC, cannot be decoded)."
	if got := tracksHeard("talk.mp4", damaged, false); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := tracksHeard("talk.mp4", media.Info{Audio: &media.AudioInfo{}}, false); got != "" {
		t.Errorf("of one track, got %s", got)
	}
}
