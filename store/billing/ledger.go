package billing

import (
	"time"

	"roughcut/store/table"
)

// CreditMovement is an entry of a user's ledger of AI minutes.
type CreditMovement struct {
	Kind        string  // grant, reserve, charge, release, expire
	Minutes     float64 // above 0
	Beta        bool    // in the pool of the beta program
	Reason      string  // of grant and expire: welcome, trial, plan, month, beta
	RunUUID     string  // of reserve, charge and release
	ProjectUUID string  // of the run, set by the store; empty after the project was deleted
	ProjectName string
	At          time.Time
}

// CreditMovements returns one page of a user's credit movements, newest first and without their
// projects, and the number of all.
func (b Books) CreditMovements(userUUID string, page table.Page) ([]CreditMovement, int, error) {
	list := []CreditMovement{}
	rows, total, err := movements.Page(b, page, movementsByUser, userUUID)
	for _, row := range rows {
		list = append(list, CreditMovement{
			Kind:    row.Kind,
			Minutes: Minutes(row.Amount),
			Beta:    row.Pool == poolBeta,
			Reason:  row.Reason,
			RunUUID: row.RunUUID,
			At:      row.At,
		})
	}

	return list, total, err
}
