package interchange

import (
	"bufio"
	"fmt"
	"slices"

	"roughcut/media"
)

// xmeml writes a sequence of Final Cut Pro 7 XML, version 5.
type xmeml struct {
	*xmlWriter
	t      Timeline
	listed map[int]bool // sources whose file element is written in full
	tracks []xmemlTrack // of the main track: the video, then the audio
	widest []int        // number of tracks that each audio track of the sources takes
	at     [][]int      // position of each clip among the items of each track, from 1
	ids    int          // of the items of layers
}

// xmemlTrack is a track of the main track: the video, or one channel of an audio track.
type xmemlTrack struct {
	video   bool
	audio   int // audio track of the sources, 0 for the one that Roughcut plays
	channel int // of the audio track, from 1
}

// xmemlChannels is how many tracks an audio track of the sources takes at most: one for each
// channel. Stereo is two exploded tracks. With more channels all tracks are mono, so that the
// dialogue in the center of surround audio is heard.
const xmemlChannels = media.MaxChannels

func writeXMEML(w *bufio.Writer, t Timeline, _ Options) error {
	x := &xmeml{xmlWriter: newXML(w, "xmeml"), t: t, listed: map[int]bool{}}
	x.arrange()
	x.start("xmeml", "version", "5")
	x.start("sequence", "id", "sequence-1", "explodedTracks", "true")
	x.leaf("name", t.Name)
	x.leaf("duration", num(t.Frames()))
	x.rate(t.Rate)
	x.timecode(0, t.Rate, t.Drop)
	x.start("media")
	x.start("video")
	x.format()
	if t.HasVideo {
		x.mainTrack(0)
	}
	for _, track := range t.layers(false) {
		x.layerTrack(track)
	}
	x.end()
	x.start("audio")
	x.leaf("numOutputChannels", "2")
	x.audioOutputs()
	for i := range x.tracks[1:] {
		x.mainTrack(i + 1)
	}
	for _, track := range t.layers(true) {
		x.layerTrack(track)
	}
	x.end()
	x.end()
	for _, m := range t.Markers {
		x.marker(m)
	}
	for len(x.open) > 0 {
		x.end()
	}
	return nil
}

func (x *xmeml) rate(r media.Rate) {
	x.start("rate")
	x.leaf("timebase", num(nominalFPS(r)))
	x.leaf("ntsc", upperBool(r.Den == 1001))
	x.end()
}

func (x *xmeml) timecode(frame int64, r media.Rate, drop bool) {
	x.start("timecode")
	x.rate(r)
	x.leaf("string", Timecode{frame, drop}.Label(r))
	x.leaf("frame", num(frame))
	x.leaf("displayformat", dropName(drop))
	x.end()
}

func (x *xmeml) format() {
	x.start("format")
	x.start("samplecharacteristics")
	x.rate(x.t.Rate)
	x.leaf("width", num(x.t.Width))
	x.leaf("height", num(x.t.Height))
	x.leaf("pixelaspectratio", "square")
	x.leaf("fielddominance", "none")
	x.end()
	x.end()
}

func (x *xmeml) audioOutputs() {
	x.start("format")
	x.start("samplecharacteristics")
	x.leaf("depth", "16")
	x.leaf("samplerate", num(media.SampleRate))
	x.end()
	x.end()
	x.start("outputs")
	for channel := 1; channel <= 2; channel++ {
		x.start("group")
		x.leaf("index", num(channel))
		x.leaf("numchannels", "1")
		x.leaf("downmix", "0")
		x.start("channel")
		x.leaf("index", num(channel))
		x.end()
		x.end()
	}

	x.end()
}

// channels returns how many channels of an audio track of a source are used: 0 to xmemlChannels.
// Track 0 is the one that Roughcut plays.
func (s Source) channels(track int) int {
	if track >= len(s.tracks) {
		return 0
	}
	return min(s.tracks[track].channels, xmemlChannels)
}

// arrange lists the tracks of the main track, and the positions of the clips on them.
func (x *xmeml) arrange() {
	x.tracks = []xmemlTrack{{video: true}}
	for audio := range x.t.audioTracks() {
		most := 0
		for i := range x.t.Clips {
			most = max(most, x.t.Sources[x.t.Clips[i].Source].channels(audio))
		}
		x.widest = append(x.widest, most)
		for channel := 1; channel <= most; channel++ {
			x.tracks = append(x.tracks, xmemlTrack{audio: audio, channel: channel})
		}
	}

	for _, track := range x.tracks {
		at, n := make([]int, len(x.t.Clips)), 0
		for i, c := range x.t.Clips {
			if x.has(c, track) {
				n++
			}
			at[i] = n
		}

		x.at = append(x.at, at)
	}
}

// mainTrack writes a track of the main track. Audio tracks that Roughcut does not play are
// disabled.
func (x *xmeml) mainTrack(index int) {
	var attributes []string
	track := x.tracks[index]
	if !track.video && x.widest[track.audio] == 2 {
		attributes = []string{"currentExplodedTrackIndex", num(track.channel - 1), "totalExplodedTrackCount", "2",
			"premiereTrackType", "Stereo"}
	} else if !track.video {
		attributes = []string{"currentExplodedTrackIndex", "0", "totalExplodedTrackCount", "1",
			"premiereTrackType", "Mono"}
	}

	x.start("track", attributes...)
	for i, c := range x.t.Clips {
		if x.has(c, track) {
			x.clip(i, c, index)
		}
	}

	x.leaf("enabled", upperBool(track.audio < x.t.played))
	x.leaf("locked", "FALSE")
	if track.channel == 1 || track.channel == 2 { // others go to both outputs
		x.leaf("outputchannelindex", num(track.channel))
	}
	x.end()
}

// has reports whether a clip has an item on a track.
func (x *xmeml) has(c Clip, track xmemlTrack) bool {
	s := x.t.Sources[c.Source]
	if c.empty() {
		return false
	}
	if track.video {
		return s.Info.Video != nil
	}
	return track.channel <= s.channels(track.audio)
}

func itemID(clip, track int) string { return fmt.Sprintf("clip-%d-%d", clip+1, track) }

// clip writes the item of a clip on a track.
func (x *xmeml) clip(index int, c Clip, on int) {
	s, track := x.t.Sources[c.Source], x.tracks[on]
	attributes := []string{"id", itemID(index, on)}
	if !track.video && x.widest[track.audio] == 2 && s.channels(track.audio) == 2 {
		attributes = append(attributes, "premiereChannelType", "stereo")
	} else if !track.video {
		attributes = append(attributes, "premiereChannelType", "mono")
	}

	x.start("clipitem", attributes...)
	x.item(s, c.Start, c.In, c.Frames(), !c.Disabled)
	if track.video || (s.Info.Video == nil && on == 1) {
		x.path(s)
	}
	x.file(c.Source)
	if track.video && s.Info.Video.RotationDeg != 0 {
		// Premiere ignores the rotation of the file. The filter turns counter-clockwise.
		x.filter("Basic Motion", "basic", func() { x.parameter("rotation", float64(-s.Info.Video.RotationDeg)) })
	}

	if !track.video {
		if x.t.Volume != 1 {
			x.audioLevel(x.t.Volume, Layer{})
		}
		x.sourceTrack("audio", s.tracks[track.audio].first+track.channel-1)
	}

	for other := range x.tracks {
		if x.has(c, x.tracks[other]) {
			x.link(index, other)
		}
	}

	x.comment(c)
	x.end()
}

// item writes what every clip item begins with. Its in and out points are frames of the sequence,
// for footage at another rate too.
func (x *xmeml) item(s Source, start, in, frames int64, enabled bool) {
	x.leaf("name", s.Name)
	x.leaf("enabled", upperBool(enabled))
	x.leaf("duration", num(max(s.Frames, in+frames)))
	x.rate(x.t.Rate)
	x.leaf("start", num(start))
	x.leaf("end", num(start+frames))
	x.leaf("in", num(in))
	x.leaf("out", num(in+frames))
}

// comment carries the edit that cuts a clip, or the edits next to it.
func (x *xmeml) comment(c Clip) {
	near := c.cuts()
	if c.Cut == nil && len(near) == 0 {
		return
	}
	x.start("comments")
	if c.Cut != nil {
		x.leaf("mastercomment1", c.Cut.label()+": "+c.Cut.Reason)
		x.leaf("mastercomment2", c.Cut.UUID)
		x.leaf("mastercomment3", decimal(c.Cut.Confidence))
	}

	for _, n := range near {
		name := map[string]string{cutBefore: "mastercomment1", cutAfter: "mastercomment2"}[n.place]
		x.leaf(name, n.text())
	}

	x.end()
}

func (x *xmeml) sourceTrack(kind string, index int) {
	x.start("sourcetrack")
	x.leaf("mediatype", kind)
	x.leaf("trackindex", num(index))
	x.end()
}

// link writes one member of the linked items of a clip.
func (x *xmeml) link(clip, on int) {
	kind, track := "audio", on
	if x.tracks[on].video {
		kind, track = "video", 1
	}
	x.start("link")
	x.leaf("linkclipref", itemID(clip, on))
	x.leaf("mediatype", kind)
	x.leaf("trackindex", num(track))
	x.leaf("clipindex", num(x.at[on][clip]))
	x.end()
}

// path writes the path of a source. OpenShot reads an address of every clip item that it opens, and
// no URLs. Other editors read the address of the file.
func (x *xmeml) path(s Source) { x.leaf("pathurl", s.Path) }

// file writes a source: in full once, then by its ID.
func (x *xmeml) file(source int) {
	s, id := x.t.Sources[source], "file-"+num(source+1)
	if x.listed[source] {
		x.empty("file", "id", id)
		return
	}

	x.listed[source] = true
	x.start("file", "id", id)
	x.leaf("name", s.Name)
	x.leaf("pathurl", fileURL("localhost", s.Path))
	x.rate(s.Rate)
	x.leaf("duration", num(x.fileFrames(s)))
	x.timecode(s.Timecode.Frame, s.Rate, s.Timecode.Drop)
	x.start("media")
	if v := s.Info.Video; v != nil {
		width, height := v.Width, v.Height
		if v.RotationDeg%180 != 0 {
			width, height = height, width // Premiere ignores the rotation of the file
		}
		x.start("video")
		x.start("samplecharacteristics")
		x.rate(s.Rate)
		x.leaf("width", num(width))
		x.leaf("height", num(height))
		x.leaf("pixelaspectratio", "square")
		x.end()
		x.end()
	}

	tracks := s.present()
	slices.SortFunc(tracks, func(a, b audioTrack) int { return a.first - b.first })
	for _, track := range tracks {
		x.start("audio")
		x.start("samplecharacteristics")
		x.leaf("depth", "16")
		x.leaf("samplerate", num(s.Info.Audio.SampleRate))
		x.end()
		x.leaf("channelcount", num(track.channels))
		x.end()
	}

	x.end()
	x.end()
}

// fileFrames returns the length of a source's file in frames of its rate. A still has a nominal
// length.
func (x *xmeml) fileFrames(s Source) int64 {
	if s.Still {
		return max(x.t.Frames(), 1)
	}
	return s.fileFrames()
}

// layerTrack writes the layers of one track.
func (x *xmeml) layerTrack(layers []Layer) {
	x.start("track")
	for _, l := range layers {
		s := x.t.Sources[l.Source]
		x.ids++
		x.start("clipitem", "id", "layer-"+num(x.ids))
		x.item(s, l.Start, l.In, l.Frames(), true)
		if s.Still {
			x.leaf("stillframe", "TRUE")
		}
		x.path(s)
		x.file(l.Source)
		if l.Audio {
			x.audioLevel(l.Gain, l)
			x.sourceTrack("audio", s.tracks[0].first)
		} else {
			// Premiere ignores the rotation of the file. The filter turns counter-clockwise.
			x.filter("Basic Motion", "basic", func() { x.overlay(l, s) })
			x.opacity(l)
		}

		x.end()
	}

	x.leaf("enabled", "TRUE")
	x.leaf("locked", "FALSE")
	x.end()
}

// overlay writes the parameters of the Basic Motion filter: the scale in percent of the source's
// pixels, and the center as a fraction of the frame from its center.
func (x *xmeml) overlay(l Layer, s Source) {
	if v := s.Info.Video; v != nil && v.Width > 0 {
		x.parameter("scale", 100*float64(l.Width)/float64(v.Width))
	}
	x.parameter("rotation", float64(-l.RotationDeg)) // counter-clockwise
	x.start("parameter")
	x.leaf("parameterid", "center")
	x.leaf("name", "Center")
	x.start("value")
	x.leaf("horiz", decimal((l.CenterX-float64(x.t.Width)/2)/float64(x.t.Width)))
	x.leaf("vert", decimal((l.CenterY-float64(x.t.Height)/2)/float64(x.t.Height)))
	x.end()
	x.end()
}

// filter writes an effect of the category motion.
func (x *xmeml) filter(name, id string, parameters func()) {
	x.start("filter")
	x.start("effect")
	x.leaf("name", name)
	x.leaf("effectid", id)
	x.leaf("effectcategory", "motion")
	x.leaf("effecttype", "motion")
	x.leaf("mediatype", "video")
	parameters()
	x.end()
	x.end()
}

func (x *xmeml) parameter(id string, value float64) {
	x.start("parameter")
	x.leaf("parameterid", id)
	x.leaf("name", id)
	x.leaf("value", decimal(value))
	x.end()
}

// opacity writes the opacity of an overlay with its fades unless it is always opaque.
func (x *xmeml) opacity(l Layer) {
	if l.OpacityPercent == 100 && l.fades() == nil {
		return
	}
	x.filter("Opacity", "opacity", func() { x.faded("opacity", float64(l.OpacityPercent), l) })
}

// faded writes a parameter with the fades of a layer. The times of keyframes are frames of the
// source.
func (x *xmeml) faded(id string, value float64, l Layer) {
	x.start("parameter")
	x.leaf("parameterid", id)
	x.leaf("name", id)
	x.leaf("value", decimal(value))
	for _, p := range l.fades() {
		x.start("keyframe")
		x.leaf("when", num(l.In+p.frame))
		x.leaf("value", decimal(value*p.share))
		x.end()
	}

	x.end()
}

func (x *xmeml) audioLevel(gain float64, l Layer) {
	x.start("filter")
	x.start("effect")
	x.leaf("name", "Audio Levels")
	x.leaf("effectid", "audiolevels")
	x.leaf("effectcategory", "audiolevels")
	x.leaf("effecttype", "audiolevels")
	x.leaf("mediatype", "audio")
	x.faded("level", gain, l)
	x.end()
	x.end()
}

// marker writes a marker of the sequence.
func (x *xmeml) marker(m Marker) {
	x.start("marker")
	x.leaf("comment", m.Note)
	x.leaf("name", m.Name)
	x.leaf("in", num(m.Frame))
	out := int64(-1)
	if m.Frames > 1 {
		out = m.Frame + m.Frames
	}
	x.leaf("out", num(out))
	x.end()
}
