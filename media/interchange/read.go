package interchange

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Limits of a file that is read.
const (
	MaxReadBytes = 24 << 20 // three hours with 5,000 cuts and their captions in OTIO
	maxDepth     = 100      // of nested elements or objects
	maxElements  = 400_000  // elements, or objects and items of lists
	maxTagBytes  = 1 << 20  // of one tag or text of XML
	maxClips     = 50_000
	maxSeconds   = 100 * 3600
)

// Reading is the main track of a changed timeline.
type Reading struct {
	Clips []ReadClip // in order
	// FileTimes says that times of clips count from the start of the files; otherwise they count
	// from the first video frame.
	FileTimes bool
	Markers   []ReadMarker
	Captions  []ReadMarker // named by their text on one line
	// CaptionsFollow says that captions move with the clips when clips move.
	CaptionsFollow bool
	// HasMarkers says that files of the format hold markers.
	HasMarkers bool
	// Ignored names what Roughcut cannot take over, such as effects, in words.
	Ignored []string
}

// ReadClip is a clip of a changed timeline.
type ReadClip struct {
	ClipUUID string // of the recording; empty if the file does not say it
	FileName string // of the recording
	// Start and End are seconds of the recording, from where Reading.FileTimes says.
	Start, End float64
	Disabled   bool
	// UUIDs of edits, as the file names them. CutUUID cuts the disabled clip itself, and Before and
	// After cut the footage before and after the clip.
	CutUUID, Before, After string
	// Audio says that the clip is on an audio track next to video tracks. Such a clip counts only
	// for recordings without video.
	Audio bool

	at float64 // seconds on the timeline
}

// ReadMarker is a marker, a chapter or a caption of a changed timeline.
type ReadMarker struct {
	Name string
	At   float64 // seconds on the timeline
}

// addMarker adds a marker. Markers beyond the limit of clips are an error of check.
func (r *Reading) addMarker(name string, at float64) {
	if len(r.Markers) <= maxClips {
		r.Markers = append(r.Markers, ReadMarker{name, at})
	}
}

// addCaption adds a caption. Captions beyond the limit of clips are an error of check.
func (r *Reading) addCaption(text string, at float64) {
	if len(r.Captions) <= maxClips {
		r.Captions = append(r.Captions, ReadMarker{cue{text: text}.line(), at})
	}
}

// ReadError says why a file cannot be read.
type ReadError struct{ Reason string }

// Error returns the reason.
func (e *ReadError) Error() string { return e.Reason }

func readErrorf(format string, args ...any) error { return &ReadError{fmt.Sprintf(format, args...)} }

// Read reads a changed timeline in a format that has Reads. Errors: *ReadError for a file that is
// not a timeline of the format, is too large or is nested too deeply; a read error of r.
func Read(r io.Reader, format string) (Reading, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxReadBytes+1))
	if err != nil {
		return Reading{}, err
	}
	if len(data) > MaxReadBytes {
		return Reading{}, readErrorf(
			"The file is larger than %d MB, which is enough for three hours with 5,000 cuts. "+
				"Save a shorter timeline.",
			MaxReadBytes>>20,
		)
	}

	var reading Reading
	switch format {
	case "otio":
		reading, err = readOTIO(data)
	case "fcpxml":
		reading, err = readFCPXML(data)
	case "llc":
		reading, err = readLosslessCut(data)
	default:
		return Reading{}, readErrorf("Roughcut cannot read files in the format %q.", format)
	}

	if err != nil {
		return Reading{}, err
	}
	return reading, reading.validate()
}

// validate refuses times that no recording has.
func (r Reading) validate() error {
	if len(r.Clips) > maxClips {
		return readErrorf("The timeline has more than %d clips.", maxClips)
	}
	if len(r.Markers) > maxClips || len(r.Captions) > maxClips {
		return readErrorf("The timeline has more than %d markers or captions.", maxClips)
	}
	for _, c := range r.Clips {
		for _, s := range []float64{c.Start, c.End} {
			if math.IsNaN(s) || math.Abs(s) > maxSeconds {
				return readErrorf("The clip %q has the time %g s, which no recording has.", shortName(c.FileName), s)
			}
		}

		if c.End < c.Start {
			return readErrorf("The clip %q ends before it starts.", shortName(c.FileName))
		}
	}

	return nil
}

// shortName returns a name that fits into a message.
func shortName(name string) string {
	if runes := []rune(name); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return name
}

// ignore adds a note about a difference that Roughcut does not apply, unless the note exists.
func (r *Reading) ignore(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	for _, other := range r.Ignored {
		if other == note {
			return
		}
	}

	const most = 100
	if len(r.Ignored) < most {
		r.Ignored = append(r.Ignored, note)
	}
}

// lastPart returns the file name of a path or URL.
func lastPart(address string) string {
	address = strings.ReplaceAll(address, `\`, "/")
	return address[strings.LastIndexByte(address, '/')+1:]
}
