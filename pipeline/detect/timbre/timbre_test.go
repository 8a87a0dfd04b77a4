package timbre

import (
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest/voices"
	"roughcut/pipeline/detect/spectrum"
)

// Most music, applause and laughter gets its name. Machines, nature and speech hardly ever do.
func TestSoundsGetTheirNames(t *testing.T) {
	voices.Load(t)
	right, wrong, all := map[string]int{}, map[string]int{}, map[string]int{}
	for i, voice := range voices.Names() {
		r := voices.Audience(t, uint64(20+i), voice)
		m, p := spectrum.NewMeter(), media.NewPitchMeter()
		m.Add(r.PCM)
		p.Add(r.PCM)
		for _, s := range r.Speech {
			r.Events = append(r.Events, voices.Event{Span: s, Kind: "speech"})
		}
		for _, e := range r.Events {
			v := media.VoiceActivity{Sounds: []media.Sound{{Span: e.Span, Kind: media.SoundNoise}}}
			Name(&v, m, p.Pitch())
			sounds := v.Sounds
			all[e.Kind]++
			switch got := sounds[0].Kind; {
			case got == e.Kind:
				right[e.Kind]++
				continue
			case got != media.SoundNoise:
				wrong[e.Kind]++
			case e.Kind == "speech" || e.Kind == voices.EventOther:
				continue
			}
			figures := figuresOf(e.Span, m.Levels(), p.Pitch())
			t.Logf("%s, %v: %s is called %s: %+v", voice, e.Span, e.Kind, sounds[0].Kind, figures)
		}
	}
	for kind, n := range all {
		t.Logf("%s: %d of %d named, %d called another kind", kind, right[kind], n, wrong[kind])
		named := kind == media.SoundMusic || kind == media.SoundApplause || kind == media.SoundLaughter
		mistakes := 20 // one in so many
		if kind == voices.EventOther {
			mistakes = 5 // engines sound like music
		}
		if named && right[kind]*10 < n*8 || wrong[kind]*mistakes > n {
			t.Errorf("%s: %d of %d get their name, %d that of another kind", kind, right[kind], n, wrong[kind])
		}
	}
}

// Faint voice, breaths and short sounds keep their kind, and so does a sound beyond the audio.
func TestOnlyLastingSoundsAreNamed(t *testing.T) {
	m := spectrum.NewMeter()
	m.Add(make([]int16, 3*media.SpeechSampleRate))
	sounds := []media.Sound{
		{Span: media.Span{EndMS: 2000}, Kind: media.SoundFaint},
		{Span: media.Span{EndMS: 2000}, Kind: media.SoundBreath},
		{Span: media.Span{EndMS: 900}, Kind: media.SoundNoise},
		{Span: media.Span{EndMS: 2900}, Kind: media.SoundBackground},
		{Span: media.Span{StartMS: 2900, EndMS: 9000}, Kind: media.SoundBackground},
	}
	want := append([]media.Sound(nil), sounds...)
	Name(&media.VoiceActivity{Sounds: sounds}, m, nil)
	for i, s := range sounds {
		if s != want[i] {
			t.Errorf("%+v became %+v", want[i], s)
		}
	}
}
