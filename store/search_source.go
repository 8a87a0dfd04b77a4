package store

import (
	"encoding/binary"
	"slices"
	"strings"

	"roughcut/media"
	"roughcut/store/search"
	"roughcut/store/table"
)

// States of the search index.
const (
	IndexReady    = search.Ready    // has every change
	IndexBehind   = search.Behind   // answers, but lacks the latest changes
	IndexBuilding = search.Building // does not answer yet
)

// IndexState returns the state of the search index.
func (s *Store) IndexState() (string, error) { return s.index.State() }

// noteSearchable records that a search finds something else of a project or an asset after this
// transaction.
func (t *txn) noteSearchable(uuid string) error {
	b := t.Bucket([]byte(bucketChanges))
	seq, err := b.NextSequence()
	if err != nil {
		return err
	}
	t.wakeIndex = true
	return b.Put(table.Key(seq), []byte(uuid))
}

// searchSource is the data that the search index covers. Its subjects are projects and assets.
type searchSource struct{ s *Store }

func (src searchSource) Changes(after uint64) (search.Changes, error) {
	var out search.Changes
	err := src.s.view(func(t *txn) error {
		b := t.Bucket([]byte(bucketChanges))
		out = search.Changes{
			Instance: string(t.Bucket([]byte(bucketMeta)).Get([]byte(metaInstance))),
			Last:     b.Sequence(),
		}
		c := b.Cursor()
		if first, _ := c.First(); first != nil {
			out.First = binary.BigEndian.Uint64(first)
		}
		seen := map[string]bool{}
		for k, subject := c.Seek(table.Key(after + 1)); k != nil; k, subject = c.Next() {
			if uuid := string(subject); !seen[uuid] {
				seen[uuid] = true
				out.List = append(out.List, search.Change{Subject: uuid, Number: binary.BigEndian.Uint64(k)})
			}
		}

		return nil
	})
	return out, err
}

func (src searchSource) Subjects() (list []string, err error) {
	err = src.s.view(func(t *txn) error {
		if err := projects.Each(t, func(p *projectRow) error { list = append(list, p.UUID); return nil }); err != nil {
			return err
		}
		return assets.Each(t, func(a *assetRow) error { list = append(list, a.UUID); return nil })
	})
	return list, err
}

func (src searchSource) Documents(subject string) (list []search.Document, err error) {
	err = src.s.view(func(t *txn) (err error) { list, err = t.documents(subject); return err })
	return list, err
}

func (src searchSource) Forget(upTo uint64) error {
	return src.s.update(func(t *txn) error {
		b := t.Bucket([]byte(bucketChanges))
		c := b.Cursor()
		for k, _ := c.First(); k != nil && binary.BigEndian.Uint64(k) <= upTo; k, _ = c.First() {
			if err := b.Delete(k); err != nil {
				return err
			}
		}

		return nil
	})
}

// documents returns what a search finds of a project or an asset: nothing when it does not exist.
func (t *txn) documents(uuid string) ([]search.Document, error) {
	asset, err := assets.Find(t, uuid)
	if err != nil || asset == nil {
		return t.windowDocuments(uuid)
	}
	if asset.awaitsUpload() {
		return nil, nil
	}
	texts, err := t.assetTexts(asset)
	var usage []string
	for _, text := range texts {
		if text.Part == TextInstructions {
			usage = append(usage, text.Text)
		}
	}

	return []search.Document{{
		ID:       search.ID{Asset: uuid},
		UserUUID: asset.UserUUID,
		Text:     strings.Join(searchedTexts(texts), textSeparator),
		Usage:    strings.Join(usage, " "),
	}}, err
}

// windowDocuments returns the transcript windows of a project's active run, none in the trash.
func (t *txn) windowDocuments(projectUUID string) ([]search.Document, error) {
	project, err := projects.Find(t, projectUUID)
	if err != nil || project == nil || project.TrashedAt != nil || project.ActiveRunUUID == "" {
		return nil, err
	}
	line, err := t.timeline(projectUUID)
	if err != nil {
		return nil, err
	}
	var list []search.Document
	for _, p := range line.places {
		m, _, err := t.clipTranscript(project.ActiveRunUUID, p.row.UUID)
		if err != nil {
			return nil, err
		}
		for from := 0; from < len(m.Words); from += search.WindowStep {
			text, _ := searchedWords(m.Words[from:min(from+search.WindowWords, len(m.Words))])
			window := search.Window{Project: projectUUID, Run: project.ActiveRunUUID, Clip: p.row.UUID, From: from}
			list = append(list, search.Document{
				ID:       search.ID{Window: window},
				UserUUID: project.UserUUID,
				Text:     text,
				Language: m.Language,
			})
			if from+search.WindowWords >= len(m.Words) {
				break
			}
		}
	}

	return list, nil
}

// windowText returns the text of a window and the byte offset of each word in it.
func windowText(words []media.Word) (string, []int) {
	var text strings.Builder
	starts := make([]int, 0, len(words))
	before := ""
	for _, w := range words {
		word := strings.TrimSpace(w.Text)
		if text.Len() > 0 && !media.WrittenTogether(before, word) {
			text.WriteByte(' ')
		}
		starts = append(starts, text.Len())
		text.WriteString(word)
		before = w.Text
	}

	return text.String(), starts
}

// searchedWords returns the text of a window as a search finds it, and the byte offset of each word
// in it. Each turn of a speaker starts with the name, so that a search also finds who says a word.
// The name counts as a part of the word after it.
func searchedWords(words []media.Word) (string, []int) {
	named := slices.Clone(words)
	for i, w := range words {
		if w.Speaker != "" && (i == 0 || words[i-1].Speaker != w.Speaker) {
			named[i].Text = w.Speaker + ": " + strings.TrimSpace(w.Text)
		}
	}

	return windowText(named)
}

// wordAt returns the index of the word that has a byte of a window's text.
func wordAt(starts []int, at int) int {
	i, exact := slices.BinarySearch(starts, at)
	if exact {
		return i
	}
	return max(i-1, 0)
}
