package detect

import (
	"testing"

	"roughcut/media"
)

// In scripts without blanks, a reason quotes the phrase next to a pause.
func TestReasonsQuotePhrases(t *testing.T) {
	words := func(texts ...string) (out []media.Word) {
		for i, text := range texts {
			start := int64(100 * i)
			out = append(out, media.Word{Text: text, StartMS: start, EndMS: start + 100})
		}
		return out
	}
	for want, texts := range map[string][]string{
		"話します":     {"今", "日", "は", "話", "し", "ま", "す。"},
		"スマートフォン":  {"これ", "が", "スマートフォン"},
		"摄像头今天非常好": {"我", "们", "的", "摄", "像", "头", "今", "天", "非", "常", "好"},
		"table":    {"the", "small", "table."},
	} {
		spoken := talk{Evidence: Evidence{Words: words(texts...)}}
		if got := spoken.wordBefore(10_000); got != want {
			t.Errorf("after %q, got %q", texts, got)
		}
	}

	spoken := talk{Evidence: Evidence{Words: words("次", "は", "声", "で", "す")}}
	if got := spoken.wordAfter(0); got != "次は" {
		t.Errorf("before the talk, got %q", got)
	}
}
