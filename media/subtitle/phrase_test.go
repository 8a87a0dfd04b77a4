package subtitle

import (
	"testing"

	"roughcut/media"
)

// Spaces between phrases stay in scripts that have none between words.
func TestSpacesBetweenPhrasesStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, want string }{
		"cues": {"WEBVTT\n\n00:00.000 --> 00:02.000\nสวัสดีครับ วันนี้\n\n00:02.000 --> 00:04.000\nเปิดโปรแกรม\n",
			"สวัสดีครับ วันนี้ เปิดโปรแกรม"},
		"cues of Chinese": {"1\n00:00:00,000 --> 00:00:02,000\n你好 今天\n\n2\n00:00:02,000 --> 00:00:04,000\n我们\n",
			"你好 今天我们"},
		"times within a cue": {"WEBVTT\n\n00:00.000 --> 00:04.000\n" +
			"สวัสดี<00:01.000>ครับ <00:02.000>วันนี้<00:03.000> เปิด\n", "สวัสดีครับ วันนี้ เปิด"},
		"rolling cues": {"WEBVTT\n\n00:00.000 --> 00:02.000\nสวัสดี ครับ\n\n00:02.000 --> 00:02.010\nสวัสดี ครับ\n\n" +
			"00:02.010 --> 00:04.000\nสวัสดี ครับ\nเปิด โปรแกรม\n", "สวัสดี ครับ เปิด โปรแกรม"},
		"a dash": {"WEBVTT\n\n00:00.000 --> 00:02.000\nสวัสดี – วันนี้\n", "สวัสดี – วันนี้"},
		"words of Whisper": {`{"segments": [{"start": 0, "end": 2, "text": "สวัสดีครับ วันนี้", "words": [
			{"word": "สวัสดี", "start": 0, "end": 0.5}, {"word": "ครับ", "start": 0.5, "end": 1},
			{"word": " วันนี้", "start": 1, "end": 2}]}]}`, "สวัสดีครับ วันนี้"},
		"a segment of Whisper": {
			`{"segments": [{"start": 0, "end": 2, "text": "สวัสดีครับ วันนี้"}]}`, "สวัสดีครับ วันนี้",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := ReadTranscript([]byte(c.file))
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, w := range m.Words {
				texts = append(texts, w.Text)
			}
			if got := media.JoinWords(texts); got != c.want {
				t.Errorf("the words are %q, want %q", got, c.want)
			}
		})
	}
}
