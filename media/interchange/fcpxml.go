package interchange

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"roughcut/media"
)

// DefaultFCPXMLVersion is the version that Final Cut Pro from 10.6 on and DaVinci Resolve from 18.5
// on read.
const DefaultFCPXMLVersion = "1.10"

// FCPXMLVersions returns the versions that a file may state. A program refuses versions newer than
// its own, so files of every version contain only elements of 1.9.
func FCPXMLVersions() []string { return []string{"1.9", "1.10", "1.11", "1.12", "1.13"} }

// fcpxml writes one document.
type fcpxml struct {
	*xmlWriter
	t Timeline
	// formats holds the formats by size and rate; format i has the ID "r<i+1>".
	formats []fcpFormat
	assets  []string // ID of each source
	styles  int      // of captions that are written
}

// fcpFormat is the format of a sequence or an asset.
type fcpFormat struct {
	width, height int
	rate          media.Rate
}

func writeFCPXML(w *bufio.Writer, t Timeline, o Options) error {
	version := o.FCPXMLVersion
	version = cmp.Or(version, DefaultFCPXMLVersion)
	if !slices.Contains(FCPXMLVersions(), version) {
		return fmt.Errorf("unknown FCPXML version %q", version)
	}
	x := &fcpxml{xmlWriter: newXML(w, "fcpxml"), t: t}
	x.start("fcpxml", "version", version)
	x.resources()
	x.start("library")
	x.start("event", "name", t.Name)
	x.start("project", "name", t.Name)
	x.sequence()
	for len(x.open) > 0 {
		x.end()
	}
	return nil
}

// resources writes the formats and assets.
func (x *fcpxml) resources() {
	x.format(fcpFormat{x.t.Width, x.t.Height, x.t.Rate})
	for _, s := range x.t.Sources {
		if v := s.Info.Video; v != nil {
			x.format(fcpFormat{v.Width, v.Height, x.formatRate(s)})
		}
	}

	x.start("resources")
	for i, f := range x.formats {
		attributes := []string{"id", "r" + num(i+1), "name", f.name()}
		if f.rate.Num > 0 {
			attributes = append(attributes, "frameDuration", rationalSeconds(1, f.rate))
		}
		attributes = append(attributes, "width", num(f.width), "height", num(f.height))
		if f.rate.Num > 0 {
			attributes = append(attributes, "colorSpace", "1-1-1 (Rec. 709)")
		}
		x.empty("format", attributes...)
	}

	for i, s := range x.t.Sources {
		x.assets = append(x.assets, "r"+num(len(x.formats)+i+1))
		x.asset(x.assets[i], s)
	}

	x.end()
}

// formatRate returns the rate of a source's format, zero for a still.
func (x *fcpxml) formatRate(s Source) media.Rate {
	if s.Still {
		return media.Rate{}
	}
	return s.Rate
}

// format returns the ID of a format.
func (x *fcpxml) format(f fcpFormat) string {
	i := slices.Index(x.formats, f)
	if i < 0 {
		i = len(x.formats)
		x.formats = append(x.formats, f)
	}

	return "r" + num(i+1)
}

// name returns the name of the format in Final Cut Pro.
func (f fcpFormat) name() string {
	if f.rate.Num == 0 {
		return "FFVideoFormatRateUndefined"
	}
	sizes := map[[2]int]string{{1280, 720}: "720p", {1920, 1080}: "1080p", {3840, 2160}: "3840x2160p"}
	size, known := sizes[[2]int{f.width, f.height}]
	if !known || f.rate == (media.Rate{Num: 48, Den: 1}) || !slices.Contains(media.TimelineRates(), f.rate) {
		return "FFVideoFormatRateUndefined"
	}
	rate := num(f.rate.Num)
	if f.rate.Den != 1 {
		rate = strconv.FormatInt(int64(math.Round(100*f.rate.Float())), 10)
	}
	return "FFVideoFormat" + size + rate
}

// rationalSeconds returns frames of a rate as seconds: a whole multiple of the duration of a frame.
func rationalSeconds(frames int64, r media.Rate) string {
	if frames == 0 {
		return "0s"
	}
	scale := int64(1)
	if r.Den == 1 {
		scale = 100
	}
	return fmt.Sprintf("%d/%ds", frames*r.Den*scale, r.Num*scale)
}

// time returns frames of the timeline as seconds.
func (x *fcpxml) time(frames int64) string { return rationalSeconds(frames, x.t.Rate) }

// asset writes a source with the exact length of its file. Rounding the length to frames would make
// the last clip of an audio file longer than the file.
func (x *fcpxml) asset(id string, s Source) {
	a := []string{"id", id, "name", s.Name, "start", assetStart(s), "duration", x.assetDuration(s)}
	if v := s.Info.Video; v != nil {
		format := x.format(fcpFormat{v.Width, v.Height, x.formatRate(s)})
		a = append(a, "hasVideo", "1", "format", format, "videoSources", "1")
	}

	if audio := s.Info.Audio; audio != nil && !s.Still {
		tracks := s.present()
		widest := slices.MaxFunc(tracks, func(a, b audioTrack) int { return a.channels - b.channels })
		a = append(a, "hasAudio", "1", "audioSources", num(len(tracks)), "audioChannels", num(widest.channels),
			"audioRate", num(audio.SampleRate))
	}

	x.start("asset", a...)
	x.empty("media-rep", "kind", "original-media", "src", fileURL("", s.Path))
	x.end()
}

// assetStart returns the timecode of a source's file: of audio alone to the sample.
func assetStart(s Source) string {
	if n := s.Info.TimeReference; n > 0 && s.Info.Video == nil {
		return fmt.Sprintf("%d/%ds", n, s.Info.Audio.SampleRate)
	}
	return rationalSeconds(s.Timecode.Frame, s.Rate)
}

// assetDuration returns the length of a source's file.
func (x *fcpxml) assetDuration(s Source) string {
	switch {
	case s.Still:
		return "0s"
	case s.Info.Video == nil && s.Info.Audio != nil && s.Info.Audio.SampleRate > 0:
		hz := int64(s.Info.Audio.SampleRate)
		return fmt.Sprintf("%d/%ds", s.Info.DurationMS*hz/1000, hz)
	}

	return rationalSeconds(s.fileFrames(), s.Rate)
}

// sequence writes the sequence with its spine.
func (x *fcpxml) sequence() {
	layout, format := "stereo", "NDF"
	for _, s := range x.t.Sources {
		if s.Info.Audio != nil && s.Info.Audio.Channels >= 6 && !s.Asset {
			layout = "surround"
		}
	}

	if x.t.Drop {
		format = "DF"
	}
	x.start("sequence", "format", "r1", "duration", x.time(x.t.Frames()), "tcStart", "0s", "tcFormat", format,
		"audioLayout", layout, "audioRate", "48k")
	x.start("spine")
	markers, layers, cues := x.t.Markers, slices.Clone(x.t.Layers), x.t.cues()
	slices.SortStableFunc(layers, func(a, b Layer) int { return int(a.Start - b.Start) })
	for _, c := range x.t.Clips {
		inside, above, said := 0, 0, 0
		for inside < len(markers) && markers[inside].Frame < c.End() {
			inside++
		}
		for above < len(layers) && layers[above].Start < c.End() {
			above++
		}
		for said < len(cues) && cues[said].start < c.End() {
			said++
		}
		x.clip(c, fcpAbove{layers[:above], cues[:said], markers[:inside]})
		markers, layers, cues = markers[inside:], layers[above:], cues[said:]
	}

	x.end()
	x.end()
}

// fcpAbove is what starts on a clip.
type fcpAbove struct {
	layers  []Layer
	cues    []cue
	markers []Marker
}

// clip writes a segment with what starts on it.
func (x *fcpxml) clip(c Clip, on fcpAbove) {
	if c.empty() {
		x.gap(c, on)
		return
	}

	s := x.t.Sources[c.Source]
	start := s.Origin + c.In
	a := []string{"ref", x.assets[c.Source], "offset", x.time(c.Start), "name", s.Name, "start", x.time(start),
		"duration", x.time(c.Frames())}
	if s.Info.Video != nil {
		a = append(a, "format", x.format(fcpFormat{s.Info.Video.Width, s.Info.Video.Height, x.formatRate(s)}))
	}
	a = append(a, "tcFormat", dropName(s.Timecode.Drop))
	if s.Info.Audio != nil {
		a = append(a, "audioRole", "dialogue")
	}
	if c.Disabled {
		a = append(a, "enabled", "0")
	}
	x.start("asset-clip", a...)
	x.conformRate(s)
	if s.Info.Audio != nil && x.t.Volume != 1 {
		x.volume(x.t.Volume, Layer{})
	}
	x.above(c, start, on)
	x.audioTracks(s)
	x.evidence(s.UUID, c)
	x.end()
}

// audioTracks writes the audio tracks of the open clip if its source has several. Those that
// Roughcut does not play are disabled.
func (x *fcpxml) audioTracks(s Source) {
	tracks := s.present()
	if len(tracks) < 2 {
		return
	}
	for i, track := range tracks {
		var channels []string
		for channel := range track.channels {
			channels = append(channels, num(track.first+channel))
		}
		a := []string{"srcCh", strings.Join(channels, ", "), "role", "dialogue.dialogue-" + num(i+1)}
		if !track.played {
			a = append(a, "enabled", "0")
		}
		x.empty("audio-channel-source", a...)
	}
}

// gap writes a clip without media with what starts on it.
func (x *fcpxml) gap(c Clip, on fcpAbove) {
	x.start("gap", "offset", x.time(c.Start), "name", "Gap", "start", x.time(0), "duration", x.time(c.Frames()))
	x.above(c, 0, on)
	x.end()
}

// above writes what starts on a clip, whose own time starts at a frame.
func (x *fcpxml) above(c Clip, start int64, on fcpAbove) {
	for _, l := range on.layers {
		x.layer(l, x.time(start+l.Start-c.Start))
	}
	for _, said := range on.cues {
		x.caption(said, x.time(start+said.start-c.Start))
	}
	for _, m := range on.markers {
		x.marker(m, x.time(start+m.Frame-c.Start))
	}
}

// caption writes a caption above all overlays, at a time of its clip. The speaker is its note.
func (x *fcpxml) caption(c cue, offset string) {
	x.styles++
	style := "ts" + num(x.styles)
	x.start("caption", "lane", num(len(x.t.layers(false))+1), "offset", offset, "name", c.line(),
		"duration", x.time(c.end-c.start), "role", "iTT?captionFormat=ITT."+x.t.captionLanguage())
	x.start("text", "placement", "bottom")
	x.leaf("text-style", c.text, "ref", style)
	x.end()
	x.start("text-style-def", "id", style)
	x.empty("text-style", "font", "Helvetica", "fontSize", "13", "fontFace", "Regular", "fontColor", "1 1 1 1",
		"backgroundColor", "0 0 0 1")
	x.end()
	if c.speaker != "" {
		x.leaf("note", c.speaker)
	}
	x.end()
}

func dropName(drop bool) string {
	if drop {
		return "DF"
	}
	return "NDF"
}

// conformRate writes that a source has another rate than the timeline.
func (x *fcpxml) conformRate(s Source) {
	if s.Info.Video == nil || s.Still || s.Rate == x.t.Rate {
		return
	}
	names := map[media.Rate]string{
		{Num: 24000, Den: 1001}: "23.98", {Num: 30000, Den: 1001}: "29.97", {Num: 60000, Den: 1001}: "59.94",
	}
	name := names[s.Rate]
	if name == "" && slices.Contains(media.TimelineRates(), s.Rate) {
		name = num(s.Rate.Num)
	}
	if name == "" {
		x.empty("conform-rate")
		return
	}

	x.empty("conform-rate", "srcFrameRate", name)
}

// volume writes a gain, with the fades of a layer.
func (x *fcpxml) volume(gain float64, l Layer) {
	x.start("adjust-volume", "amount", decibels(gain))
	x.fades(l)
	x.end()
}

// fades writes the fades of a layer as fades of the amount of the open element.
func (x *fcpxml) fades(l Layer) {
	in, out := l.fadeIn(), l.fadeOut()
	if in == 0 && out == 0 {
		return
	}
	x.start("param", "name", "amount")
	if in > 0 {
		x.empty("fadeIn", "type", "linear", "duration", x.time(in))
	}
	if out > 0 {
		x.empty("fadeOut", "type", "linear", "duration", x.time(out))
	}
	x.end()
}

// decibels returns a linear gain as "-6dB"; silence is -96 dB.
func decibels(gain float64) string {
	if gain <= 0 {
		return "-96dB"
	}
	return decimal(math.Round(2000*math.Log10(gain))/100) + "dB"
}

// layer writes a placed asset as a connected clip at a time of its parent.
func (x *fcpxml) layer(l Layer, offset string) {
	s := x.t.Sources[l.Source]
	lane := l.Track
	if l.Audio {
		lane = -l.Track
	}
	a := []string{"ref", x.assets[l.Source], "lane", num(lane), "offset", offset, "name", s.Name,
		"start", x.time(s.Origin + l.In), "duration", x.time(l.Frames())}
	if s.Still {
		x.start("video", a...)
		x.geometry(l, s)
		x.end()
		return
	}

	if l.Audio {
		a = append(a, "srcEnable", "audio", "audioRole", "music")
	} else {
		a = append(a, "srcEnable", "video")
	}

	x.start("asset-clip", a...)
	x.conformRate(s)
	if l.Audio {
		x.volume(l.Gain, l)
	} else {
		x.geometry(l, s)
	}

	x.end()
}

// geometry writes the place and the opacity of an overlay. Positions are percents of the frame
// height from the center, upward; the scale is relative to the source fitted into the frame.
func (x *fcpxml) geometry(l Layer, s Source) {
	v := s.Info.Video
	if v == nil || v.Width == 0 || v.Height == 0 {
		return
	}
	w, h := float64(x.t.Width), float64(x.t.Height)
	fit := min(w/float64(v.Width), h/float64(v.Height))
	scale := float64(l.Width) / (float64(v.Width) * fit)
	horizontal, vertical := scale, scale
	if l.FlipH {
		horizontal = -horizontal
	}
	if l.FlipV {
		vertical = -vertical
	}
	x.empty("adjust-transform",
		"position", decimal((l.CenterX-w/2)/h*100)+" "+decimal((h/2-l.CenterY)/h*100),
		"scale", decimal(horizontal)+" "+decimal(vertical), "rotation", num(-l.RotationDeg))
	if l.OpacityPercent < 100 || l.fades() != nil {
		x.start("adjust-blend", "amount", decimal(float64(l.OpacityPercent)/100))
		x.fades(l)
		x.end()
	}
}

// marker writes a marker at a time of its clip.
func (x *fcpxml) marker(m Marker, start string) {
	if m.Chapter {
		x.empty("chapter-marker", "start", start, "duration", x.time(m.Frames), "value", m.Name)
		return
	}

	a := []string{"start", start, "duration", x.time(m.Frames), "value", m.Name}
	if m.Note != "" {
		a = append(a, "note", m.Note)
	}
	x.empty("marker", a...)
}

// Keys of the evidence that a clip carries.
const (
	keyPrefix     = "roughcut."
	keyRecording  = "clip_uuid"
	keyClip       = keyPrefix + keyRecording
	keyEdit       = "edit_uuid" // after keyPrefix, or after it and the place of a cut next to the clip
	keyReason     = "reason"
	keyConfidence = "confidence"
)

// evidence writes the recording of a clip, the edit that cuts it and the edits next to it.
func (x *fcpxml) evidence(recording string, c Clip) {
	near := c.cuts()
	if recording == "" && c.Cut == nil && len(near) == 0 {
		return
	}
	x.start("metadata")
	if recording != "" {
		x.empty("md", "key", keyClip, "value", recording)
	}
	if c.Cut != nil {
		x.editEvidence(keyPrefix, c.Cut)
	}
	for _, n := range near {
		x.editEvidence(keyPrefix+n.place+".", n.edit)
	}
	x.end()
}

func (x *fcpxml) editEvidence(prefix string, e *Edit) {
	x.empty("md", "key", prefix+keyEdit, "value", e.UUID)
	x.empty("md", "key", prefix+keyReason, "value", e.Reason)
	x.empty("md", "key", prefix+keyConfidence, "value", decimal(e.Confidence))
}
