package search

import (
	"context"
	"slices"
	"strings"

	indexapi "github.com/blevesearch/bleve_index_api"
)

// maxAssetTerms is how many different words about a user's assets are compared with a talk.
const maxAssetTerms = 100_000

// Stems returns the stems of the words in a text, without accents. It leaves out stop words,
// such as articles. Language is an ISO 639-1 code.
func (x *Index) Stems(language, text string) []string {
	var stems []string
	for _, w := range x.lexicon.split(text) {
		if stem := x.lexicon.stemOf(language, text[w.start:w.end]); stem != "" {
			stems = append(stems, stem)
		}
	}

	return stems
}

// Mentioned returns the assets of a user that are described with a word whose stem is among stems,
// with the number of such words. Errors: ErrBuilding.
func (x *Index) Mentioned(ctx context.Context, userUUID, language string, stems []string) (map[string]int, error) {
	wanted := map[string]bool{}
	for _, stem := range stems {
		wanted[stem] = true
	}
	counts := map[string]int{}
	f := newAssetFinder(x.lexicon, userUUID)
	err := x.read(ctx, func(ctx context.Context, r indexapi.IndexReader) error {
		f.ctx, f.reader = ctx, r
		if err := f.count(fieldAsset, language, wanted, counts); err != nil {
			return err
		}
		return f.count(fieldUse, language, wanted, counts)
	})
	return counts, err
}

// count adds to counts, for each asset, the number of words in a field whose stem is wanted.
func (f *finder) count(field, language string, wanted map[string]bool, counts map[string]int) error {
	words, err := f.dictionary(field, "", maxAssetTerms)
	if err != nil {
		return err
	}
	for _, word := range words {
		isWanted := func(part string) bool { return wanted[f.lexicon.stemOf(language, part)] }
		if !slices.ContainsFunc(strings.Fields(SplitFileName(word)), isWanted) {
			continue
		}
		keys, err := f.holding(term{field, f.user + word})
		if err != nil {
			return err
		}
		for _, key := range keys {
			id, err := parseKey(key)
			if err != nil {
				return err
			}
			counts[id.Asset]++
		}
	}

	return nil
}

// SplitFileName puts spaces between the words that file names join: "milk_jug.png" has three words.
func SplitFileName(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '.' {
			return ' '
		}
		return r
	}, text)
}

// holding returns the keys of the documents that hold a term.
func (f *finder) holding(t term) (keys []string, err error) {
	postings, err := f.reader.TermFieldReader(f.ctx, []byte(t.text), t.field, false, false, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = postings.Close() }() // it only read
	for {
		doc, err := postings.Next(nil)
		if err != nil || doc == nil {
			return keys, err
		}
		key, err := f.reader.ExternalID(doc.ID)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
}
