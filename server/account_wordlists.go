package server

import (
	"cmp"
	"context"
	"slices"

	"roughcut/pipeline/language"
	"roughcut/server/api"
	"roughcut/store"
)

func wordListRecord(l store.WordList) api.WordList {
	known, _ := language.Find(l.Language)
	record := api.WordList{
		Language:   l.Language,
		Censored:   wordChoice(known.Profanity, l.Censored),
		Fillers:    wordChoice(known.Fillers, l.Fillers),
		Vocabulary: append([]string{}, l.Vocabulary...),
	}
	if !l.UpdatedAt.IsZero() {
		record.UpdatedAt = timestampOrNull(&l.UpdatedAt)
	}
	return record
}

func wordChoice(known []string, c store.WordChoice) api.WordChoice {
	return api.WordChoice{
		BuiltIn: append([]string{}, known...),
		Added:   append([]string{}, c.Added...),
		Removed: append([]string{}, c.Removed...),
	}
}

// ListWordLists returns the words of each language with built-in words or with words of the caller.
func (s handlers) ListWordLists(
	ctx context.Context,
	_ api.ListWordListsRequestObject,
) (api.ListWordListsResponseObject, error) {
	chosen, err := s.Store.WordLists(userOf(ctx))
	if err != nil {
		return nil, err
	}
	for _, known := range language.All() {
		if !slices.ContainsFunc(chosen, func(l store.WordList) bool { return l.Language == known.Code }) {
			chosen = append(chosen, store.WordList{Language: known.Code})
		}
	}

	slices.SortFunc(chosen, func(a, b store.WordList) int { return cmp.Compare(a.Language, b.Language) })
	return api.ListWordLists200JSONResponse(wholePage(chosen, wordListRecord)), nil
}

// PutWordList sets the caller's words for a language.
func (s handlers) PutWordList(
	ctx context.Context,
	request api.PutWordListRequestObject,
) (api.PutWordListResponseObject, error) {
	list, err := s.Store.PutWordList(userOf(ctx), request.Body.Language, store.WordListChange{
		Censored:   wordChange(request.Body.Censored),
		Fillers:    wordChange(request.Body.Fillers),
		Vocabulary: request.Body.Vocabulary,
	})
	return api.PutWordList200JSONResponse(wordListRecord(list)), err
}

func wordChange(c *api.WordChanges) *store.WordChoice {
	if c == nil {
		return nil
	}
	return &store.WordChoice{Added: c.Added, Removed: c.Removed}
}
