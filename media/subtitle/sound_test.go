package subtitle

import (
	"strings"
	"testing"
)

// Descriptions of sounds are not spoken, and take no time from the words beside them.
func TestDescriptionsOfSoundsAreNotSpoken(t *testing.T) {
	for name, c := range map[string]struct {
		list []string
		want string // the words
		such string // the description that the warning names
	}{
		"a cue of its own": {
			[]string{"0 2000 [Music]", "2000 3000 so today", "3000 4000 <i>[MUSIC]</i>"}, "so|today", "[Music]",
		},
		"beside words": {
			[]string{"0 2000 [Music] so today", "2000 3000 we look [Bell]"}, "so|today|we|look", "[Music]",
		},
		"in a row": {
			[]string{"0 2000 so today|(laughs)", "2000 3000 - (loud music)|- we look"},
			"so|today|- we|look", "(laughs)",
		},
		"at the start": {[]string{"0 2000 (laughs) so", "2000 3000 &gt;&gt; (a bell) we"}, "so|we", "(laughs)"},
		"a long one": {
			[]string{"0 2000 (speaks in a foreign language)", "2000 3000 so|[a bell]"},
			"so", "(speaks in a foreign language)",
		},
		"over two rows": {
			[]string{"0 2000 [upbeat|music]", "2000 3000 (a crowd|cheers loudly) ", "3000 4000 so"},
			"so", "[upbeat music]",
		},
		"stars": {[]string{"0 2000 *laughs*", "2000 3000 so", "3000 4000 *sighs*"}, "so", "*laughs*"},
		"nested": {
			[]string{"0 2000 ([Music] plays)", "2000 3000 so", "3000 4000 [a bell (far)]"}, "so", "([Music] plays)",
		},
		"wide brackets": {[]string{"0 2000 ［音楽］", "2000 3000 （拍手）", "3000 4000 so"}, "so", "［音楽］"},
		"notes":         {[]string{"0 2000 ♪ ♪", "2000 3000 so", "3000 4000 ♫"}, "so", "♪ ♪"},
		"marks alone":   {[]string{"0 2000 ...", "2000 3000 so", "3000 4000 —"}, "so", ""},
		"rolling": {
			[]string{"0 2000 [Music]", "2010 4000 [Music]|so today", "4010 6000 so today|we", "6010 8000 we|look"},
			"so|today|we|look", "[Music]",
		},
		"an aside": {
			[]string{"0 2000 we went (as you know)|(and that was late then) home"},
			"we|went|(as|you|know)|(and|that|was|late|then)|home", "",
		},
		"a speaker in brackets": {[]string{"0 2000 [Ann]: so", "2000 3000 (Bob): we"}, "so|we", ""},
		"a hidden word":         {[]string{"0 2000 what the [ __ ] is it"}, "what|the [ __ ]|is|it", ""},
		"dashes and notes":      {[]string{"0 2000 - So|- Yes", "2000 4000 ♪ la — la ♪"}, "- So|- Yes|♪ la —|la ♪", ""},
	} {
		warning := ""
		if c.such != "" {
			warning = "2 descriptions of sounds, such as “" + c.such + "”, are not read as spoken."
		}
		for _, vtt := range []bool{false, true} {
			m, err := ReadTranscript(cues(vtt, c.list...))
			var texts []string
			for _, w := range m.Words {
				texts = append(texts, w.Text)
			}
			got, warned := strings.Join(texts, "|"), strings.Join(m.Warnings, " ")
			if err != nil || got != c.want || warned != warning {
				t.Errorf("%s: %v\n got %s, %q\nwant %s, %q", name, err, got, warned, c.want, warning)
			}
		}
	}
}

// Captions keep descriptions of sounds.
func TestCaptionsKeepDescriptionsOfSounds(t *testing.T) {
	m, err := ReadCaptions(cues(true, "0 2000 [Music]", "2000 3000 (laughs) so", "3000 4000 ♪ ♪"))
	const want = "0-2000 [Music] | 2000-3000 (laughs) so | 3000-4000 ♪ ♪"
	if got := lines(m); err != nil || got != want || len(m.Warnings) > 0 {
		t.Errorf("%v, warnings %q\n got %s\nwant %s", err, m.Warnings, got, want)
	}
}

// Speech programs write descriptions and marks as words with times.
func TestDescriptionsInTimedWordsAreNotSpoken(t *testing.T) {
	m, err := ReadTranscript([]byte(`[
		{"text": " [upbeat music]", "start": 0, "end": 2, "words": [
			{"word": " [upbeat", "start": 0, "end": 1}, {"word": " music]", "start": 1, "end": 2}]},
		{"text": " So — today [laughs] we", "start": 2, "end": 5, "words": [
			{"word": " So", "start": 2, "end": 2.5}, {"word": " —", "start": 2.5, "end": 2.6},
			{"word": " today", "start": 2.6, "end": 3}, {"word": " [", "start": 3, "end": 3.1},
			{"word": "laughs", "start": 3.1, "end": 3.9}, {"word": "]", "start": 3.9, "end": 4},
			{"word": " we", "start": 4, "end": 5}]}]`))
	const want = "So —@2000-2500 today@2600-3000 we@4000-5000"
	if got := words(m); err != nil || got != want || lines(m) != "2000-5000 So — today we" {
		t.Errorf("%v, lines %s\n got %s\nwant %s", err, lines(m), got, want)
	}
}

// A file without spoken words is no transcript.
func TestOnlyDescriptionsAreRefused(t *testing.T) {
	_, err := ReadTranscript(cues(false, "0 2000 [Music]"))
	const want = "The file has no spoken words, only descriptions such as “[Music]”."
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
