package detect_test

import (
	"bytes"
	"context"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/media/mediatest/voices"
	"roughcut/pipeline/detect"
)

// suspects returns the fillers that are proposed for the words.
func suspects(e detect.Evidence, words []media.Word) (found []detect.Edit) {
	e.Words = words
	for _, x := range detect.Edits(e, detect.Settings{CutOptions: media.DefaultCutOptions(), Language: "en"}) {
		if x.Type == media.EditFiller {
			found = append(found, x)
		}
	}
	return found
}

// The synthetic voice lets most of its fillers fall in pitch, so that only some are found.
func TestSuspectedFillersOfATalkAreFillers(t *testing.T) {
	right, fillers := 0, 0
	for seed := range 3 {
		s := speak(t, mediatest.RandomTalk(uint64(seed), 36), -50, 1000)
		var words []media.Word
		var hidden []media.Span
		for i, w := range s.words {
			if s.roles[i] == mediatest.Filler {
				hidden = append(hidden, media.Span{StartMS: w.StartMS, EndMS: w.EndMS})
			} else {
				words = append(words, w)
			}
		}
		fillers += len(hidden)
		for _, x := range suspects(measured(t, s), words) {
			if len(media.MergeSpans(append(hidden, x.Span))) == len(hidden)+1 {
				t.Errorf("seed %d: %v is not a filler: %s", seed, x.Span, x.Reason)
			}
			right++
		}
	}
	t.Logf("%d of %d fillers that the transcript lacks are suspected", right, fillers)
	if right == 0 {
		t.Errorf("none of %d fillers is suspected", fillers)
	}
}

func TestRecordedVoicesWithAllWordsHaveNoSuspectedFillers(t *testing.T) {
	for _, voice := range voices.Names() {
		for _, condition := range []string{"booth", "street", "hum", "music 20", "agc phone"} {
			r := voices.Talk(t, 3, voice, condition, voices.Options{Seconds: 60})
			e, err := detect.MeasureVoice(context.Background(), bytes.NewReader(r.Raw()), r.DurationMS, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range suspects(e, r.Words) {
				t.Errorf("%s, %s: %v is proposed with %.2f: %s", voice, condition, x.Span, x.Confidence, x.Reason)
			}
		}
	}
}
