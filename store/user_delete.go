package store

import "errors"

// DeleteUser deletes an account and all its data at the user's request. The parameter hash is the
// password hash that allowed the deletion. Errors: Invalid wrong_password when the stored hash
// differs; Conflict while a payment is open.
func (s *Store) DeleteUser(userUUID, hash string) error {
	return s.free(func(t *txn) error {
		if err := t.checkHash(userUUID, hash); err != nil {
			return err
		}
		return t.eraseUser(userUUID)
	})
}

// eraseUser deletes an account and all its data. It cancels running jobs, deletes the rows, and
// turns the files into tombstones, which are removed after the commit. The hash of an address that
// had a trial stays, and so do queued mails. Errors: Conflict while a payment is open.
func (t *txn) eraseUser(userUUID string) error {
	a, err := accounts.Get(t, userUUID)
	if err != nil {
		return err
	}
	if err := a.settled(); err != nil {
		return err
	}
	for _, drop := range []func(*txn, string) error{
		rememberTrial,
		dropProjects,
		dropReservations,
		dropLibrary,
		dropBilling,
		dropPresets,
		dropWordLists,
		dropCutDefaults,
		dropInvitations,
		dropAccess,
	} {
		if err := drop(t, userUUID); err != nil {
			return err
		}
	}
	meta := t.Bucket([]byte(bucketMeta))
	if string(meta.Get([]byte(metaOwner))) == userUUID {
		if err := meta.Delete([]byte(metaOwner)); err != nil {
			return err
		}
	}
	if err := accounts.Delete(t, userUUID); err != nil {
		return err
	}
	return users.Delete(t, userUUID)
}

// rememberTrial records that the user's current address had a trial. The trial may have started
// under an earlier address.
func rememberTrial(t *txn, userUUID string) error {
	user, err := users.Get(t, userUUID)
	if err != nil {
		return err
	}
	a, err := accounts.Get(t, userUUID)
	if err != nil || !a.TrialUsed {
		return err
	}
	hash, err := t.s.trialHash(user.Email)
	if err != nil {
		return err
	}
	known, err := trials.Find(t, hash)
	if err != nil || known != nil {
		return err
	}
	return trials.Put(t, &usedTrial{Hash: hash, At: t.now})
}

// dropProjects deletes all projects of a user with their content.
func dropProjects(t *txn, userUUID string) error {
	list, err := projects.List(t, projectsByUser, userUUID)
	if err != nil {
		return err
	}
	for _, row := range list {
		if err := t.dropProject(row.UUID); err != nil {
			return err
		}
	}
	return nil
}

// dropReservations deletes the credit reservations of a user, including those of deleted runs.
func dropReservations(t *txn, userUUID string) error {
	var gone []string
	err := reservations.Each(t, func(r *reservation) error {
		if r.UserUUID == userUUID {
			gone = append(gone, r.RunUUID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, run := range gone {
		if err := reservations.Delete(t, run); err != nil {
			return err
		}
	}
	return nil
}

// dropBilling deletes the credit movements, payments, invoices and feedback of a user.
func dropBilling(t *txn, userUUID string) error {
	return errors.Join(
		deleteRows(t, movements, movementsByUser, userUUID),
		deleteRows(t, payments, paymentsByUser, userUUID),
		deleteRows(t, invoices, invoicesByUser, userUUID),
		deleteRows(t, feedback, feedbackByUser, userUUID),
	)
}

// dropPresets deletes the presets and preview presets of a user.
func dropPresets(t *txn, userUUID string) error {
	if err := deleteRows(t, presets, presetsByUser, userUUID); err != nil {
		return err
	}
	return deleteRows(t, previewPresets, previewPresetsByUser, userUUID)
}

// dropWordLists deletes the word lists of a user.
func dropWordLists(t *txn, userUUID string) error {
	return deleteRows(t, wordLists, wordListsByUser, userUUID)
}

// dropInvitations deletes the invitations that a user created.
func dropInvitations(t *txn, userUUID string) error {
	return deleteRows(t, invitations, invitationsByUser, userUUID)
}

// dropAccess deletes the sessions and personal access tokens of a user.
func dropAccess(t *txn, userUUID string) error {
	if err := deleteRows(t, sessions, sessionsByUser, userUUID); err != nil {
		return err
	}
	return deleteRows(t, accessTokens, accessTokensByUser, userUUID)
}
