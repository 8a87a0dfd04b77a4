package search

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPlainWordsAreSplitLikeTheAnalyzerSplitsThem compares the splitting of random texts of all
// kinds.
func TestPlainWordsAreSplitLikeTheAnalyzerSplitsThem(t *testing.T) {
	t.Parallel()
	l := lexiconFor(t)
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{
		"a",
		"The",
		"runner",
		"don't",
		"U.S.A.",
		"3.5",
		"x2",
		"naïve",
		"日本",
		"語",
		"テスト",
		"e\u0301",
		"\u0301",
		" ",
		"  ",
		"\t",
		"\n",
		",",
		".",
		"'",
		"_",
		"-",
		"@",
		"[z]",
		"ａｂ",
		"한국어",
		"\u200d",
		"🙂",
		"I",
	}
	for range 20_000 {
		var text strings.Builder
		for range r.IntN(8) {
			text.WriteString(parts[r.IntN(len(parts))])
			if r.IntN(3) > 0 {
				text.WriteByte(' ')
			}
		}
		want := []word{}
		for _, token := range l.plain.Analyze([]byte(text.String())) {
			want = append(want, word{string(token.Term), token.Start, token.End})
		}
		if got := l.split(text.String()); !slices.Equal(got, want) {
			t.Fatalf("%q is split into %v, want %v", text.String(), got, want)
		}
	}
}

// TestStemOfAWordEqualsItsStemInAText compares the stems of single words, which are cached, with
// the stems of the same words in whole texts.
func TestStemOfAWordEqualsItsStemInAText(t *testing.T) {
	t.Parallel()
	l := lexiconFor(t)
	for _, c := range []struct{ language, text string }{
		{"en", "The runner's dogs weren't running; they'd RUN, e.g. 3.5 miles to U.S.A. re-runs!"},
		{"de", "Die Häuser der Straße, größte Brücken und fußläufige Äpfel"},
		{"fr", "L'avion d'aujourd'hui, qu'elles chantèrent à l'école: j'étais là"},
		{"it", "L'amico dell'università parlava velocemente"},
		{"tr", "İSTANBUL'da IŞIK evlerin kitapları"},
		{"es", "Los niños corrían rápidamente por la montaña"},
		{"ru", "Быстрые лисицы прыгали через собак"},
		{"ar", "الكتاب الجديد والمكتبات"},
		{"hi", "किताबें पढ़ना लड़कियों"},
		{"ja", "東京の天気はとても良いです Testing テスト"},
		{"pt", "As canções antigas cantadas às crianças"},
		{"", "no language at all, naïve café"},
	} {
		analyzer := l.stems[c.language]
		if analyzer == nil {
			analyzer = l.plain
		}
		want := map[int]string{}
		for _, token := range analyzer.Analyze([]byte(c.text)) {
			want[token.Start] = l.fold(string(token.Term))
		}
		for range 2 { // the second time from the cache
			for _, w := range l.split(c.text) {
				if got := l.stemOf(c.language, c.text[w.start:w.end]); got != want[w.start] {
					t.Errorf(
						"%s: the stem of %q is %q, in the text %q",
						c.language,
						c.text[w.start:w.end],
						got,
						want[w.start],
					)
				}
			}
		}
	}
}
