package store

import (
	"errors"
	"slices"

	"roughcut/media"
)

// userEdits returns the decisions of a person in a project, on clip time: manual cuts, and the
// detected edits of a run that were toggled or moved.
func (t *txn) userEdits(projectUUID, runUUID string, line *timeline) ([]DetectedEdit, error) {
	rows, err := edits.List(t, editsManual, projectUUID)
	if err != nil {
		return nil, err
	}
	if runUUID != "" {
		detected, err := edits.List(t, editsByRun, runUUID)
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
					Action:    row.Action,
				},
			)
		}
	}
	return list, nil
}

// dismissal is a detected placement that a person deleted. The asset is not placed there again.
type dismissal struct {
	AssetFileID, Clip string
	Span              media.Span
}

// dismiss records that a person deleted a detected placement.
func (t *txn) dismiss(row *editRow) error {
	if row.RunUUID == nil || row.Placement == nil || row.Found == nil {
		return nil
	}
	return t.changeRun(*row.RunUUID, func(r *runRow) {
		r.Dismissed = append(r.Dismissed, dismissal{row.Placement.AssetFileID, row.FoundClip, *row.Found})
	})
}

// dismissed reports whether a person has deleted a detected placement like this one.
func (r *runRow) dismissed(row *editRow) bool {
	return row.Placement != nil && slices.ContainsFunc(r.Dismissed, func(d dismissal) bool {
		return d.AssetFileID == row.Placement.AssetFileID && d.Clip == row.FoundClip &&
			d.Span.Intersect(*row.Found).Duration() > 0
	})
}

// placeable checks the placement of a detected edit. It returns false when the asset does not exist
// or is not ready.
func (t *txn) placeable(userUUID string, p *Placement) (bool, error) {
	asset, err := assets.Lookup(t, assetsByFile, p.AssetFileID)
	if err != nil || asset == nil || asset.UserUUID != userUUID || asset.Status != AssetUploaded {
		return false, err
	}
	return true, errors.Join(p.check(), asset.checkOffset(p.OffsetMS))
}

// inherit copies a person's decisions about placements from the run before: the toggled and moved
// ones become edits of this run, and the deleted ones stay dismissed.
func (t *txn) inherit(run *runRow, beforeUUID string) (touched []*editRow, err error) {
	if beforeUUID == "" || beforeUUID == run.UUID {
		return nil, nil
	}
	before, err := runs.Find(t, beforeUUID)
	if err != nil || before == nil {
		return nil, err
	}
	run.Dismissed = append(run.Dismissed, before.Dismissed...)
	rows, err := edits.List(t, editsByRun, beforeUUID)
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
		if err := edits.Put(t, &row); err != nil {
			return nil, err
		}
		run.count(row.Type, 1)
		touched = append(touched, &row)
	}
	return touched, nil
}
