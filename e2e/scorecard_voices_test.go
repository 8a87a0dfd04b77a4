package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/mediatest"
	"roughcut/media/mediatest/voices"
	"roughcut/pipeline"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// voiceSeconds is the least duration of a scored recording. Every voice has one in each condition.
const voiceSeconds = 180

// scoredPacings are the pacings that the card measures. The goals apply to 50.
var scoredPacings = []int{25, 50, 75}

// heardVoice is a recording of a real voice after the first step of an analysis.
type heardVoice struct {
	voices.Recording
	found pipeline.Analysis
}

// voiceCard is the part of the scorecard about recorded voices.
type voiceCard struct {
	*card
	seconds, cpu float64 // of the measured audio, and of its measurement
	// The edits of the voices that grade, and of those that the detectors learned from.
	curve, taughtCurve reliability
}

func newVoiceCard(t *testing.T) *voiceCard {
	return &voiceCard{card: &card{t: t}, curve: reliability{}, taughtCurve: reliability{}}
}

// voiceRow is a row of the tables.
type voiceRow struct {
	name   string
	voices []string
}

// voiceRows returns a row of the voices that the detectors learned from, and one of each held-out
// voice.
func (c *voiceCard) voiceRows() []voiceRow {
	c.t.Helper()
	rows := []voiceRow{{"trained voices", voices.Names()}}
	for _, voice := range voices.HeldOut(c.t) {
		rows = append(rows, voiceRow{voice, []string{voice}})
	}
	return rows
}

// figures of several recordings can be added.
type figures[S any] interface{ Sum(o S) S }

// graded are the figures of each row.
type graded[S figures[S]] []S

// grade measures and shows each row.
func grade[S figures[S]](c *voiceCard, measure func(names []string) S, show func(row string, s S)) (g graded[S]) {
	c.t.Helper()
	for i, row := range c.voiceRows() {
		g = append(g, measure(row.voices))
		show(row.name, g[i])
	}
	return g
}

// plus adds the rows of other recordings, row by row. An empty g counts as zeros.
func (g graded[S]) plus(o graded[S]) graded[S] {
	sums := slices.Clone(o)
	for i, s := range g {
		sums[i] = s.Sum(o[i])
	}
	return sums
}

// judge compares the figures of the held-out voices with goals, and records the figures of the
// trained voices.
func judge[S figures[S]](c *voiceCard, g graded[S], goals func(c *card, s S)) {
	c.t.Helper()
	var heldOut S
	for _, s := range g[1:] {
		heldOut = heldOut.Sum(s)
	}
	goals(c.card, heldOut)
	goals(c.taught, g[0])
}

// curveOf returns the reliability curves of the edits of a voice.
func (c *voiceCard) curveOf(voice string) reliability {
	if slices.Contains(voices.Names(), voice) {
		return c.taughtCurve
	}
	return c.curve
}

// TestLongScorecardVoices measures cuts of recorded voices in many conditions, and the rules of
// other programs. The goals apply to the held-out voices, because no voice may judge what learned
// from it. `make scorecard` prints its tables.
func TestLongScorecardVoices(t *testing.T) {
	needsLong(t)
	voices.Load(t)
	voices.HeldOut(t)
	c := newVoiceCard(t)
	c.taught = &card{t: t, spares: true}
	defer c.print()
	c.scorePauses()
	c.scoreRetakes()
	c.scoreEverySentence()
	c.scoreFillers()
	c.scoreAudience()
	c.scoreBadInput()
	c.scoreConfidence()
	c.atMost("voices: listening", c.cpu/c.seconds*3600, 40, "CPU s an hour")
}

// hear measures a recording like a worker does for a clip.
func (c *voiceCard) hear(r voices.Recording) heardVoice {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), "speech")
	if err := os.WriteFile(path, r.Raw(), 0o600); err != nil {
		c.t.Fatal(err)
	}
	defer os.Remove(path)
	tracks := []pipeline.SpeechTrack{{ClipUUID: "talk", Path: path, DurationMS: r.DurationMS}}
	before := cpuSeconds()
	found, err := pipeline.MeasureVoice(c.t.Context(), tracks, "en", func(string, int) {})
	if err != nil {
		c.t.Fatal(err)
	}
	c.cpu += cpuSeconds() - before
	c.seconds += float64(r.DurationMS) / 1000
	return heardVoice{r, found}
}

// cpuSeconds returns the CPU time of this process.
func cpuSeconds() float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(use.Utime) + seconds(use.Stime)
}

func paceOf(pacing int) voices.Pace {
	return voices.Pace{LongestMS: detect.PauseThreshold(pacing), AirMS: detect.PausePadding(pacing)}
}

// edits returns the edits of a type at a pacing.
func (h heardVoice) edits(kind string, pacing int) (out []store.DetectedEdit) {
	options := media.CutOptions{PacingLevel: pacing, FalseStartSensitivity: 50}
	for _, e := range h.found.Propose(store.AnalysisSettings{CutOptions: options}).Edits {
		if e.Type == kind {
			out = append(out, e)
		}
	}
	return out
}

// cuts returns what active silence edits remove at a pacing.
func (h heardVoice) cuts(pacing int) (cuts []media.Span) {
	for _, e := range h.edits(media.EditSilence, pacing) {
		if e.Active {
			cuts = append(cuts, e.Span)
		}
	}
	return media.MergeSpans(cuts)
}

// withKeyframes returns the recording as the sound of a video with keyframes at equal intervals.
func (h heardVoice) withKeyframes(everyMS int64) heardVoice {
	evidence := *h.found.Clips[0].Evidence
	for at := int64(0); at < h.DurationMS; at += everyMS {
		evidence.Keyframes = append(evidence.Keyframes, at)
	}
	h.found.Clips = []pipeline.ClipAnalysis{{ClipUUID: "talk", Evidence: &evidence}}
	return h
}

// conditionScore are the scores of one recording condition.
type conditionScore struct {
	pacing map[int]voices.Score
	gop    voices.Score // at pacing 50, of a video with a keyframe each second
	rivals map[string]voices.Score
}

const (
	autoEditor    = "auto-editor"
	silenceDetect = "silencedetect"
	networkAlone  = "network alone"
)

var rivalNames = []string{autoEditor, silenceDetect, networkAlone}

// Sum adds the scores of other recordings.
func (s conditionScore) Sum(o conditionScore) conditionScore {
	out := conditionScore{pacing: map[int]voices.Score{}, rivals: map[string]voices.Score{}}
	for _, p := range scoredPacings {
		out.pacing[p] = s.pacing[p].Sum(o.pacing[p])
	}
	out.gop = s.gop.Sum(o.gop)
	for _, name := range rivalNames {
		out.rivals[name] = s.rivals[name].Sum(o.rivals[name])
	}
	return out
}

// scoreCondition measures a condition with voices.
func (c *voiceCard) scoreCondition(condition string, names []string) (all conditionScore) {
	for i, voice := range names {
		r := voices.Talk(c.t, uint64(100+i), voice, condition, voices.Options{Seconds: voiceSeconds})
		h := c.hear(r)
		one := conditionScore{pacing: map[int]voices.Score{}, rivals: map[string]voices.Score{}}
		for _, pacing := range scoredPacings {
			one.pacing[pacing] = scoreOf(r, h.cuts(pacing), paceOf(pacing))
		}
		pace, heard := paceOf(50), h.found.Clips[0].Evidence.Voice
		for name, cuts := range map[string][]media.Span{
			autoEditor:    voices.AutoEditor(r),
			silenceDetect: voices.SilenceDetect(r, pace),
			networkAlone:  voices.NetworkAlone(r, heard.Probability, audio.VoiceWindowMS, pace),
		} {
			one.rivals[name] = scoreOf(r, cuts, pace)
		}
		one.gop = scoreOf(r, h.withKeyframes(1000).cuts(50), pace)
		for _, e := range h.edits(media.EditSilence, 50) {
			c.curveOf(voice).add(e, voices.Within(e.Span, r.Speech) <= lostMS)
		}
		all = all.Sum(one)
	}
	return all
}

func scoreOf(r voices.Recording, cuts []media.Span, pace voices.Pace) (s voices.Score) {
	s.Add(r, cuts, pace)
	return s
}

// isMusic reports whether a condition has music under the voice, which has a lower goal.
func isMusic(condition string) bool {
	return strings.HasPrefix(condition, "music") || condition == "cafe"
}

// isClean reports whether a condition is a booth or a room with steady noise.
func isClean(condition string) bool {
	return condition == "booth" || strings.HasPrefix(condition, "room")
}

// isPumped reports whether automatic gain control raises the noise of a condition in pauses.
func isPumped(condition string) bool { return strings.HasPrefix(condition, "pumping") }

// scorePauses measures the cuts of pauses in all conditions.
func (c *voiceCard) scorePauses() {
	c.t.Helper()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Println(
		"\nRECORDED VOICES: recall/precision/cuts that remove more than 20, 50 ms of speech/median of air left " +
			"minus air meant, 90th percentile of its size in ms",
	)
	fmt.Fprintln(w, "CONDITION\tVOICES\tPACING 25\tPACING 50\tPACING 75\tAUTO-EDITOR\tSILENCEDETECT\tNETWORK ALONE\t")
	var all, clean, pumped graded[conditionScore]
	for _, condition := range voices.Conditions() {
		g := grade(c, func(names []string) conditionScore {
			return c.scoreCondition(condition, names)
		}, func(row string, s conditionScore) {
			printCondition(w, condition, row, s)
			for _, remark := range s.pacing[50].Remarks(2) {
				c.t.Log(remark)
			}
		})
		all = all.plus(g)
		if isClean(condition) {
			clean = clean.plus(g)
		}
		if isPumped(condition) {
			pumped = pumped.plus(g)
		}
		goal := 95.0
		if isMusic(condition) {
			goal = 93
		}
		judge(c, g, func(c *card, s conditionScore) {
			c.percent("voices, "+condition+": recall", s.pacing[50].Recall(), goal)
		})
	}
	for i, row := range c.voiceRows() {
		printCondition(w, "all", row.name, all[i])
	}
	_ = w.Flush()
	judge(c, all, func(c *card, s conditionScore) {
		p := s.pacing[50]
		c.percent("voices, all: recall", p.Recall(), 98)
		c.percent("voices, all: precision", p.Precision(), 99.95)
		c.percent("voices, all: air within 30 ms of the air that was meant", p.AirWithin(30), 90)
		c.percent("voices, all: air within 30 ms, with a keyframe each second", s.gop.AirWithin(30), 90)
		hours := float64(p.SpeechMS) / 3.6e6
		c.atMost("voices, all: cuts that remove > 50 ms", float64(p.Over50)/hours, 1, "an hour of speech")
	})
	judge(c, pumped, func(c *card, s conditionScore) {
		c.percent("voices, pumping gain: precision", s.pacing[50].Precision(), 99.95)
	})
	judge(c, clean, func(c *card, s conditionScore) {
		p := s.pacing[50]
		c.none("voices, booth and rooms: cuts that remove > 50 ms", p.Over50, p.Pauses)
	})
}

// percent records a share with a goal in percent.
func (c *card) percent(what string, share, goal float64) {
	c.t.Helper()
	c.add(what, fmt.Sprintf("%.2f %%", 100*share), fmt.Sprintf("%g %%", goal), 100*share >= goal)
}

func printCondition(w *tabwriter.Writer, condition, row string, s conditionScore) {
	fmt.Fprint(w, condition, "\t", row)
	for _, p := range scoredPacings {
		fmt.Fprint(w, "\t", pauseFigures(s.pacing[p]))
	}
	for _, rival := range rivalNames {
		r := s.rivals[rival]
		if r.Pauses == 0 {
			fmt.Fprint(w, "\t-")
			continue
		}
		fmt.Fprintf(w, "\t%.3f/%.4f/%d,%d", r.Recall(), r.Precision(), r.Over20, r.Over50)
	}
	fmt.Fprintln(w, "\t")
}

func pauseFigures(s voices.Score) string {
	var errors []int64
	for _, e := range s.AirErrors {
		errors = append(errors, max(e, -e))
	}
	slices.Sort(errors)
	return fmt.Sprintf(
		"%.3f/%.4f/%d,%d/%+d,%d", s.Recall(), s.Precision(), s.Over20, s.Over50,
		mediatest.Percentile(s.AirErrors, 50), mediatest.Percentile(errors, 90),
	)
}
