package store

import (
	"encoding/json"
	"fmt"

	"roughcut/media"
)

// Within limits a request to a range of project time. A nil bound is the start or the end of the
// project.
type Within struct{ StartMS, EndMS *int64 }

// anchoredSpan anchors a span of project time to footage.
func (l *timeline) anchoredSpan(span media.Span) anchoredSpan {
	return anchoredSpan{l.startAnchor(span.StartMS), l.endAnchor(span.EndMS)}
}

// spanOf returns the range between two bounds, empty without any. Errors: Unprocessable; Invalid
// no_clips, out_of_bounds.
func (l *timeline) spanOf(field string, start, end *int64) (span media.Span, err error) {
	if start == nil && end == nil {
		return span, nil
	}
	if err := checkSpan(field, start, end); err != nil {
		return span, err
	}
	span.EndMS = l.total
	SetIfGiven(&span.StartMS, start)
	SetIfGiven(&span.EndMS, end)
	if err := l.checkBounds(span.StartMS, span.EndMS); err != nil {
		return media.Span{}, err
	}
	return span, checkSpan(field, &span.StartMS, &span.EndMS)
}

// rangeOf returns the range of effective settings, empty without one. Errors: as spanOf.
func (l *timeline) rangeOf(settings json.RawMessage) (media.Span, error) {
	parsed, err := parseSettings(settings)
	if err != nil || parsed.Range == nil {
		return media.Span{}, err
	}
	return l.spanOf("export_settings.range.", &parsed.Range.StartMS, &parsed.Range.EndMS)
}

// servedRange returns settings with an anchored range in project time. Errors: Unprocessable if a
// clip at one of its bounds is not on the timeline.
func (l *timeline) servedRange(r anchoredSpan, settings json.RawMessage) (json.RawMessage, error) {
	span := media.Span{StartMS: l.at(r.Start), EndMS: l.at(r.End)}
	gone := func(a anchor) bool { return a.Clip != "" && l.index(a.Clip) < 0 }
	if gone(r.Start) || gone(r.End) || span.Duration() <= 0 {
		return settings, failField(
			"export_settings.range", "The clips of the range were removed or moved. Choose another range.",
		)
	}

	return withRange(settings, span)
}

// withRange returns settings with a range.
func withRange(settings json.RawMessage, span media.Span) (json.RawMessage, error) {
	packed, err := json.Marshal(map[string]media.Span{"range": span})
	if err != nil {
		return settings, fmt.Errorf("writing the range of an export: %w", err)
	}
	return MergeSettings(settings, packed)
}
