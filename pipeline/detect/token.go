package detect

import "slices"

// token is a word of the sequence that is searched for false starts. The sequence omits fillers.
type token struct {
	index      int    // in talk.Words
	norm       string // normalized text
	id         int    // the same for equal norm
	letters    uint64 // the letters of norm as a bit set, modulo 64
	length     int    // of norm, in letters
	unfinished bool   // the speech model wrote it as unfinished
	filler     bool   // follows a filler
	gapMS      int64  // since the previous token; fillers count as silence
	opens      bool   // starts a take
	closes     bool   // ends a take
}

// sequence returns the tokens of the words.
func (t *talk) sequence(tag string) []token {
	known := fillersOrEnglish(tag)
	var out []token
	ids := map[string]int{}
	filler := false
	for i, w := range t.Words {
		norm := normalize(w.Text)
		if norm == "" || slices.Contains(known, norm) {
			filler = filler || norm != ""
			continue
		}

		if _, ok := ids[norm]; !ok {
			ids[norm] = len(ids)
		}
		s := token{index: i, norm: norm, id: ids[norm], unfinished: isUnfinished(w.Text), filler: filler}
		for _, r := range norm {
			s.letters |= 1 << (r % 64)
			s.length++
		}

		if n := len(out); n > 0 {
			s.gapMS = w.StartMS - t.Words[out[n-1].index].EndMS
		}
		s.opens = len(out) == 0 || s.gapMS >= breathMS || endsSentence(t.Words[out[len(out)-1].index].Text)
		if n := len(out); n > 0 {
			out[n-1].closes = s.opens
		}
		out, filler = append(out, s), false
	}

	if n := len(out); n > 0 {
		out[n-1].closes = true
	}
	return out
}
