package store

import "errors"

// DeleteUser removes an account with everything that is its own, as its owner wishes. hash is the
// password hash that the deletion was allowed with. Errors: Invalid wrong_password when the
// password was changed meanwhile; Conflict while a payment is under way.
func (s *Store) DeleteUser(userUUID, hash string) error {
	return s.update(func(t *txn) error {
		if err := t.checkHash(userUUID, hash); err != nil {
			return err
		}
		return t.eraseUser(userUUID)
	})
}

// eraseUser removes an account with everything that is its own: work under way is cancelled, the
// rows go, the files become tombstones and are removed after the commit. What stays is the keyed
// hash of the address where its trial was used, and the mails that were queued. Errors: Conflict
// while a payment is under way.
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

// rememberTrial notes that the user's present address had its trial, which may have been granted
// under an earlier one.
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

// dropProjects deletes all projects of a user with everything in them.
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

// dropReservations deletes what is known of the credits that a user's runs took, also of runs that
// are gone.
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

// dropBilling deletes what a user's plans and credits have come to.
func dropBilling(t *txn, userUUID string) error {
	return errors.Join(
		deleteRows(t, movements, movementsByUser, userUUID),
		deleteRows(t, payments, paymentsByUser, userUUID),
		deleteRows(t, invoices, invoicesByUser, userUUID),
		deleteRows(t, feedback, feedbackByUser, userUUID),
	)
}

// dropPresets deletes a user's presets of both kinds.
func dropPresets(t *txn, userUUID string) error {
	if err := deleteRows(t, presets, presetsByUser, userUUID); err != nil {
		return err
	}
	return deleteRows(t, previewPresets, previewPresetsByUser, userUUID)
}

// dropWordLists deletes what a user wants of words.
func dropWordLists(t *txn, userUUID string) error {
	return deleteRows(t, wordLists, wordListsByUser, userUUID)
}

// dropInvitations revokes the invitations that a user made.
func dropInvitations(t *txn, userUUID string) error {
	return deleteRows(t, invitations, invitationsByUser, userUUID)
}

// dropAccess ends a user's sessions and tokens.
func dropAccess(t *txn, userUUID string) error {
	if err := deleteRows(t, sessions, sessionsByUser, userUUID); err != nil {
		return err
	}
	return deleteRows(t, accessTokens, accessTokensByUser, userUUID)
}
