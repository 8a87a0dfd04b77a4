package store

import "fmt"

// checkGenerated refuses work that makes files for a user whose generated files fill their quota.
// The file that fills it may be larger than the rest of the quota, so that no work is lost. Errors:
// Unprocessable quota_exceeded.
func (t *txn) checkGenerated(userUUID string) error {
	quota, err := t.generatedQuota(userUUID)
	if err != nil || quota == 0 {
		return err
	}
	user, err := t.registry().User(userUUID)
	if err != nil || user.GeneratedBytes < quota {
		return err
	}
	return fail(
		Unprocessable, "quota_exceeded",
		"Your generated files take %d MiB of the %d MiB that you may use. These are exports, and files such as "+
			"proxies that Roughcut makes from recordings. Delete exports or recordings, empty the trash, or upgrade.",
		user.GeneratedBytes>>20, quota>>20,
	)
}

// generatedQuota returns the most bytes of generated files of a user, 0 for no limit.
func (t *txn) generatedQuota(userUUID string) (int64, error) {
	rights, err := t.books().Entitlements(userUUID)
	if err != nil || t.s.o.TierTable.Unlimited {
		return 0, err
	}
	return rights.StorageQuotaBytes / 100 * t.s.o.GeneratedPercent, nil
}

// countGenerated migrates to schema 7: uploads that wait for their confirm are marked, and the
// bytes of generated files are counted for each user.
func countGenerated(t *txn) error {
	pending, err := t.unconfirmedUploads()
	if err != nil {
		return err
	}
	for _, record := range pending {
		file, err := files.Find(t, record.slot().key)
		if err != nil {
			return err
		}
		if file == nil {
			continue
		}
		file.Unconfirmed = true
		if err := files.Put(t, file); err != nil {
			return err
		}
	}

	sums := map[string]int64{}
	err = files.Each(t, func(row *fileRow) error {
		if row.generated() {
			sums[row.UserUUID] += row.Size
		}
		return nil
	})
	if err != nil {
		return err
	}
	for user, sum := range sums {
		if err := t.registry().AddStorage(user, 0, sum); err != nil {
			return fmt.Errorf("counting the generated files of user %s: %w", user, err)
		}
	}

	return nil
}
