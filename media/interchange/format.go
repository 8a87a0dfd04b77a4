package interchange

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Kinds of formats.
const (
	KindTimeline = "timeline" // the segments of the video, for another editor
	KindText     = "text"     // the transcript, the captions or the chapters
)

// Format is a format that a project can be written in.
type Format struct {
	Name      string `json:"name"` // unique; in the API and on the command line
	Kind      string `json:"kind"` // KindTimeline or KindText
	Label     string `json:"label"`
	Opens     string `json:"opens"`     // the programs that read it
	Extension string `json:"extension"` // of the file name, with the dot; unique
	Reads     bool   `json:"reads"`     // Read accepts changed files of the format
}

//go:embed formats.json
var formatsJSON []byte

// Formats returns every format in display order.
func Formats() []Format {
	var list []Format
	if err := json.Unmarshal(formatsJSON, &list); err != nil {
		panic(fmt.Sprintf("formats.json: %v", err))
	}
	return list
}

// FormatNames returns the names of the formats in display order.
func FormatNames() []string {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// LookupFormat returns the format with the given name; ok is false for an unknown name.
func LookupFormat(name string) (f Format, ok bool) {
	list := Formats()
	i := slices.IndexFunc(list, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return list[i], true
}

// writer writes a timeline in one format.
type writer func(w *bufio.Writer, t Timeline, o Options) error

// writerOf returns the writer of a format, nil for an unknown name.
func writerOf(name string) writer {
	switch name {
	case "fcpxml":
		return writeFCPXML
	case "xmeml":
		return writeXMEML
	case "otio":
		return writeOTIO
	case "edl":
		return writeEDL
	case "kdenlive":
		return writeKdenlive
	case "shotcut":
		return writeShotcut
	case "mlt":
		return writeMLT
	case "llc":
		return writeLosslessCut
	case "csv":
		return writeCSV
	case "audacity":
		return writeCutLabels
	}

	return textWriterOf(name)
}

// Options are a person's choices for the files.
type Options struct {
	FCPXMLVersion string // one of FCPXMLVersions; empty for DefaultFCPXMLVersion
	// Subtitles is the name of the SubRip file next to the timeline file. If it is empty, a project
	// of Kdenlive has no captions.
	Subtitles string
}

// Write writes a timeline in a format. Errors: a write error of w; *UnsupportedError for a timeline
// that the format cannot hold; an unknown format.
func Write(w io.Writer, format string, t Timeline, o Options) error {
	write := writerOf(format)
	if write == nil {
		return fmt.Errorf("unknown timeline format %q", format)
	}
	if countsFromFirstFrame(format) {
		t = t.fromFirstFrame()
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := write(out, t, o); err != nil {
		return err
	}
	return out.Flush()
}

// HasText reports whether a text format has anything of the timeline to hold.
func (t Timeline) HasText(format string) bool {
	switch format {
	case "chapters":
		return len(t.Chapters) > 0
	case "json", "audacity-words":
		return len(t.Words) > 0 || len(t.Phrases) > 0
	}

	return len(t.Captions) > 0
}

// UnsupportedError says why a format cannot hold a timeline.
type UnsupportedError struct{ Reason string }

// Error returns the reason.
func (e *UnsupportedError) Error() string { return e.Reason }
