package mediatest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Role is the role of a word in a talk, for an editor who cuts it.
type Role byte

// The roles of words.
const (
	Fluent     Role = iota
	FalseStart      // of an attempt that breaks off
	Retake          // of a sentence that the speaker repeats
	Filler          // a sound without meaning
)

// roleMarks maps the first character of a word in the input of Script to its role.
var roleMarks = map[byte]Role{'~': FalseStart, '=': Retake}

// fillers are the fillers that the test speech model knows.
var fillers = []string{"um", "uh"}

// Script turns a talk into the language of testdata/say.sh and returns the role of each word. Each
// line of the talk is a pause in milliseconds and the words after it. "~" before a word marks a
// false start, and "=" a sentence that the speaker repeats. floorDB is the level of white noise in
// dBFS, or 0 for silence. The talk ends with endMS of noise. rate is the sample rate in hertz.
func Script(talk string, rate, floorDB, endMS int) (script string, roles []Role) {
	var out strings.Builder
	fmt.Fprintf(&out, "rate %d\n", rate)
	if floorDB != 0 {
		fmt.Fprintf(&out, "floor %d\n", floorDB)
	}
	for i, line := range strings.Split(strings.TrimSpace(talk), "\n") {
		pause, text, _ := strings.Cut(line, " ")
		var words []string
		for _, word := range strings.Fields(text) {
			role := roleMarks[word[0]]
			if role != Fluent {
				word = word[1:]
			} else if slices.Contains(fillers, word) {
				role = Filler
			}

			words, roles = append(words, word), append(roles, role)
		}

		fmt.Fprintf(&out, "pause %s\nsay en-us %d %s\n", pause, 150+5*(i%4), strings.Join(words, " "))
	}

	fmt.Fprintf(&out, "pause %d\n", endMS)
	return out.String(), roles
}

// RandomTalk generates a talk of n sentences for Script, with pauses of all lengths. About one
// sentence in six follows a false start of two to six words, with or without a pause. One in eight
// is a retake, and one in eight follows a filler.
func RandomTalk(seed uint64, n int) string {
	g := generator{rand.New(rand.NewPCG(seed, 1))}
	out := []string{"600 hello guys and welcome to my channel"}
	for range n {
		out = append(out, g.withMistake(g.sentence())...)
	}
	return strings.Join(out, "\n")
}

// generator generates sentences.
type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

// line returns a line of text after one of the pauses.
func (g generator) line(text string, pauses ...int) string {
	return fmt.Sprintf("%d %s", pauses[g.IntN(len(pauses))], text)
}

func (g generator) sentence() string {
	return strings.Join(strings.Fields(strings.Join([]string{
		g.pick("", "", "", "so", "now", "and", "but", "today", "okay"),
		g.pick("i", "we", "you", "they", "my friend", "the team", "the woman", "the family"),
		g.pick(
			"went to",
			"want to see",
			"found",
			"bought",
			"like",
			"need",
			"talk about",
			"made",
			"used",
			"tried to fix",
			"can record",
			"had to edit",
			"will test",
			"should look at",
		),
		g.pick(
			"the new camera",
			"a small house",
			"the red car",
			"some good coffee",
			"the first video",
			"a black hat",
			"the big screen",
			"my old laptop",
			"the road to the mountain",
			"another project",
			"the best microphone",
			"a great picture",
			"the office",
		),
		g.pick(
			"",
			"",
			"on monday",
			"last week",
			"in the morning",
			"with my friends",
			"after the show",
			"for three hours",
			"every day",
			"at the airport",
			"because it is cheap",
		),
	}, " ")), " ")
}

// withMistake returns the lines of a sentence, sometimes after a false start, a retake or a filler.
func (g generator) withMistake(sentence string) []string {
	words := strings.Fields(sentence)
	mark := func(sign string, words []string) string { return sign + strings.Join(words, " "+sign) }
	start := func(text string) string { return g.line(text, 320, 400, 500, 650, 800, 1000, 1300, 1800, 2600, 3500) }
	switch g.IntN(24) {
	case 0, 1, 2, 3:
		attempt := mark("~", words[:min(2+g.IntN(5), len(words)-1)])
		if g.IntN(3) == 0 {
			return []string{start(attempt + " " + sentence)}
		}
		return []string{start(attempt), g.line(sentence, 250, 350, 450, 600, 900, 1200)}
	case 4, 5, 6:
		return []string{start(mark("=", words)), g.line(sentence, 500, 800, 1300, 1800)}
	case 7, 8, 9:
		filler := g.pick(fillers...)
		if g.IntN(2) == 0 {
			return []string{start(filler + " " + sentence)}
		}
		return []string{start(filler), g.line(sentence, 300, 450, 700)}
	}

	return []string{start(sentence)}
}
