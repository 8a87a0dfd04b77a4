package interchange

import (
	"slices"

	"roughcut/media"
)

// audioTrack is an audio track of a source.
type audioTrack struct {
	stream   int // index among the streams of the file, -1 if the file has one audio track
	first    int // number of its first channel among the channels of all audio tracks of the file, from 1
	channels int // at least 1, 0 for a place without a track
	played   bool
}

// audioTracksOf returns the audio tracks of a file. The first ones are those that Roughcut plays.
func audioTracksOf(info media.Info) (list []audioTrack) {
	if info.Audio == nil {
		return nil
	}
	first, played := 1, 0
	tracks := info.AudioTracks
	if len(tracks) == 1 {
		tracks = nil
	}
	for _, track := range tracks {
		a := audioTrack{track.Stream, first, max(1, track.Channels), track.Played}
		first += a.channels
		if track.Played {
			list = slices.Insert(list, played, a)
			played++
		} else {
			list = append(list, a)
		}
	}

	if list == nil {
		list = []audioTrack{{-1, 1, max(1, info.Audio.Channels), true}}
	}
	return list
}

// audioTracks returns the largest number of audio tracks of a recording on the main track.
// Timelines have the tracks that Roughcut does not play muted.
func (t Timeline) audioTracks() (most int) {
	for _, c := range t.Clips {
		most = max(most, len(t.Sources[c.Source].tracks))
	}
	return most
}

// alignTracks gives all sources the same places for the tracks that Roughcut plays. Other tracks
// come behind the places of the largest mix.
func (t *Timeline) alignTracks() {
	played := func(s Source) int {
		n := slices.IndexFunc(s.tracks, func(a audioTrack) bool { return !a.played })
		if n < 0 {
			return len(s.tracks)
		}
		return n
	}
	t.played = 1
	for _, s := range t.Sources {
		t.played = max(t.played, played(s))
	}

	for i := range t.Sources {
		s := &t.Sources[i]
		if n := played(*s); n < len(s.tracks) {
			s.tracks = slices.Insert(s.tracks, n, make([]audioTrack, t.played-n)...)
		}
	}
}

// present returns the tracks of a source without empty places.
func (s Source) present() []audioTrack {
	return slices.DeleteFunc(slices.Clone(s.tracks), func(a audioTrack) bool { return a.channels == 0 })
}

// hasTrack returns a function that reports whether a source has an audio track, 0 for the first one
// that Roughcut plays.
func hasTrack(track int) func(Source) bool {
	return func(s Source) bool { return track < len(s.tracks) && s.tracks[track].channels > 0 }
}
