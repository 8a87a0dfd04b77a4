package interchange

import (
	"bufio"
	"slices"
	"strings"
)

// mlt writes documents of the MLT framework. Points out are inclusive.
type mlt struct {
	*xmlWriter
	t Timeline
}

// mltVersion is the oldest version of MLT that reads the documents.
const mltVersion = "7.12.0"

// property writes a property of the open element.
func (m *mlt) property(name, value string) { m.leaf("property", value, "name", name) }

// inOutAttributes returns the attributes of frames [in, out).
func inOutAttributes(in, out int64) []string { return []string{"in", num(in), "out", num(out - 1)} }

// root opens the document with its profile. id names the producer that the document stands for.
func (m *mlt) root(id, title string) {
	m.start("mlt", "LC_NUMERIC", "C", "version", mltVersion, "title", title, "producer", id)
	t := m.t
	divisor := gcd(t.Width, t.Height)
	m.empty("profile", "description", "Roughcut", "width", num(t.Width), "height", num(t.Height), "progressive", "1",
		"sample_aspect_num", "1", "sample_aspect_den", "1",
		"display_aspect_num", num(t.Width/divisor), "display_aspect_den", num(t.Height/divisor),
		"frame_rate_num", num(t.Rate.Num), "frame_rate_den", num(t.Rate.Den), "colorspace", "709")
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, 1)
}

// close closes all open elements.
func (m *mlt) close() {
	for len(m.open) > 0 {
		m.end()
	}
}

// black writes a black producer with an ID, as long as the timeline.
func (m *mlt) black(id string) {
	m.start("producer", append([]string{"id", id}, inOutAttributes(0, m.t.Frames())...)...)
	m.property("length", num(m.t.Frames()))
	m.property("eof", "continue")
	m.property("resource", "black")
	m.property("aspect_ratio", "1")
	m.property("mlt_service", "color")
	m.property("mlt_image_format", "rgba")
	m.property("set.test_audio", "0")
	m.end()
}

// producer writes a source as a whole, with more properties as pairs. Clips are cut in the entries
// of playlists: MLT reads a producer that starts later from the wrong frame.
func (m *mlt) producer(id string, s Source, properties ...string) {
	m.trackProducer(id, s, 0, properties...)
}

// trackProducer writes a source like producer. It plays an audio track of the source, 0 for the one
// that Roughcut plays. MLT takes the first track of the file if the producer names none.
func (m *mlt) trackProducer(id string, s Source, track int, properties ...string) {
	frames := m.length(s)
	m.start("producer", append([]string{"id", id}, inOutAttributes(0, frames)...)...)
	m.property("length", num(frames))
	m.property("eof", "pause")
	m.property("resource", s.Path)
	if s.Still {
		m.property("ttl", "25")
		m.property("mlt_service", "qimage")
	} else {
		m.property("mlt_service", "avformat")
		m.property("seekable", "1")
		if s.Info.Video == nil {
			m.property("video_index", "-1")
		}
		if len(s.present()) > 1 {
			m.property("audio_index", num(s.tracks[track].stream))
		}
	}

	m.endWith(properties)
}

// otherPrefix returns how the producers of an audio track that Roughcut does not play begin; the
// number of the source follows.
func otherPrefix(track int) string { return "other" + num(track) + "-" }

// otherProducers writes the producers of the audio tracks that Roughcut does not play, with the
// properties that describe returns for a source.
func (m *mlt) otherProducers(describe func(source int, s Source) []string) {
	for track := 1; track < m.t.audioTracks(); track++ {
		for i, s := range m.t.Sources {
			if s.Asset || !hasTrack(track)(s) {
				continue
			}
			var properties []string
			if describe != nil {
				properties = describe(i, s)
			}
			m.trackProducer(otherPrefix(track)+num(i+1), s, track, properties...)
		}
	}
}

// length returns the length of a source's producer.
func (m *mlt) length(s Source) int64 {
	if s.Still {
		return max(m.t.Frames(), 1)
	}
	return max(s.Frames, 1)
}

// mainEntries writes the clips as entries of the open playlist. Disabled clips are blanks. uses
// says whether a source belongs on the track.
func (m *mlt) mainEntries(prefix string, uses func(Source) bool, inside func(Clip)) {
	for _, c := range m.t.Clips {
		if c.Disabled || c.empty() || !uses(m.t.Sources[c.Source]) {
			m.empty("blank", "length", num(c.Frames()))
			continue
		}

		m.start("entry", append([]string{"producer", prefix + num(c.Source+1)}, inOutAttributes(c.In, c.Out)...)...)
		inside(c)
		for _, n := range c.cuts() {
			m.editProperties("roughcut:"+n.place+".", n.edit)
		}
		m.end()
	}
}

// editProperties writes an edit as properties of the open element.
func (m *mlt) editProperties(prefix string, e *Edit) {
	m.property(prefix+keyEdit, e.UUID)
	m.property(prefix+keyReason, e.Reason)
	m.property(prefix+keyConfidence, decimal(e.Confidence))
}

// layerEntries writes the layers of a track as entries of the open playlist.
func (m *mlt) layerEntries(prefix string, layers []Layer, inside func(Layer)) {
	var at int64
	for _, l := range layers {
		if l.Start > at {
			m.empty("blank", "length", num(l.Start-at))
		}
		m.start("entry", append([]string{"producer", prefix + num(l.Source+1)}, inOutAttributes(l.In, l.Out)...)...)
		inside(l)
		m.end()
		at = l.End()
	}
}

// endWith ends an element after properties, which are pairs of a name and a value.
func (m *mlt) endWith(properties []string) {
	for i := 0; i+1 < len(properties); i += 2 {
		m.property(properties[i], properties[i+1])
	}
	m.end()
}

// filter writes a filter of the open element.
func (m *mlt) filter(service string, properties ...string) {
	m.start("filter")
	m.property("mlt_service", service)
	m.endWith(properties)
}

// transition writes a transition between two tracks of the open tractor.
func (m *mlt) transition(service string, from, to int, properties ...string) {
	m.start("transition")
	m.property("a_track", num(from))
	m.property("b_track", num(to))
	m.property("mlt_service", service)
	m.property("always_active", "1")
	m.endWith(properties)
}

// volume writes a volume filter unless the gain is 1.
func (m *mlt) volume(gain float64) {
	if gain != 1 {
		m.filter("volume", "level", strings.TrimSuffix(decibels(gain), "dB"))
	}
}

// fadedVolume writes the gain of an audio layer and its fades.
func (m *mlt) fadedVolume(l Layer) {
	m.volume(l.Gain)
	points := l.fades()
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if a.share == b.share {
			continue
		}
		end := b.frame // the next filter begins there
		if i == len(points)-1 {
			end++
		}
		m.filterWithin(l.In+a.frame, max(l.In+end, l.In+a.frame+2), "volume",
			"gain", decimal(a.share), "end", decimal(b.share))
	}
}

// filterWithin writes a filter of the open entry for frames [in, out) of its source.
func (m *mlt) filterWithin(in, out int64, service string, properties ...string) {
	m.start("filter", inOutAttributes(in, out)...)
	m.property("mlt_service", service)
	m.endWith(properties)
}

// box returns the rectangle of an overlay as services of MLT read it, without the opacity.
func (l Layer) box() string {
	return strings.Join([]string{
		decimal(l.CenterX - float64(l.Width)/2), decimal(l.CenterY - float64(l.Height)/2),
		num(l.Width), num(l.Height),
	}, " ")
}

// opacity returns the opacity of an overlay, 0-1, with the keyframes of its fades, each after a
// prefix.
func (l Layer) opacity(prefix string) string {
	full := float64(l.OpacityPercent) / 100
	points := l.fades()
	if points == nil {
		return prefix + decimal(full)
	}
	keys := make([]string, len(points))
	for i, p := range points {
		keys[i] = num(p.frame) + "=" + prefix + decimal(full*p.share)
	}
	return strings.Join(keys, ";")
}

// flips writes the filters that flip an overlay.
func (m *mlt) flips(l Layer) {
	if l.FlipH {
		m.filterWithin(l.In, l.Out, "avfilter.hflip", "kdenlive_id", "avfilter.hflip")
	}
	if l.FlipV {
		m.filterWithin(l.In, l.Out, "avfilter.vflip", "kdenlive_id", "avfilter.vflip")
	}
}

// geometry writes the filters that place and fade an overlay. The affine filter ignores the opacity
// of its rectangle.
func (m *mlt) geometry(l Layer) {
	m.flips(l)
	m.filterWithin(l.In, l.Out, "affine", "shotcut:filter", "affineSizePosition", "background", "color:#00000000",
		"transition.rect", l.box()+" 1", "transition.fix_rotate_x", num(l.RotationDeg), "transition.fill", "1",
		"transition.distort", "1", "transition.valign", "middle", "transition.halign", "center")
	if l.OpacityPercent < 100 || l.fades() != nil {
		m.filterWithin(l.In, l.Out, "brightness", "shotcut:filter", "brightnessOpacity", "level", "1",
			"alpha", l.opacity(""))
	}
}

// captions writes the captions of the open tractor. MLT and Shotcut have them from 7.26 and 24.08
// on; older versions ignore the filter.
func (m *mlt) captions() {
	if text := m.t.Subtitles(); text != nil {
		m.filter("subtitle_feed", "feed", "Captions", "lang", m.t.captionLanguage3(), "shotcut:hidden", "1",
			"text", string(text))
	}
}

// writeMLT writes a plain MLT document: the main track, one track for each track of layers.
func writeMLT(w *bufio.Writer, t Timeline, _ Options) error {
	m := &mlt{newXML(w, ""), t}
	m.root("timeline", t.Name)
	m.black("black")
	for i, s := range t.Sources {
		m.producer("source"+num(i+1), s)
	}
	m.otherProducers(nil)
	m.start("playlist", "id", "background")
	m.empty("entry", append([]string{"producer", "black"}, inOutAttributes(0, t.Frames())...)...)
	m.end()
	tracks := m.playlists("source", nil)
	m.start("tractor", append([]string{"id", "timeline"}, inOutAttributes(0, t.Frames())...)...)
	m.empty("track", "producer", "background")
	for _, track := range tracks {
		m.empty("track", track.attributes()...)
	}
	for i, track := range tracks {
		m.transition("mix", 0, i+1, "sum", "1")
		if track.layer && !track.audio { // qtblend needs a display, and frei0r is another package
			m.transition("affine", m.lowest(), i+1)
		}
	}

	m.captions()
	m.close()
	return nil
}

// lowest returns the track that overlays are drawn on: the first one, or the background if that has
// no video. MLT goes up from there to a track with a frame.
func (m *mlt) lowest() int {
	if m.t.HasVideo {
		return 1
	}
	return 0
}

// gaps returns the clips without video on the main track that are below an overlay. Without a frame
// below it, MLT draws an overlay without its opacity.
func (m *mlt) gaps() (clips []Clip) {
	if !m.t.HasVideo {
		return nil
	}
	for _, c := range m.t.Clips {
		gap := c.Disabled || c.empty() || m.t.Sources[c.Source].Info.Video == nil
		if gap && slices.ContainsFunc(m.t.Layers, func(l Layer) bool {
			return !l.Audio && c.Start < l.End() && l.Start < c.End()
		}) {
			clips = append(clips, c)
		}
	}

	return clips
}

// mltTrack is a written playlist: the main track, or a track of layers.
type mltTrack struct {
	id    string
	audio bool // hides the video
	muted bool // hides the audio of a track that hides the video
	layer bool
}

func (t mltTrack) attributes() []string {
	switch {
	case t.muted:
		return []string{"producer", t.id, "hide", "both"}
	case t.audio:
		return []string{"producer", t.id, "hide", "video"}
	case t.layer:
		return []string{"producer", t.id, "hide", "audio"}
	}

	return []string{"producer", t.id}
}

// playlists writes the main track and the tracks of layers as playlists, each with the properties
// that describe returns for it. A track below them is black where an overlay is over a gap.
func (m *mlt) playlists(prefix string, describe func(track mltTrack, number int)) (tracks []mltTrack) {
	begin := func(track mltTrack) {
		tracks = append(tracks, track)
		m.start("playlist", "id", track.id)
		if describe != nil {
			describe(track, len(tracks))
		}
	}
	if gaps := m.gaps(); gaps != nil {
		begin(mltTrack{id: "gaps"})
		var at int64
		for _, c := range gaps {
			if c.Start > at {
				m.empty("blank", "length", num(c.Start-at))
			}
			m.empty("entry", append([]string{"producer", "black"}, inOutAttributes(0, c.Frames())...)...)
			at = c.End()
		}

		m.end()
	}

	begin(mltTrack{id: "track1", audio: !m.t.HasVideo})
	m.mainEntries(prefix, func(Source) bool { return true }, func(Clip) {})
	m.volume(m.t.Volume)
	m.end()
	for track := 1; track < m.t.audioTracks(); track++ {
		begin(mltTrack{id: "other" + num(track), audio: true, muted: track >= m.t.played})
		m.mainEntries(otherPrefix(track), hasTrack(track), func(Clip) {})
		m.volume(m.t.Volume)
		m.end()
	}

	for _, layers := range m.t.layers(false) {
		begin(mltTrack{id: "track" + num(len(tracks)+1), layer: true})
		m.layerEntries(prefix, layers, m.geometry)
		m.end()
	}

	for _, layers := range m.t.layers(true) {
		begin(mltTrack{id: "track" + num(len(tracks)+1), layer: true, audio: true})
		m.layerEntries(prefix, layers, m.fadedVolume)
		m.end()
	}

	return tracks
}
