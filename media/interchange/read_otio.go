package interchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// otioRead is any object of an OTIO file, with the fields that matter.
type otioRead struct {
	Schema      string               `json:"OTIO_SCHEMA"`
	Name        string               `json:"name"`
	Kind        string               `json:"kind"`
	Enabled     *bool                `json:"enabled"`
	Tracks      *otioRead            `json:"tracks"`
	Children    []*otioRead          `json:"children"`
	Effects     []*otioRead          `json:"effects"`
	Markers     []*otioRead          `json:"markers"`
	Marked      *otioReadRange       `json:"marked_range"`
	SourceRange *otioReadRange       `json:"source_range"`
	Reference   *otioRead            `json:"media_reference"` // of Clip.1
	References  map[string]*otioRead `json:"media_references"`
	Active      string               `json:"active_media_reference_key"`
	Available   *otioReadRange       `json:"available_range"`
	URL         string               `json:"target_url"`
	Metadata    struct {
		Roughcut struct {
			ClipUUID string `json:"clip_uuid"`
			otioEdit
			Caption string   `json:"caption"`
			Before  otioEdit `json:"cut_before"`
			After   otioEdit `json:"cut_after"`
		} `json:"roughcut"`
	} `json:"metadata"`
}

// otioEdit names an edit.
type otioEdit struct {
	UUID string `json:"edit_uuid"`
}

type otioReadRange struct {
	Start    otioReadTime `json:"start_time"`
	Duration otioReadTime `json:"duration"`
}

type otioReadTime struct {
	Rate  float64 `json:"rate"`
	Value float64 `json:"value"`
}

func (t otioReadTime) seconds() (s float64, ok bool) {
	if t.Rate <= 0 {
		return 0, t.Value == 0
	}
	return t.Value / t.Rate, true
}

// is reports whether an object has a schema of any version.
func (o *otioRead) is(schema string) bool { return strings.HasPrefix(o.Schema, schema+".") }

// readOTIO reads the first video track and the first audio track that play clips.
func readOTIO(data []byte) (Reading, error) {
	if err := checkJSON(data); err != nil {
		return Reading{}, err
	}
	var root otioRead
	if err := json.Unmarshal(data, &root); err != nil {
		return Reading{}, readErrorf("The file is not OTIO: %v.", err)
	}
	if !root.is("Timeline") || root.Tracks == nil {
		return Reading{}, readErrorf("The file is not an OTIO timeline.")
	}
	r := Reading{HasMarkers: true}
	r.otioMarkers(root.Tracks, 0)
	for _, kind := range []string{"Video", "Audio"} {
		for _, track := range root.Tracks.Children {
			if track == nil || !track.is("Track") || track.Kind != kind {
				continue
			}
			clips, err := r.otioTrack(track)
			if err != nil {
				return Reading{}, err
			}
			if len(clips) > 0 {
				r.addTrack(clips)
				break
			}
		}
	}

	if len(r.Clips) == 0 {
		return Reading{}, readErrorf("The timeline has no track with clips.")
	}
	return r, nil
}

// addTrack adds the clips of the first video track, or of the first audio track after it.
func (r *Reading) addTrack(clips []ReadClip) {
	for i := range clips {
		clips[i].Audio = len(r.Clips) > 0
	}
	r.Clips = append(r.Clips, clips...)
	slices.SortStableFunc(r.Clips, func(a, b ReadClip) int { return cmp.Compare(a.at, b.at) })
}

// otioTrack returns the clips of a track.
func (r *Reading) otioTrack(track *otioRead) (clips []ReadClip, err error) {
	r.otioMarkers(track, 0)
	var at float64
	for _, child := range track.Children {
		switch {
		case child != nil && child.is("Gap") && child.SourceRange != nil:
			length, _ := child.SourceRange.Duration.seconds()
			at += length
		case child == nil || child.is("Gap"):
		case child.is("Transition"):
			r.ignore("The transition %q", shortName(child.Name))
		case child.is("Clip"):
			clip, ok, err := r.otioClip(child)
			if err != nil {
				return nil, err
			}
			if ok {
				r.otioMarkers(child, at-child.firstSecond())
				clip.at = at
				clips = append(clips, clip)
			}

			at += clip.End - clip.Start
		default:
			r.ignore("%q, which is not a clip", shortName(child.Name))
		}
	}

	return clips, nil
}

// otioMarkers adds the markers and captions of an object whose own time starts at a second of the
// timeline.
func (r *Reading) otioMarkers(o *otioRead, at float64) {
	for _, m := range o.Markers {
		if m == nil || m.Marked == nil {
			continue
		}
		start, ok := m.Marked.Start.seconds()
		switch {
		case !ok:
		case m.Metadata.Roughcut.Caption != "":
			r.addCaption(m.Name, at+start)
		default:
			r.addMarker(m.Name, at+start)
		}
	}
}

// firstSecond returns the media time where a clip starts, in seconds.
func (o *otioRead) firstSecond() float64 {
	if o.SourceRange == nil {
		return 0
	}
	start, _ := o.SourceRange.Start.seconds()
	return start
}

// otioClip returns a clip; ok is false for one without media.
func (r *Reading) otioClip(o *otioRead) (clip ReadClip, ok bool, err error) {
	reference := o.Reference
	if len(o.References) > 0 {
		key := o.Active
		key = cmp.Or(key, otioMedia)
		reference = o.References[key]
	}

	if reference == nil || !reference.is("ExternalReference") {
		r.ignore("The clip %q, which has no media file", shortName(o.Name))
		return clip, false, nil
	}

	for _, e := range o.Effects {
		if e != nil {
			r.ignore("The effect %q on the clip %q", shortName(e.Name), shortName(o.Name))
		}
	}

	part := o.SourceRange
	if part == nil {
		part = reference.Available
	}
	if part == nil {
		return clip, false, readErrorf("The clip %q has no source range.", shortName(o.Name))
	}
	start, startOK := part.Start.seconds()
	length, lengthOK := part.Duration.seconds()
	first, firstOK := 0.0, true
	if reference.Available != nil {
		first, firstOK = reference.Available.Start.seconds()
	}
	if !startOK || !lengthOK || !firstOK || length < 0 {
		return clip, false, readErrorf("The clip %q has a time without a frame rate.", shortName(o.Name))
	}
	name := lastPart(reference.URL)
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	known := o.Metadata.Roughcut
	return ReadClip{
		ClipUUID: known.ClipUUID, FileName: name, Start: start - first, End: start - first + length,
		Disabled: o.Enabled != nil && !*o.Enabled,
		CutUUID:  known.UUID, Before: known.Before.UUID, After: known.After.UUID,
	}, true, nil
}

// checkJSON refuses values that have too many objects for a timeline, or are nested too deeply.
func checkJSON(data []byte) error {
	var lists [maxDepth + 1]bool // by depth
	depth, count, text := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return readErrorf("The file is nested more than %d levels deep.", maxDepth)
			}
			lists[depth] = c == '['
			count++
		case c == ',' && lists[depth]:
			count++
		case c == '}' || c == ']':
			depth = max(depth-1, 0)
		}

		if count > maxElements {
			return readErrorf("The file has more than %d objects and items of lists.", maxElements)
		}
	}

	if len(bytes.TrimSpace(data)) == 0 {
		return readErrorf("The file is empty.")
	}
	return nil
}
