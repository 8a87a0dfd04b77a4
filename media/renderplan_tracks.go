package media

import "slices"

// OtherTrack is a further audio track of an export. It has audio tracks of the recordings that are
// not heard, at most one of each, with the same cuts and joins as the heard audio. Muted and
// bleeped audio is silent in it. Nothing else changes it.
type OtherTrack struct {
	Tracks   []int  // the index in Info.AudioTracks of each input's track; -1 for silence
	Mono     bool   // as in RenderPlan
	Channels int    // as in RenderPlan
	Language string // of the first recording that has the track
	Title    string // of the first recording that has the track
}

// addOtherTracks adds the audio tracks that are not heard: the first one of each recording to the
// first further track, and so on.
func (p *RenderPlan) addOtherTracks(clips []RenderClip, keepChannels bool) {
	for {
		other, ok := p.otherTrack(clips, len(p.OtherTracks))
		if !ok {
			return
		}
		isCutOnly := len(p.Audio.Muted)+len(p.Audio.Bleeped) == 0
		if !keepChannels || !isCutOnly || other.Channels < 3 || other.Channels > MaxChannels {
			other.Channels = 0
		}
		p.OtherTracks = append(p.OtherTracks, other)
	}
}

// otherTrack returns a further audio track with the channels that all recordings have in it, by its
// index. ok is false if no recording has it.
func (p *RenderPlan) otherTrack(clips []RenderClip, index int) (other OtherTrack, ok bool) {
	heard := make([]RenderClip, len(clips))
	for i, c := range clips {
		other.Tracks = append(other.Tracks, -1)
		isShown := slices.ContainsFunc(p.Segments, func(s Segment) bool { return s.Input == i })
		tracks := c.Info.otherTracks()
		if !isShown || index >= len(tracks) {
			continue
		}
		t := c.Info.AudioTracks[tracks[index]]
		if !ok {
			other.Language, other.Title = t.Language, t.Title
		}
		ok, other.Tracks[i] = true, tracks[index]
		heard[i].Info.Audio = &AudioInfo{Channels: t.Channels}
	}

	other.Mono, other.Channels = isMono(heard), channelsOf(heard)
	return other, ok
}

// Other returns the plan of the audio of a further track: a plan without video that hears only this
// track.
func (p RenderPlan) Other(t OtherTrack) RenderPlan {
	p.Width, p.Height, p.Volume, p.OtherTracks = 0, 0, 1, nil
	p.Mono, p.Channels = t.Mono, t.Channels
	p.Audio = AudioPlan{Muted: mergeRanges(slices.Concat(p.Audio.Muted, p.Audio.Bleeped)), NoTone: true}
	p.Inputs = slices.Clone(p.Inputs)
	for i := range p.Inputs {
		in := &p.Inputs[i]
		in.HasVideo, in.HasAudio, in.Tracks = false, t.Tracks[i] >= 0, nil
		in.EnergiesPath, in.Microphones, in.Unheard = "", false, nil
		in.VoiceOn, in.VoiceGain, in.Channels = "", 0, 0
		if in.HasAudio {
			in.Tracks = []int{t.Tracks[i]}
		}
	}

	return p
}
