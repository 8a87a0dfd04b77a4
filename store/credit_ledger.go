package store

import "time"

// CreditMovement is an entry of a user's ledger of AI minutes.
type CreditMovement struct {
	Kind        string  // grant, reserve, charge, release, expire
	Minutes     float64 // above 0
	Beta        bool    // in the pool of the beta program
	Reason      string  // of grant and expire: welcome, trial, plan, month, beta
	RunUUID     string  // of reserve, charge and release
	ProjectUUID string  // of the run; empty after the project was deleted
	ProjectName string
	At          time.Time
}

// CreditMovements returns one page of a user's credit movements, newest first, and the number of
// all.
func (s *Store) CreditMovements(userUUID string, page Page) ([]CreditMovement, int, error) {
	list, total := []CreditMovement{}, 0
	err := s.view(func(t *txn) error {
		rows, n, err := movements.Page(t, page, movementsByUser, userUUID)
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

// nameProject fills in the project of a movement, if the project still exists.
func (t *txn) nameProject(m *CreditMovement) error {
	if m.RunUUID == "" {
		return nil
	}
	run, err := runs.Find(t, m.RunUUID)
	if err != nil || run == nil {
		return err
	}
	project, err := projects.Find(t, run.ProjectUUID)
	if err != nil || project == nil {
		return err
	}
	m.ProjectUUID, m.ProjectName = project.UUID, project.Name
	return nil
}
