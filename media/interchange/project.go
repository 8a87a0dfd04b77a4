package interchange

import (
	"path"
	"strings"

	"roughcut/media"
)

// Project is everything that a timeline is derived from. Its times are project time: the recordings
// end to end.
type Project struct {
	Name       string
	Recordings []Recording // in display order, at least one
	Edits      []Edit      // by start
	Assets     []media.PlacedAsset
	Chapters   []media.Chapter
	Transcript media.Transcript
	Captions   []media.CaptionLine
	// VolumePercent is the volume of the main audio, 0-100.
	VolumePercent int
	// Range is the span of project time that the timeline has; empty for all of it.
	Range media.Span
}

// inRange returns the edits that the range of the project has a part of, cut to the range.
func (p Project) inRange() (list []Edit) {
	if p.Range.Duration() <= 0 {
		return p.Edits
	}
	for _, e := range p.Edits {
		part := p.Range.Intersect(media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
		if e.StartMS, e.EndMS = part.StartMS, part.EndMS; part.Duration() > 0 {
			list = append(list, e)
		}
	}

	return list
}

// Recording is a source file of a project.
type Recording struct {
	UUID      string
	Name      string // of the original file, with its extension
	Path      string // absolute path of a linked file; empty for an upload
	File      string // path on this machine, for bundles
	SizeBytes int64
	Info      media.Info
}

// WithCopy returns the recording with a constant-rate copy in place of its file. file is the path
// of the copy on this machine, and bytes its size. linked is the path of the copy for editors, or
// empty for the folder of Place. info describes the copy, which has the frames and the audio of the
// recording. Project time does not change.
func (r Recording) WithCopy(linked, file string, bytes int64, info media.Info) Recording {
	info.DurationMS = r.Info.DurationMS
	r.Name, r.Path, r.File, r.SizeBytes, r.Info = CopyName(r.Name), linked, file, bytes, info
	return r
}

// CopyName returns the file name of a constant-rate copy of a recording.
func CopyName(name string) string {
	return strings.TrimSuffix(name, path.Ext(name)) + " constant rate" + media.DefaultExportFormat().Extension
}

// Edit is a cut or a proposed cut.
type Edit struct {
	UUID       string
	Kind       string // name of a media.EditKind
	Reason     string
	Confidence float64 // 0-1; 0 for an edit that a person made
	StartMS    int64
	EndMS      int64
	Active     bool
	Mute       bool // replaces the audio instead of removing the span
}

// label returns the kind of an edit as the UI names it.
func (e Edit) label() string {
	if kind, ok := media.LookupEditKind(e.Kind); ok {
		return kind.Label
	}
	return e.Kind
}

// activeSpans returns the spans of the active edits that cut, or of those that mute.
func activeSpans(edits []Edit, mute bool) (list []media.Span) {
	for _, e := range edits {
		if e.Active && e.Mute == mute {
			list = append(list, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
		}
	}

	return list
}

// rate returns the rate of the timeline: the standard rate of the first video, or 30 frames per
// second if the project has no video.
func (p Project) rate() media.Rate {
	for _, r := range p.Recordings {
		if v := r.Info.Video; v != nil && !v.Still {
			return media.StandardRate(v.Rate)
		}
	}

	return media.Rate{Num: 30, Den: 1}
}

// plans returns the render plans of the edited video and of all footage.
func (p Project) plans() (edited, whole media.RenderPlan, err error) {
	var clips []media.RenderClip
	for _, r := range p.Recordings {
		info := r.Info
		if info.Video != nil {
			video := *info.Video
			video.Rate = p.rate()
			info.Video = &video
		}

		clips = append(clips, media.RenderClip{Path: r.Path, Info: info})
	}

	short, _ := media.ShortSide(media.AsRecorded)
	settings := media.RenderSettings{
		ShortSide:     short,
		AspectRatio:   media.AsRecorded,
		VolumePercent: p.VolumePercent,
		Captions:      &media.CaptionTrack{Lines: p.Captions, Words: p.Transcript.Words},
		Chapters:      p.Chapters,
		Assets:        p.Assets,
		Range:         p.Range,
	}
	if whole, err = media.NewRenderPlan(clips, nil, settings); err != nil {
		return edited, whole, err
	}
	settings.Muted = activeSpans(p.Edits, true)
	edited, err = media.NewRenderPlan(clips, activeSpans(p.Edits, false), settings)
	return edited, whole, err
}
