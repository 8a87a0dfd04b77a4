package detect_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/pipeline/detect"
)

// randomTalk makes up a talk: sentences of one pattern, pauses of all lengths, and false starts of two to six words, about one in
// four sentences.
func randomTalk(seed uint64, sentences int) []utterance {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	pause := func() int64 {
		return []int64{320, 400, 500, 650, 800, 1000, 1300, 1800, 2600, 3500}[r.IntN(10)]
	}
	out := []utterance{{600, "hello guys and welcome to my channel"}}
	for range sentences {
		sentence := strings.Join(strings.Fields(strings.Join([]string{
			pick("", "", "", "so", "now", "and", "but", "today", "okay"),
			pick("i", "we", "you", "they", "my friend", "the team", "the woman", "the children"),
			pick("went to", "want to see", "found", "bought", "like", "need", "talk about", "made", "used", "tried to fix", "can record", "had to edit", "will test", "should look at"),
			pick("the new camera", "a small house", "the red car", "some good coffee", "the first video", "a black hat", "the big screen", "my old laptop", "the road to the mountain", "another project", "the best microphone", "a great picture", "the office"),
			pick("", "", "on monday", "last week", "in the morning", "with my friends", "after the show", "for three hours", "every day", "at the airport", "because it is cheap"),
		}, " ")), " ")
		sentence = strings.ReplaceAll(sentence, "children", "family")
		words := strings.Fields(sentence)
		if r.IntN(4) > 0 {
			out = append(out, utterance{pause(), sentence})
			continue
		}
		n := min(2+r.IntN(5), len(words)-1)
		tried := "~" + strings.Join(words[:n], " ~")
		if r.IntN(3) == 0 {
			out = append(out, utterance{pause(), tried + " " + sentence})
			continue
		}
		out = append(out, utterance{pause(), tried}, utterance{[]int64{250, 350, 450, 600, 900, 1200}[r.IntN(6)], sentence})
	}
	return out
}

// score counts what went right and wrong in a talk.
type score struct {
	falseStarts, found int // scripted, and cut to at most a fifth
	words, clipped     int // kept words, and those that lose more than 20 ms
	pauses, long       int // true pauses, and those left too long
}

func scoreOf(s spoken, edits []detect.Edit, threshold int64) (sc score, remarks []string) {
	cuts := activeSpans(edits)
	for i := 0; i < len(s.words); {
		j := i
		for j < len(s.words) && s.abandoned[j] {
			j++
		}
		if j == i {
			i++
			continue
		}
		sc.falseStarts++
		span := media.Span{StartMS: s.words[i].StartMS, EndMS: s.words[j-1].EndMS}
		var speech, left int64
		for _, w := range s.words[i:j] {
			speech += w.EndMS - w.StartMS
			left += keptOf(media.Span{StartMS: w.StartMS, EndMS: w.EndMS}, cuts)
		}
		if left*5 <= speech {
			sc.found++
		} else {
			remarks = append(remarks, fmt.Sprintf("missed false start %d-%d %v", span.StartMS, span.EndMS, texts(s.words[i:min(j+6, len(s.words))])))
		}
		i = j
	}
	quietFrom := int64(0)
	for i, w := range s.words {
		if s.abandoned[i] {
			continue
		}
		sc.words++
		span := media.Span{StartMS: w.StartMS, EndMS: w.EndMS}
		if lost := span.Duration() - keptOf(span, cuts); lost > 20 {
			sc.clipped++
			remarks = append(remarks, fmt.Sprintf("%q at %d-%d loses %d", w.Text, w.StartMS, w.EndMS, lost))
		}
		if w.StartMS-quietFrom > 20 && (i == 0 || !s.abandoned[i-1]) {
			sc.pauses++
			if left := keptOf(media.Span{StartMS: quietFrom, EndMS: w.StartMS}, cuts); left > threshold+2*media.FrameMS {
				sc.long++
				remarks = append(remarks, fmt.Sprintf("pause of %d left at %d-%d", left, quietFrom, w.StartMS))
			}
		}
		quietFrom = w.EndMS
	}
	return sc, remarks
}

func texts(words []media.Word) (out []string) {
	for _, w := range words {
		out = append(out, w.Text)
	}
	return out
}

func (s *score) add(x score) {
	s.falseStarts += x.falseStarts
	s.found += x.found
	s.words += x.words
	s.clipped += x.clipped
	s.pauses += x.pauses
	s.long += x.long
}

// TestLongManyTalks measures over made-up talks what one script cannot show. The model itself mishears one word in twenty here and
// swallows some repeats, so it asks for shares.
func TestLongManyTalks(t *testing.T) {
	if os.Getenv("ROUGHCUT_LONG") != "1" {
		t.Skip("takes minutes; set ROUGHCUT_LONG=1")
	}
	total := map[[2]int]*score{}
	for seed := range 9 {
		floor := []int{-70, -50, -40}[seed%3]
		s := speak(t, randomTalk(uint64(seed), 36), floor, 1000)
		e := transcribed(t, s)
		report(t, s, e.Words)
		for _, knobs := range [][2]int{{50, 0}, {80, 0}, {50, 50}, {80, 50}, {100, 50}, {50, 100}, {80, 100}} {
			edits := detect.Edits(e, detect.Knobs{Pacing: knobs[0], FalseStarts: knobs[1], Language: "en"})
			found, remarks := scoreOf(s, edits, detect.Threshold(knobs[0]))
			if total[knobs] == nil {
				total[knobs] = &score{}
			}
			total[knobs].add(found)
			for _, r := range remarks {
				if knobs == [2]int{80, 50} {
					t.Logf("talk %d over %d dBFS: %s", seed, floor, r)
				}
			}
		}
	}
	for knobs, s := range total {
		t.Logf("pacing %d, false starts %d: %+v", knobs[0], knobs[1], *s)
		if s.long > 0 || s.clipped*200 > s.words || knobs[1] >= 50 && s.found*100 < 80*s.falseStarts {
			t.Errorf("pacing %d, false starts %d: too much goes wrong: %+v", knobs[0], knobs[1], *s)
		}
	}
}
