package media

import (
	"slices"
	"strings"
	"testing"
)

func TestWordsAreJoinedAsTheirScriptsAre(t *testing.T) {
	for words, want := range map[string]string{
		"so today we":           "so today we",
		"今 天 很 好。 你 呢":          "今天很好。你呢",
		"コン ピ ュー タ":             "コンピュータ",
		"これ は Google の AI です 。": "これはGoogleのAIです。",
		"Google Cloud を":        "Google Cloudを",
		"3 月 5 日":               "3月5日",
		"彼 は 「 はい 」 と":          "彼は「はい」と",
		"오늘은 날씨가 좋다":            "오늘은 날씨가 좋다",
		"สวัสดี ครับ":           "สวัสดีครับ",
		"ใช้ iPhone ใหม่":       "ใช้ iPhone ใหม่",
		"so… “what” now":        "so… “what” now",
		"yes, 私":                "yes, 私",
		"שלום עולם":             "שלום עולם",
	} {
		if got := JoinWords(strings.Fields(words)); got != want {
			t.Errorf("%q is %q, want %q", words, got, want)
		}
	}
}

func TestTextsAreSplitWhereWordsEnd(t *testing.T) {
	for text, want := range map[string]string{
		"So today, we":      "So|today,|we",
		"well-known fact":   "well-known|fact",
		"今天很好。你呢？":          "今|天|很|好。|你|呢？",
		"コンピュータを使う":         "コンピュータ|を|使|う",
		"きょうのﾃﾞｰﾀ":          "きょ|う|の|ﾃﾞｰﾀ",
		"これはGoogle Cloudです": "こ|れ|は|Google|Cloud|で|す",
		"「はい」と言った":          "「は|い」|と|言っ|た",
		"인공지능이 좋다":          "인공지능이|좋다",
		"สวัสดีครับ วันนี้": "สวัสดีครับ |วันนี้",
		"你好 今天 OK":          "你|好 |今|天 |OK",
	} {
		got := SplitWords(text)
		if strings.Join(got, "|") != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
		if joined := JoinWords(got); joined != text {
			t.Errorf("the words of %q are joined to %q", text, joined)
		}
	}
}

func TestLinesEndWhereWordsEnd(t *testing.T) {
	for pair, want := range map[string]bool{
		"so today": true, "今 天": true, "コン ピ": false, "ピ ュ": false, "を 使": true, "は 「": true, "「 は": false,
		"天 。": false, "データ ベース": false, "ภาษา ไทย": true, "は Google": true, "말 이": true,
		"တ ည်း": false, "တည်း ဖြတ်": true, "မင်္ဂ လာ": true, "ကမ် ္မ": false, "က မ္မ": false, "ភ្ ញៀវ": false,
		"កាមេរ៉ា ថ្មី": true, "เ ปิด": false, "ม า": false, "รั บ": false, "ตั้ ง": false, "เตอ ร์": false,
		"ครับ วัน": true,
		"ແ ມ່ນ":    false, "ມື້ ນີ້": true, "วัน ๆ": false,
	} {
		before, after, _ := strings.Cut(pair, " ")
		if got := MayBreak(before, after); got != want {
			t.Errorf("between %q and %q: %v, want %v", before, after, got, want)
		}
	}
	if got := LineBreaks("今日はコンピュータ。AI 人"); !slices.Equal(got, []int{3, 6, 9, 30, 33}) {
		t.Errorf("breaks at %v", got)
	}
}
