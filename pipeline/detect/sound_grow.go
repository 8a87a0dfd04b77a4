package detect

import (
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
)

const (
	lastingMS = 1000 // shortest sound that grows
	touchMS   = 50   // longest silence within a sound
	grownMS   = 1500 // that a sound grows at each end
)

// growSounds joins the lasting sounds that are as loud as speech with the quieter sound that
// touches them, such as how applause begins and fades, and adds them to the voice activity.
func growSounds(v *audio.VoiceActivity) {
	loud := make([]bool, len(v.Sounds))
	for i, s := range v.Sounds {
		within := func(span media.Span) bool { return s.Intersect(span).Duration() > 0 }
		loud[i] = s.Kind != audio.SoundFaint && s.Duration() >= lastingMS && slices.ContainsFunc(v.Spans, within)
	}

	var out []audio.Sound
	for i := 0; i < len(v.Sounds); i++ {
		if !loud[i] {
			out = append(out, v.Sounds[i])
			continue
		}

		s := v.Sounds[i]
		last := s.EndMS // of the sound that is as loud
		for n := len(out) - 1; n >= 0 && out[n].Kind != audio.SoundFaint && s.StartMS-out[n].EndMS <= touchMS &&
			v.Sounds[i].StartMS-out[n].StartMS <= grownMS; n-- {
			s = union(s, out[n])
			out = out[:n]
		}

		for ; i+1 < len(v.Sounds); i++ {
			next := v.Sounds[i+1]
			if next.Kind == audio.SoundFaint || next.StartMS-s.EndMS > touchMS ||
				(next.EndMS-last > grownMS && !loud[i+1]) {
				break
			}

			if s = union(s, next); loud[i+1] {
				last = s.EndMS
			}
		}

		out = append(out, s)
		v.Spans = append(v.Spans, s.Span)
	}

	v.Sounds, v.Spans = out, media.MergeSpans(v.Spans)
}

// union returns a sound that also covers the span of another one.
func union(s, with audio.Sound) audio.Sound {
	s.StartMS, s.EndMS = min(s.StartMS, with.StartMS), max(s.EndMS, with.EndMS)
	s.LevelDB = max(s.LevelDB, with.LevelDB)
	return s
}
