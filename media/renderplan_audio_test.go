package media_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
)

func samples(fromMS, toMS int64) media.SampleRange {
	return media.SampleRange{From: fromMS * 48, To: toMS * 48}
}

// Muted ranges follow the cuts and reach the joins next to them, so that no fragment of the muted
// audio remains between a mute and a cut.
func TestMutedRangesReachJoins(t *testing.T) {
	cuts := []media.Span{{StartMS: 0, EndMS: 1000}, {StartMS: 3000, EndMS: 4000}}
	for name, c := range map[string]struct {
		muted []media.Span
		want  []media.SampleRange
	}{
		"inside a segment": {[]media.Span{{StartMS: 2000, EndMS: 2300}}, []media.SampleRange{samples(1000, 1300)}},
		"across a cut":     {[]media.Span{{StartMS: 2500, EndMS: 4500}}, []media.SampleRange{samples(1500, 2500)}},
		"just before and after a cut": {
			[]media.Span{{StartMS: 2500, EndMS: 2990}, {StartMS: 4010, EndMS: 4100}},
			[]media.SampleRange{samples(1500, 2100)},
		},
		"near a cut":   {[]media.Span{{StartMS: 2500, EndMS: 2950}}, []media.SampleRange{samples(1500, 1950)}},
		"inside a cut": {[]media.Span{{StartMS: 3100, EndMS: 3900}}, nil},
		"beyond the recording": {
			[]media.Span{{StartMS: 9500, EndMS: 20_000}, {StartMS: 7000, EndMS: 7000}},
			[]media.SampleRange{samples(7500, 8000)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := media.NewRenderPlan(
				[]media.RenderClip{clip(10_000, media.Rate{Num: 30, Den: 1})},
				cuts,
				media.RenderSettings{VolumePercent: 100, Muted: c.muted},
			)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, plan.Audio.Muted); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Room tone replaces censored words like muted edits, with a margin. Bleeped words are not muted.
func TestCensoredWordsAreMuted(t *testing.T) {
	word := media.Span{StartMS: 1000, EndMS: 1300}
	for censor, want := range map[string][]media.SampleRange{
		media.CensorMute:  {samples(960, 1500), samples(3000, 3100)},
		media.CensorBleep: {samples(1200, 1500), samples(3000, 3100)},
	} {
		plan, err := media.NewRenderPlan(
			[]media.RenderClip{clip(10_000, media.Rate{Num: 30, Den: 1})},
			nil,
			media.RenderSettings{
				VolumePercent: 100,
				Muted:         []media.Span{{StartMS: 1200, EndMS: 1500}, {StartMS: 3000, EndMS: 3100}},
				Audio:         media.AudioSettings{Censor: censor, Censored: []media.Span{word}},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, plan.Audio.Muted); diff != "" {
			t.Errorf("%s: %s", censor, diff)
		}
		if bleeps := len(plan.Audio.Bleeped) > 0; bleeps != (censor == media.CensorBleep) {
			t.Errorf("%s: bleeped %v", censor, plan.Audio.Bleeped)
		}
	}
}

func TestMutedAudioIsNotUnchanged(t *testing.T) {
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{clip(10_000, media.Rate{Num: 30, Den: 1})}, nil,
		media.RenderSettings{VolumePercent: 100, Muted: []media.Span{{StartMS: 2000, EndMS: 2300}}},
	)
	if err != nil || plan.AudioUnchanged() || plan.Unchanged() {
		t.Errorf("unchanged audio %v, unchanged %v, %v", plan.AudioUnchanged(), plan.Unchanged(), err)
	}
}
