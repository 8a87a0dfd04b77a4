package voices

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"roughcut/media"
)

// wordMS is the mean duration of a word: 170 words a minute.
const wordMS = 350

// wordsOf returns invented words for a phrase. The same phrase always has the same words. Their
// times divide the phrase by the number of letters.
func wordsOf(u Utterance) []media.Word {
	name := fnv.New64()
	name.Write([]byte(u.Voice + "/" + u.Prompt))
	g := rand.New(rand.NewPCG(name.Sum64(), uint64(u.Part)))
	texts := make([]string, max(int(u.MS()/wordMS), 1))
	letters := 0
	for i := range texts {
		texts[i] = inventedWord(g)
		letters += len(texts[i])
	}

	words := make([]media.Word, len(texts))
	at, done := int64(0), 0
	for i, text := range texts {
		done += len(text)
		end := u.MS() * int64(done) / int64(letters)
		words[i] = media.Word{Text: text, StartMS: at, EndMS: end, Probability: 1}
		at = end
	}

	words[len(words)-1].Text += "."
	return words
}

// wordsAs returns the words of a phrase at the times of another recording of it, which takes ms.
func wordsAs(u Utterance, ms int64) []media.Word {
	words := wordsOf(u)
	for i, w := range words {
		words[i].StartMS, words[i].EndMS = w.StartMS*ms/u.MS(), w.EndMS*ms/u.MS()
	}
	return words
}

// inventedWord returns a word of one to three syllables that no language has in its list of
// fillers.
func inventedWord(g *rand.Rand) string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteByte("bdfgklmnprstvz"[g.IntN(14)])
		b.WriteByte("aeiou"[g.IntN(5)])
	}

	b.WriteByte("lnrstk"[g.IntN(6)])
	return b.String()
}
