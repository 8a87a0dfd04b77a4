package store

import "time"

// Movement is an entry of a user's ledger of AI minutes.
type CreditMovement struct {
	Kind        string  // grant, reserve, charge, release, expire
	Minutes     float64 // more than 0
	Beta        bool    // of the beta programme, not of the plan
	Reason      string  // of grant and expire: welcome, trial, plan, month, beta
	RunUUID     string  // of reserve, charge and release
	ProjectUUID string  // of the run; empty once that is deleted
	ProjectName string
	At          time.Time
}

// Movements returns one page of a user's ledger of AI minutes, newest first, and how many entries
// there are in all.
func (s *Store) CreditMovements(userUUID string, page Page) ([]CreditMovement, int, error) {
	list, total := []CreditMovement{}, 0
	err := s.view(func(t *txn) error {
		rows, n, err := movements.page(t, page, movementsByUser, userUUID)
		total = n
		for _, row := range rows {
			m := CreditMovement{
				Kind:    row.Kind,
				Minutes: minutes(row.Amount),
				Beta:    row.Pool == poolBeta,
				Reason:  row.Reason,
				RunUUID: row.RunUUID,
				At:      row.At,
			}
			if err := t.nameProject(&m); err != nil {
				return err
			}
			list = append(list, m)
		}
		return err
	})
	return list, total, err
}

// nameProject says which project a movement was for, where that is still there.
func (t *txn) nameProject(m *CreditMovement) error {
	if m.RunUUID == "" {
		return nil
	}
	run, err := runs.find(t, m.RunUUID)
	if err != nil || run == nil {
		return err
	}
	project, err := projects.find(t, run.ProjectUUID)
	if err != nil || project == nil {
		return err
	}
	m.ProjectUUID, m.ProjectName = project.UUID, project.Name
	return nil
}
