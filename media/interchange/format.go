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

// LacksText is the result of Lacks for a timeline without a transcript.
const LacksText = "text"

// Lacks returns what a file of the timeline in a format would be empty without, such as "text". It
// returns "" for a file that is not empty.
func (t Timeline) Lacks(format string) string {
	f, _ := LookupFormat(format)
	lacking, has := LacksText, len(t.Captions) > 0
	switch {
	case format == "audacity":
		lacking, has = "cuts", slices.ContainsFunc(t.Edits, func(e Edit) bool { return e.Active })
	case format == "chapters":
		lacking, has = "chapters", len(t.Chapters) > 0
	case format == "json" || format == "audacity-words":
		has = len(t.Words) > 0 || len(t.Phrases) > 0
	case f.Kind != KindText:
		has = true
	}

	if has {
		return ""
	}
	return lacking
}

// UnsupportedError says why a format cannot hold a timeline.
type UnsupportedError struct{ Reason string }

// Error returns the reason.
func (e *UnsupportedError) Error() string { return e.Reason }
