package whisper

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

const talk = `rate 16000
floor -70
pause 900
say en-us 160 hello and welcome to my channel
pause 700
say en-us 160 so today we are going to
pause 450
say en-us 160 so today we are going to talk about the new camera
pause 1800
say en-us 155 i bought it last week and i have been using it every day
pause 600
say en-us 165 the lens is small but the picture looks really good
pause 3000
say en-us 160 you can
pause 250
say en-us 160 you can record for two hours with one battery
pause 500
say en-us 150 that is a very very long time
pause 1200
say en-us 160 um the microphone is not the best
pause 800
say en-us 160 i want to show you the
pause 900
say en-us 160 i want to show you the charts
pause 2600
say en-us 160 let's start with the first question
pause 1500
`

func openModel(t testing.TB) *Model {
	t.Helper()
	m, err := Open(mediatest.Model(t), 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func plain(word string) string { return strings.ToLower(strings.Trim(word, ".,!?")) }

// align pairs the words of two texts by least edits and returns the pairs of equal words and the number of errors.
func align(truth, heard []media.Word) (pairs [][2]int, errors int) {
	n, m := len(truth), len(heard)
	d := make([][]int, n+1)
	for i := range d {
		d[i] = make([]int, m+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			default:
				same := 1
				if plain(truth[i-1].Text) == plain(heard[j-1].Text) {
					same = 0
				}
				d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+same)
			}
		}
	}
	for i, j := n, m; i > 0 && j > 0; {
		same := plain(truth[i-1].Text) == plain(heard[j-1].Text)
		switch {
		case same && d[i][j] == d[i-1][j-1]:
			pairs = append(pairs, [2]int{i - 1, j - 1})
			i, j = i-1, j-1
		case d[i][j] == d[i-1][j-1]+1:
			i, j = i-1, j-1
		case d[i][j] == d[i-1][j]+1:
			i--
		default:
			j--
		}
	}
	slices.Reverse(pairs)
	return pairs, d[n][m]
}

func TestTranscribeTalk(t *testing.T) {
	m, s := openModel(t), speak(t, talk)
	raw := s.raw()
	last := -1.0
	got, err := m.Transcribe(context.Background(), bytes.NewReader(raw), int64(len(raw)), Options{}, func(p float64) {
		if p < last || p > 1 {
			t.Errorf("progress went from %v to %v", last, p)
		}
		last = p
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != 1 {
		t.Errorf("progress ended at %v", last)
	}
	pairs, errors := align(s.words, got.Words)
	var starts, ends []int64
	for _, p := range pairs {
		a, b := s.words[p[0]], got.Words[p[1]]
		starts = append(starts, max(a.StartMS-b.StartMS, b.StartMS-a.StartMS))
		ends = append(ends, max(a.EndMS-b.EndMS, b.EndMS-a.EndMS))
	}
	slices.Sort(starts)
	slices.Sort(ends)
	t.Logf("WER %d/%d; start median %d p95 %d ms; end median %d p95 %d ms", errors, len(s.words),
		starts[len(starts)/2], starts[len(starts)*95/100], ends[len(ends)/2], ends[len(ends)*95/100])
	if errors*100 > 12*len(s.words) {
		t.Errorf("%d of %d words are wrong", errors, len(s.words))
	}
	if median, p95 := starts[len(starts)/2], starts[len(starts)*95/100]; median > 15 || p95 > 120 {
		t.Errorf("words begin %d ms off in the median, %d ms at the 95th percentile", median, p95)
	}
	for i, x := range got.Segments {
		if x.Text == "" || x.EndMS <= x.StartMS || i > 0 && x.StartMS < got.Segments[i-1].EndMS {
			t.Errorf("segment %d: %+v", i, x)
		}
	}
}
