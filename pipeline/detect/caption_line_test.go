package detect

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"roughcut/media"
)

func captionTexts(lines []media.TimedText) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return strings.Join(out, " | ")
}

func TestCaptionLinesBreakAtNaturalPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		max  int
		want string
	}{
		"at a pause": {
			"hello guys [700] welcome to my channel", 7, "hello guys | welcome to my channel",
		},
		"at punctuation": {
			"this is my camera. it is really good", 6, "this is my camera. | it is really good",
		},
		"before a conjunction": {
			"the lens is small but the picture is good", 6, "the lens is small | but the picture is good",
		},
		"evenly without natural places": {
			"one two three four five six seven", 4, "one two three four | five six seven",
		},
		"not after an article": {
			"they found the house they bought the car", 5, "they found the house | they bought the car",
		},
		"below the minimum": {"one two three four", 0, "one two | three four"},
		"chinese":           {"今 天 天 气", 20, "今天天气"},
		"katakana":          {"この コン ピュー タ を 使い ます", 3, "この | コンピュータ | を使います"},
		"mixed scripts":     {"これ は Google の AI です", 20, "これはGoogleのAIです"},
		"nothing":           {"", 5, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := captionTexts(CaptionLines(evidenceOf(c.text).Words, c.max)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestCaptionLinesNeverSpanACut(t *testing.T) {
	words := evidenceOf("we are going [300] we are going to the beach").Words
	got := CaptionLines(words, 20, media.Span{StartMS: 0, EndMS: 880})
	if captionTexts(got) != "we are going | we are going to the beach" || got[0].EndMS > 880 || got[1].StartMS < 880 {
		t.Errorf("got %+v", got)
	}
}

func TestCaptionLinesKeepTheirLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var words []media.Word
		at := int64(0)
		for range rapid.IntRange(0, 60).Draw(t, "words") {
			at += rapid.SampledFrom([]int64{0, 0, 0, 50, 130, 300, 700, 3000}).Draw(t, "gap")
			end := at + rapid.Int64Range(30, 900).Draw(t, "length")
			words = append(
				words,
				media.Word{Text: rapid.StringMatching(`[a-z]{1,14}[.,]?`).Draw(t, "text"), StartMS: at, EndMS: end},
			)
			at = end
		}
		var cuts []media.Span
		for range rapid.IntRange(0, 4).Draw(t, "cuts") {
			start := rapid.Int64Range(0, at+1).Draw(t, "cut")
			cuts = append(
				cuts,
				media.Span{StartMS: start, EndMS: start + rapid.Int64Range(1, 3000).Draw(t, "cut length")},
			)
		}
		most := rapid.IntRange(2, 20).Draw(t, "max words")
		lines := CaptionLines(words, most, cuts...)
		var all []string
		for i, l := range lines {
			fields := strings.Fields(l.Text)
			all = append(all, fields...)
			if len(fields) > most || utf8.RuneCountInString(l.Text) > 84 {
				t.Fatalf("line %q exceeds %d words or 84 characters", l.Text, most)
			}
			if l.EndMS <= l.StartMS || l.EndMS-l.StartMS > maxCaptionMS+1 {
				t.Fatalf("line %+v is empty or too long", l)
			}
			if i > 0 && l.StartMS < lines[i-1].EndMS {
				t.Fatalf("lines overlap: %+v", lines[i-1:i+1])
			}
		}
		var said []string
		for _, w := range words {
			said = append(said, w.Text)
		}
		if strings.Join(all, " ") != strings.Join(said, " ") {
			t.Fatalf("the lines contain %q, want %q", all, said)
		}
	})
}

func TestCaptionLinesHaveOneSpeaker(t *testing.T) {
	var words []media.Word
	for i, w := range [][2]string{{"hello", "Ada"}, {"there", "Ada"}, {"hi", "Bo"}, {"you", "Bo"}} {
		start := int64(i) * 300
		words = append(words, media.Word{Text: w[0], Speaker: w[1], StartMS: start, EndMS: start + 290})
	}
	if got := captionTexts(CaptionLines(words, 7)); got != "hello there | hi you" {
		t.Errorf("lines are %q", got)
	}
}

// Lines of Chinese and Japanese that must be divided end after punctuation, endings and particles,
// and else near the middle. Each ideograph is a word of the setting.
func TestIdeographsAreDividedWherePhrasesEnd(t *testing.T) {
	for text, want := range map[string]string{
		"请您稍后再拨":        "请您稍后再拨",
		"这个号码没有人接听":     "这个号码 | 没有人接听",
		"对不起无效的分机请重试":   "对不起无效的 | 分机请重试",
		"今天我们使用它们来制作视频": "今天我们使用 | 它们来制作视频",
		"对不起，没有人接听电话":   "对不起， | 没有人接听电话",
		"番号のお客様が今日は":    "番号のお客様が | 今日は",
	} {
		var words []media.Word
		for i, word := range media.SplitWords(text) {
			words = append(words, media.Word{Text: word, StartMS: int64(i) * 200, EndMS: int64(i)*200 + 200})
		}
		if got := captionTexts(CaptionLines(words, 7)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// A line with Chinese, Japanese or Korean has at most 16 characters of full width, and the fewer
// words of the setting.
func TestWideCaptionLinesAreShort(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		most int
	}{
		"Japanese": {"今日はコンピュータのネットワークについてお話しします。最初にサーバーとクライアントの違いを見ていきましょう", 20},
		"Chinese":  {"大家好今天我们来聊一聊人工智能的历史和未来首先我们看一下第一台计算机是怎么工作的", 20},
		"Korean":   {"오늘은 인공지능의 역사와 미래에 대해서 이야기해 보겠습니다 먼저 첫 번째 컴퓨터를 살펴보겠습니다", 20},
		"few":      {"大家好今天我们来聊一聊人工智能的历史和未来", 5},
	} {
		var words []media.Word
		for i, text := range media.SplitWords(c.text) {
			words = append(words, media.Word{Text: text, StartMS: int64(i) * 200, EndMS: int64(i)*200 + 200})
		}
		lines := CaptionLines(words, c.most)
		var all []string
		for _, line := range lines {
			all = append(all, line.Text)
			width := 0.0 // a space has half of it
			for _, r := range line.Text {
				width++
				if r == ' ' {
					width -= 0.5
				}
			}
			if width > 16 || len(media.SplitWords(line.Text)) > c.most {
				t.Errorf("%s: the line %q has the width of %.1f characters, want %d words within 16",
					name, line.Text, width, c.most)
			}
		}
		if c.most == 20 && len(lines) > utf8.RuneCountInString(c.text)/10 {
			t.Errorf("%s: %d lines %q, want fuller ones", name, len(lines), all)
		}
		if got := media.JoinWords(all); got != c.text {
			t.Errorf("%s: the lines are %q, want %q", name, got, c.text)
		}
	}
}
