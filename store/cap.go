package store

// maxSettingsBytes is the maximum size of what a user saves in drafts, shorts, presets and word
// lists, and as settings of projects and of the account. It has room for 200 drafts of 1,000 edits.
// A change of the clips may rewrite the drafts of a project in one transaction, so the bound also
// limits that.
const maxSettingsBytes = 32 << 20

// tooMany refuses a creation past a cap. The format names the cap and says what to delete. Existing
// entries beyond a cap stay.
func tooMany(format string, most int) *Error {
	return fail(Unprocessable, "unprocessable", format, most)
}

// updateSettings is update for a change of what maxSettingsBytes bounds. Errors: Unprocessable if
// it grows past the bound.
func (s *Store) updateSettings(userUUID string, fn func(*txn) error) error {
	return s.update(func(t *txn) error {
		before := t.settingsBytes(userUUID)
		if err := fn(t); err != nil {
			return err
		}
		if now := t.settingsBytes(userUUID); now > maxSettingsBytes && now > before {
			return tooMany(
				"Drafts, shorts, presets, word lists and project settings can have %d MiB. Delete some drafts first.",
				maxSettingsBytes>>20,
			)
		}

		return nil
	})
}

// settingsBytes returns the size of what maxSettingsBytes bounds.
func (t *txn) settingsBytes(userUUID string) int {
	return draftContents.Bytes(t, userUUID) + presets.Bytes(t, userUUID) + previewPresets.Bytes(t, userUUID) +
		wordLists.Bytes(t, userUUID) + accountSettings.Bytes(t, userUUID) + projects.Bytes(t, userUUID) +
		shorts.Bytes(t, userUUID)
}
