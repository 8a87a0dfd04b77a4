package media_test

import (
	"testing"

	"roughcut/media"
)

// Special characters in captions do not break subtitle files.
func TestSubtitleFilesEscapeCaptions(t *testing.T) {
	captions := []media.Caption{
		{Text: "one & two", StartMS: 0, EndMS: 1005},
		{Text: "a <i>b</i> --> c\nsecond row", StartMS: 3_723_004, EndMS: 3_724_000},
	}
	for name, c := range map[string]struct{ got, want string }{
		"srt": {
			media.SRT(captions),
			"1\n00:00:00,000 --> 00:00:01,005\none & two\n\n" +
				"2\n01:02:03,004 --> 01:02:04,000\na <i>b</i> → c\nsecond row\n\n",
		},
		"vtt": {
			media.VTT(captions),
			"WEBVTT\n\n00:00:00.000 --> 00:00:01.005\none &amp; two\n\n" +
				"01:02:03.004 --> 01:02:04.000\na &lt;i&gt;b&lt;/i&gt; --&gt; c\nsecond row\n\n",
		},
		"txt": {media.PlainText(captions), "one & two\na <i>b</i> --> c second row\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s = %q, want %q", name, c.got, c.want)
		}
	}
}
