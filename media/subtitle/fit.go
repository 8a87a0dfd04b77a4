package subtitle

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"roughcut/media"
)

const (
	hourMS      = 3_600_000
	leastRuneMS = 30 // the fastest speakers need more for a character

	// marginsMS is the most that two lines overlap because both are shown a little longer than they
	// are said.
	marginsMS = 300
)

// Fit returns a transcript on the time of a recording of durationMS milliseconds, with warnings of
// the changes. Timelines of other editors often start at 1:00:00 or 10:00:00. If lines are outside
// of the recording and whole hours explain it, Fit takes the hours off. It leaves out the lines
// that are still outside. Errors: *Fault if all are.
func Fit(m media.ImportedTranscript, durationMS int64) (media.ImportedTranscript, error) {
	if durationMS <= 0 || len(m.Lines) == 0 {
		return m, nil
	}
	f := file{ImportedTranscript: m}
	f.Lines, f.Words, f.Warnings = slices.Clone(m.Lines), slices.Clone(m.Words), slices.Clone(m.Warnings)
	if hours := hoursBefore(f.Lines, durationMS); hours > 0 {
		f.Warnings = append(f.Warnings, fmt.Sprintf(
			"The transcript starts at %s, but the recording is only %s long. Roughcut took %s off all times.",
			clock(m.Lines[0].StartMS), clock(durationMS), hoursText(hours),
		))
		f.shift(-hours * hourMS)
	}

	first := clock(f.Lines[0].StartMS)
	outside := f.trim(durationMS)
	switch {
	case len(f.Lines) == 0:
		return m, faultf("All lines of the transcript are after the end of the recording: the first starts at %s, and "+
			"the recording is %s long. Choose the transcript of this recording, or correct its times.",
			first, clock(durationMS))
	case outside == 1:
		f.Warnings = append(f.Warnings, "One line of the transcript is after the end of the recording and was left "+
			"out. Check that the transcript belongs to this recording.")
	case outside > 1:
		f.Warnings = append(f.Warnings, fmt.Sprintf("%d of %d lines of the transcript are after the end of the "+
			"recording and were left out. Check that the transcript belongs to this recording.",
			outside, len(m.Lines)))
	}

	return f.ImportedTranscript, nil
}

// hoursBefore returns the whole hours before the first line that keep a transcript from fitting its
// recording, or 0. Without them, all lines fit; or most, if now all are outside.
func hoursBefore(lines []media.TimedText, durationMS int64) int64 {
	hours := lines[0].StartMS / hourMS
	inside := func(hours int64) (n int) {
		for _, line := range lines {
			if line.StartMS-hours*hourMS < durationMS {
				n++
			}
		}

		return n
	}
	const leastOutside = 4 // one of so many lines
	before, after := inside(0), inside(hours)
	isOff := leastOutside*(len(lines)-before) >= len(lines)
	if (isOff && after == len(lines)) || (before == 0 && 2*after >= len(lines)) {
		return hours
	}
	return 0
}

func hoursText(hours int64) string {
	if hours == 1 {
		return "1 hour"
	}
	return strconv.FormatInt(hours, 10) + " hours"
}

// clock returns a time as h:mm:ss, to the nearest second.
func clock(ms int64) string {
	ms += 500
	return fmt.Sprintf("%d:%02d:%02d", ms/hourMS, ms/60_000%60, ms/1000%60)
}

// shift moves all times.
func (f *file) shift(ms int64) {
	for i := range f.Lines {
		f.Lines[i].StartMS += ms
		f.Lines[i].EndMS += ms
	}

	for i := range f.Words {
		f.Words[i].StartMS += ms
		f.Words[i].EndMS += ms
	}
}

// trim ends a sorted transcript with its recording, and leaves out the lines that have no room
// there. It returns their number.
func (f *file) trim(durationMS int64) (outside int) {
	starts, ends, places := make([]int64, len(f.Lines)), make([]int64, len(f.Lines)), make([]int, len(f.Lines))
	lines := make([]media.TimedText, 0, len(f.Lines))
	for i, line := range f.Lines {
		starts[i], ends[i], places[i] = line.StartMS, min(line.EndMS, durationMS), len(lines)
		isCut := ends[i] < line.EndMS
		if line.StartMS >= durationMS || (isCut && !f.Exact && !hasRoom(line.Text, durationMS-line.StartMS)) {
			places[i] = -1
			outside++
			continue
		}

		line.EndMS = ends[i]
		lines = append(lines, line)
	}

	f.shorten(starts, ends)
	f.Lines = lines
	f.Words = slices.DeleteFunc(f.Words, func(w media.ImportedWord) bool { return places[w.Line] < 0 })
	for i := range f.Words {
		f.Words[i].Line = places[f.Words[i].Line]
	}

	return outside
}

// hasRoom reports whether a person can say a text in a time.
func hasRoom(text string, ms int64) bool {
	return ms >= leastRuneMS*int64(utf8.RuneCountInString(text))
}

// shorten gives lines later starts and earlier ends. Their words share the time between, unless
// they have times of their own.
func (f *file) shorten(starts, ends []int64) {
	for from := 0; from < len(f.Words); {
		line, to := f.Words[from].Line, from
		isRough := true
		for ; to < len(f.Words) && f.Words[to].Line == line; to++ {
			isRough = isRough && f.Words[to].Rough
		}

		start, end := f.Lines[line].StartMS, f.Lines[line].EndMS
		first, last := starts[line], ends[line]
		isShorter := last-first < end-start && last > first
		at := func(ms int64) int64 { return first + (ms-start)*(last-first)/(end-start) }
		for i := from; i < to; i++ {
			w := &f.Words[i]
			switch {
			case !isShorter:
			case isRough:
				w.StartMS, w.EndMS = at(w.StartMS), at(w.EndMS)
			case w.StartMS < last:
				w.StartMS, w.EndMS = max(w.StartMS, first), min(w.EndMS, last)
			}
		}

		from = to
	}
}

// endWhereOthersStart ends each line of a sorted transcript where a line starts that ends later:
// the start of a line is the time of its first word. Lines that overlap by no more than their
// margins meet in the middle. Lines within a line are another person's, and so are lines that leave
// no room for the words of the line.
func (f *file) endWhereOthersStart() {
	starts, ends := make([]int64, len(f.Lines)), make([]int64, len(f.Lines))
	var later []int // lines after i, each of which ends after those before it
	for i := len(f.Lines) - 1; i >= 0; i-- {
		line := f.Lines[i]
		for len(later) > 0 && f.Lines[later[len(later)-1]].EndMS <= line.EndMS {
			later = later[:len(later)-1]
		}

		starts[i], ends[i] = line.StartMS, line.EndMS
		if len(later) > 0 {
			after := later[len(later)-1]
			next := f.Lines[after].StartMS
			overlap := line.EndMS - next
			if overlap > 0 && hasRoom(line.Text, next-line.StartMS) {
				ends[i] = next
				if overlap <= marginsMS {
					ends[i] += overlap / 2
					starts[after] = max(starts[after], ends[i])
				}
			}
		}

		later = append(later, i)
	}

	f.shorten(starts, ends)
	for i := range f.Lines {
		f.Lines[i].StartMS, f.Lines[i].EndMS = starts[i], ends[i]
	}
}
