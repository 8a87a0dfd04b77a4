package store

import (
	"bytes"
	"errors"
	"time"
)

// Group is a set of a user's assets; an asset may be in several. At most one of a user's groups is
// the default: assets that are uploaded without a group join it.
type Group struct {
	UUID, UserUUID, Name, Description string
	DefaultInstructions               string // how the assets in it are meant to be used
	IsDefault, IsPinned               bool
	AssetCount                        int
	CreatedAt, UpdatedAt              time.Time
}

// groupRow is a Group as it is stored; AssetCount is counted when it is served.
type groupRow struct {
	Group
	Seq uint64 // the order of lists
}

// membership says that an asset is in a group.
type membership struct {
	GroupUUID, AssetUUID string
	Seq                  uint64 // the order in which they were added
}

var (
	groupsByUser = &index[groupRow]{name: "asset_groups.by_user", keys: func(r *groupRow) [][]byte {
		pinned := uint64(0)
		if r.IsPinned {
			pinned = 1
		}
		return one(r.UserUUID, pinned, r.Seq)
	}}
	groups = &table[groupRow]{
		name:    "asset_groups",
		what:    "asset group",
		key:     func(r *groupRow) []byte { return []byte(r.UUID) },
		indexes: []*index[groupRow]{groupsByUser},
	}

	membershipsByGroup = &index[membership]{
		name: "asset_memberships.by_group",
		keys: func(r *membership) [][]byte { return one(r.GroupUUID, r.Seq) },
	}
	membershipsByAsset = &index[membership]{
		name: "asset_memberships.by_asset",
		keys: func(r *membership) [][]byte { return one(r.AssetUUID, r.Seq) },
	}
	memberships = &table[membership]{
		name:    "asset_memberships",
		what:    "membership",
		key:     func(r *membership) []byte { return key(r.GroupUUID, r.AssetUUID) },
		found:   func(r *membership) string { return r.AssetUUID },
		indexes: []*index[membership]{membershipsByGroup, membershipsByAsset},
	}
)

// served returns the group with its count.
func (r *groupRow) served(t *txn) Group {
	g := r.Group
	g.AssetCount = memberships.count(t, membershipsByGroup, r.UUID)
	return g
}

// ownGroup returns a group of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownGroup(userUUID, uuid string) (*groupRow, error) {
	row, err := groups.get(t, uuid)
	if err == nil && row.UserUUID != userUUID {
		err = notYours(groups.what)
	}
	return row, err
}

// givenGroup returns the group that an upload is to join: the one asked for, or the user's default
// one, or none.
func (t *txn) givenGroup(userUUID string, uuid *string) (string, error) {
	if uuid != nil {
		_, err := t.ownGroup(userUUID, *uuid)
		return *uuid, err
	}
	list, err := groups.list(t, groupsByUser, userUUID)
	for _, g := range list {
		if g.IsDefault {
			return g.UUID, err
		}
	}
	return "", err
}

// Groups returns one page of a user's groups, pinned ones first and then newest first, and how many
// there are in all.
func (s *Store) Groups(userUUID string, p Page) ([]Group, int, error) {
	var list []Group
	total := 0
	err := s.view(func(t *txn) error {
		rows, n, err := groups.page(t, p, groupsByUser, userUUID)
		for _, row := range rows {
			list = append(list, row.served(t))
		}
		total = n
		return err
	})
	return list, total, err
}

// CreateGroup makes a group from what g says besides uuid, user, count and times. One that is the
// default takes that from the one before. Errors: Unprocessable without a name.
func (s *Store) CreateGroup(userUUID string, g Group) (Group, error) {
	var err error
	if g.Name, err = ValidName("name", g.Name); err != nil {
		return Group{}, err
	}
	var made Group
	err = s.update(func(t *txn) error {
		seq, err := groups.next(t)
		if err != nil {
			return err
		}
		row := &groupRow{Seq: seq, Group: g}
		row.UUID = s.NewID()
		row.UserUUID = userUUID
		row.AssetCount = 0
		row.CreatedAt = t.now
		row.UpdatedAt = t.now
		made = row.served(t)
		return t.putGroup(row)
	})
	return made, err
}

// UpdateGroup lets fn change a group; uuid, user, count and times stay as they are. Errors:
// NotFound, Forbidden, Unprocessable without a name.
func (s *Store) UpdateGroup(userUUID, uuid string, fn func(*Group)) (Group, error) {
	var changed Group
	err := s.update(func(t *txn) error {
		row, err := t.ownGroup(userUUID, uuid)
		if err != nil {
			return err
		}
		before := row.Group
		fn(&row.Group)
		row.UUID = before.UUID
		row.UserUUID = before.UserUUID
		row.AssetCount = 0
		row.CreatedAt = before.CreatedAt
		row.UpdatedAt = t.now
		if row.Name, err = ValidName("name", row.Name); err != nil {
			return err
		}
		if row.Name != before.Name || row.Description != before.Description ||
			row.DefaultInstructions != before.DefaultInstructions {
			if err := t.foundByGroup(uuid); err != nil {
				return err
			}
		}
		changed = row.served(t)
		return t.putGroup(row)
	})
	return changed, err
}

// foundByGroup notes that other words are written about the assets in a group now.
func (t *txn) foundByGroup(uuid string) error {
	list, err := memberships.list(t, membershipsByGroup, uuid)
	for _, m := range list {
		err = errors.Join(err, t.changed(m.AssetUUID))
	}
	return err
}

// putGroup writes a group. Where it is the default, no other one of the user stays it.
func (t *txn) putGroup(row *groupRow) error {
	if row.IsDefault {
		err := yieldDefault(
			t,
			groups,
			groupsByUser,
			row.UserUUID,
			row.UUID,
			func(r *groupRow) standing { return standing{r.UUID, &r.IsDefault, &r.UpdatedAt} },
		)
		if err != nil {
			return err
		}
	}
	return groups.put(t, row)
}

// DeleteGroup deletes a group; its assets stay.
func (s *Store) DeleteGroup(userUUID, uuid string) error {
	return s.update(func(t *txn) error {
		if _, err := t.ownGroup(userUUID, uuid); err != nil {
			return err
		}
		if err := deleteRows(t, memberships, membershipsByGroup, uuid); err != nil {
			return err
		}
		return groups.delete(t, uuid)
	})
}

// AddToGroups puts an asset into groups, all or none, and returns in how many of them it was not
// yet. Errors: NotFound and Forbidden for the asset and each group; Conflict asset_not_ready before
// the asset's confirm.
func (s *Store) AddToGroups(userUUID, assetUUID string, groupUUIDs ...string) (int, error) {
	added := 0
	err := s.update(func(t *txn) error {
		added = 0
		asset, err := t.ownAsset(userUUID, assetUUID)
		if err != nil {
			return err
		}
		into := make([]*groupRow, len(groupUUIDs))
		for i, uuid := range groupUUIDs {
			if into[i], err = t.ownGroup(userUUID, uuid); err != nil {
				return err
			}
		}
		if _, err := t.confirmedAsset(userUUID, assetUUID); err != nil {
			return err
		}
		for _, group := range into {
			fresh, err := t.join(group, asset)
			if err != nil {
				return err
			}
			if fresh {
				added++
			}
		}
		return nil
	})
	return added, err
}

// join puts an asset into a group and reports whether it was not there yet.
func (t *txn) join(group *groupRow, asset *assetRow) (bool, error) {
	known, err := memberships.find(t, string(key(group.UUID, asset.UUID)))
	if err != nil || known != nil {
		return false, err
	}
	seq, err := memberships.next(t)
	if err != nil {
		return false, err
	}
	return true, memberships.put(t, &membership{GroupUUID: group.UUID, AssetUUID: asset.UUID, Seq: seq})
}

// RemoveFromGroup takes an asset out of one group. Errors: NotFound, also where it is not in it;
// Forbidden.
func (s *Store) RemoveFromGroup(userUUID, groupUUID, assetUUID string) error {
	return s.update(func(t *txn) error {
		if _, err := t.ownGroup(userUUID, groupUUID); err != nil {
			return err
		}
		if _, err := t.ownAsset(userUUID, assetUUID); err != nil {
			return err
		}
		row, err := memberships.get(t, string(key(groupUUID, assetUUID)))
		if err != nil {
			return err
		}
		return memberships.delete(t, string(memberships.key(row)))
	})
}

// AssetGroups returns the groups that an asset is in, in the order in which it was added to them.
func (s *Store) AssetGroups(userUUID, assetUUID string) ([]Group, error) {
	var list []Group
	err := s.view(func(t *txn) error {
		if _, err := t.ownAsset(userUUID, assetUUID); err != nil {
			return err
		}
		rows, err := memberships.list(t, membershipsByAsset, assetUUID)
		if err != nil {
			return err
		}
		for _, row := range rows {
			group, err := groups.get(t, row.GroupUUID)
			if err != nil {
				return err
			}
			list = append(list, group.served(t))
		}
		return nil
	})
	return list, err
}

// firstGroup returns the group that an asset has been in for longest, empty where it is in none.
func (t *txn) firstGroup(assetUUID string) (string, error) {
	prefix := keyPrefix(assetUUID)
	k, primary := t.Bucket([]byte(membershipsByAsset.name)).Cursor().Seek(prefix)
	if k == nil || !bytes.HasPrefix(k, prefix) {
		return "", nil
	}
	row, err := memberships.get(t, string(primary))
	if err != nil {
		return "", err
	}
	return row.GroupUUID, nil
}

// groupAssets returns the assets of a user's group, last added first.
func (t *txn) groupAssets(userUUID, groupUUID string) ([]*assetRow, error) {
	if _, err := t.ownGroup(userUUID, groupUUID); err != nil {
		return nil, err
	}
	members, _, err := memberships.page(t, Page{}, membershipsByGroup, groupUUID)
	if err != nil {
		return nil, err
	}
	rows := make([]*assetRow, len(members))
	for i, m := range members {
		if rows[i], err = assets.get(t, m.AssetUUID); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// groups checks that memberships join an asset and a group of one user, and that nobody has two
// default groups.
func (c *check) groups() error {
	defaults := map[string]int{}
	err := groups.all(c.t, func(row *groupRow) error {
		if row.IsDefault {
			defaults[row.UserUUID]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for user, n := range defaults {
		if n > 1 {
			c.report("default_groups", "User %s has %d default groups.", user, n)
		}
	}
	return memberships.all(c.t, func(row *membership) error {
		group, err := groups.find(c.t, row.GroupUUID)
		if err != nil {
			return err
		}
		asset, err := assets.find(c.t, row.AssetUUID)
		if err == nil && (group == nil || asset == nil || group.UserUUID != asset.UserUUID || asset.waits()) {
			c.report(
				"membership",
				"The asset %s is in the group %s, but they do not belong together.",
				row.AssetUUID,
				row.GroupUUID,
			)
		}
		return err
	})
}
