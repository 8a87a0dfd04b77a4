package store

import (
	"slices"

	"roughcut/media"
)

// undoEdits finds an edit that a replan replaced by its place.
var undoEdits = &undoRows[editRow]{
	Table: edits, members: "Placement",
	place: []string{"RunUUID", "Type", "FoundClip", "Found"},
	at: func(u *undoing, place *editRow) (*editRow, error) {
		if place.Found == nil {
			return nil, nil
		}
		bySpot, ok := u.spots[place.run()]
		if !ok {
			list, err := edits.List(u, editsByRun, place.run())
			if err != nil {
				return nil, err
			}
			bySpot = make(map[spot]*editRow, len(list))
			for _, row := range slices.Backward(list) {
				if row.Found != nil {
					bySpot[row.spot()] = row
				}
			}

			if u.spots == nil {
				u.spots = map[string]map[spot]*editRow{}
			}
			u.spots[place.run()] = bySpot
		}

		return bySpot[place.spot()], nil
	},
	fit: func(t *txn, before, after *editRow) (bool, error) {
		here, err := t.anchorsExist(after.Start, after.End)
		if err != nil {
			return false, err
		}
		placed := after.Placement == nil
		if !placed {
			if placed, err = t.hasAsset(after.Placement); err != nil {
				return false, err
			}
		}

		if before == nil {
			return here && placed, nil
		}
		moved := before.Start != after.Start || before.End != after.End
		if moved && !here {
			after.Start, after.End, after.Origin = before.Start, before.End, before.Origin
			after.FoundClip, after.TakeGroup = before.FoundClip, before.TakeGroup
		} else if moved && after.Origin != nil && before.Origin != nil && *after.Origin == *before.Origin {
			after.Origin, after.Trashed = nil, false // clips of the same entry have trimmed it
		}

		if !placed {
			after.Placement = before.Placement
		}
		return true, nil
	},
	done: func(t *txn, before, after *editRow) error {
		switch {
		case before == nil:
			if err := t.undismiss(after); err != nil {
				return err
			}
			return t.countEdit(after, 1)
		case after == nil:
			if err := t.dismiss(before); err != nil {
				return err
			}
			return t.countEdit(before, -1)
		}

		return nil
	},
}

// countEdit adds n to what a run counts of cuts like one that a choice of takes, an arrangement or
// a duplicate created.
func (t *txn) countEdit(row *editRow, n int) error {
	if row.RunUUID == nil || row.Placement != nil {
		return nil
	}
	return t.changeRun(*row.RunUUID, func(r *runRow) { r.count(row.Type, n) })
}

// anchorsExist reports whether the clips of anchors exist and are not in the trash.
func (t *txn) anchorsExist(list ...anchor) (bool, error) {
	for _, a := range list {
		if a.Clip == "" {
			continue
		}
		if row, err := clips.Find(t, a.Clip); err != nil || row == nil || row.Trashed != nil {
			return false, err
		}
	}

	return true, nil
}

func (t *txn) hasAsset(p *media.Placement) (bool, error) {
	row, err := assets.Lookup(t, assetsByFile, p.AssetFileID)
	return row != nil, err
}
