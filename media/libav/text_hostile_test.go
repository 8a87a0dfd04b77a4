package libav

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"roughcut/media"
	"roughcut/media/fonts"
	"roughcut/media/mediatest"
)

// hostileTexts are captions that try to be more than text.
func hostileTexts() map[string]string {
	return map[string]string{
		"moved up":            `{\an8}up{\pos(10,10)}`,
		"drawing":             `{\p1}m 0 0 l 100000 0 100000 100000 0 100000{\p0}`,
		"drawing at once":     `{\p1}m 0 0 l 9 9`,
		"huge":                `{\fs20000\bord5000\blur500}X`,
		"hidden":              `{\alpha&HFF&}hidden`,
		"colored":             `{\1c&H0000FF&\3c&H00FF00&}red`,
		"faded":               `{\fad(9000,9000)}faded`,
		"animated":            `{\t(0,1000,\fscx5000)}wide`,
		"clipped":             `{\clip(0,0,1,1)}clipped`,
		"turned":              `{\frz90\frx45}turned`,
		"karaoke":             `{\k100}ka{\kf100}ra`,
		"another style":       `{\rOther}reset`,
		"a font file":         `{\fn/etc/passwd}x`,
		"unclosed":            `{\an8 up`,
		"unopened":            `\an8} up`,
		"empty tags":          `a{}b{ }c`,
		"nested":              `{{\an8}}{\{\an8}}`,
		"rows":                `a\Nb\nc\hd`,
		"escaped":             `\{\an8}\\{\an8}`,
		"backslash at end":    `the end\`,
		"brace at end":        `the end{`,
		"many backslashes":    strings.Repeat(`\`, 30) + "N",
		"printf":              `%{x} %s %n %x %99999d`,
		"drawtext":            `%{localtime} %{pts\:hms} %{eif\:n\:d} text='x':fontfile=/etc/passwd`,
		"filter graph":        `',[in]movie=/etc/passwd[out];`,
		"a file":              `file:///etc/passwd`,
		"shell":               `$(id) ; rm -rf / | "quotes" 'single'`,
		"html":                `<script>alert(1)</script><b>&amp;`,
		"entity":              `<!ENTITY x SYSTEM "file:///etc/passwd">&x;`,
		"script section":      "[Script Info]\n[Events]\nDialogue: 0,0:00:00.00,9:00:00.00,x,,0,0,0,,{\\an8}line",
		"font section":        "[Fonts]\nfontname: x.ttf\n\"\"\"\"",
		"webvtt":              "WEBVTT\n\n00:00.000 --> 99:00.000 line:0\nup",
		"kinds of new lines":  "a\rb\r\nc\u2028d\u2029e\u0085f\vg\fh",
		"nul":                 "before\x00after",
		"control":             "a\x01\x08\x1b[31mred\x7f",
		"not utf-8":           "a\xff\xfe\xc3(b",
		"right to left":       "שלום \u202eabc\u202c مرحبا \u2067x\u2069",
		"overridden":          "\u202e{\\an8}\u202d backwards",
		"invisible":           "a\u200b\u200c\u200d\u2060\ufeffb\u00ad\u034fc",
		"emoji":               "👩‍👩‍👧 🎉🏳️‍🌈 🇫🇷🇯🇵 👍🏽",
		"marks":               "a" + strings.Repeat("\u0315\u0316", 5000),
		"marks first":         strings.Repeat("\u0301", 50) + "e",
		"cjk":                 "你好世界 こんにちは、世界。",
		"endless cjk":         strings.Repeat("今日は良い天気ですね。", 100),
		"wide letters":        strings.Repeat("﷽", 60) + strings.Repeat("𒐫", 60),
		"long":                strings.Repeat("endless words ", 800),
		"one word":            strings.Repeat("W", 10_000),
		"an address":          "https://example.com/" + strings.Repeat("a-rather-long-path/", 20) + "?q={x}",
		"many rows":           strings.Repeat("W\n", 5000),
		"tags without end":    strings.Repeat(`{\an8}`, 2000),
		"braces without end":  strings.Repeat("{", 10_000),
		"slashes without end": strings.Repeat(`\N`, 5000),
	}
}

// hostilePlan shows a text for a second and a half. It shows the text word by word if the style
// highlights words and words is set. The spoken word is almost white.
func hostilePlan(t testing.TB, text string, style media.CaptionOptions, byWord bool) media.RenderPlan {
	t.Helper()
	style.Color = [3]uint8{255, 255, 254}
	settings := &media.CaptionTrack{Options: style, Lines: []media.CaptionLine{{Text: text, StartMS: 0, EndMS: 1500}}}
	if byWord {
		said := strings.Fields(media.CleanCaption(text))
		for i, w := range said {
			at := func(i int) int64 { return int64(i * 1400 / len(said)) }
			settings.Words = append(settings.Words, media.Word{Text: w, StartMS: at(i), EndMS: at(i + 1)})
		}
	}
	plan := captionPlan(t, "16:9", 360, settings)
	if byWord && len(plan.Captions) == 1 && len(plan.Captions[0].Words) == 0 {
		t.Error("the words of the caption were not found in it")
	}
	return plan
}

// ink marks the pixels of a drawing that differ from the frame without text.
type ink struct {
	width, height int
	there         []bool
}

func inkOf(plan media.RenderPlan, drawn, blank []byte) ink {
	k := ink{plan.Width, plan.Height, make([]bool, plan.Width*plan.Height)}
	for i := range k.there {
		k.there[i] = drawn[i] > blank[i]+8 || drawn[i]+8 < blank[i]
	}
	return k
}

// in counts the marked pixels in a region, given in fractions of the frame.
func (k ink) in(x0, y0, x1, y1 float64) (n int) {
	w, h := float64(k.width), float64(k.height)
	for y := int(y0 * h); y < int(y1*h); y++ {
		for x := int(x0 * w); x < int(x1*w); x++ {
			if k.there[y*k.width+x] {
				n++
			}
		}
	}
	return n
}

// No text of a user has any effect beyond text. It stays in the caption area, completely within the
// frame, and disappears on time. A text drawn word by word looks the same as in one piece, so tags
// that are split among words have no effect either.
func TestHostileCaptionsAreDrawnAsText(t *testing.T) {
	withoutFonts(t)
	blank := drawTextAt(t, captionPlan(t, "16:9", 360, nil), 0)
	for name, text := range hostileTexts() {
		t.Run(name, func(t *testing.T) {
			plan := hostilePlan(t, text, media.CaptionOptions{StyleName: highlightStyle(t), FontSize: 40}, false)
			whole := drawTextAt(t, plan, 20)
			k := inkOf(plan, whole, blank)
			if k.in(0, 0.6, 1, 1) == 0 {
				t.Error("no text is shown")
			}
			if len([]rune(text)) < 100 && k.in(0, 0, 1, 0.45) > 0 {
				t.Error("text is at the top: a tag took effect")
			}
			const edge = 0.02
			if k.in(0, 0, edge, 1)+k.in(1-edge, 0, 1, 1)+k.in(0, 0, 1, edge)+k.in(0, 1-edge, 1, 1) > 0 {
				t.Error("text reaches the edge, so that some of it may be cut off")
			}
			if over := drawTextAt(t, plan, 50); !bytes.Equal(over, blank) {
				t.Error("it stays")
			}
			words := drawTextAt(t, hostilePlan(t, text, plan.CaptionOptions, true), 20)
			if db := psnr(whole, words); db < 35 {
				t.Errorf("word by word it differs: %.1f dB", db)
			}
		})
	}
}

// Every letter of a hostile text is drawn: the drawing grows with each visible letter. No letter is
// swallowed as part of a tag.
func TestHostileCaptionsAreDrawnInFull(t *testing.T) {
	withoutFonts(t)
	r, err := newRuler(captionStyle(captionPlan(t, "16:9", 360, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	r.frame(8192, 256)
	r.wrap(false)
	for name, text := range hostileTexts() {
		t.Run(name, func(t *testing.T) {
			shown := []rune(strings.ReplaceAll(media.CleanCaption(text), "\n", " "))
			last := 0
			for i := range min(len(shown), 60) {
				width, _ := r.extent(escapeASS(string(shown[:i+1])), r.style)
				if c := shown[i]; c < unicode.MaxASCII && unicode.IsGraphic(c) && c != ' ' && width <= last {
					t.Fatalf("%q is as wide as without its last letter", string(shown[:i+1]))
				}
				last = max(last, width)
			}
		})
	}
}

// A word that is wider than the frame continues on the next line with all its letters. Text that is
// then too high shrinks. Text that fits stays unchanged.
func TestOverlongWordsAreBroken(t *testing.T) {
	withoutFonts(t)
	for _, c := range []struct {
		name, text   string
		size         int
		rows, larger int // minimum number of lines after breaking; 1 if it shrinks
	}{
		{"fits", "a short line", 40, 1, 0},
		{
			"an address",
			"see https://example.com/a/rather/long/path/to/something/that/nobody/reads/aloud/ there", 100, 2, 0,
		},
		{"letters", strings.Repeat("W", 60), 100, 3, 0},
		{"cjk", strings.Repeat("今日は良い天気ですね", 5), 100, 2, 0},
		{"very many", strings.Repeat("W", 400), 150, 5, 1},
		{"words", strings.Repeat("so many words ", 35), 150, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := hostilePlan(t, c.text, media.CaptionOptions{FontSize: c.size}, false)
			fit, err := fitCaptions(plan, func() {})
			if err != nil {
				t.Fatal(err)
			}
			text := fit[0].Text
			if got := strings.ReplaceAll(text, "\n", ""); got != strings.TrimSpace(media.CleanCaption(c.text)) {
				t.Errorf("it became %q", got)
			}
			if rows := strings.Count(text, "\n") + 1; rows < c.rows || (c.rows == 1 && rows > 1) ||
				(fit[0].size != "") != (c.larger == 1) {
				t.Errorf("%d rows, made smaller: %q", rows, fit[0].size)
			}
		})
	}
}

// A row that is wider than the frame continues where lines may end, and gets smaller before a word
// is divided. Scripts that need a dictionary break between spoken words.
func TestWideRowsKeepTheirWords(t *testing.T) {
	withoutFonts(t)
	spoken := func(words ...string) *media.CaptionTrack {
		track := &media.CaptionTrack{Lines: []media.CaptionLine{{Text: strings.Join(words, ""), EndMS: 1500}}}
		for i, w := range words {
			track.Words = append(track.Words, media.Word{Text: w, StartMS: int64(i) * 100, EndMS: int64(i)*100 + 100})
		}
		return track
	}

	for _, c := range []struct {
		name    string
		track   *media.CaptionTrack
		size    int
		want    string
		smaller bool
	}{
		{"katakana", spoken("新しいコンピュータを使う"), 150, "新しい\nコンピュータ\nを使う", false},
		{"punctuation", spoken("今日は良い天気ですね。"), 180, "今日は良い\n天気です\nね。", false},
		{"a word that is too wide", spoken("コンピュータ"), 250, "コンピュータ", true},
		{"a word that would be tiny", spoken("スーパーコンピュータセンター"), 220, "スーパー\nコン\nピュータ\nセンター", false},
		{"hyphens", spoken("state-of-the-art"), 220, "state-of-\nthe-art", false},
		{"spoken words", spoken("สวัสดี", "ครับ", "ทุกคน"), 170, "สวัสดีครับ\nทุกคน", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.track.Options = media.CaptionOptions{FontSize: c.size}
			fit, err := fitCaptions(captionPlan(t, "9:16", 360, c.track), func() {})
			if err != nil {
				t.Fatal(err)
			}
			if fit[0].Text != c.want || (fit[0].size != "") != c.smaller {
				t.Errorf("it became %q %s, want %q", fit[0].Text, fit[0].size, c.want)
			}
		})
	}
}

// A letter is never separated from its marks, nor from its syllable in Burmese. An emoji sequence
// is never split, and no line starts with a full stop.
func TestGraphemesAreNotSplit(t *testing.T) {
	for word, want := range map[string][]string{
		"abc":      {"a", "b", "c"},
		"e\u0301a": {"e\u0301", "a"},
		"👩‍👩‍👧x":   {"👩‍👩‍👧", "x"},
		"👍🏽🎉":      {"👍🏽", "🎉"},
		"です。ね":     {"で", "す。", "ね"},
		"တည်းဖြတ်": {"တည်း", "ဖြတ်"},
		"เปิดตั้ง": {"เปิ", "ด", "ตั้ง"},
	} {
		var got []string
		from := 0
		for _, end := range letterEnds(word) {
			got, from = append(got, word[from:end]), end
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q is divided as %q, not %q", word, got, want)
		}
	}
}

// A font is a name. If the name is a path, that file is not opened, and the text looks as with any
// unknown font.
func TestFontNameOpensNoFile(t *testing.T) {
	withoutFonts(t)
	heaviest, err := fonts.Read("Inter-ExtraBold.ttf")
	if err != nil {
		t.Fatal(err)
	}
	bait := writeFile(t, "bait.ttf", heaviest)
	past := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(bait, past, past); err != nil {
		t.Fatal(err)
	}
	plain := drawTextAt(t, hostilePlan(t, "Hello", media.CaptionOptions{Font: "no such font"}, false), 10)
	for _, font := range []string{
		bait, "@" + bait, "file://" + bait, "../" + filepath.Base(bait), `x\fs200`, "{\\an8}",
		strings.Repeat("x", 10_000), "%s%n", ":charset=0", "Inter\x00" + bait,
	} {
		if !bytes.Equal(plain, drawTextAt(t, hostilePlan(t, "Hello", media.CaptionOptions{Font: font}, false), 10)) {
			t.Errorf("%.40q differs", font)
		}
	}
	if at, ok := accessTime(bait); ok && at.After(past.Add(time.Hour)) {
		t.Error("the file was read")
	}
}

// For any text, an export takes at most twice the time of one with a plain caption.
func TestTimingHostileCaptions(t *testing.T) {
	mediatest.NeedsTiming(t)
	path := backdrop(t, 6)
	cost := func(text string) time.Duration {
		plan := makePlan(
			t,
			nil,
			media.RenderSettings{ShortSide: 720, AspectRatio: "16:9", Captions: &media.CaptionTrack{
				Options: media.CaptionOptions{
					StyleName: boxedStyle(t),
					Color:     [3]uint8{255, 255, 255},
				},
				Lines: []media.CaptionLine{{Text: text, StartMS: 0, EndMS: 6000}},
			}},
			path,
		)
		return mediatest.MeasureFunc(t, func() error {
			_, err := New(WithThreads(1)).Render(context.Background(), plan, filepath.Join(t.TempDir(), "out.mp4"), nil)
			return err
		}).CPU
	}
	// Searching the fonts for another script takes a quarter of a second, whatever the text.
	const latin, other = "the light in this kitchen is not very good", "今日は良い天気ですね"
	plain := map[bool]time.Duration{true: max(cost(latin), cost(latin)), false: max(cost(other), cost(other))}
	for name, text := range hostileTexts() {
		ours := !strings.ContainsFunc(text, func(c rune) bool { return !hasUsualWidth(c) })
		took := cost(text)
		for tries := 0; took > 2*plain[ours] && tries < 2; tries++ {
			took = min(took, cost(text))
		}
		t.Logf("%s: %.2f of a plain caption", name, took.Seconds()/plain[ours].Seconds())
		if took > 2*plain[ours] {
			t.Errorf("%s takes %v, a plain caption %v", name, took, plain[ours])
		}
	}
}
