package store

import (
	"encoding/json"
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
		if err == nil {
			err = t.splitDraft(b.Get([]byte(key)))
		}
	}

	if err != nil {
		return err
	}
	return table.Rebuild(t, tables()...)
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
		ExportSettings: OrEmptyObject(old.ExportSettings), Overrides: anchoredOverrides{},
	}
	maps.Copy(content.Overrides, old.Overrides)
	maps.Copy(content.Overrides, old.Origins)
	old.ExportSettings = nil
	if err := drafts.Put(t, &old.draftRow); err != nil {
		return err
	}
	return draftContents.Put(t, content)
}
