package media

import (
	"strings"
	"unicode/utf8"
)

// SplitCaption divides the text of a caption line at a position in characters, and returns the
// start time of the second part. If the text contains the words, their times decide. Otherwise the
// lengths of the parts decide. ok is false if one part would have no text. The words are sorted and
// use the clock of the line.
func SplitCaption(line CaptionLine, words []Word, position int) (first, second string, ms int64, ok bool) {
	runes := []rune(line.Text)
	if position <= 0 || position >= len(runes) {
		return "", "", 0, false
	}
	head, tail := string(runes[:position]), string(runes[position:])
	first, second = strings.TrimSpace(head), strings.TrimSpace(tail)
	if first == "" || second == "" {
		return "", "", 0, false
	}
	at := len(head) + len(tail) - len(strings.TrimLeft(tail, " \n"))
	ms = splitTime(line, words, at)
	return first, second, min(max(ms, line.StartMS+1), line.EndMS-1), true
}

// splitTime returns the time of a byte of a caption's text: the start of its word, or a time in
// proportion to the characters before it.
func splitTime(line CaptionLine, words []Word, at int) int64 {
	share := func(text string, span Span, before int) int64 {
		done, all := utf8.RuneCountInString(text[:before]), utf8.RuneCountInString(text)
		return span.StartMS + span.Duration()*int64(done)/int64(max(all, 1))
	}
	parts, ok := SplitAmongWords(line.Text, wordsInLine(words, line))
	if !ok {
		return share(line.Text, Span{line.StartMS, line.EndMS}, at)
	}
	start := strings.Index(line.Text, parts[0].Text)
	for _, p := range parts {
		if end := start + len(p.Text); at < end {
			if spoken := strings.TrimRight(p.Text, " \n"); at > start && at-start < len(spoken) {
				return share(spoken, p.span(), at-start)
			}
			return p.StartMS
		}

		start += len(p.Text)
	}

	return parts[len(parts)-1].EndMS
}

// SourceSpan returns the recording that a span of output time starts in, and the span on it. A span
// across a cut covers the cut. One across two recordings ends with the first. ok is false past the
// end of the video.
func (p RenderPlan) SourceSpan(span Span) (input int, on Span, ok bool) {
	for _, s := range p.Segments {
		shown := Span{p.Rate.MS(s.Start), p.Rate.MS(s.Start + s.Frames())}
		part := span.Intersect(shown)
		if part.Duration() <= 0 || (ok && s.Input != input) {
			continue
		}
		offset := p.Rate.MS(s.In) - shown.StartMS
		if !ok {
			input, on.StartMS, ok = s.Input, part.StartMS+offset, true
		}
		on.EndMS = part.EndMS + offset
	}

	return input, on, ok
}
