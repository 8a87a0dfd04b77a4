package align

import (
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
)

// Transcript returns an imported transcript with its words aligned to the sound of its recording.
// Words without a time of their own first share the voiced part of their span by length. It drops
// no word: those without sound nearby get the time between their neighbors. The times of an exact
// transcript stay. Everything past the end of the recording is left out.
func Transcript(in media.ImportedTranscript, v audio.VoiceActivity) media.Transcript {
	out := media.Transcript{Language: in.Language, Segments: []media.TimedText{}}
	for _, line := range in.Lines {
		if line.EndMS = min(line.EndMS, v.DurationMS); line.EndMS > line.StartMS {
			out.Segments = append(out.Segments, line)
		}
	}

	words := make([]Word, 0, len(in.Words))
	rough := make([]bool, 0, len(in.Words))
	for _, w := range wordsWithin(in.Words, v.DurationMS) {
		words, rough = append(words, Word{w.Word, w.Line}), append(rough, w.Rough)
	}
	if !in.Exact {
		placeRough(words, rough, v)
		words = restoreDropped(words, Snap(words, v))
	}

	for _, w := range ordered(words) {
		out.Words = append(out.Words, w.Word)
	}
	return out
}

// wordsWithin returns the words that start before the end of a recording, trimmed to it.
func wordsWithin(words []media.ImportedWord, durationMS int64) []media.ImportedWord {
	out := make([]media.ImportedWord, 0, len(words))
	for _, w := range words {
		if w.EndMS = min(w.EndMS, durationMS); w.EndMS > w.StartMS {
			out = append(out, w)
		}
	}

	return out
}

// placeRough gives consecutive rough words of a line times in the voiced part of the span that they
// share. Without sound there, they keep their times.
func placeRough(words []Word, rough []bool, v audio.VoiceActivity) {
	for from := 0; from < len(words); {
		to := from + 1
		for rough[from] && to < len(words) && rough[to] && words[to].Segment == words[from].Segment {
			to++
		}
		if rough[from] {
			spreadGroup(words[from:to], v)
		}
		from = to
	}
}

func spreadGroup(words []Word, v audio.VoiceActivity) {
	within := media.Span{StartMS: words[0].StartMS, EndMS: words[len(words)-1].EndMS}
	var voiced []media.Span
	var sound int64
	for _, s := range v.Spans {
		if part := s.Intersect(within); part.Duration() > 0 {
			voiced, sound = append(voiced, part), sound+part.Duration()
		}
	}

	if sound == 0 {
		return
	}
	total := 0.0
	for _, w := range words {
		total += TypicalMS(w.Text)
	}
	done := 0.0
	for i := range words {
		words[i].StartMS = soundTime(voiced, int64(float64(sound)*done/total))
		done += TypicalMS(words[i].Text)
		words[i].EndMS = max(soundTime(voiced, int64(float64(sound)*done/total)-1)+1, words[i].StartMS+1)
	}
}

// soundTime returns the time when the voiced spans have played ms milliseconds of sound.
func soundTime(voiced []media.Span, ms int64) int64 {
	for _, s := range voiced {
		if ms < s.Duration() {
			return s.StartMS + ms
		}
		ms -= s.Duration()
	}

	return voiced[len(voiced)-1].EndMS
}

// restoreDropped returns the snapped words with the words that Snap dropped. Those share the time
// between their neighbors.
func restoreDropped(all, snapped []Word) []Word {
	out := make([]Word, 0, len(all))
	next := 0
	var dropped []Word
	for _, w := range all {
		if next < len(snapped) && w.Text == snapped[next].Text && w.Segment == snapped[next].Segment {
			out = append(appendDropped(out, dropped, snapped[next].StartMS), snapped[next])
			next, dropped = next+1, nil
			continue
		}

		dropped = append(dropped, w)
	}

	end := int64(0)
	if n := len(dropped); n > 0 {
		end = dropped[n-1].EndMS
	}
	return appendDropped(out, dropped, end)
}

// appendDropped appends words between the last word and a time, near their own times if there is
// room.
func appendDropped(out, dropped []Word, end int64) []Word {
	if len(dropped) == 0 {
		return out
	}
	start := int64(0)
	if n := len(out); n > 0 {
		start = out[n-1].EndMS
	}
	from, to := max(start, dropped[0].StartMS), min(end, dropped[len(dropped)-1].EndMS)
	if n := int64(len(dropped)); to-from < n*minWordMS {
		from, to = start, max(end, start)
	}
	n := int64(len(dropped))
	for i, w := range dropped {
		w.StartMS, w.EndMS = from+(to-from)*int64(i)/n, from+(to-from)*int64(i+1)/n
		out = append(out, w)
	}

	return out
}

// ordered returns the words by time, without overlaps. Words that have no time left share the time
// of the word before them, by length. If that time is too short to share, a word is appended to the
// text of the word before it.
func ordered(words []Word) []Word {
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a, b Word) int { return int(a.StartMS - b.StartMS) })
	out := words[:0]
	shared := 0 // the first of the words that share a time
	for _, w := range words {
		n := len(out)
		if n > 0 && w.StartMS > out[n-1].StartMS {
			out[n-1].EndMS = min(out[n-1].EndMS, w.StartMS)
		}
		if n > 0 {
			w.StartMS = max(w.StartMS, out[n-1].EndMS)
		}
		if n == 0 || w.EndMS-w.StartMS >= leastMS {
			w.EndMS = max(w.EndMS, w.StartMS+1)
			out, shared = append(out, w), n
			continue
		}

		time := media.Span{StartMS: out[shared].StartMS, EndMS: max(out[n-1].EndMS, w.EndMS)}
		if time.Duration() < leastMS*int64(n-shared+1) {
			out[n-1].Text = media.JoinWords([]string{out[n-1].Text, w.Text})
			out[n-1].EndMS = time.EndMS
			continue
		}

		out = append(out, w)
		shareTime(out[shared:], time)
	}

	return out
}

// leastMS is the shortest time that a word has to itself.
const leastMS = 10

// shareTime distributes a time among words by length.
func shareTime(words []Word, time media.Span) {
	total, done := 0.0, 0.0
	for _, w := range words {
		total += TypicalMS(w.Text)
	}
	at := func(done float64) int64 { return time.StartMS + int64(float64(time.Duration())*done/total) }
	for i := range words {
		words[i].StartMS = at(done)
		done += TypicalMS(words[i].Text)
		words[i].EndMS = at(done)
	}
}
