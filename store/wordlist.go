package store

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"roughcut/media"
)

// Bounds on a user's word lists.
const (
	MaxListedWords   = 1000 // in each list
	maxListedLen     = 64   // characters of a word
	maxListLanguages = 100
)

// WordChoice is how a user's list of words differs from the one that the program has. Words are in
// lower case and sorted; a star at the end of one stands for any ending.
type WordChoice struct{ Added, Removed []string }

// WordList is what a user wants of one language's words: those that exports censor, and those that
// analyses take for fillers.
type WordList struct {
	UserUUID, Language string // ISO 639-1
	Censored, Fillers  WordChoice
	UpdatedAt          time.Time // zero where all is as the program has it
}

// WordListChange is what shall be set on a word list; nil leaves a choice as it is.
type WordListChange struct{ Censored, Fillers *WordChoice }

var (
	wordListsByUser = &index[WordList]{
		name: "word_lists.by_user",
		keys: func(r *WordList) [][]byte { return one(r.UserUUID) },
	}
	wordLists = &table[WordList]{
		name:    "word_lists",
		what:    "word list",
		key:     func(r *WordList) []byte { return key(r.UserUUID, r.Language) },
		indexes: []*index[WordList]{wordListsByUser},
	}
)

var languageCode = regexp.MustCompile(`^[a-z]{2,3}$`)

// WordLists returns a user's word lists by language; languages without one are as the program has
// them.
func (s *Store) WordLists(userUUID string) ([]WordList, error) {
	list := []WordList{}
	err := s.view(func(t *txn) error {
		rows, err := t.wordLists(userUUID)
		for _, row := range rows {
			list = append(list, *row)
		}
		return err
	})
	return list, err
}

func (t *txn) wordLists(userUUID string) ([]*WordList, error) {
	rows, err := wordLists.list(t, wordListsByUser, userUUID)
	slices.SortFunc(rows, func(a, b *WordList) int { return cmp.Compare(a.Language, b.Language) })
	return rows, err
}

// PutWordList sets a user's words of a language and returns them. One that differs in nothing from
// the program's is forgotten. Exports and analyses that were asked for before keep the words of
// that time. Errors: Unprocessable.
func (s *Store) PutWordList(userUUID, language string, c WordListChange) (WordList, error) {
	if !languageCode.MatchString(language) {
		return WordList{}, failField(
			"language",
			"Write the language as its code of two or three small letters, such as en.",
		)
	}
	for field, choice := range map[string]*WordChoice{"censored": c.Censored, "fillers": c.Fillers} {
		if choice == nil {
			continue
		}
		var err error
		for name, words := range map[string]*[]string{"added": &choice.Added, "removed": &choice.Removed} {
			var failed error
			*words, failed = listedWords(field+"."+name, *words)
			err = errors.Join(err, failed)
		}
		if err != nil {
			return WordList{}, userError(err)
		}
	}
	var row *WordList
	err := s.update(func(t *txn) error {
		var err error
		if row, err = wordLists.find(t, string(key(userUUID, language))); err != nil {
			return err
		}
		if row == nil {
			rows, err := t.wordLists(userUUID)
			if err != nil {
				return err
			}
			if len(rows) >= maxListLanguages {
				return failField("language", "There are word lists of %d languages already.", maxListLanguages)
			}
			row = &WordList{UserUUID: userUUID, Language: language}
		}
		change(&row.Censored, c.Censored)
		change(&row.Fillers, c.Fillers)
		row.UpdatedAt = t.now
		if row.Censored.empty() && row.Fillers.empty() {
			row.UpdatedAt = time.Time{}
			if known, err := wordLists.find(t, string(key(userUUID, language))); err != nil || known == nil {
				return err
			}
			return wordLists.delete(t, string(key(userUUID, language)))
		}
		return wordLists.put(t, row)
	})
	if err != nil {
		return WordList{}, err
	}
	return *row, nil
}

func (c WordChoice) empty() bool { return len(c.Added)+len(c.Removed) == 0 }

// wordShape is a word of a list: letters and numbers, joined by hyphens or apostrophes, and perhaps
// a star at its end.
var wordShape = regexp.MustCompile(`^[\p{L}\p{N}\p{M}]+(?:['-][\p{L}\p{N}\p{M}]+)*\*?$`)

// listedWords brings words into the form of a list, without those that are there twice.
func listedWords(field string, words []string) ([]string, error) {
	if len(words) > MaxListedWords {
		return nil, failField(field, "A list holds %d words at most, not %d.", MaxListedWords, len(words))
	}
	list := make([]string, 0, len(words))
	for _, word := range words {
		word = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(word), "’", "'"))
		if utf8.RuneCountInString(word) > maxListedLen || !wordShape.MatchString(word) {
			return nil, failField(
				field,
				"%s is no single word of at most %d characters.",
				fmt.Sprintf("%.80q", word),
				maxListedLen,
			)
		}
		list = append(list, word)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// wordList returns a user's words of a language, with or without region.
func (t *txn) wordList(userUUID, language string) (WordList, error) {
	row, err := wordLists.find(t, string(key(userUUID, media.BaseLanguage(language))))
	if err != nil || row == nil {
		return WordList{}, err
	}
	return *row, nil
}

// wordLists checks that words are in the form of a list.
func (c *check) wordLists() error {
	return wordLists.all(c.t, func(row *WordList) error {
		for _, words := range [][]string{row.Censored.Added, row.Censored.Removed, row.Fillers.Added, row.Fillers.Removed} {
			if again, err := listedWords("", words); err != nil || !slices.Equal(again, words) && len(words) > 0 {
				c.report(
					"word_list",
					"The %s word list of user %s holds what is no list of words.",
					row.Language,
					row.UserUUID,
				)
				break
			}
		}
		if !languageCode.MatchString(row.Language) || row.Censored.empty() && row.Fillers.empty() {
			c.report("word_list", "The word list %q of user %s says nothing.", row.Language, row.UserUUID)
		}
		return nil
	})
}
