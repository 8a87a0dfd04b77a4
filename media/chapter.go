package media

import (
	"fmt"
	"strings"
)

// Chapter is a titled start of a part of a video. It ends where the next one starts.
type Chapter struct {
	StartMS int64
	Title   string // one line; empty for a number
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

// ChapterText returns chapters as lines of a video description, as YouTube reads them: "1:05 Name".
// It is empty without chapters.
func ChapterText(chapters []Chapter) string {
	var b strings.Builder
	for _, c := range chapters {
		s := (c.StartMS + 500) / 1000 // the footage starts at the frame next to a round time
		if s >= 3600 {
			fmt.Fprintf(&b, "%d:%02d:%02d %s\n", s/3600, s/60%60, s%60, c.Title)
		} else {
			fmt.Fprintf(&b, "%d:%02d %s\n", s/60, s%60, c.Title)
		}
	}
	return b.String()
}
