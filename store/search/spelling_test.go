package search

import (
	"math/rand/v2"
	"testing"
)

// TestPrefixedAutomatonMatchesSimilarWords compares the automaton with computed distances, for
// words after the key of a user. The key must match exactly.
func TestPrefixedAutomatonMatchesSimilarWords(t *testing.T) {
	const key = "Ab3_"
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("abé")
	word := func(n int) string {
		w := make([]rune, n)
		for i := range w {
			w[i] = letters[random.IntN(len(letters))]
		}
		return string(w)
	}
	matched := 0
	for range 3000 {
		asked := word(4 + random.IntN(6))
		dfa, err := spellings{}.of(asked)
		if err != nil {
			t.Fatal(err)
		}
		changes := 1
		if len([]rune(asked)) >= 8 {
			changes = 2
		}
		a := prefixed{key, dfa}
		other := asked
		for range random.IntN(4) {
			at, runes := random.IntN(len([]rune(other))), []rune(other)
			other = string(runes[:at]) + word(random.IntN(3)) + string(runes[at+1:])
			if other == "" {
				other = word(1)
			}
		}
		want := distance([]rune(asked), []rune(other)) <= changes
		if got := accepts(a, key+other); got != want {
			t.Fatalf("%q is similar to %q: %v, want %v", other, asked, got, want)
		}
		if want {
			matched++
		}
		for _, wrong := range []string{"ab3_" + asked, "Ab3" + asked, "Ab3__" + asked, key[:2], asked} {
			if wrong != key+asked && accepts(a, wrong) &&
				!(wrong == "Ab3__"+asked && distance([]rune(asked), []rune("_"+asked)) <= changes) {
				t.Fatalf("%q matches %q after the key %q", wrong, asked, key)
			}
		}
	}
	if matched < 100 {
		t.Fatalf("only %d of the words were similar", matched)
	}
	if dfa, err := (spellings{}).of("abc"); dfa != nil || err != nil {
		t.Errorf("a word of three letters has an automaton: %v, %v", dfa, err)
	}
}

func accepts(a prefixed, text string) bool {
	state := a.Start()
	for i := range len(text) {
		if !a.CanMatch(state) {
			return false
		}
		state = a.Accept(state, text[i])
	}
	return a.IsMatch(state)
}

// distance returns the optimal string alignment distance: the number of letters that are added,
// removed or replaced, and of neighbors that are swapped.
func distance(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
			default:
				same := 1
				if a[i-1] == b[j-1] {
					same = 0
				}
				d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+same)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d[i][j] = min(d[i][j], d[i-2][j-2]+1)
				}
			}
		}
	}
	return d[len(a)][len(b)]
}
