package interchange_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// screenRecording is a project with a recording of a screen. Roughcut plays the microphone, the
// second audio track of the file.
func screenRecording() interchange.Project {
	info := video(media.Rate{Num: 30, Den: 1}, 900)
	info.AudioTracks = []media.AudioTrack{
		{Stream: 1, Channels: 1, SampleRate: 48000}, {Stream: 2, Channels: 2, SampleRate: 48000, Played: true},
	}
	return projectOf(3, interchange.Recording{Name: "screen.mkv", Info: info})
}

// MLT documents play the audio track that Roughcut plays, and have the other one on a muted track.
func TestMLTPlaysTheAudioTrackOfTheExport(t *testing.T) {
	line := timelineOf(t, screenRecording(), place, false)
	for _, format := range []string{"mlt", "shotcut", "kdenlive"} {
		doc := parseXML(t, written(t, format, line, interchange.Options{}))
		streams := map[string]string{} // by producer
		for _, n := range doc.all("producer") {
			streams[n.attr["id"]] = n.property("audio_index")
		}
		hidden := map[string]string{}
		for _, n := range doc.all("track") {
			hidden[n.attr["producer"]] = n.attr["hide"]
		}
		played, muted := 0, 0
		for _, playlist := range doc.all("playlist") {
			for _, entry := range playlist.all("entry") {
				hide, stream := hidden[playlist.attr["id"]], streams[entry.attr["producer"]]
				switch {
				case stream == "1" && hide == "both":
					muted++
				case stream == "2" && hide != "both" && hide != "audio" && playlist.attr["id"] != "main_bin":
					played++
				case stream == "1":
					t.Errorf("%s: the track with hide=%q plays audio stream 1", format, hide)
				}
			}
		}
		if played != len(line.Clips) || muted != len(line.Clips) {
			t.Errorf("%s: %d played and %d muted entries of %d clips", format, played, muted, len(line.Clips))
		}
	}
}

// Kdenlive moves the video of a clip together with all of its audio tracks.
func TestKdenliveGroupsAllAudioTracksOfAClip(t *testing.T) {
	line := timelineOf(t, screenRecording(), place, false)
	doc := parseXML(t, written(t, "kdenlive", line, interchange.Options{}))
	bin := doc.all("playlist")[0]
	var groups []struct {
		Children []struct{ Data string }
	}
	if err := json.Unmarshal([]byte(bin.property("kdenlive:docproperties.groups")), &groups); err != nil {
		t.Fatal(err)
	}
	if len(groups) != len(line.Clips) {
		t.Fatalf("%d groups of %d clips", len(groups), len(line.Clips))
	}
	for i, group := range groups {
		var got []string
		for _, leaf := range group.Children {
			got = append(got, leaf.Data)
		}
		at := fmt.Sprint(line.Clips[i].Start)
		if want := []string{"2:" + at, "1:" + at, "0:" + at}; !slices.Equal(got, want) {
			t.Errorf("group %d has the clips %q, want %q", i, got, want)
		}
	}
}

// Final Cut Pro XML and xmeml name the channels of both audio tracks, and disable the track that
// Roughcut does not play.
func TestChannelsOfSeveralAudioTracksAreNamed(t *testing.T) {
	line := timelineOf(t, screenRecording(), place, false)
	doc := parseXML(t, written(t, "fcpxml", line, interchange.Options{}))
	if asset := doc.all("asset")[0]; asset.attr["audioSources"] != "2" || asset.attr["audioChannels"] != "2" {
		t.Errorf("the asset is %v", asset.attr)
	}
	for i, clip := range doc.all("asset-clip") {
		var got []string
		for _, n := range clip.all("audio-channel-source") {
			got = append(got, n.attr["srcCh"]+" enabled="+n.attr["enabled"])
		}
		if want := []string{"2, 3 enabled=", "1 enabled=0"}; !slices.Equal(got, want) {
			t.Errorf("clip %d has the channels %q, want %q", i, got, want)
		}
	}
	doc = parseXML(t, written(t, "xmeml", line, interchange.Options{}))
	var got []string
	for _, track := range doc.child("sequence").child("media").child("audio").children {
		if track.name != "track" {
			continue
		}
		channel := track.all("clipitem")[0].child("sourcetrack").child("trackindex").text
		got = append(got, channel+" "+track.child("enabled").text+" "+track.attr["premiereTrackType"])
	}
	if want := []string{"2 TRUE Stereo", "3 TRUE Stereo", "1 FALSE Mono"}; !slices.Equal(got, want) {
		t.Errorf("the tracks are %q, want %q", got, want)
	}
	var counts []string
	for _, audio := range doc.all("file")[0].child("media").all("audio") {
		counts = append(counts, audio.child("channelcount").text)
	}
	if !slices.Equal(counts, []string{"1", "2"}) {
		t.Errorf("the file has tracks with %q channels, want 1 and 2", counts)
	}
}

// Timelines play all tracks of a mix, and have the other track of another recording muted.
func TestTimelinesPlayMixes(t *testing.T) {
	t.Parallel()
	mixed, single := video(media.Rate{Num: 30, Den: 1}, 900), video(media.Rate{Num: 30, Den: 1}, 900)
	mixed.AudioTracks = []media.AudioTrack{
		{Stream: 1, Channels: 2, SampleRate: 48000, Played: true},
		{Stream: 2, Channels: 2, SampleRate: 48000, Played: true},
	}
	single.AudioTracks = []media.AudioTrack{
		{Stream: 3, Channels: 2, SampleRate: 48000, Played: true}, {Stream: 4, Channels: 2, SampleRate: 48000},
	}
	line := timelineOf(t, projectOf(2,
		interchange.Recording{Name: "mixed.mkv", Info: mixed}, interchange.Recording{Name: "single.mkv", Info: single},
	), place, false)
	for _, format := range []string{"mlt", "kdenlive"} {
		doc := parseXML(t, written(t, format, line, interchange.Options{}))
		streams, hidden := map[string]string{}, map[string]string{}
		for _, n := range doc.all("producer") {
			streams[n.attr["id"]] = n.property("audio_index")
		}
		for _, n := range doc.all("track") {
			hidden[n.attr["producer"]] = n.attr["hide"]
		}
		heard := map[string]bool{}
		for _, playlist := range doc.all("playlist") {
			for _, entry := range playlist.all("entry") {
				stream, hide := streams[entry.attr["producer"]], hidden[playlist.attr["id"]]
				if playlist.attr["id"] != "main_bin" && stream != "" && hide != "audio" {
					heard[stream] = hide != "both"
				}
			}
		}
		for stream, want := range map[string]bool{"1": true, "2": true, "3": true, "4": false} {
			if got, there := heard[stream]; got != want || !there {
				t.Errorf("%s: stream %s is heard: %v (there: %v), want %v", format, stream, got, there, want)
			}
		}
	}

	doc := parseXML(t, written(t, "xmeml", line, interchange.Options{}))
	enabled := map[string]int{}
	for _, track := range doc.child("sequence").child("media").child("audio").children {
		if track.name == "track" {
			enabled[track.child("enabled").text]++
		}
	}
	if enabled["TRUE"] != 4 || enabled["FALSE"] != 2 {
		t.Errorf("xmeml has %v tracks", enabled)
	}
}
