package store

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/store/table"
)

// Limits of a user's word lists.
const (
	MaxListedWords   = 1000 // in each list
	maxListedLen     = 64   // characters in a word
	maxListLanguages = 100
	maxListBytes     = 2 << 20 // of all lists of a user
)

// WordChoice is the difference between a user's list of words and the built-in one. Words are in
// lower case and sorted. A star at the end of a word matches any ending.
type WordChoice struct{ Added, Removed []string }

// WordList holds a user's words of one language: changes to the words to censor in exports and to
// the filler words of analyses, and the vocabulary that the speech model gets.
type WordList struct {
	UserUUID, Language string // ISO 639-1
	Censored, Fillers  WordChoice
	Vocabulary         []string  `json:",omitempty"` // as ValidVocabulary returns it
	UpdatedAt          time.Time // zero for a list without changes
}

// WordListChange is a change to a word list. A nil field stays unchanged.
type WordListChange struct {
	Censored, Fillers *WordChoice
	Vocabulary        *[]string
}

var (
	wordListsByUser = &table.Index[WordList]{
		Name: "word_lists.by_user",
		Keys: func(r *WordList) [][]byte { return table.Entry(r.UserUUID) },
	}
	wordLists = &table.Table[WordList]{
		Name:    "word_lists",
		Noun:    "word list",
		Key:     func(r *WordList) []byte { return table.Key(r.UserUUID, r.Language) },
		Owner:   func(r *WordList) string { return r.UserUUID },
		Indexes: []*table.Index[WordList]{wordListsByUser},
	}
)

var languageCode = regexp.MustCompile(`^[a-z]{2,3}$`)

// WordLists returns a user's word lists by language. A language without a list uses the built-in
// words.
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
	rows, err := wordLists.List(t, wordListsByUser, userUUID)
	slices.SortFunc(rows, func(a, b *WordList) int { return cmp.Compare(a.Language, b.Language) })
	return rows, err
}

// PutWordList changes a user's word list of a language and returns it. A list without words of the
// user is deleted. Exports and analyses that were requested before keep their words. Errors:
// Unprocessable.
func (s *Store) PutWordList(userUUID, language string, c WordListChange) (WordList, error) {
	if !languageCode.MatchString(language) {
		return WordList{}, failField(
			"language",
			"The language is not a code of two or three lowercase letters. Use a code such as en.",
		)
	}

	if err := c.normalize(); err != nil {
		return WordList{}, userError(err)
	}
	var row *WordList
	err := s.updateSettings(userUUID, func(t *txn) error {
		known, err := wordLists.Find(t, string(table.Key(userUUID, language)))
		if err != nil {
			return err
		}
		if row = known; row == nil {
			if row, err = t.newWordList(userUUID, language); err != nil {
				return err
			}
		}

		SetIfGiven(&row.Censored, c.Censored)
		SetIfGiven(&row.Fillers, c.Fillers)
		SetIfGiven(&row.Vocabulary, c.Vocabulary)
		row.UpdatedAt = t.Now
		if !row.empty() {
			before := wordLists.Bytes(t, userUUID)
			if err := wordLists.Put(t, row); err != nil {
				return err
			}
			if now := wordLists.Bytes(t, userUUID); now > maxListBytes && now > before {
				return tooMany("Your word lists can have %d KiB together. Remove some words first.", maxListBytes>>10)
			}
			return nil
		}

		row.UpdatedAt = time.Time{}
		if known == nil {
			return nil
		}
		return wordLists.Delete(t, string(table.Key(userUUID, language)))
	})
	if err != nil {
		return WordList{}, err
	}
	return *row, nil
}

// normalize brings the words of a change into the form of a list. Errors: Unprocessable.
func (c WordListChange) normalize() error {
	for field, choice := range map[string]*WordChoice{"censored": c.Censored, "fillers": c.Fillers} {
		if choice == nil {
			continue
		}
		for name, words := range map[string]*[]string{"added": &choice.Added, "removed": &choice.Removed} {
			var err error
			if *words, err = listedWords(field+"."+name, *words); err != nil {
				return err
			}
		}
	}

	if c.Vocabulary == nil {
		return nil
	}
	var err error
	*c.Vocabulary, err = ValidVocabulary("vocabulary", *c.Vocabulary)
	return err
}

// newWordList returns an empty word list, which is not stored yet. Errors: Unprocessable when the
// user has the maximum of languages.
func (t *txn) newWordList(userUUID, language string) (*WordList, error) {
	rows, err := t.wordLists(userUUID)
	if err != nil {
		return nil, err
	}
	if len(rows) >= maxListLanguages {
		return nil, failField(
			"language",
			"You have word lists in %d languages, which is the maximum. Clear one first.",
			maxListLanguages,
		)
	}

	return &WordList{UserUUID: userUUID, Language: language}, nil
}

func (c WordChoice) empty() bool { return len(c.Added)+len(c.Removed) == 0 }

func (l WordList) empty() bool {
	return l.Censored.empty() && l.Fillers.empty() && len(l.Vocabulary) == 0
}

// wordShape matches a word of a list: letters and digits, joined by hyphens or apostrophes, with an
// optional star at the end.
var wordShape = compiled(`^[\p{L}\p{N}\p{M}]+(?:['-][\p{L}\p{N}\p{M}]+)*\*?$`)

// listedWords returns words in the form of a list: in lower case, sorted, without duplicates.
// Errors: Unprocessable.
func listedWords(field string, words []string) ([]string, error) {
	if len(words) > MaxListedWords {
		return nil, failField(
			field,
			"The list is too long. The maximum is %d words, not %d.",
			MaxListedWords,
			len(words),
		)
	}

	list := make([]string, 0, len(words))
	for _, word := range words {
		word = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(word), "’", "'"))
		if utf8.RuneCountInString(word) > maxListedLen || !wordShape().MatchString(word) {
			return nil, failField(
				field,
				"%s is not a single word of at most %d characters.",
				fmt.Sprintf("%.80q", word),
				maxListedLen,
			)
		}

		list = append(list, word)
	}

	slices.Sort(list)
	return slices.Compact(list), nil
}

// wordList returns a user's word list of a language. It ignores a region in the language.
func (t *txn) wordList(userUUID, language string) (WordList, error) {
	row, err := wordLists.Find(t, string(table.Key(userUUID, media.BaseLanguage(language))))
	if err != nil || row == nil {
		return WordList{}, err
	}
	return *row, nil
}

// wordLists checks that word lists are in the right form and have content.
func (c *check) wordLists() error {
	return wordLists.Each(c.t, func(row *WordList) error {
		for _, words := range [][]string{
			row.Censored.Added,
			row.Censored.Removed,
			row.Fillers.Added,
			row.Fillers.Removed,
		} {
			again, err := listedWords("", words)
			isChanged := len(words) > 0 && !slices.Equal(again, words)
			if err != nil || isChanged {
				c.report(
					"word_list",
					"The %s word list of user %s contains invalid words.",
					row.Language,
					row.UserUUID,
				)
				break
			}
		}

		if again, err := ValidVocabulary("", row.Vocabulary); err != nil || len(again) != len(row.Vocabulary) {
			c.report(
				"word_list",
				"The %s vocabulary of user %s contains invalid terms.",
				row.Language,
				row.UserUUID,
			)
		}

		if !languageCode.MatchString(row.Language) || row.empty() {
			c.report(
				"word_list",
				"The word list %q of user %s is empty or has an invalid language.",
				row.Language,
				row.UserUUID,
			)
		}

		return nil
	})
}

// compiled returns a regular expression that is compiled when it is first used. Those with classes
// of letters take a millisecond each, which every command would wait for.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
