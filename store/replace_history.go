package store

import "slices"

// applyText undoes or redoes the replacement of an entry, whose caption lines are restored already.
// The steps then hold what redoes it.
func (t *txn) applyText(projectUUID string, steps *historySteps, redo bool) error {
	if steps.Text == nil {
		return nil
	}
	made, back := steps.Text, steps.Again
	if !redo {
		again, err := t.revert(made)
		if err != nil {
			return err
		}
		steps.Again = &again
	} else if back != nil {
		if _, err := t.revert(back); err != nil {
			return err
		}
		if err := replacements.Put(t, made); err != nil {
			return err
		}
		steps.Again = nil
	}
	if err := historyStepsTable.Put(t, steps); err != nil {
		return err
	}
	return t.Changed(projectUUID)
}

// undoneOutside brings the history in line with a replacement that was undone by its own uuid. If
// it is the newest change, its entry becomes undone; otherwise the entry goes.
func (t *txn) undoneOutside(projectUUID, replacement string, again textChange) error {
	list, err := history.List(t, historyByProject, projectUUID)
	if err != nil {
		return err
	}
	newest := true
	for _, row := range slices.Backward(list) {
		if row.Undone {
			continue
		}
		if row.Kind == HistoryText {
			steps, err := historyStepsTable.Get(t, row.UUID)
			if err != nil {
				return err
			}
			if steps.Text != nil && steps.Text.UUID == replacement {
				if !newest {
					return t.forgetEntry(row)
				}
				row.Undone, steps.Again = true, &again
				if err := history.Put(t, row); err != nil {
					return err
				}
				return historyStepsTable.Put(t, steps)
			}
		}
		newest = false
	}
	return nil
}
