package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"roughcut/store/search"
)

// Parts of the text about an asset.
const (
	TextName         = "name"
	TextTag          = "tag"
	TextGroup        = "group"
	TextDescription  = "description"  // of a group
	TextInstructions = "instructions" // of a group
)

const (
	maxMentioned = 500              // assets that MentionedAssets returns
	catchUpWait  = 30 * time.Second // for the index to have the changes before a call
)

// textSeparator separates the texts about an asset when they are joined.
const textSeparator = " · "

// MentionedAsset is an asset with all texts about it.
type MentionedAsset struct {
	AssetFileID, Kind, DisplayName string
	DurationMS                     *int64
	Texts                          []AssetText
}

// AssetText is one text about an asset, with the stems of its words.
type AssetText struct {
	Part, Text string
	Stems      []string
}

// WordStems returns the stems of the words in a text, without accents. It leaves out words without
// a meaning of their own, such as articles. Language is an ISO 639-1 code.
func (s *Store) WordStems(language, text string) []string { return s.index.Stems(language, text) }

// MentionedAssets returns the ready assets of a user whose texts have a word with one of the stems.
// The texts are the asset's name and tags, and the name, description and instructions of its
// groups. It returns at most 500 assets, those with the most such words first. It waits until the
// index has all changes before the call. Errors: Unavailable when that takes too long.
func (s *Store) MentionedAssets(
	ctx context.Context,
	userUUID, language string,
	stems []string,
) ([]MentionedAsset, error) {
	if err := s.awaitIndex(ctx); err != nil {
		return nil, err
	}
	words, err := s.index.Mentioned(ctx, userUUID, language, stems)
	if err != nil {
		return nil, searchError(err)
	}
	uuids := make([]string, 0, len(words))
	for uuid := range words {
		uuids = append(uuids, uuid)
	}
	slices.SortFunc(uuids, func(a, b string) int {
		return cmp.Or(cmp.Compare(words[b], words[a]), cmp.Compare(a, b))
	})
	var list []MentionedAsset
	err = s.view(func(t *txn) error {
		for _, uuid := range uuids[:min(len(uuids), maxMentioned)] {
			row, err := assets.Find(t, uuid)
			if err != nil {
				return err
			}
			if row == nil || row.UserUUID != userUUID || row.Status != AssetUploaded {
				continue
			}
			texts, err := t.assetTexts(row)
			if err != nil {
				return err
			}
			list = append(
				list,
				MentionedAsset{row.AssetFileID, row.Kind, row.DisplayName, cloned(row.DurationMS), texts},
			)
		}

		return nil
	})
	for _, asset := range list {
		for i, text := range asset.Texts {
			asset.Texts[i].Stems = s.WordStems(language, search.SplitFileName(text.Text))
		}
	}

	return list, err
}

// awaitIndex returns when the index has every change that is committed now. Errors: Unavailable
// after catchUpWait.
func (s *Store) awaitIndex(ctx context.Context) error {
	var committed uint64
	err := s.view(func(t *txn) error {
		committed = t.Bucket([]byte(bucketChanges)).Sequence()
		return nil
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, catchUpWait)
	defer cancel()
	err = s.index.WaitFor(ctx, committed)
	if errors.Is(err, context.DeadlineExceeded) {
		return searchError(search.ErrBuilding)
	}
	return err
}

// assetTexts returns the texts about an asset.
func (t *txn) assetTexts(asset *assetRow) ([]AssetText, error) {
	list := []AssetText{{Part: TextName, Text: asset.DisplayName}}
	for _, tag := range asset.Tags {
		list = append(list, AssetText{Part: TextTag, Text: tag})
	}
	in, err := memberships.List(t, membershipsByAsset, asset.UUID)
	if err != nil {
		return nil, err
	}
	for _, m := range in {
		group, err := groups.Get(t, m.GroupUUID)
		if err != nil {
			return nil, err
		}
		for _, text := range []AssetText{
			{Part: TextGroup, Text: group.Name},
			{Part: TextDescription, Text: group.Description},
			{Part: TextInstructions, Text: group.DefaultInstructions},
		} {
			if text.Text != "" {
				list = append(list, text)
			}
		}
	}

	return list, nil
}

// searchedTexts returns the texts that a search finds an asset by: its name and tags, and the names
// and descriptions of its groups.
func searchedTexts(texts []AssetText) (list []string) {
	for _, text := range texts {
		if text.Part != TextInstructions {
			list = append(list, text.Text)
		}
	}

	return list
}
