package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"roughcut/media"
)

// channelNotes returns what a person should know about the channels of the recordings: which one
// has the voice alone, whether they are opposite, and which ones are not heard.
func channelNotes(clips []media.RenderClip, bothEars bool) (lines []string) {
	for _, clip := range clips {
		a, name := clip.Info.Audio, filepath.Base(clip.Path)
		if a == nil {
			continue
		}
		if a.Microphones {
			const note = "%s has a voice on its channel for low frequencies, so all channels are mixed equally."
			lines = append(lines, fmt.Sprintf(note, name))
		}

		if len(a.Unheard) > 0 {
			names, verbs := channelNames(a), "never pauses and has no voice"
			if len(a.Unheard) > 1 {
				verbs = "never pause and have no voice"
			}
			lines = append(lines, fmt.Sprintf("%s: the analysis does not hear %s, which %s.", name, names, verbs))
		}

		switch {
		case a.VoiceOn == "" || bothEars:
		case a.Opposite:
			lines = append(lines, fmt.Sprintf(
				"%s has opposite channels, which cancel each other out on one loudspeaker; --both-ears repairs it.",
				name,
			))
		default:
			lines = append(lines, fmt.Sprintf(
				"%s has its voice on the %s channel only; --both-ears puts it on both sides.", name, a.VoiceOn,
			))
		}
	}

	isOneSided := func(c media.RenderClip) bool { return c.Info.Audio != nil && c.Info.Audio.VoiceOn != "" }
	if bothEars && !slices.ContainsFunc(clips, isOneSided) {
		lines = append(lines, "No recording has its voice on one channel only, so --both-ears changes nothing.")
	}
	return lines
}

// channelNames names the channels that are not heard.
func channelNames(a *media.AudioInfo) string {
	var names []string
	for _, channel := range a.Unheard {
		names = append(names, fmt.Sprint("channel ", channel+1))
	}

	if a.Channels == 2 {
		return "the " + []string{media.VoiceLeft, media.VoiceRight}[a.Unheard[0]] + " channel"
	}
	return inSentence(names)
}
