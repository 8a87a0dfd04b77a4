package interchange

import "roughcut/media"

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

// spans returns the spans of the active edits that cut, or of those that mute.
func spans(edits []Edit, mute bool) (list []media.Span) {
	for _, e := range edits {
		if e.Active && e.Mute == mute {
			list = append(list, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
		}
	}
	return list
}

// rate returns the rate of the timeline: a standard rate at which every frame of the first video
// starts on a frame boundary, if there is one.
func (p Project) rate() media.Rate {
	for _, r := range p.Recordings {
		if v := r.Info.Video; v != nil && !v.Still {
			return standardRate(v.Rate)
		}
	}
	return media.Rate{Num: 30, Den: 1}
}

// standardRate returns the lowest standard rate that is a whole multiple of a rate, otherwise the
// lowest one that is higher, otherwise the highest. Editors refuse any other rate.
func standardRate(r media.Rate) media.Rate {
	if r.Num <= 0 || r.Den <= 0 {
		return media.Rate{Num: 30, Den: 1}
	}
	best := media.MaxRate
	for i := len(media.StandardRates) - 1; i >= 0; i-- {
		if standard := media.StandardRates[i]; standard.Float() > r.Float()*0.999 {
			best = standard
		}
	}
	for i := len(media.StandardRates) - 1; i >= 0; i-- {
		standard := media.StandardRates[i]
		if (standard.Num*r.Den)%(standard.Den*r.Num) == 0 {
			best = standard
		}
	}
	return best
}

// plans returns the render plan of the edited video, and that of all footage.
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
	}
	if whole, err = media.NewRenderPlan(clips, nil, settings); err != nil {
		return edited, whole, err
	}
	settings.Muted = spans(p.Edits, true)
	edited, err = media.NewRenderPlan(clips, spans(p.Edits, false), settings)
	return edited, whole, err
}
