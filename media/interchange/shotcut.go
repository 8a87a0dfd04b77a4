package interchange

import "bufio"

// shotcutTitle marks documents of Shotcut.
const shotcutTitle = "Shotcut version 22.12.21"

// writeShotcut writes a project of Shotcut: an MLT document with named tracks and a clip bin.
func writeShotcut(w *bufio.Writer, t Timeline, _ Options) error {
	m := &mlt{newXML(w, ""), t}
	m.root("main_bin", shotcutTitle)
	for i, s := range t.Sources {
		m.producer("bin"+num(i+1), s, "shotcut:caption", s.Name, "xml", "was here")
	}
	m.start("playlist", "id", "main_bin")
	m.property("xml_retain", "1")
	for i, s := range t.Sources {
		m.empty("entry", append([]string{"producer", "bin" + num(i+1)}, inOutAttributes(0, m.length(s))...)...)
	}
	m.end()
	m.black("black")
	m.start("playlist", "id", "background")
	m.empty("entry", append([]string{"producer", "black"}, inOutAttributes(0, t.Frames())...)...)
	m.end()
	for i, s := range t.Sources {
		m.producer("source"+num(i+1), s, "shotcut:caption", s.Name, "xml", "was here")
	}
	m.otherProducers(func(_ int, s Source) []string { return []string{"shotcut:caption", s.Name, "xml", "was here"} })
	video, audio := 0, 0
	tracks := m.playlists("source", func(track mltTrack, _ int) {
		kind, number := "video", &video
		if track.audio {
			kind, number = "audio", &audio
		}
		*number++
		m.property("shotcut:"+kind, "1")
		m.property("shotcut:name", map[string]string{"video": "V", "audio": "A"}[kind]+num(*number))
	})
	m.start("tractor", append([]string{"id", "timeline", "title", shotcutTitle}, inOutAttributes(0, t.Frames())...)...)
	m.property("shotcut", "1")
	m.property("shotcut:projectAudioChannels", "2")
	m.property("shotcut:projectFolder", "0")
	m.markers()
	m.empty("track", "producer", "background")
	for _, track := range tracks {
		m.empty("track", track.attributes()...)
	}
	for i, track := range tracks {
		m.transition("mix", 0, i+1, "sum", "1")
		if !track.audio {
			below := 0
			if track.layer {
				below = m.lowest()
			}
			m.transition("frei0r.cairoblend", below, i+1, "version", "0.1", "threads", "0",
				"disable", oneZero(!track.layer))
		}
	}

	m.captions()
	m.close()
	return nil
}

// markers writes the markers of the open tractor as Shotcut keeps them.
func (m *mlt) markers() {
	if len(m.t.Markers) == 0 {
		return
	}
	m.start("properties", "name", "shotcut:markers")
	for i, marker := range m.t.Markers {
		m.start("properties", "name", num(i))
		m.property("text", marker.Name)
		m.property("start", m.t.clockTime(marker.Frame))
		m.property("end", m.t.clockTime(marker.Frame+marker.Frames-1))
		m.property("color", markerColor(marker))
		m.end()
	}

	m.end()
}

// markerColor returns a color: green for chapters, red for cuts and yellow for proposals.
func markerColor(m Marker) string {
	switch {
	case m.Edit == nil:
		return "#00a651"
	case m.Edit.Active:
		return "#d0021b"
	}

	return "#f5a623"
}
