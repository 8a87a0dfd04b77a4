package cli

import (
	"slices"
	"testing"

	"roughcut/media"
)

// A cut says which recordings --both-ears would change, and which channels are not heard.
func TestCutsTellOfChannels(t *testing.T) {
	clip := func(name string, a media.AudioInfo) media.RenderClip {
		return media.RenderClip{Path: "/recordings/" + name, Info: media.Info{Audio: &a}}
	}
	left := clip("left.wav", media.AudioInfo{Channels: 2, VoiceOn: media.VoiceLeft})
	opposite := clip("opposite.wav", media.AudioInfo{Channels: 2, VoiceOn: media.VoiceRight, Opposite: true})
	code := clip("code.mov", media.AudioInfo{Channels: 2, VoiceOn: media.VoiceLeft, Unheard: []int{1}})
	several := clip("several.wav", media.AudioInfo{Channels: 4, Unheard: []int{0, 3}})
	usual := clip("usual.mp4", media.AudioInfo{Channels: 2})
	const (
		leftLine     = "left.wav has its voice on the left channel only; --both-ears puts it on both sides."
		oppositeLine = "opposite.wav has opposite channels, which cancel each other out on one loudspeaker; " +
			"--both-ears repairs it."
		codeLine    = "code.mov: the analysis does not hear the right channel, which never pauses and has no voice."
		codeLeft    = "code.mov has its voice on the left channel only; --both-ears puts it on both sides."
		severalLine = "several.wav: the analysis does not hear channel 1 and channel 4, " +
			"which never pause and have no voice."
		noneLine = "No recording has its voice on one channel only, so --both-ears changes nothing."
	)
	for name, c := range map[string]struct {
		clips    []media.RenderClip
		bothEars bool
		want     []string
	}{
		"all": {
			[]media.RenderClip{left, opposite, code, several, usual}, false,
			[]string{leftLine, oppositeLine, codeLine, codeLeft, severalLine},
		},
		"chosen":  {[]media.RenderClip{left, opposite, usual}, true, nil},
		"useless": {[]media.RenderClip{usual, several}, true, []string{severalLine, noneLine}},
		"silent":  {[]media.RenderClip{{Path: "a.mp4"}}, false, nil},
	} {
		if got := channelNotes(c.clips, c.bothEars); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
