package interchange

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"roughcut/media"
)

// cue is a caption on frames [start, end) of a timeline.
type cue struct {
	start, end    int64
	text, speaker string // text may have rows, separated by "\n"
}

// cues returns the captions as editors hold them: in order, on whole frames and without overlaps. A
// caption ends where the next one starts.
func (t Timeline) cues() []cue {
	list := make([]cue, 0, len(t.Captions))
	for _, c := range t.Captions {
		start, end := t.Rate.Frame(c.StartMS), min(t.Rate.Frame(c.EndMS), t.Frames())
		list = append(list, cue{start, end, c.Text, c.Speaker})
	}

	slices.SortStableFunc(list, func(a, b cue) int { return cmp.Compare(a.start, b.start) })
	for i := range list {
		if i+1 < len(list) {
			list[i].end = min(list[i].end, list[i+1].start)
		}
	}

	return slices.DeleteFunc(list, func(c cue) bool { return c.end <= c.start })
}

// line returns the text of a caption on one line.
func (c cue) line() string { return strings.Join(strings.Fields(media.JoinRows(c.text)), " ") }

// captionLanguage returns the language of the captions as ISO 639-1. It is English if unknown,
// because editors require one.
func (t Timeline) captionLanguage() string { return cmp.Or(t.Language, "en") }

// captionLanguage3 returns the language of the captions as ISO 639-2.
func (t Timeline) captionLanguage3() string {
	base, err := language.ParseBase(t.captionLanguage())
	if err != nil {
		return "und"
	}
	return base.ISO3()
}

// SubtitleName returns the name of the SubRip file that goes with a timeline file: Kdenlive reads
// the captions of a project from it, and other editors import it.
func SubtitleName(timeline, format string) string {
	if f, _ := LookupFormat(format); format != "kdenlive" {
		timeline = strings.TrimSuffix(timeline, f.Extension)
	}
	return timeline + ".srt"
}

// Subtitles returns the captions of a timeline as a SubRip file, nil without captions.
func (t Timeline) Subtitles() []byte {
	if len(t.Captions) == 0 {
		return nil
	}
	var out bytes.Buffer
	WriteSRT(&out, t.Captions)
	return out.Bytes()
}
