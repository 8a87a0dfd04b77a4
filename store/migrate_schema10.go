package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"roughcut/store/table"
)

// draftOf9 is a draft in schema 9. Origins are the overrides that clips in the trash had changed,
// as they were before.
type draftOf9 struct {
	draftRow
	Overrides, Origins anchoredOverrides
}

// splitDrafts migrates schema 9 to schema 10: the content of a draft has its own row, with the
// overrides as a person saved them, and the bytes of a user's settings are summed.
func splitDrafts(t *txn) error {
	if err := createBuckets(t); err != nil {
		return err
	}
	var keys []string
	b := t.Bucket([]byte(drafts.Name))
	err := b.ForEach(func(k, _ []byte) error { keys = append(keys, string(k)); return nil })
	for _, key := range keys { // one at a time, because all of them may be large
		err = errors.Join(err, t.splitDraft(b.Get([]byte(key))))
	}
	return errors.Join(err, table.Rebuild(t, tables()...))
}

func (t *txn) splitDraft(value []byte) error {
	var old draftOf9
	if err := json.Unmarshal(value, &old); err != nil {
		return fmt.Errorf("reading a row of %s: %w", drafts.Name, err)
	}
	project, err := projects.Get(t, old.ProjectUUID)
	if err != nil {
		return err
	}
	content := &draftContent{
		DraftUUID: old.UUID, ProjectUUID: old.ProjectUUID, UserUUID: project.UserUUID,
		ExportSettings: object(old.ExportSettings), Overrides: anchoredOverrides{},
	}
	maps.Copy(content.Overrides, old.Overrides)
	maps.Copy(content.Overrides, old.Origins)
	old.ExportSettings = nil
	return errors.Join(drafts.Put(t, &old.draftRow), draftContents.Put(t, content))
}
