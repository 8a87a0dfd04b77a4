package audio_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
	"roughcut/media/audio"
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
			if diff := cmp.Diff(c.want, audio.NewRoomTones(energiesAt(c.levels...), c.avoid).Near(c.near)); diff != "" {
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
		if got := audio.NewRoomTones(energiesAt(levels...), nil).Near(samples(5000, 5500)); len(got) > 0 {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// Silence is the room tone of a recording that is silent between words, such as one with a noise
// gate.
func TestRoomToneOfAGatedRecordingIsSilence(t *testing.T) {
	levels := joined(repeated(-20, 30), repeated(math.Inf(-1), 10), repeated(-20, 30))
	tones := audio.NewRoomTones(energiesAt(levels...), nil)
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
	tones := audio.NewRoomTones(energies, nil)
	got := tones.Energy([]media.SampleRange{samples(50, 150), samples(250, 400)})
	if want := (media.Energy{Power: (0.5*1 + 0.5*4 + 0.5*9) / 1.5, Peak: 1}); math.Abs(got.Power-want.Power) > 1e-9 ||
		got.Peak != want.Peak {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := tones.Energy(nil); got != (media.Energy{}) {
		t.Errorf("without ranges: %+v", got)
	}
}
