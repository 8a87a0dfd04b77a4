package subtitle

import (
	"errors"
	"testing"
	"unicode/utf8"
)

// A file is read into lines and words with times in order, or refused with a reason.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"1\n00:00:01,000 --> 00:00:02,500\nHello <i>there</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nAgain\n",
		"WEBVTT\n\nNOTE x\n\n00:01.000 --> 00:02.000 align:left\n<v Ada>Hello <00:01.500>there</v>\n",
		`{"segments":[{"start":0.5,"end":1.5,"text":"Hi","speaker":"A","words":[{"word":"Hi","start":0.5,"end":1}]}]}`,
		`{"language":"en","transcription":[{"offsets":{"from":0,"to":900},"text":" Hello"}]}`,
		`{"version":1,"language":"en","words":[{"text":"Hello","start_ms":0,"end_ms":400}]}`,
		"1\n0:0:1.0-->0:0:2\n[Music]\n\n2\n0:0:2-->0:0:3\n([a] (b)) (c)\n- (d) *e* hi — [ __ ]\n",
		"\xff\xfeH\x00i\x00", "\xef\xbb\xbf1\r\n0:0:1.0-->0:0:2\r\nHi",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := ReadTranscript(data)
		if err != nil {
			var reason *Fault
			if !errors.As(err, &reason) || reason.Error() == "" {
				t.Errorf("refused with %v", err)
			}
			return
		}
		last := int64(0)
		for _, line := range read.Lines {
			if line.StartMS < last || line.EndMS <= line.StartMS || line.EndMS > maxMS ||
				!utf8.ValidString(line.Text) {
				t.Errorf("line %+v after %d ms", line, last)
			}
			last = line.StartMS
		}
		at := 0
		for _, word := range read.Words {
			if word.Line < at || word.Line >= len(read.Lines) || word.EndMS < word.StartMS ||
				!utf8.ValidString(word.Text) {
				t.Errorf("word %+v, the one before is of line %d of %d", word, at, len(read.Lines))
			}
			at = word.Line
		}
	})
}
