package whisper

// #include "bias.h"
import "C"

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"roughcut/media"
)

// termBonus is the bonus of a whole term. It multiplies the odds of a word by up to 7. A larger one
// makes the model hear terms in the place of words that sound alike, and a smaller one helps less.
const termBonus = 2.0

// Limits of a bias. They keep its memory and time small for any terms.
const (
	maxBiasTerms  = 1000
	maxBiasNodes  = 1 << 16
	maxTermBytes  = 256
	maxTokenBytes = 32
)

// bias raises the logits of the terms of a vocabulary while a model decodes: shallow fusion with a
// prefix tree of the terms. In each step, a token that starts a term, or continues one that the
// last tokens started, gets
//
//	logit' = logit + termBonus · done / length
//
// where length is the number of bytes of the term, and done the number of its bytes up to the end
// of the token. The split of a term into tokens thus does not matter.
//
// Other decoders take the bonus back if a term is not completed, for example the Aho-Corasick
// graphs of k2 and the context graphs of WeNet. A filter of logits cannot, because whisper.cpp
// normalizes the logits of each step. Instead, the first tokens of a term get less, because other
// words often start with them too.
type bias struct {
	edges []C.rc_edge
	first []C.int32_t
	depth int // bytes of the longest term, the most tokens that it can have
}

// newBias returns the bias for terms, or nil without any. It leaves out terms over the limits, and
// those that the model cannot write. The caller must hold m.mu.
func (m *Model) newBias(terms []string) *bias {
	tree := newBiasTree(m.tokenIDs())
	for _, term := range terms[:min(len(terms), maxBiasTerms)] {
		if len(term) > maxTermBytes {
			continue
		}
		if term = oneLine(term); media.IsSpoken(term) {
			for _, spelling := range spellings(term) {
				tree.add(spelling)
			}
		}
	}

	if len(tree.nodes[0]) == 0 {
		return nil
	}
	return tree.flat()
}

// spellings returns a term as it can appear in a transcript: after a space, and with a capital at
// the start of a sentence. In scripts without spaces, terms have none before them.
func spellings(term string) []string {
	first, size := utf8.DecodeRuneInString(term)
	if media.Spaceless(first) {
		return []string{term}
	}
	out := []string{" " + term}
	if upper := unicode.ToUpper(first); upper != first {
		out = append(out, " "+string(upper)+term[size:])
	}
	return out
}

// biasTree is a bias under construction. Each node is a start of terms, and node 0 the empty one.
type biasTree struct {
	ids    map[string]int32     // text tokens
	nodes  []map[int32]biasEdge // edges by token
	starts map[string]int       // nodes by the text before them
	depth  int
}

type biasEdge struct {
	node  int
	bonus float64
}

func newBiasTree(ids map[string]int32) *biasTree {
	return &biasTree{ids: ids, nodes: make([]map[int32]biasEdge, 1), starts: map[string]int{"": 0}}
}

// add adds a term in all sequences of tokens that make it up. A token of several terms gets the
// largest of their bonuses.
func (t *biasTree) add(term string) {
	ends := t.tokensOf(term)
	if len(ends[0]) == 0 {
		return
	}
	t.depth = max(t.depth, len(term))
	for from := range len(term) {
		node, reached := t.starts[term[:from]]
		if !reached {
			continue
		}
		for _, to := range ends[from] {
			next, ok := t.node(term[:to])
			if !ok {
				return
			}
			if t.nodes[node] == nil {
				t.nodes[node] = map[int32]biasEdge{}
			}
			id, bonus := t.ids[term[from:to]], termBonus*float64(to)/float64(len(term))
			t.nodes[node][id] = biasEdge{next, max(t.nodes[node][id].bonus, bonus)}
		}
	}
}

// tokensOf returns, for each byte of a term, the ends of the tokens that start there. It omits
// tokens if no further tokens can complete the term.
func (t *biasTree) tokensOf(term string) [][]int {
	ends := make([][]int, len(term)+1)
	for from := len(term) - 1; from >= 0; from-- {
		for to := from + 1; to <= min(from+maxTokenBytes, len(term)); to++ {
			canComplete := to == len(term) || len(ends[to]) > 0
			if _, known := t.ids[term[from:to]]; known && canComplete {
				ends[from] = append(ends[from], to)
			}
		}
	}

	return ends
}

// node returns the node after a text, or false if there are too many.
func (t *biasTree) node(text string) (int, bool) {
	n, known := t.starts[text]
	if !known {
		if n = len(t.nodes); n == maxBiasNodes {
			return 0, false
		}
		t.nodes, t.starts[text] = append(t.nodes, nil), n
	}

	return n, true
}

// flat returns the tree in the form that bias.c reads.
func (t *biasTree) flat() *bias {
	b := &bias{depth: t.depth}
	for _, edges := range t.nodes {
		b.first = append(b.first, C.int32_t(len(b.edges)))
		for _, token := range slices.Sorted(maps.Keys(edges)) {
			b.edges = append(
				b.edges,
				C.rc_edge{
					token: C.int32_t(token),
					node:  C.int32_t(edges[token].node),
					bonus: C.float(edges[token].bonus),
				},
			)
		}
	}

	b.first = append(b.first, C.int32_t(len(b.edges)))
	return b
}

// pinned returns the bias for a call of C, until the pinner unpins it. It returns nil for nil.
func (b *bias) pinned(pinner *runtime.Pinner) *C.rc_bias {
	if b == nil {
		return nil
	}
	c := &C.rc_bias{edges: &b.edges[0], first: &b.first[0], depth: C.int(b.depth)}
	pinner.Pin(c)
	pinner.Pin(c.edges)
	pinner.Pin(c.first)
	return c
}

// oneLine returns a text on one line, without control characters and invalid bytes.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}
