package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"roughcut/cli"
	"roughcut/media"
	"roughcut/media/libav"
	"roughcut/media/mediatest"
	"roughcut/pipeline"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// defaultSettings are the default settings of an analysis.
var defaultSettings = store.AnalysisSettings{CutOptions: media.DefaultCutOptions()}

func isDefault(k store.AnalysisSettings) bool { return reflect.DeepEqual(k, defaultSettings) }

// scoredTalk is a generated talk after ingest and analysis.
type scoredTalk struct {
	mediatest.TalkFixture
	roles []mediatest.Role // of Words
	clip  media.RenderClip
	found pipeline.Analysis
}

// scoredTalks returns talks with the background noise of a booth, a room and a noisy room.
func scoredTalks(t *testing.T) (talks []scoredTalk) {
	t.Helper()
	for seed := range 9 {
		floor := []int{-70, -50, -40}[seed%3]
		script, roles := mediatest.Script(mediatest.RandomTalk(uint64(seed), 36), media.SampleRate, floor, 1000)
		fixture := mediatest.Talk(t, mediatest.TalkOptions{Script: script, Width: 320, Height: 180, GOP: 30})
		if len(roles) != len(fixture.Words) {
			t.Fatalf("%d words have %d roles", len(fixture.Words), len(roles))
		}
		talk := scoredTalk{TalkFixture: fixture, roles: roles}
		talk.analyze(t)
		talks = append(talks, talk)
	}
	return talks
}

// analyze runs ingest and analysis like a worker does for a clip.
func (s *scoredTalk) analyze(t *testing.T) {
	t.Helper()
	sound := filepath.Join(t.TempDir(), "speech")
	in, err := libav.New().Ingest(
		context.Background(), media.IngestRequest{Path: s.Path, SpeechPath: sound, SkipProxyIfPlayable: true},
		nil,
	)
	if err != nil {
		t.Fatal(err)
	}
	s.clip = media.RenderClip{Path: s.Path, Info: in.Info}
	sounds := []pipeline.SpeechTrack{
		{ClipUUID: "talk", Path: sound, DurationMS: in.Info.DurationMS, Keyframes: in.Keyframes},
	}
	if s.found, err = pipeline.MeasureVoice(context.Background(), sounds, "en", func(string, int) {}); err != nil {
		t.Fatal(err)
	}
	if err := s.found.Transcribe(
		context.Background(), cli.Speech{Choice: mediatest.Model(t)}, sounds, func(string, int) {},
	); err != nil {
		t.Fatal(err)
	}
}

func (s *scoredTalk) said() []media.Word {
	var words []media.Word
	for _, w := range s.Words {
		words = append(words, media.Word{Text: w.Text, StartMS: w.StartMS, EndMS: w.EndMS})
	}
	return words
}

func (s *scoredTalk) heard() []media.Word { return s.found.Clips[0].Evidence.Words }

// plan returns the render plan and the edits for settings of an analysis and an export.
func (s *scoredTalk) plan(
	t *testing.T,
	analysis store.AnalysisSettings,
	settings media.RenderSettings,
) (media.RenderPlan, []store.DetectedEdit) {
	t.Helper()
	edits := s.found.Propose(analysis).Edits
	var cuts []media.Span
	for _, e := range edits {
		if e.Active {
			cuts = append(cuts, e.Span)
		}
	}
	settings.AspectRatio, settings.VolumePercent = "source", 100
	plan, err := media.NewRenderPlan([]media.RenderClip{s.clip}, cuts, settings)
	if err != nil {
		t.Fatal(err)
	}
	return plan, edits
}

// scoreWords compares the transcript with the spoken words.
func (c *card) scoreWords(talks []scoredTalk) {
	c.t.Helper()
	all, wrong := 0, 0
	var starts, ends []int64
	for _, s := range talks {
		h := mediatest.CompareWords(s.said(), s.heard())
		all, wrong = all+len(s.Words), wrong+h.Errors
		starts, ends = append(starts, h.StartErrorsMS...), append(ends, h.EndErrorsMS...)
	}
	slices.Sort(starts)
	slices.Sort(ends)
	at := func(x []int64, percent int) float64 { return float64(mediatest.Percentile(x, percent)) }
	c.atMost(fmt.Sprintf("words: errors in %d", all), 100*float64(wrong)/float64(all), 5, "%")
	c.atMost("words: start error, median", at(starts, 50), 10, "ms")
	c.atMost("words: start error, 95th percentile", at(starts, 95), 50, "ms")
	c.atMost("words: end error, median", at(ends, 50), 15, "ms")
	c.atMost("words: end error, 95th percentile", at(ends, 95), 80, "ms")
}

// A kept word may lose this much to the rounding to frames.
const lostMS = 20

// cutScore counts right and wrong cuts.
type cutScore struct {
	pauses, shortened    int // pauses longer than pacing allows, shortened ones
	silences, inSilence  int // cut silences, ones that touch no word
	attempts, dropped    [4]int
	falseStarts, correct int // cut false starts, ones of repeated words only
	fillers, truly       int // proposed fillers, ones of fillers only
	words, harmed        int // words to keep, clipped ones
	remarks              []string
}

func (c *card) scoreCuts(talks []scoredTalk) {
	c.t.Helper()
	for _, k := range []store.AnalysisSettings{
		defaultSettings,
		{CutOptions: media.CutOptions{PacingLevel: 20, FalseStartSensitivity: 50}},
		{CutOptions: media.CutOptions{PacingLevel: 80, FalseStartSensitivity: 50}},
		{CutOptions: media.CutOptions{PacingLevel: 100, FalseStartSensitivity: 50}},
		{CutOptions: media.CutOptions{PacingLevel: 50, FalseStartSensitivity: 0}},
		{CutOptions: media.CutOptions{PacingLevel: 50, FalseStartSensitivity: 100}},
	} {
		score := &cutScore{}
		for i, s := range talks {
			before := len(score.remarks)
			score.add(c.t, &s, k)
			if !isDefault(k) {
				continue // the others have similar remarks
			}
			for _, r := range score.remarks[before:] {
				c.t.Logf("talk %d: %s", i, r)
			}
		}
		c.cuts(k, score)
	}
}

// cuts adds a score to the card. The goals for false starts apply from the default sensitivity
// upwards.
func (c *card) cuts(k store.AnalysisSettings, s *cutScore) {
	c.t.Helper()
	at := "pacing " + strconv.Itoa(k.PacingLevel) + ", false starts " + strconv.Itoa(k.FalseStartSensitivity) + ": "
	if isDefault(k) {
		c.none(at+"wrongly cut words", s.harmed, s.words)
	} else {
		c.share(at+"intact words", s.words-s.harmed, s.words, 99.9)
	}
	c.share(at+"pauses shortened", s.shortened, s.pauses, 99)
	sure := 100.0
	if k.PacingLevel == 100 { // such a pause is as short as the closure of a p or t
		sure = 99
	}
	c.share(at+"cut silences without words", s.inSilence, s.silences, sure)
	if k.FalseStartSensitivity >= defaultSettings.FalseStartSensitivity {
		c.share(at+"false starts cut", s.dropped[mediatest.FalseStart], s.attempts[mediatest.FalseStart], 80)
		c.share(at+"retakes cut", s.dropped[mediatest.Retake], s.attempts[mediatest.Retake], 80)
	}
	c.share(at+"cut attempts that were repeated", s.correct, s.falseStarts, 99)
	if isDefault(k) {
		// The test model mistakes one in ten other short words for a filler.
		c.share(at+"fillers proposed", s.dropped[mediatest.Filler], s.attempts[mediatest.Filler], 90)
		c.share(at+"proposed fillers that are fillers", s.truly, s.fillers, 90)
	}
}

func (s *cutScore) remark(format string, args ...any) {
	s.remarks = append(s.remarks, fmt.Sprintf(format, args...))
}

// add adds the score of a talk.
func (s *cutScore) add(t *testing.T, talk *scoredTalk, k store.AnalysisSettings) {
	t.Helper()
	plan, edits := talk.plan(t, k, media.RenderSettings{})
	var kept []media.Span
	for _, seg := range plan.Segments {
		kept = append(kept, media.Span{StartMS: plan.Rate.MS(seg.In), EndMS: plan.Rate.MS(seg.Out)})
	}
	s.addWords(talk, kept)
	s.addPauses(talk, kept, detect.PauseThreshold(k.PacingLevel)+2*plan.Rate.MS(1))
	s.addAttempts(talk, kept, edits)
	for _, e := range edits {
		s.addEdit(talk, e)
	}
}

// within returns the duration of the overlap of a span with spans.
func within(span media.Span, spans []media.Span) (ms int64) {
	for _, s := range spans {
		ms += max(0, s.Intersect(span).Duration())
	}
	return ms
}

func spanOf(w mediatest.Word) media.Span { return media.Span{StartMS: w.StartMS, EndMS: w.EndMS} }

func (s *cutScore) addWords(talk *scoredTalk, kept []media.Span) {
	for i, w := range talk.Words {
		if talk.roles[i] != mediatest.Fluent {
			continue
		}
		s.words++
		if lost := spanOf(w).Duration() - within(spanOf(w), kept); lost > lostMS {
			s.harmed++
			s.remark("%q at %d-%d ms loses %d ms", w.Text, w.StartMS, w.EndMS, lost)
		}
	}
}

// addPauses scores the pauses that are longer than a limit.
func (s *cutScore) addPauses(talk *scoredTalk, kept []media.Span, limit int64) {
	from := int64(0)
	for _, w := range append(slices.Clone(talk.Words), mediatest.Word{StartMS: talk.clip.Info.DurationMS}) {
		pause := media.Span{StartMS: from, EndMS: w.StartMS}
		from = w.EndMS
		if pause.Duration() <= limit {
			continue
		}
		s.pauses++
		if left := within(pause, kept); left <= limit {
			s.shortened++
		} else {
			s.remark("%d ms are left of the pause at %d-%d ms", left, pause.StartMS, pause.EndMS)
		}
	}
}

// addAttempts scores runs of words to cut. A run counts as cut if at most a fifth of it remains.
func (s *cutScore) addAttempts(talk *scoredTalk, kept []media.Span, edits []store.DetectedEdit) {
	var proposed []media.Span
	for _, e := range edits {
		if e.Type == media.EditFiller {
			proposed = append(proposed, e.Span)
		}
	}
	for i := 0; i < len(talk.Words); {
		role, j := talk.roles[i], i+1
		for j < len(talk.Words) && talk.roles[j] == role && role != mediatest.Fluent {
			j++
		}
		spoken, left := int64(0), int64(0)
		for _, w := range talk.Words[i:j] {
			spoken += spanOf(w).Duration()
			left += within(spanOf(w), kept)
			if role == mediatest.Filler {
				left -= within(spanOf(w), proposed)
			}
		}
		if role != mediatest.Fluent {
			s.attempts[role]++
			if left*5 <= spoken {
				s.dropped[role]++
			} else {
				s.remark(
					"%d of %d ms are left of %q at %d ms", left, spoken, wordTexts(talk.Words[i:j]),
					talk.Words[i].StartMS,
				)
			}
		}
		i = j
	}
}

func wordTexts(words []mediatest.Word) (texts []string) {
	for _, w := range words {
		texts = append(texts, w.Text)
	}
	return texts
}

// addEdit scores an edit by the words that it contains.
func (s *cutScore) addEdit(talk *scoredTalk, e store.DetectedEdit) {
	var taken []mediatest.Word
	onlyFillers, onlyAttempts, touched := true, true, false
	for i, w := range talk.Words {
		lost := spanOf(w).Intersect(e.Span).Duration()
		touched = touched || lost > lostMS
		if lost*2 < spanOf(w).Duration() {
			continue
		}
		taken = append(taken, w)
		onlyFillers = onlyFillers && talk.roles[i] == mediatest.Filler
		onlyAttempts = onlyAttempts && talk.roles[i] != mediatest.Fluent
	}
	right := true
	switch {
	case e.Type == media.EditSilence && e.Active:
		s.silences++
		if right = !touched; right {
			s.inSilence++
		}
	case e.Type == media.EditFalseStart && e.Active:
		s.falseStarts++
		if right = onlyAttempts && len(taken) > 0; right {
			s.correct++
		}
	case e.Type == media.EditFiller:
		s.fillers++
		if right = onlyFillers && len(taken) > 0; right {
			s.truly++
		}
	}
	if !right {
		s.remark("the %s at %d-%d ms takes %q: %s", e.Type, e.Span.StartMS, e.Span.EndMS, wordTexts(taken), e.Reason)
	}
}
