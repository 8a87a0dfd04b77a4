package voices_test

import (
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest/voices"
)

// twoPhrases is a recording with a pause of two seconds and ends of one second.
func twoPhrases() voices.Recording {
	return voices.Recording{
		DurationMS: 8000,
		Speech:     []media.Span{{StartMS: 1000, EndMS: 3000}, {StartMS: 5000, EndMS: 7000}},
		Pauses:     []media.Span{{EndMS: 1000}, {StartMS: 3000, EndMS: 5000}, {StartMS: 7000, EndMS: 8000}},
	}
}

func TestScoreOfCuts(t *testing.T) {
	pace := voices.Pace{LongestMS: 600, AirMS: 100}
	perfect := []media.Span{{EndMS: 900}, {StartMS: 3100, EndMS: 4900}, {StartMS: 7100, EndMS: 8000}}
	for _, c := range []struct {
		name              string
		cuts              []media.Span
		recall, precision float64
		over20, over50    int
		air               []int64
	}{
		{"nothing", nil, 0, 1, 0, 0, nil},
		{"all that is due", perfect, 1, 1, 0, 0, []int64{0, 0, 0}},
		{"too little", []media.Span{{StartMS: 3100, EndMS: 4000}}, 0.25, 1, 0, 0, []int64{900}},
		{"into speech", []media.Span{{StartMS: 2970, EndMS: 4900}}, 0.5, 1900.0 / 1930, 1, 0, []int64{-100}},
		{"a word", []media.Span{{StartMS: 1500, EndMS: 2000}}, 0, 0, 1, 1, nil},
	} {
		var s voices.Score
		s.Add(twoPhrases(), c.cuts, pace)
		if s.Recall() != c.recall || s.Precision() != c.precision || s.Over20 != c.over20 || s.Over50 != c.over50 ||
			!slices.Equal(s.AirErrors, c.air) {
			t.Errorf("%s: recall %.3f, precision %.3f, %d over 20 ms, %d over 50 ms, air %d; want %+v",
				c.name, s.Recall(), s.Precision(), s.Over20, s.Over50, s.AirErrors, c)
		}
	}
}

func TestScoreOfRetakes(t *testing.T) {
	r := twoPhrases()
	r.Groups = []voices.Group{{Takes: []voices.Take{
		{Span: r.Speech[0], Complete: true}, {Span: r.Speech[1], Complete: true},
	}}}
	first, second := r.Speech[0], r.Speech[1]
	for _, c := range []struct {
		name                              string
		proposals                         []voices.Proposal
		found, foundOn, right, best, says int
	}{
		{"nothing", nil, 0, 0, 0, 0, 1},
		{"the first take", []voices.Proposal{{Span: first, Active: true}}, 1, 1, 1, 1, 0},
		{"the first take, inactive", []voices.Proposal{{Span: first}}, 1, 0, 1, 1, 0},
		{"the last take", []voices.Proposal{{Span: second, Active: true}}, 0, 0, 0, 0, 2},
		{"both takes", []voices.Proposal{{Span: first}, {Span: second}}, 1, 0, 1, 0, 2},
	} {
		var s voices.RetakeScore
		s.Add(r, c.proposals)
		if s.Takes != 1 || s.Found != c.found || s.FoundOn != c.foundOn || s.Right != c.right ||
			s.BestStays != c.best ||
			len(s.Remarks(9)) != c.says {
			t.Errorf("%s: %+v, want %+v", c.name, s, c)
		}
	}
}

func TestRivalsCutWhatTheirRulesSay(t *testing.T) {
	r := twoPhrases()
	r.PCM = make([]int16, 8*media.SpeechSampleRate)
	for i := range r.PCM {
		ms := int64(i) * 1000 / media.SpeechSampleRate
		if voices.Within(media.Span{StartMS: ms, EndMS: ms + 1}, r.Speech) > 0 {
			r.PCM[i] = int16(8000 - 16000*(i%2))
		}
	}
	pace := voices.Pace{LongestMS: 600, AirMS: 100}
	probability := make([]byte, 250)
	for i := range probability {
		if voices.Within(media.Span{StartMS: int64(i) * 32, EndMS: int64(i)*32 + 32}, r.Speech) > 0 {
			probability[i] = 250
		}
	}
	for name, cuts := range map[string][]media.Span{
		"auto-editor":   voices.AutoEditor(r),
		"silencedetect": voices.SilenceDetect(r, pace),
		"network alone": voices.NetworkAlone(r, probability, 32, pace),
	} {
		var s voices.Score
		s.Add(r, cuts, pace)
		if len(cuts) != 3 || s.Over20 != 0 || s.Recall() < 0.85 {
			t.Errorf("%s cuts %v with recall %.2f", name, cuts, s.Recall())
		}
	}
}
