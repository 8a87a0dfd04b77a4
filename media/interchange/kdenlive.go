package interchange

import (
	"bufio"
	"encoding/json"
)

// Versions in a project of Kdenlive. Kdenlive 20.08 to 22.12 write document version 1.00, and newer
// versions upgrade it.
const (
	kdenliveDocument = "1.00"
	kdenliveVersion  = "22.12.3"
)

// internal marks the filters and transitions of tracks that Kdenlive adds itself.
const internal = "237"

// kdenliveTrack is a track of the timeline. Kdenlive lists audio tracks first.
type kdenliveTrack struct {
	audio  bool
	other  int     // audio track of the sources: 0 for the one that Roughcut plays, muted otherwise
	layers []Layer // nil for the main track
}

// writeKdenlive writes a project of Kdenlive. Each track is a tractor of two playlists, and video
// and audio of a clip are on separate tracks.
func writeKdenlive(w *bufio.Writer, t Timeline, o Options) error {
	m := &mlt{newXML(w, ""), t}
	m.root("main_bin", t.Name)
	m.black("black_track")
	for i, s := range t.Sources {
		m.producer("bin"+num(i+1), s, m.binProperties(i, s)...)
	}
	m.kdenliveBin()
	for i, s := range t.Sources {
		if s.Info.Video != nil {
			video := append(m.binProperties(i, s), "set.test_audio", "1", "set.test_image", "0")
			m.producer("video"+num(i+1), s, video...)
		}

		if s.Info.Audio != nil {
			audio := append(m.binProperties(i, s), "set.test_audio", "0", "set.test_image", "1")
			m.producer("audio"+num(i+1), s, audio...)
		}
	}

	m.otherProducers(func(i int, s Source) []string {
		return append(m.binProperties(i, s), "set.test_audio", "0", "set.test_image", "1")
	})
	tracks := m.kdenliveTracks()
	for i, track := range tracks {
		m.kdenliveTrack(i, track)
	}
	m.start("tractor", append([]string{"id", "timeline", "global_feed", "1"}, inOutAttributes(0, t.Frames())...)...)
	m.empty("track", "producer", "black_track")
	for i, track := range tracks {
		attributes := []string{"producer", "tractor" + num(i)}
		if track.other > 0 {
			attributes = append(attributes, "hide", "both")
		}
		m.empty("track", attributes...)
	}

	for i, track := range tracks {
		if track.audio {
			m.transition("mix", 0, i+1, "kdenlive_id", "mix", "internal_added", internal,
				"accepts_blanks", "1", "sum", "1")
		} else {
			m.transition("qtblend", 0, i+1, "kdenlive_id", "qtblend", "internal_added", internal, "compositing", "0",
				"distort", "0", "rotate_center", "0")
		}
	}

	if o.Subtitles != "" {
		m.filter("avfilter.subtitles", "internal_added", internal, "av.filename", o.Subtitles)
	}
	m.close()
	return nil
}

// binProperties returns the properties that tie a producer to its clip in the bin.
func (m *mlt) binProperties(source int, s Source) []string {
	return []string{
		"kdenlive:id", num(source + 2), "kdenlive:clipname", s.Name, "kdenlive:folderid", "-1",
		"kdenlive:clip_type", kdenliveType(s),
	}
}

// kdenliveType returns the type of a clip in the bin.
func kdenliveType(s Source) string {
	switch {
	case s.Still:
		return "2"
	case s.Info.Video == nil:
		return "1"
	case s.Info.Audio == nil:
		return "3"
	}

	return "0"
}

// kdenliveBin writes the playlist of the bin with the properties of the document.
func (m *mlt) kdenliveBin() {
	m.start("playlist", "id", "main_bin")
	m.property("kdenlive:docproperties.version", kdenliveDocument)
	m.property("kdenlive:docproperties.kdenliveversion", kdenliveVersion)
	m.property("kdenlive:docproperties.audioChannels", "2")
	m.property("kdenlive:docproperties.activeTrack", "1")
	m.property("kdenlive:docproperties.enableproxy", "0")
	m.property("kdenlive:docproperties.enableexternalproxy", "0")
	m.property("kdenlive:docproperties.groups", m.kdenliveGroups())
	m.property("kdenlive:docproperties.guides", m.kdenliveGuides())
	m.property("xml_retain", "1")
	for i, s := range m.t.Sources {
		m.empty("entry", append([]string{"producer", "bin" + num(i+1)}, inOutAttributes(0, m.length(s))...)...)
	}
	m.end()
}

// kdenliveGuides returns the markers as the JSON of Kdenlive's guides.
func (m *mlt) kdenliveGuides() string {
	type guide struct {
		Comment  string `json:"comment"`
		Position int64  `json:"pos"`
		Type     int    `json:"type"`
	}
	guides := []guide{}
	seen := map[int64]bool{}
	for _, marker := range m.t.Markers {
		if seen[marker.Frame] { // Kdenlive has one guide at a frame
			continue
		}
		seen[marker.Frame] = true
		kind := 0
		if marker.Edit != nil {
			kind = 1
		}
		guides = append(guides, guide{marker.Name, marker.Frame, kind})
	}

	text, err := json.Marshal(guides)
	if err != nil {
		return "[]"
	}
	return string(text)
}

// kdenliveGroups returns the groups of video and audio of the same clip.
func (m *mlt) kdenliveGroups() string {
	type leaf struct {
		Data string `json:"data"`
		Leaf string `json:"leaf"`
		Type string `json:"type"`
	}
	type group struct {
		Children []leaf `json:"children"`
		Type     string `json:"type"`
	}
	video, audio := -1, map[int]int{} // tracks, of audio by audio track of the sources
	for i, track := range m.kdenliveTracks() {
		if track.layers == nil && track.audio {
			audio[track.other] = i
		} else if track.layers == nil {
			video = i
		}
	}

	groups := []group{}
	for _, c := range m.t.Clips {
		s := m.t.Sources[c.Source]
		if c.Disabled || c.empty() || s.Info.Video == nil || s.Info.Audio == nil {
			continue
		}
		on := func(track int) leaf { return leaf{num(track) + ":" + num(c.Start), "clip", "Leaf"} }
		parts := []leaf{on(video)}
		for track := range s.tracks {
			if hasTrack(track)(s) {
				parts = append(parts, on(audio[track]))
			}
		}

		groups = append(groups, group{parts, "AVSplit"})
	}

	text, err := json.Marshal(groups)
	if err != nil {
		return "[]"
	}
	return string(text)
}

// kdenliveTracks returns the tracks from the lowest audio track to the highest video track.
func (m *mlt) kdenliveTracks() (tracks []kdenliveTrack) {
	audio := m.t.layers(true)
	for i := len(audio) - 1; i >= 0; i-- {
		tracks = append(tracks, kdenliveTrack{audio: true, layers: audio[i]})
	}
	for other := m.t.audioTracks() - 1; other > 0; other-- {
		tracks = append(tracks, kdenliveTrack{audio: true, other: other})
	}
	if m.t.hasAudio() {
		tracks = append(tracks, kdenliveTrack{audio: true})
	}
	if m.t.HasVideo {
		tracks = append(tracks, kdenliveTrack{})
	}
	for _, layers := range m.t.layers(false) {
		tracks = append(tracks, kdenliveTrack{layers: layers})
	}
	return tracks
}

// kdenliveTrack writes the playlists and the tractor of a track.
func (m *mlt) kdenliveTrack(index int, track kdenliveTrack) {
	first, second := "playlist"+num(2*index), "playlist"+num(2*index+1)
	prefix, hide := "video", "audio"
	if track.audio {
		prefix, hide = "audio", "video"
	}
	if track.other > 0 {
		prefix = otherPrefix(track.other)
	}
	if track.other >= m.t.played {
		hide = "both"
	}
	m.start("playlist", "id", first)
	if track.audio {
		m.property("kdenlive:audio_track", "1")
	}
	if track.layers != nil {
		m.layerEntries(prefix, track.layers, func(l Layer) {
			m.property("kdenlive:id", num(l.Source+2))
			if track.audio {
				m.fadedVolume(l)
			} else {
				m.flips(l)
				m.filterWithin(
					l.In, l.Out, "qtblend", "kdenlive_id", "qtblend", "rect", l.opacity(l.box()+" "),
					"rotation", num(l.RotationDeg), "rotate_center", "1", "compositing", "0", "distort", "1",
				)
			}
		})
	} else {
		m.mainEntries(prefix,
			func(s Source) bool {
				return (track.audio && hasTrack(track.other)(s)) || (!track.audio && s.Info.Video != nil)
			},
			func(c Clip) { m.property("kdenlive:id", num(c.Source+2)) })
	}

	m.end()
	m.start("playlist", "id", second)
	if track.audio {
		m.property("kdenlive:audio_track", "1")
	}
	m.end()
	m.start("tractor", append([]string{"id", "tractor" + num(index)}, inOutAttributes(0, m.t.Frames())...)...)
	if track.audio {
		m.property("kdenlive:audio_track", "1")
	}
	m.property("kdenlive:timeline_active", "1")
	m.property("kdenlive:trackheight", "67")
	m.property("kdenlive:collapsed", "0")
	m.empty("track", "producer", first, "hide", hide)
	m.empty("track", "producer", second, "hide", hide)
	if track.audio {
		if track.layers == nil {
			m.volume(m.t.Volume)
		}
		m.filter("volume", "window", "75", "max_gain", "20dB", "internal_added", internal, "disable", "1")
		m.filter("panner", "channel", "-1", "internal_added", internal, "start", "0.5", "disable", "1")
		m.filter("audiolevel", "iec_scale", "0", "internal_added", internal, "disable", "1")
	}

	m.end()
}
