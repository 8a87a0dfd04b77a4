package mediatest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Role is what a word is to somebody who cuts.
type Role byte

// The roles of words.
const (
	Fluent     Role = iota
	FalseStart      // of an attempt that breaks off
	Retake          // of a sentence that is said again
	Filler          // a sound without meaning
)

// roleMarks are what words of a role begin with in what Script reads.
var roleMarks = map[byte]Role{'~': FalseStart, '=': Retake}

// fillers are the sounds without meaning that the speech model of the tests knows.
var fillers = []string{"um", "uh"}

// Script turns a talk into the language of testdata/say.sh and returns the role of each word. Each
// line of the talk is a pause in milliseconds and what is said after it; words that begin with "~"
// are an attempt that breaks off and is begun again, those that begin with "=" a whole sentence
// that is said again. It is spoken over white noise of floorDB dBFS, 0 for none, which goes on for
// endMS. The rate is in samples a second.
func Script(talk string, rate, floorDB, endMS int) (script string, roles []Role) {
	var out strings.Builder
	fmt.Fprintf(&out, "rate %d\n", rate)
	if floorDB != 0 {
		fmt.Fprintf(&out, "floor %d\n", floorDB)
	}
	for i, line := range strings.Split(strings.TrimSpace(talk), "\n") {
		pause, text, _ := strings.Cut(line, " ")
		var said []string
		for _, word := range strings.Fields(text) {
			role := roleMarks[word[0]]
			if role != Fluent {
				word = word[1:]
			} else if slices.Contains(fillers, word) {
				role = Filler
			}
			said, roles = append(said, word), append(roles, role)
		}
		fmt.Fprintf(&out, "pause %s\nsay en-us %d %s\n", pause, 150+5*(i%4), strings.Join(said, " "))
	}
	fmt.Fprintf(&out, "pause %d\n", endMS)
	return out.String(), roles
}

// RandomTalk makes up a talk for Script of so many sentences of one pattern, with pauses of all
// lengths. About one sentence in six has a false start of two to six words before it, with or
// without a pause, one in eight was said whole once before, and one in eight has a filler before
// it.
func RandomTalk(seed uint64, sentences int) string {
	m := maker{rand.New(rand.NewPCG(seed, 1))}
	out := []string{"600 hello guys and welcome to my channel"}
	for range sentences {
		out = append(out, m.mistaken(m.sentence())...)
	}
	return strings.Join(out, "\n")
}

// maker makes up sentences.
type maker struct{ *rand.Rand }

func (m maker) pick(from ...string) string { return from[m.IntN(len(from))] }

// line returns a line that is said after a pause of a length out of some.
func (m maker) line(text string, pauses ...int) string {
	return fmt.Sprintf("%d %s", pauses[m.IntN(len(pauses))], text)
}

func (m maker) sentence() string {
	return strings.Join(strings.Fields(strings.Join([]string{
		m.pick("", "", "", "so", "now", "and", "but", "today", "okay"),
		m.pick("i", "we", "you", "they", "my friend", "the team", "the woman", "the family"),
		m.pick(
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
		m.pick(
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
		m.pick(
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

// mistaken returns a sentence with what went wrong before it.
func (m maker) mistaken(sentence string) []string {
	words := strings.Fields(sentence)
	mark := func(sign string, words []string) string { return sign + strings.Join(words, " "+sign) }
	begun := func(text string) string { return m.line(text, 320, 400, 500, 650, 800, 1000, 1300, 1800, 2600, 3500) }
	switch m.IntN(24) {
	case 0, 1, 2, 3:
		tried := mark("~", words[:min(2+m.IntN(5), len(words)-1)])
		if m.IntN(3) == 0 {
			return []string{begun(tried + " " + sentence)}
		}
		return []string{begun(tried), m.line(sentence, 250, 350, 450, 600, 900, 1200)}
	case 4, 5, 6:
		return []string{begun(mark("=", words)), m.line(sentence, 500, 800, 1300, 1800)}
	case 7, 8, 9:
		filler := m.pick(fillers...)
		if m.IntN(2) == 0 {
			return []string{begun(filler + " " + sentence)}
		}
		return []string{begun(filler), m.line(sentence, 300, 450, 700)}
	}
	return []string{begun(sentence)}
}
