package cli

import (
	"strings"
	"testing"

	"roughcut/media"
)

func TestTimesOfRanges(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "90.5": 90_500, "1:30": 90_000, "1:02:03.25": 3_723_250, "0:00.0004": 0, "100:00": 6_000_000,
	} {
		var got cutTime
		if err := got.Set(text); err != nil || int64(got) != want {
			t.Errorf("%q is %d ms, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "1:60", "1.5:00", "1:2:3:4", "x", "1:", ":5", "inf", "nan", "1e20", "+5"} {
		got := cutTime(-1)
		if err := got.Set(text); err == nil {
			t.Errorf("%q is accepted as %d ms", text, got)
		}
	}
}

func TestRangesEndWithTheRecordings(t *testing.T) {
	for _, c := range []struct {
		r    cutRange
		want media.Span
		says string
	}{
		{cutRange{-1, -1}, media.Span{}, ""},
		{cutRange{5000, -1}, media.Span{StartMS: 5000, EndMS: 60_000}, ""},
		{cutRange{-1, 5000}, media.Span{EndMS: 5000}, ""},
		{cutRange{5000, 60_000}, media.Span{StartMS: 5000, EndMS: 60_000}, ""},
		{cutRange{5000, 60_001}, media.Span{}, "--to 0:01:00.001 is past the end, the recording is 0:01:00.000 long"},
		{cutRange{60_000, -1}, media.Span{}, "--from 0:01:00.000 is past the end"},
	} {
		got, err := c.r.of(60_000)
		if c.says == "" && (err != nil || got != c.want) {
			t.Errorf("%+v is %+v, %v; want %+v", c.r, got, err, c.want)
		}
		if c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%+v: %v, want %q", c.r, err, c.says)
		}
	}
	if err := (cutRange{5000, 5000}).validate(); err == nil {
		t.Error("a range without a length is accepted")
	}
}
