package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"roughcut/media"
)

// probabilitySteps is how finely the probability of a word is kept.
const probabilitySteps = 10_000

// packWords writes words in a fifth of the room of JSON, to be read ten times as fast: a transcript
// is by far the largest thing in the database, and every hit of a search reads two chunks. Each
// word is four numbers and its text: varints of start since the start before and of duration, both
// in milliseconds, uvarints of the probability in steps and of the length of the text in bytes.
func packWords(words []media.Word) []byte {
	var out []byte
	before := int64(0)
	for _, w := range words {
		out = binary.AppendVarint(out, w.StartMS-before)
		out = binary.AppendVarint(out, w.EndMS-w.StartMS)
		out = binary.AppendUvarint(out, uint64(math.Round(min(max(w.Probability, 0), 1)*probabilitySteps)))
		out = binary.AppendUvarint(out, uint64(len(w.Text)))
		out = append(out, w.Text...)
		before = w.StartMS
	}
	return out
}

// errTornWords is what is said of a chunk that ends within a word.
var errTornWords = errors.New("reading a transcript: its words are cut off")

// unpackWords appends the words of a chunk to words. A chunk may also be JSON, as in the first data
// directories; none of ours begins with its bracket, which would be a start before the recording's.
func unpackWords(words []media.Word, chunk []byte) ([]media.Word, error) {
	if len(chunk) > 0 && chunk[0] == '[' {
		var more []media.Word
		if err := json.Unmarshal(chunk, &more); err != nil {
			return nil, fmt.Errorf("reading a transcript: %w", err)
		}
		return append(words, more...), nil
	}
	at := int64(0)
	for len(chunk) > 0 {
		start, n := binary.Varint(chunk)
		if n <= 0 {
			return nil, errTornWords
		}
		chunk = chunk[n:]
		duration, n := binary.Varint(chunk)
		if n <= 0 {
			return nil, errTornWords
		}
		chunk = chunk[n:]
		probability, n := binary.Uvarint(chunk)
		if n <= 0 {
			return nil, errTornWords
		}
		chunk = chunk[n:]
		size, n := binary.Uvarint(chunk)
		if n <= 0 || uint64(len(chunk)-n) < size {
			return nil, errTornWords
		}
		at += start
		words = append(
			words,
			media.Word{
				Text:        string(chunk[n : n+int(size)]),
				StartMS:     at,
				EndMS:       at + duration,
				Probability: float64(probability) / probabilitySteps,
			},
		)
		chunk = chunk[n+int(size):]
	}
	return words, nil
}
