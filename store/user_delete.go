package store

// DeleteUser deletes an account and all its data at the user's request. The parameter hash is the
// password hash that allowed the deletion. Errors: Invalid wrong_password when the stored hash
// differs; Conflict while a payment is open.
func (s *Store) DeleteUser(userUUID, hash string) error {
	return s.erase(userUUID, func(t *txn) error {
		if err := t.registry().CheckHash(userUUID, hash); err != nil {
			return err
		}
		return t.eraseUser(userUUID)
	})
}

// eraseUser deletes an account, and cancels its running jobs. Rows of the account are left to
// dropUser. The hash of an address that had a trial stays, and so do queued mails. Errors: Conflict
// while a payment is open.
func (t *txn) eraseUser(userUUID string) error {
	if err := t.books().Settled(userUUID); err != nil {
		return err
	}
	user, err := t.registry().User(userUUID)
	if err != nil {
		return err
	}
	address, err := t.s.trialHash(user.Email)
	if err != nil {
		return err
	}
	var working []*jobRow
	err = jobs.Each(t, func(row *jobRow) error {
		if row.UserUUID == userUUID {
			working = append(working, row)
		}
		return nil
	})
	for _, row := range working {
		if err == nil {
			err = t.dropJob(row)
		}
	}

	meta := t.Bucket([]byte(bucketMeta))
	if string(meta.Get([]byte(metaOwner))) == userUUID {
		if err == nil {
			err = meta.Delete([]byte(metaOwner))
		}
	}

	if err != nil {
		return err
	}
	if err := t.books().Close(userUUID, address); err != nil {
		return err
	}
	if err := t.registry().Delete(userUUID); err != nil {
		return err
	}
	return deletions.Put(t, &deletion{UUID: userUUID, Account: true})
}

// dropUser deletes the data of a deleted account while the transaction has room.
func (t *txn) dropUser(userUUID string) error {
	return t.dropAll(
		userUUID,
		t.dropProjects,
		t.dropLibrary,
		t.books().DeleteRows,
		t.dropPresets,
		t.dropAccountSettings,
		t.dropResponses,
	)
}

// dropProjects deletes the projects of a user with their content.
func (t *txn) dropProjects(userUUID string) error {
	drop := func(row *projectRow) error { return t.dropProject(row.UUID) }
	return dropEach(t, projects, userUUID, drop, projectsByUser, projectsTrashedByUser)
}

// dropPresets deletes the presets and word lists of a user.
func (t *txn) dropPresets(userUUID string) error {
	if err := presets.DeleteAll(t, presetsByUser, userUUID); err != nil {
		return err
	}
	if err := previewPresets.DeleteAll(t, previewPresetsByUser, userUUID); err != nil {
		return err
	}
	return wordLists.DeleteAll(t, wordListsByUser, userUUID)
}
