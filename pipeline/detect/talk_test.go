package detect_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/mediatest"
	"roughcut/media/whisper"
	"roughcut/pipeline/detect"
)

// threeMinutes is the script of a talk with pauses of all lengths, false starts, and sentences that
// look like false starts.
const threeMinutes = `
1400 hello guys and welcome to my channel
700 ~so ~today ~we ~are ~going ~to
450 so today we are going to talk about the new camera
1800 i bought it last week and i have been using it every day
600 the lens is small but the picture is really good
3000 ~i ~want ~to ~show ~you ~the
900 i want to show you the footage from the beach
500 it was a very very long day
1200 um the microphone is not the best
350 but the sound is okay for the money
2200 let's start with the first question
800 is it expensive
1000 no it is cheap
1500 ~we ~went ~to ~the
300 we went to the mountain on saturday
640 we went to the river on sunday
900 the weather was warm and we had a great time
4000 the battery is good for three hours
750 ~you ~can ~record ~a
550 you can record a movie with one battery
280 and there is a button on the left
1100 this is the black one
700 and this is the white one
900 uh i think the white one is better
1300 my friend has the old one and it is still good
400 ~please ~press
600 please press the button again
2600 now let's look at the charts
500 the first chart is about the sound
500 the second chart is about the light
1000 ~the ~big ~problem
1500 the big problem is the software
330 it is slow and hard to learn
1900 again and again i had to start over
800 ~next ~week ~we ~are
380 next week we are going to test the drone
1200 i want to take it over the ocean
1700 there are some things that i still need to learn
900 the first is how to record at night
700 the second is how to edit the sound
2400 the editor is free
480 and it is not hard to learn
1300 on monday we took the train to the city
820 and on tuesday we were back at work
2000 ~it ~was ~cold
520 it was cold in the morning but the light was beautiful
560 i made a movie about the river and the bird
3300 now you know what i think
1100 it is not the best camera in the world
950 but i am happy with it
1450 next month i will buy a tripod and another lens
760 because the picture should be still when i walk
2100 if you like this video please share it with your friends
680 it is free and it will help us
1000 if you have a question write a comment
900 thank you for watching
450 see you next week
`

// transcribed returns the evidence of a recording with the words of the test model.
func transcribed(t testing.TB, s spoken) detect.Evidence {
	t.Helper()
	e := measured(t, s)
	model, err := whisper.Open(mediatest.Model(t), 2, false)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	transcript, err := model.Transcribe(
		context.Background(),
		bytes.NewReader(s.raw),
		int64(len(s.raw)),
		whisper.Options{Language: "en", Voice: &e.Voice},
		nil,
	)
	if err != nil {
		t.Fatal(err)
	}
	e.Words = transcript.Words
	return e
}

func measured(t testing.TB, s spoken) detect.Evidence {
	t.Helper()
	e, err := detect.MeasureVoice(context.Background(), bytes.NewReader(s.raw), s.durationMS, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// activeSpans returns what the active edits cut.
func activeSpans(edits []detect.Edit) []media.Span {
	var out []media.Span
	for _, e := range edits {
		if e.Active {
			out = append(out, e.Span)
		}
	}
	return media.MergeSpans(out)
}

// keptOf returns the duration of a span outside the cuts.
func keptOf(s media.Span, cuts []media.Span) int64 {
	left := s.Duration()
	for _, c := range cuts {
		left -= max(s.Intersect(c).Duration(), 0)
	}
	return left
}

// checkCut compares the cuts with the script. No kept word may lose more than 20 ms, and no
// remaining pause may exceed the threshold by more than a frame on each side. If dropped reports
// true for a word, the word must be cut and counts as silence.
func checkCut(t *testing.T, s spoken, edits []detect.Edit, threshold int64, dropped func(i int) bool) {
	t.Helper()
	cuts := activeSpans(edits)
	quietFrom := int64(0)
	pause := func(to int64, where string) {
		if left := keptOf(media.Span{StartMS: quietFrom, EndMS: to}, cuts); left > threshold+2*audio.VoiceFrameMS {
			t.Errorf("%d ms of the pause %s at %d-%d ms remain, want at most %d", left, where, quietFrom, to, threshold)
		}
	}
	for i, w := range s.words {
		span := media.Span{StartMS: w.StartMS, EndMS: w.EndMS}
		left := keptOf(span, cuts)
		if dropped(i) {
			if left > 40 {
				t.Errorf("%d ms of the abandoned word %q at %d ms remain", left, w.Text, w.StartMS)
			}
			continue
		}
		if lost := span.Duration() - left; lost > 20 {
			t.Errorf("the word %q at %d-%d ms loses %d ms", w.Text, w.StartMS, w.EndMS, lost)
		}
		pause(w.StartMS, fmt.Sprintf("before %q", w.Text))
		quietFrom = w.EndMS
	}
	pause(s.durationMS, "at the end")
}

func TestCutsMatchTheScript(t *testing.T) { cutsMatchTheScript(t, -50) }

func TestLongCutsMatchTheScript(t *testing.T) {
	mediatest.NeedsLong(t)
	cutsMatchTheScript(t, -70, -40)
}

// cutsMatchTheScript cuts a talk over noise of each level in dBFS.
func cutsMatchTheScript(t *testing.T, floors ...int) {
	t.Helper()
	for _, floor := range floors {
		t.Run(fmt.Sprintf("noise floor %d dBFS", floor), func(t *testing.T) {
			s := speak(t, threeMinutes, floor, 1600)
			e := transcribed(t, s)
			report(t, s, e.Words)
			for _, pacing := range []int{50, 80} {
				for _, sensitivity := range []int{50, 75, 100} {
					t.Run(fmt.Sprintf("pacing %d, false starts %d", pacing, sensitivity), func(t *testing.T) {
						settings := detect.Settings{
							CutOptions: media.CutOptions{PacingLevel: pacing, FalseStartSensitivity: sensitivity},
							Language:   "en",
						}
						edits := detect.Edits(e, settings)
						checkCut(
							t,
							s,
							edits,
							detect.PauseThreshold(pacing),
							func(i int) bool { return s.roles[i] == mediatest.FalseStart },
						)
						if t.Failed() || (testing.Verbose() && pacing == 80 && sensitivity == 50) {
							for _, x := range edits {
								t.Logf(
									"%-11s %6d-%6d active=%v %.2f %s",
									x.Type,
									x.StartMS,
									x.EndMS,
									x.Active,
									x.Confidence,
									x.Reason,
								)
							}
						}
					})
				}
			}
		})
	}
}

func TestCutsMatchTheScriptWithoutAModel(t *testing.T) {
	for _, floor := range []int{0, -70, -50, -40} {
		s := speak(t, threeMinutes, floor, 1600)
		e := pausesOnly(measured(t, s))
		for _, pacing := range []int{0, 50, 80, 100} {
			t.Run(fmt.Sprintf("noise floor %d dBFS, pacing %d", floor, pacing), func(t *testing.T) {
				options := media.CutOptions{PacingLevel: pacing, FalseStartSensitivity: 50}
				edits := detect.Edits(e, detect.Settings{CutOptions: options})
				checkCut(t, s, edits, detect.PauseThreshold(pacing), func(int) bool { return false })
			})
		}
	}
}

// pausesOnly returns evidence without repeats by sound.
func pausesOnly(e detect.Evidence) detect.Evidence {
	e.Repeats = nil
	return e
}

// Sound alone shows every abandoned attempt, and no sentence of the same pattern as the one before.
// On a floor under -50 dBFS, synthetic sentences of one pattern are too alike for that.
func TestCutsRemoveRetakesWithoutAModel(t *testing.T) {
	for _, floor := range []int{-50, -40} {
		s := speak(t, threeMinutes, floor, 1600)
		e := measured(t, s)
		for _, pacing := range []int{0, 50, 80, 100} {
			t.Run(fmt.Sprintf("noise floor %d dBFS, pacing %d", floor, pacing), func(t *testing.T) {
				options := media.CutOptions{PacingLevel: pacing, FalseStartSensitivity: 50}
				edits := detect.Edits(e, detect.Settings{CutOptions: options})
				abandoned := func(i int) bool { return s.roles[i] == mediatest.FalseStart }
				checkCut(t, s, edits, detect.PauseThreshold(pacing), abandoned)
			})
		}
	}
}

// With a keyframe every second, cuts that end at keyframes let exports copy more frames. The cuts
// still match the script.
func TestCutsAtKeyframesReduceEncoding(t *testing.T) {
	s := speak(t, threeMinutes, -70, 1600)
	gained := false
	for _, pacing := range []int{0, 50, 80, 100} {
		t.Run(fmt.Sprintf("pacing %d", pacing), func(t *testing.T) {
			s, e := s, pausesOnly(measured(t, s))
			e.DurationMS = e.DurationMS / 1000 * 1000 // after the last word
			s.durationMS = e.DurationMS
			settings := detect.Settings{CutOptions: media.CutOptions{PacingLevel: pacing, FalseStartSensitivity: 50}}
			before := encodedFrames(t, e.DurationMS, detect.Edits(e, settings))
			for at := int64(0); at < e.DurationMS; at += 1000 {
				e.Keyframes = append(e.Keyframes, at)
			}
			edits := detect.Edits(e, settings)
			checkCut(t, s, edits, detect.PauseThreshold(pacing), func(int) bool { return false })
			after := encodedFrames(t, e.DurationMS, edits)
			t.Logf("%d encoded frames, without keyframes %d", after, before)
			gained = gained || after < before
			if after > before {
				t.Errorf("%d frames are encoded, without keyframes %d", after, before)
			}
			settings.ExactEdges = true
			if exact := encodedFrames(t, e.DurationMS, detect.Edits(e, settings)); exact != before {
				t.Errorf("exact edges encode %d frames, without keyframes %d", exact, before)
			}
		})
	}
	if !gained {
		t.Error("at no pacing do keyframes save any encoding")
	}
}

// encodedFrames returns the number of frames that an export with these edits encodes, for footage
// with a keyframe every second.
func encodedFrames(t *testing.T, durationMS int64, edits []detect.Edit) int64 {
	t.Helper()
	rate := media.Rate{Num: 30, Den: 1}
	clip := media.RenderClip{
		Info: media.Info{DurationMS: durationMS, Video: &media.VideoInfo{Width: 1920, Height: 1080, Rate: rate}},
	}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{clip},
		activeSpans(edits),
		media.RenderSettings{VolumePercent: 100},
	)
	if err != nil {
		t.Fatal(err)
	}
	var coded media.PacketIndex
	for n := range rate.Frame(durationMS) {
		coded.Frames = append(coded.Frames, n)
		if n%30 == 0 {
			coded.Sync = append(coded.Sync, int(n))
		}
	}
	encoded := int64(0)
	for _, p := range plan.Chunks([]media.PacketIndex{coded}, 120, 3) {
		if !p.Copy {
			encoded += p.Frames()
		}
	}
	return encoded
}

// report logs the word error rate and the errors of word starts and ends.
func report(t *testing.T, truth spoken, words []media.Word) {
	t.Helper()
	heard := mediatest.CompareWords(truth.words, words)
	t.Logf(
		"word error rate %.1f %% (%d of %d); word start median %d p95 %d ms; word end median %d p95 %d ms",
		100*float64(heard.Errors)/float64(len(truth.words)),
		heard.Errors,
		len(truth.words),
		mediatest.Percentile(heard.StartErrorsMS, 50),
		mediatest.Percentile(heard.StartErrorsMS, 95),
		mediatest.Percentile(heard.EndErrorsMS, 50),
		mediatest.Percentile(heard.EndErrorsMS, 95),
	)
}
