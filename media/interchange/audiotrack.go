package interchange

import "roughcut/media"

// audioTrack is an audio track of a source.
type audioTrack struct {
	stream   int // index among the streams of the file, -1 if the file has one audio track
	first    int // number of its first channel among the channels of all audio tracks of the file, from 1
	channels int // at least 1
}

// audioTracksOf returns the audio tracks of a file. The first one is the track that Roughcut plays.
func audioTracksOf(info media.Info) (list []audioTrack) {
	if info.Audio == nil {
		return nil
	}
	first := 1
	for _, track := range info.AudioTracks {
		a := audioTrack{track.Stream, first, max(1, track.Channels)}
		first += a.channels
		if track.Played {
			list = append([]audioTrack{a}, list...)
		} else {
			list = append(list, a)
		}
	}

	if list == nil {
		list = []audioTrack{{-1, 1, max(1, info.Audio.Channels)}}
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

// hasTrack returns a function that reports whether a source has an audio track, 0 for the one that
// Roughcut plays.
func hasTrack(track int) func(Source) bool {
	return func(s Source) bool { return track < len(s.tracks) }
}
