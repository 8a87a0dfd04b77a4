package media

import "fmt"

// Chapter is a titled start of a part of a video. It ends where the next one starts.
type Chapter struct {
	StartMS int64
	Title   string // one line; empty for a number
}

// ChaptersOf returns the chapters of recordings that follow each other, in project time.
func ChaptersOf(clips []RenderClip) (list []Chapter) {
	var start int64
	for _, clip := range clips {
		for _, c := range clip.Info.Chapters {
			if c.StartMS < clip.Info.DurationMS {
				list = append(list, Chapter{StartMS: start + c.StartMS, Title: c.Title})
			}
		}

		start += clip.Info.DurationMS
	}

	return list
}

// chapters returns chapters of project time in output time, in the same order. A chapter whose
// footage is cut starts at the cut. Of chapters that start at the same time only the last is left,
// and a chapter after the last segment is dropped. The first one starts at zero, as players and
// sites require.
func (l timeline) chapters(list []Chapter) []Chapter {
	var out []Chapter
	end := l.plan.DurationMS()
	for _, c := range list {
		span, ok := l.outputSpan(Span{c.StartMS, l.totalMS()})
		if !ok || span.StartMS >= end {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].StartMS == span.StartMS {
			out = out[:last]
		}
		out = append(out, Chapter{StartMS: span.StartMS, Title: c.Title})
	}

	for i := range out {
		if out[i].Title == "" {
			out[i].Title = fmt.Sprintf("Chapter %d", i+1)
		}
	}

	if len(out) > 0 && out[0].StartMS > 0 {
		out = append([]Chapter{{Title: introTitle}}, out...)
	}
	return out
}

// totalMS returns the end of the last segment in project time.
func (l timeline) totalMS() int64 {
	var total int64
	for _, s := range l.plan.Segments {
		total = max(total, l.projectSpan(s).EndMS)
	}
	return total
}

// introTitle is the title of the part before the first chapter.
const introTitle = "Intro"
