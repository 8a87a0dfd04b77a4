package media_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
)

// energiesAt returns energies of 100 ms with the given levels in decibels.
func energiesAt(levels ...float64) (list []media.Energy) {
	for _, db := range levels {
		list = append(list, media.Energy{Power: math.Pow(10, db/10), Peak: math.Pow(10, (db+10)/20)})
	}
	return list
}

// repeated returns count copies of a level.
func repeated(db float64, count int) (levels []float64) {
	for range count {
		levels = append(levels, db)
	}
	return levels
}

func joined(lists ...[]float64) (all []float64) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func samples(fromMS, toMS int64) media.SampleRange {
	return media.SampleRange{From: fromMS * 48, To: toMS * 48}
}

func TestRoomToneComesFromTheNearestPause(t *testing.T) {
	voice, pause := repeated(-20, 30), repeated(-60, 10)
	for name, c := range map[string]struct {
		levels []float64
		avoid  []media.SampleRange
		near   media.SampleRange
		want   []media.SampleRange
	}{
		"the nearest first": {
			levels: joined(voice, pause, voice, pause, voice),
			near:   samples(6000, 6500),
			want:   []media.SampleRange{samples(7020, 7980), samples(3020, 3980)},
		},
		"at most two seconds": {
			levels: joined(voice, repeated(-60, 50), voice),
			near:   samples(2000, 2500),
			want:   []media.SampleRange{samples(3020, 5020)},
		},
		"the end of a long pause before it": {
			levels: joined(repeated(-60, 50), voice),
			near:   samples(6000, 6500),
			want:   []media.SampleRange{samples(2980, 4980)},
		},
		"not from muted audio": {
			levels: joined(voice, pause, voice, pause, voice),
			avoid:  []media.SampleRange{samples(6900, 8100)},
			near:   samples(6000, 6500),
			want:   []media.SampleRange{samples(3020, 3980)},
		},
		"a louder background nearby, such as a fan that was switched on": {
			levels: joined(voice, repeated(-70, 100), voice, repeated(-20, 200), repeated(-45, 10), voice),
			near:   samples(37_000, 37_500),
			want:   []media.SampleRange{samples(36_020, 36_980)},
		},
		"not from a gap of digital silence": {
			levels: joined(voice, pause, repeated(math.Inf(-1), 1), voice, pause, voice),
			near:   samples(3000, 3300),
			want:   []media.SampleRange{samples(3020, 3980), samples(7120, 8080)},
		},
		"not from the incomplete end": {
			levels: joined(voice, repeated(-60, 2), voice, repeated(-70, 1)),
			near:   samples(5000, 5500),
			want:   []media.SampleRange{samples(3020, 3180)},
		},
		"from short gaps if there is no pause": {
			levels: joined(voice, repeated(-60, 2), voice, repeated(-60, 1), voice),
			near:   samples(2000, 2500),
			want:   []media.SampleRange{samples(3020, 3180), samples(6220, 6280)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, media.NewRoomTones(energiesAt(c.levels...), c.avoid).Near(c.near)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAudioWithoutPauseHasNoRoomTone(t *testing.T) {
	for name, levels := range map[string][]float64{
		"nothing":     nil,
		"a held tone": repeated(-12, 12_000),
		"a tone that swells": joined(
			repeated(-20, 100), repeated(-16, 100), repeated(-12, 100), repeated(-20, 100),
		),
	} {
		if got := media.NewRoomTones(energiesAt(levels...), nil).Near(samples(5000, 5500)); len(got) > 0 {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// Silence is the room tone of a recording that is silent between words, such as one with a noise
// gate.
func TestRoomToneOfAGatedRecordingIsSilence(t *testing.T) {
	levels := joined(repeated(-20, 30), repeated(math.Inf(-1), 10), repeated(-20, 30))
	tones := media.NewRoomTones(energiesAt(levels...), nil)
	got := tones.Near(samples(1000, 1500))
	if diff := cmp.Diff([]media.SampleRange{samples(3020, 3980)}, got); diff != "" {
		t.Error(diff)
	}
	if e := tones.Energy(got); e.Power != 0 {
		t.Errorf("its power is %g", e.Power)
	}
}

func TestEnergyOfRoomToneWeighsStepsByTheirSamples(t *testing.T) {
	energies := []media.Energy{{Power: 1, Peak: 0.5}, {Power: 4, Peak: 1}, {Power: 9, Peak: 0.2}}
	tones := media.NewRoomTones(energies, nil)
	got := tones.Energy([]media.SampleRange{samples(50, 150), samples(250, 400)})
	if want := (media.Energy{Power: (0.5*1 + 0.5*4 + 0.5*9) / 1.5, Peak: 1}); math.Abs(got.Power-want.Power) > 1e-9 ||
		got.Peak != want.Peak {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := tones.Energy(nil); got != (media.Energy{}) {
		t.Errorf("without ranges: %+v", got)
	}
}

// Muted ranges follow the cuts and reach the joins next to them, so that no fragment of what was
// muted remains between a mute and a cut.
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
