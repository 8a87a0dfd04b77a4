package interchange

import (
	"bufio"
	"fmt"
	"math"
	"path"
	"strings"
)

// edlStart is the start timecode of the edited video in seconds: one hour, as editors expect.
const edlStart = 3600

// writeEDL writes the main track as a CMX 3600 edit decision list. Disabled clips are gaps. The
// format does not hold the rate, so a comment states it.
func writeEDL(w *bufio.Writer, t Timeline, _ Options) error {
	mode := "NON-DROP FRAME"
	if t.Drop {
		mode = "DROP FRAME"
	}
	rate := decimal(math.Round(t.Rate.Float()*1000) / 1000)
	fmt.Fprintf(w, "TITLE: %s\nFCM: %s\n* RATE: %s\n\n", edlText(t.Name), mode, rate)
	first := edlStart * nominalFPS(t.Rate)
	if tc, ok := ParseTimecode("01:00:00;00", t.Rate); t.Drop && ok {
		first = tc.Frame
	}
	names := reelNames(t.Sources)
	event := 0
	for _, c := range t.Clips {
		if c.Disabled || c.empty() {
			continue
		}
		s := t.Sources[c.Source]
		event++
		label := func(frame int64) string {
			return Timecode{s.Origin + frame, s.Timecode.Drop && t.Drop}.Label(t.Rate)
		}
		fmt.Fprintf(w, "%03d  %-8s %-5s C        %s %s %s %s\n", event, names[c.Source], edlChannels(s),
			label(c.In), label(c.Out), t.timecode(first+c.Start), t.timecode(first+c.End()))
		t.openShot(w, event, c)
		fmt.Fprintf(w, "* FROM CLIP NAME: %s\n", edlText(s.Name))
		fmt.Fprintf(w, "* SOURCE FILE: %s\n", edlText(s.Path))
		for _, n := range c.cuts() {
			fmt.Fprintf(w, "* COMMENT: %s\n", edlText(n.text()))
		}
	}

	return nil
}

// openShot writes an event for OpenShot as comments. Its importer takes events of video or audio
// with the reel AX only, also within comments. It reads times of the file and of the timeline from
// 0, as seconds of the clock and frames at the exact rate.
func (t Timeline) openShot(w *bufio.Writer, event int, c Clip) {
	clock := func(frame int64) string {
		seconds := frame * t.Rate.Den / t.Rate.Num
		rest := float64(frame) - float64(seconds)*t.Rate.Float()
		frames := decimal(math.Round(rest*1e6) / 1e6)
		return fmt.Sprintf("%02d:%02d:%02d:%s", seconds/3600, seconds/60%60, seconds%60, frames)
	}
	for _, kind := range []string{"V", "A"} {
		s := t.Sources[c.Source]
		if (kind == "V" && s.Info.Video != nil) || (kind == "A" && s.Info.Audio != nil) {
			fmt.Fprintf(w, "* OPENSHOT: %03d AX %s C %s %s %s %s\n", event, kind,
				clock(c.In), clock(c.Out), clock(c.Start), clock(c.End()))
		}
	}
}

// edlChannels returns the channels of an event: A for audio, AA for stereo, V for video.
func edlChannels(s Source) string {
	audio := strings.Repeat("A", min(s.channels(0), 2))
	switch {
	case s.Info.Video == nil:
		return audio
	case audio == "":
		return "V"
	}

	return audio + "/V"
}

// edlText returns a text on one line.
func edlText(text string) string { return strings.Join(strings.Fields(text), " ") }

// maxReel is the length of a reel name in characters.
const maxReel = 8

// reelNames returns a unique reel name for each source: up to eight capital letters and digits of
// its file name, which older systems require.
func reelNames(sources []Source) (names []string) {
	used := map[string]bool{"AX": true, "BL": true} // no reel, and black
	for i, s := range sources {
		base := strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z':
				return r - 'a' + 'A'
			case (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9'):
				return r
			}

			return -1
		}, strings.TrimSuffix(s.Name, path.Ext(s.Name)))
		if base == "" {
			base = "CLIP" + num(i+1)
		}
		name := base[:min(len(base), maxReel)]
		for n := 2; used[name]; n++ {
			suffix := num(n)
			name = base[:min(len(base), maxReel-len(suffix))] + suffix
		}

		used[name] = true
		names = append(names, name)
	}

	return names
}
