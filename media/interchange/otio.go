package interchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"slices"
	"strconv"

	"roughcut/media"
)

// OpenTimelineIO: schemas that version 0.15 and later read.
const (
	otioTimeline  = "Timeline.1"
	otioStack     = "Stack.1"
	otioTrack     = "Track.1"
	otioClip      = "Clip.2"
	otioGap       = "Gap.1"
	otioMarker    = "Marker.2"
	otioReference = "ExternalReference.1"
	otioTime      = "RationalTime.1"
	otioRange     = "TimeRange.1"

	otioMedia = "DEFAULT_MEDIA" // key of the only media reference of a clip
)

// otioNumber is a number that is written with a decimal point, as readers with strict types expect.
type otioNumber float64

// MarshalJSON writes the number.
func (n otioNumber) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.AppendFloat(nil, f, 'f', 1, 64), nil
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
}

type otioRationalTime struct {
	Schema string     `json:"OTIO_SCHEMA"`
	Rate   otioNumber `json:"rate"`
	Value  otioNumber `json:"value"`
}

type otioTimeRange struct {
	Schema   string           `json:"OTIO_SCHEMA"`
	Start    otioRationalTime `json:"start_time"`
	Duration otioRationalTime `json:"duration"`
}

// otioObject is a timeline, stack, track, clip, gap, marker or media reference. Empty fields are
// not written.
type otioObject struct {
	Schema      string                 `json:"OTIO_SCHEMA"`
	Metadata    map[string]any         `json:"metadata"`
	Name        string                 `json:"name"`
	GlobalStart *otioRationalTime      `json:"global_start_time,omitempty"`
	Tracks      *otioObject            `json:"tracks,omitempty"`
	SourceRange *otioTimeRange         `json:"source_range,omitempty"`
	Effects     *[]any                 `json:"effects,omitempty"`
	Markers     *[]otioObject          `json:"markers,omitempty"`
	Enabled     *bool                  `json:"enabled,omitempty"`
	Kind        string                 `json:"kind,omitempty"`
	Children    *[]otioObject          `json:"children,omitempty"`
	References  map[string]*otioObject `json:"media_references,omitempty"`
	Active      string                 `json:"active_media_reference_key,omitempty"`
	Available   *otioTimeRange         `json:"available_range,omitempty"`
	URL         string                 `json:"target_url,omitempty"`
	Color       string                 `json:"color,omitempty"`
	Marked      *otioTimeRange         `json:"marked_range,omitempty"`
	Comment     string                 `json:"comment,omitempty"`
}

func writeOTIO(w *bufio.Writer, t Timeline, _ Options) error {
	o := otioWriter{t: t, edits: map[*Edit]map[string]any{}}
	for _, s := range t.Sources {
		o.references = append(o.references, o.reference(s))
	}
	var tracks []otioTracked
	if t.HasVideo {
		tracks = append(tracks, o.mainTrack("Video"))
	}
	for _, track := range t.layers(false) {
		tracks = append(tracks, o.layerTrack("Video", track))
	}
	if t.hasAudio() {
		tracks = append(tracks, o.mainTrack("Audio"))
	}
	for _, track := range t.layers(true) {
		tracks = append(tracks, o.layerTrack("Audio", track))
	}
	stack := o.item(otioStack, "tracks")
	stack.Children = &[]otioObject{}
	for _, m := range t.Markers {
		*stack.Markers = append(*stack.Markers, o.marker(m))
	}
	root := otioObject{Schema: otioTimeline, Name: t.Name, Metadata: map[string]any{
		"roughcut": map[string]any{"whole": t.Whole},
	}, Tracks: &stack}
	out := otioStream{w: w}
	end := out.open(root)
	for i, track := range tracks {
		out.comma(i)
		endOfTrack := out.open(track.otioObject)
		n := 0
		for child := range track.children {
			out.comma(n)
			out.raw(out.json(child))
			n++
		}

		out.raw(endOfTrack)
	}

	out.raw(append(end, '\n'))
	return out.err
}

// otioTracked is a track whose children are written one by one. As a whole, a long timeline takes
// much memory.
type otioTracked struct {
	otioObject
	children iter.Seq[otioObject]
}

// otioStream writes objects and keeps the first error.
type otioStream struct {
	w   *bufio.Writer
	err error
}

// json returns an object as JSON.
func (s *otioStream) json(o otioObject) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil && s.err == nil {
		s.err = err
	}
	return bytes.TrimSpace(out.Bytes())
}

// open writes an object without children up to the place of the first one, and returns the rest.
// Quotes in texts are escaped, so that the place is found once.
func (s *otioStream) open(o otioObject) []byte {
	before, after, _ := bytes.Cut(s.json(o), []byte(`"children":[]`))
	s.raw(before)
	s.raw([]byte(`"children":[`))
	return append([]byte("]"), after...)
}

// comma separates child n from the one before.
func (s *otioStream) comma(n int) {
	if n > 0 {
		s.raw([]byte(","))
	}
}

func (s *otioStream) raw(text []byte) {
	if _, err := s.w.Write(text); err != nil && s.err == nil {
		s.err = err
	}
}

// hasAudio reports whether a source of the main track has audio.
func (t Timeline) hasAudio() bool {
	return slices.ContainsFunc(t.Clips, func(c Clip) bool {
		return t.Sources[c.Source].Info.Audio != nil
	})
}

type otioWriter struct {
	t          Timeline
	references []*otioObject // of the sources
	edits      map[*Edit]map[string]any
}

// time returns frames of a rate.
func (otioWriter) time(frames int64, r media.Rate) otioRationalTime {
	return otioRationalTime{otioTime, otioNumber(r.Float()), otioNumber(frames)}
}

func (o otioWriter) span(start, frames int64, r media.Rate) *otioTimeRange {
	return &otioTimeRange{otioRange, o.time(start, r), o.time(frames, r)}
}

// item returns an object with the fields that every item of a track has.
func (otioWriter) item(schema, name string) otioObject {
	enabled := true
	return otioObject{
		Schema: schema, Name: name, Metadata: map[string]any{}, Effects: &[]any{}, Markers: &[]otioObject{},
		Enabled: &enabled,
	}
}

// reference returns the media reference of a source. All clips of the source share its range, which
// for a still covers every use.
func (o otioWriter) reference(s Source) *otioObject {
	r := &otioObject{Schema: otioReference, Name: s.Name, Metadata: map[string]any{}, URL: fileURL("", s.Path)}
	if s.Still {
		r.Available = o.span(0, max(1, o.t.Frames()), o.t.Rate)
	} else if s.Rate == o.t.Rate {
		r.Available = o.span(s.Timecode.Frame, s.Frames, s.Rate)
	} else {
		r.Available = o.span(s.Timecode.Frame, s.fileFrames(), s.Rate)
	}

	return r
}

// clip returns frames [in, out) of a source.
func (o otioWriter) clip(source int, in, out int64) otioObject {
	s := o.t.Sources[source]
	c := o.item(otioClip, s.Name)
	c.SourceRange = o.span(s.Origin+in, out-in, o.t.Rate)
	c.References = map[string]*otioObject{otioMedia: o.references[source]}
	c.Active = otioMedia
	return c
}

func (o otioWriter) gap(frames int64) otioObject {
	g := o.item(otioGap, "")
	g.SourceRange = o.span(0, frames, o.t.Rate)
	return g
}

// track returns a track of a kind with children.
func (o otioWriter) track(kind, number string, children iter.Seq[otioObject]) otioTracked {
	track := o.item(otioTrack, kind+" "+number)
	track.Kind, track.Children = kind, &[]otioObject{}
	return otioTracked{track, children}
}

// mainTrack returns the main track of a kind.
func (o otioWriter) mainTrack(kind string) otioTracked {
	track := o.track(kind, "1", func(yield func(otioObject) bool) {
		for i, c := range o.t.Clips {
			if !yield(o.mainClip(kind, i, c)) {
				return
			}
		}
	})
	if kind == "Video" || !o.t.HasVideo {
		for _, c := range o.t.cues() {
			*track.Markers = append(*track.Markers, o.caption(c))
		}
	}

	return track
}

// mainClip returns a clip of the main track of a kind, a gap if its source lacks the stream.
func (o otioWriter) mainClip(kind string, i int, c Clip) otioObject {
	s := o.t.Sources[c.Source]
	if c.empty() || (kind == "Video" && s.Info.Video == nil) || (kind == "Audio" && s.Info.Audio == nil) {
		return o.gap(c.Frames())
	}
	clip := o.clip(c.Source, c.In, c.Out)
	*clip.Enabled = !c.Disabled
	evidence := map[string]any{keyRecording: s.UUID}
	if c.Cut != nil {
		addEvidence(evidence, *c.Cut)
	}
	for _, cut := range c.cuts() {
		evidence[cut.place] = o.evidence(cut.edit)
	}
	clip.Metadata["roughcut"] = evidence
	if s.Info.Video != nil && s.Info.Audio != nil {
		clip.Metadata["Resolve_OTIO"] = map[string]any{"Link Group ID": i + 1}
		clip.Metadata["PremierePro_OTIO"] = map[string]any{"LinkID": num(i + 1)}
	}

	return clip
}

// caption returns a caption as a marker: OpenTimelineIO has no captions.
func (o otioWriter) caption(c cue) otioObject {
	known := map[string]any{"caption": c.text}
	if c.speaker != "" {
		known["speaker"] = c.speaker
	}
	return otioObject{
		Schema: otioMarker, Name: c.line(), Metadata: map[string]any{"roughcut": known}, Color: "CYAN",
		Marked: o.span(c.start, c.end-c.start, o.t.Rate),
	}
}

// evidence returns an edit as metadata, which all clips and markers next to it share.
func (o otioWriter) evidence(e *Edit) map[string]any {
	known, ok := o.edits[e]
	if !ok {
		known = map[string]any{}
		addEvidence(known, *e)
		o.edits[e] = known
	}

	return known
}

// addEvidence adds an edit to the metadata of a clip or marker.
func addEvidence(metadata map[string]any, e Edit) {
	metadata["edit_uuid"] = e.UUID
	metadata["kind"] = e.Kind
	metadata["reason"] = e.Reason
	metadata["confidence"] = otioNumber(e.Confidence)
	metadata["active"] = e.Active
}

func (o otioWriter) layerTrack(kind string, layers []Layer) otioTracked {
	return o.track(kind, num(layers[0].Track+1), func(yield func(otioObject) bool) {
		var at int64
		for _, l := range layers {
			if l.Start > at && !yield(o.gap(l.Start-at)) {
				return
			}
			if !yield(o.clip(l.Source, l.In, l.Out)) {
				return
			}
			at = l.End()
		}
	})
}

func (o otioWriter) marker(m Marker) otioObject {
	marker := otioObject{
		Schema: otioMarker, Name: m.Name, Metadata: map[string]any{}, Color: "GREEN", Comment: m.Note,
		Marked: o.span(m.Frame, m.Frames, o.t.Rate),
	}
	if m.Edit != nil {
		marker.Metadata["roughcut"] = o.evidence(m.Edit)
		if marker.Color = "YELLOW"; m.Edit.Active {
			marker.Color = "RED"
		}
	}

	return marker
}
