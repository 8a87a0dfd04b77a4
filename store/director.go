package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	indexapi "github.com/blevesearch/bleve_index_api"

	"roughcut/media"
)

// Parts of what is written about an asset.
const (
	TextName         = "name"
	TextTag          = "tag"
	TextGroup        = "group"
	TextDescription  = "description"  // of a group
	TextInstructions = "instructions" // of a group
)

// Bounds on a look for assets that a talk speaks of.
const (
	spokenAssets    = 500              // assets, those that most of the talk's words are written about first
	writtenTerms    = 100_000          // different words that are written about a user's assets
	catchUpPatience = 30 * time.Second // until the index knows what was changed before
	catchUpPause    = 20 * time.Millisecond
)

// DescribedAsset is an asset with all that is written about it.
type MentionedAsset struct {
	AssetFileID, Kind, DisplayName string
	DurationMS                     *int64
	Texts                          []AssetText
}

// WrittenText is a part of what is written about an asset, with the stems of its words that carry a
// meaning.
type AssetText struct {
	Part, Text string
	Stems      []string
}

// Stems returns the stems of the words in a text that carry a meaning of their own, without
// accents. Language is an ISO 639-1 code.
func (s *Store) WordStems(language, text string) []string {
	var stems []string
	for _, w := range s.lexicon.words(text) {
		if stem := s.lexicon.stemOf(language, text[w.start:w.end]); stem != "" {
			stems = append(stems, stem)
		}
	}
	return stems
}

// AssetsSpokenOf returns those ready assets of a user about which something is written that has one
// of the stems: their names, tags, groups, and descriptions and instructions of those. It waits
// until the index has seen what was changed before. Errors: Unavailable where that takes too long.
func (s *Store) MentionedAssets(
	ctx context.Context,
	userUUID, language string,
	stems []string,
) ([]MentionedAsset, error) {
	if err := s.awaitIndex(ctx); err != nil {
		return nil, err
	}
	said := map[string]bool{}
	for _, stem := range stems {
		said[stem] = true
	}
	matched := map[string]int{} // asset to how many of its words are said
	f := s.lexicon.newFinding(userUUID, fieldAsset, "", fieldBeside)
	err := s.readIndex(ctx, func(ctx context.Context, r indexapi.IndexReader) error {
		f.ctx, f.reader = ctx, r
		return errors.Join(f.count(fieldAsset, language, said, matched), f.count(fieldUse, language, said, matched))
	})
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(matched))
	for id := range matched {
		ids = append(ids, id)
	}
	slices.SortFunc(
		ids,
		func(a, b string) int { return cmp.Or(cmp.Compare(matched[b], matched[a]), cmp.Compare(a, b)) },
	)
	var list []MentionedAsset
	err = s.view(func(t *txn) error {
		for _, id := range ids[:min(len(ids), spokenAssets)] {
			row, err := assets.find(t, id)
			if err != nil {
				return err
			}
			if row == nil || row.UserUUID != userUUID || row.Status != AssetUploaded {
				continue
			}
			written, err := t.describe(row)
			if err != nil {
				return err
			}
			list = append(
				list,
				MentionedAsset{row.AssetFileID, row.Kind, row.DisplayName, cloned(row.DurationMS), written},
			)
		}
		return nil
	})
	for _, asset := range list {
		for i, w := range asset.Texts {
			asset.Texts[i].Stems = s.WordStems(language, apartWritten(w.Text))
		}
	}
	return list, err
}

// count adds to each asset how many words of a field there are whose stem is said.
func (f *finding) count(field, language string, said map[string]bool, matched map[string]int) error {
	words, err := f.dictionary(field, "", writtenTerms)
	if err != nil {
		return err
	}
	for _, word := range words {
		if !slices.ContainsFunc(
			strings.Fields(apartWritten(word)),
			func(part string) bool { return said[f.lexicon.stemOf(language, part)] },
		) {
			continue
		}
		ids, err := f.holding(term{field, f.user + word})
		if err != nil {
			return err
		}
		for _, id := range ids {
			p, err := parseDocID(id)
			if err != nil {
				return err
			}
			matched[p.asset]++
		}
	}
	return nil
}

// apartWritten puts blanks between what names of files join: "milk_jug.png" is three words.
func apartWritten(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '.' {
			return ' '
		}
		return r
	}, text)
}

// holding returns the documents that hold a term.
func (f *finding) holding(t term) (ids []string, err error) {
	postings, err := f.reader.TermFieldReader(f.ctx, []byte(t.text), t.field, false, false, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, postings.Close()) }()
	for {
		doc, err := postings.Next(nil)
		if err != nil || doc == nil {
			return ids, err
		}
		id, err := f.reader.ExternalID(doc.ID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
}

// awaitIndex returns once the index has seen every change that is committed now. Errors:
// Unavailable.
func (s *Store) awaitIndex(ctx context.Context) error {
	var committed uint64
	err := s.view(func(t *txn) error {
		committed = t.Bucket([]byte(bucketChanges)).Sequence()
		return nil
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, catchUpPatience)
	defer cancel()
	for {
		if seen, err := s.indexSequence(); err == nil && seen >= committed {
			return nil
		}
		pause := time.NewTimer(catchUpPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return indexUnavailable()
			}
			return context.Cause(ctx)
		}
	}
}

// indexSequence returns the number of the last change that the index has seen. Errors: Unavailable
// while it is being built.
func (s *Store) indexSequence() (uint64, error) {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	if s.index.ready == nil {
		return 0, indexUnavailable()
	}
	var has []byte
	err := s.guard(func() (err error) { has, err = s.index.ready.GetInternal(indexSequence); return err })
	if err != nil || len(has) != 8 {
		return 0, fmt.Errorf("reading the state of the index: %w", err)
	}
	return binary.BigEndian.Uint64(has), nil
}

// describe returns what is written about an asset.
func (t *txn) describe(asset *assetRow) ([]AssetText, error) {
	list := []AssetText{{Part: TextName, Text: asset.DisplayName}}
	for _, tag := range asset.Tags {
		list = append(list, AssetText{Part: TextTag, Text: tag})
	}
	in, err := memberships.list(t, membershipsByAsset, asset.UUID)
	if err != nil {
		return nil, err
	}
	for _, m := range in {
		group, err := groups.get(t, m.GroupUUID)
		if err != nil {
			return nil, err
		}
		for _, w := range []AssetText{{Part: TextGroup, Text: group.Name}, {Part: TextDescription, Text: group.Description}, {Part: TextInstructions, Text: group.DefaultInstructions}} {
			if w.Text != "" {
				list = append(list, w)
			}
		}
	}
	return list, nil
}

// standing returns what a person has decided in a project, on clip time: cuts made by hand, and
// what became of the detected edits of a run that were toggled or moved.
func (t *txn) standing(projectUUID, runUUID string, line *timeline) ([]DetectedEdit, error) {
	rows, err := edits.list(t, editsManual, projectUUID)
	if err != nil {
		return nil, err
	}
	if runUUID != "" {
		detected, err := edits.list(t, editsByRun, runUUID)
		if err != nil {
			return nil, err
		}
		rows = append(rows, slices.DeleteFunc(detected, func(r *editRow) bool { return !r.Touched })...)
	}
	var list []DetectedEdit
	for _, row := range rows {
		where := media.Span{StartMS: line.at(row.Start), EndMS: line.at(row.End)}
		for _, p := range line.places {
			part := where.Intersect(media.Span{StartMS: p.start, EndMS: p.end})
			if part.Duration() <= 0 {
				continue
			}
			list = append(
				list,
				DetectedEdit{
					ClipUUID:  p.row.UUID,
					Type:      row.Type,
					Span:      media.Span{StartMS: part.StartMS - p.start, EndMS: part.EndMS - p.start},
					Active:    row.Active,
					Placement: cloned(row.Placement),
				},
			)
		}
	}
	return list, nil
}

// dismissal is a proposed placement that a person deleted: that asset is not placed there again.
type dismissal struct {
	AssetFileID, Clip string
	Span              media.Span
}

// dismiss remembers that a placement of a run is not wanted.
func (t *txn) dismiss(row *editRow) error {
	if row.RunUUID == nil || row.Placement == nil || row.Found == nil {
		return nil
	}
	return t.changeRun(*row.RunUUID, func(r *runRow) {
		r.Dismissed = append(r.Dismissed, dismissal{row.Placement.AssetFileID, row.FoundClip, *row.Found})
	})
}

// dismissed reports that a person has deleted a proposed placement like this one.
func (r *runRow) dismissed(row *editRow) bool {
	return row.Placement != nil && slices.ContainsFunc(r.Dismissed, func(d dismissal) bool {
		return d.AssetFileID == row.Placement.AssetFileID && d.Clip == row.FoundClip &&
			d.Span.Intersect(*row.Found).Duration() > 0
	})
}

// placeable checks the placement of a detected edit: false where its asset is not there any more,
// or not ready.
func (t *txn) placeable(userUUID string, p *Placement) (bool, error) {
	asset, err := assets.lookup(t, assetsByFile, p.AssetFileID)
	if err != nil || asset == nil || asset.UserUUID != userUUID || asset.Status != AssetUploaded {
		return false, err
	}
	return true, errors.Join(p.check(), asset.checkOffset(p.OffsetMS))
}

// inherit takes over from the run before what a person decided about its placements: those that
// were toggled or moved, as edits of this run, and those that were deleted.
func (t *txn) inherit(run *runRow, beforeUUID string) (touched []*editRow, err error) {
	if beforeUUID == "" || beforeUUID == run.UUID {
		return nil, nil
	}
	before, err := runs.find(t, beforeUUID)
	if err != nil || before == nil {
		return nil, err
	}
	run.Dismissed = append(run.Dismissed, before.Dismissed...)
	rows, err := edits.list(t, editsByRun, beforeUUID)
	if err != nil {
		return nil, err
	}
	for _, old := range rows {
		if old.Type != EditAsset || !old.Touched {
			continue
		}
		row := old.clone()
		row.UUID = t.s.NewID()
		row.RunUUID = &run.UUID
		row.CreatedAt = t.now
		row.UpdatedAt = t.now
		if err := edits.put(t, &row); err != nil {
			return nil, err
		}
		run.count(row.Type, 1)
		touched = append(touched, &row)
	}
	return touched, nil
}
