package store

import (
	"time"

	"roughcut/store/table"
)

// Limits of the groups of a user.
const (
	maxGroups  = 200
	maxMembers = 10_000 // of a group
)

// Group is a set of a user's assets. An asset may be in several groups. At most one group of a user
// is the default: assets that are uploaded without a group join it.
type Group struct {
	UUID, UserUUID, Name, Description string
	DefaultInstructions               string // how to use the assets in the group
	IsDefault, IsPinned               bool
	AssetCount                        int
	CreatedAt, UpdatedAt              time.Time
}

// groupRow is the stored form of a Group. AssetCount is not stored.
type groupRow struct {
	Group
	Seq uint64 // lists sort by it
}

// membership records that an asset is in a group.
type membership struct {
	GroupUUID, AssetUUID string
	Seq                  uint64 // order in which assets were added
}

var (
	groupsByUser = &table.Index[groupRow]{Name: "asset_groups.by_user", Keys: func(r *groupRow) [][]byte {
		pinned := uint64(0)
		if r.IsPinned {
			pinned = 1
		}
		return table.Entry(r.UserUUID, pinned, r.Seq)
	}}
	groups = &table.Table[groupRow]{
		Name:    "asset_groups",
		Noun:    "asset group",
		Key:     func(r *groupRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[groupRow]{groupsByUser},
	}

	membershipsByGroup = &table.Index[membership]{
		Name:    "asset_memberships.by_group",
		Counted: true,
		Keys:    func(r *membership) [][]byte { return table.Entry(r.GroupUUID, r.Seq) },
	}
	membershipsByAsset = &table.Index[membership]{
		Name: "asset_memberships.by_asset",
		Keys: func(r *membership) [][]byte { return table.Entry(r.AssetUUID, r.Seq) },
	}
	memberships = &table.Table[membership]{
		Name:    "asset_memberships",
		Noun:    "membership",
		Key:     func(r *membership) []byte { return table.Key(r.GroupUUID, r.AssetUUID) },
		Subject: func(r *membership) string { return r.AssetUUID },
		Indexes: []*table.Index[membership]{membershipsByGroup, membershipsByAsset},
	}
)

// served returns the group with the number of its assets.
func (r *groupRow) served(t *txn) Group {
	g := r.Group
	g.AssetCount = memberships.Count(t, membershipsByGroup, r.UUID)
	return g
}

// ownGroup returns a group of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownGroup(userUUID, uuid string) (*groupRow, error) {
	row, err := groups.Get(t, uuid)
	if err == nil && row.UserUUID != userUUID {
		err = notYours(groups.Noun)
	}
	return row, err
}

// givenGroup returns the group that an upload joins: the requested one, or the user's default
// group, or none. Errors: NotFound, Forbidden; Unprocessable for a requested group that is full.
func (t *txn) givenGroup(userUUID string, uuid *string) (string, error) {
	if uuid != nil {
		_, err := t.ownGroup(userUUID, *uuid)
		if err != nil {
			return *uuid, err
		}
		return *uuid, t.checkRoom(*uuid)
	}

	list, err := groups.List(t, groupsByUser, userUUID)
	for _, g := range list {
		if g.IsDefault {
			return g.UUID, err
		}
	}

	return "", err
}

// Groups returns one page of a user's groups and the number of all. Pinned groups come first, then
// the newest.
func (s *Store) Groups(userUUID string, p Page) ([]Group, int, error) {
	return viewedPage(s, func(t *txn) (list []Group, total int, err error) {
		rows, total, err := groups.Page(t, p, groupsByUser, userUUID)
		for _, row := range rows {
			list = append(list, row.served(t))
		}
		return list, total, err
	})
}

// CreateGroup stores a group and sets its uuid, user, count and times. A new default replaces the
// former one. Errors: Unprocessable without a name, and past maxGroups.
func (s *Store) CreateGroup(userUUID string, g Group) (Group, error) {
	var err error
	if g.Name, err = ValidName("name", g.Name); err != nil {
		return Group{}, err
	}
	return updated(s, func(t *txn) (made Group, err error) {
		if groups.Count(t, groupsByUser, userUUID) >= maxGroups {
			return made, tooMany("You can have %d groups. Delete some of them first.", maxGroups)
		}
		seq, err := groups.NextSeq(t)
		if err != nil {
			return made, err
		}
		row := &groupRow{Seq: seq, Group: g}
		row.UUID = s.NewID()
		row.UserUUID = userUUID
		row.AssetCount = 0
		row.CreatedAt = t.Now
		row.UpdatedAt = t.Now
		made = row.served(t)
		return made, t.putGroup(row)
	})
}

// UpdateGroup calls fn to change a group. The uuid, user, count and times stay. Errors: NotFound,
// Forbidden; Unprocessable without a name.
func (s *Store) UpdateGroup(userUUID, uuid string, fn func(*Group)) (Group, error) {
	return updated(s, func(t *txn) (changed Group, err error) {
		row, err := t.ownGroup(userUUID, uuid)
		if err != nil {
			return changed, err
		}
		before := row.Group
		fn(&row.Group)
		row.UUID = before.UUID
		row.UserUUID = before.UserUUID
		row.AssetCount = 0
		row.CreatedAt = before.CreatedAt
		row.UpdatedAt = t.Now
		if row.Name, err = ValidName("name", row.Name); err != nil {
			return changed, err
		}
		if row.Name != before.Name || row.Description != before.Description ||
			row.DefaultInstructions != before.DefaultInstructions {
			if err := t.reindexGroup(uuid); err != nil {
				return changed, err
			}
		}

		changed = row.served(t)
		return changed, t.putGroup(row)
	})
}

// reindexGroup makes the search index read the texts of a group's assets again.
func (t *txn) reindexGroup(uuid string) error {
	list, err := memberships.List(t, membershipsByGroup, uuid)
	for _, m := range list {
		if err == nil {
			err = t.Changed(m.AssetUUID)
		}
	}

	return err
}

// putGroup writes a group. When it is the default, the user's other groups stop being the default.
func (t *txn) putGroup(row *groupRow) error {
	if row.IsDefault {
		err := clearOtherDefaults(
			t,
			groups,
			groupsByUser,
			row.UserUUID,
			row.UUID,
			func(r *groupRow) defaultFlag { return defaultFlag{r.UUID, &r.IsDefault, &r.UpdatedAt} },
		)
		if err != nil {
			return err
		}
	}

	return groups.Put(t, row)
}

// DeleteGroup deletes a group. Its assets stay. Errors: NotFound, Forbidden.
func (s *Store) DeleteGroup(userUUID, uuid string) error {
	return s.updateOnReserve(func(t *txn) error {
		if _, err := t.ownGroup(userUUID, uuid); err != nil {
			return err
		}
		if err := memberships.DeleteAll(t, membershipsByGroup, uuid); err != nil {
			return err
		}
		return groups.Delete(t, uuid)
	})
}

// AddToGroups adds an asset to groups, all or none, and returns how many of them it joined. Errors:
// NotFound and Forbidden for the asset and each group; Conflict asset_not_ready before the asset's
// confirm; Unprocessable past maxMembers.
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
			fresh, err := t.addToGroup(group, asset)
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

// checkRoom refuses one more member past maxMembers. Errors: Unprocessable.
func (t *txn) checkRoom(groupUUID string) error {
	if memberships.Count(t, membershipsByGroup, groupUUID) < maxMembers {
		return nil
	}
	return tooMany("A group can have %d assets. Choose another group, or remove some of its assets.", maxMembers)
}

// addToGroup adds an asset to a group and reports whether it was not in the group before. Errors:
// Unprocessable past maxMembers.
func (t *txn) addToGroup(group *groupRow, asset *assetRow) (bool, error) {
	known, err := memberships.Find(t, string(table.Key(group.UUID, asset.UUID)))
	if err != nil || known != nil {
		return false, err
	}
	if err := t.checkRoom(group.UUID); err != nil {
		return false, err
	}
	seq, err := memberships.NextSeq(t)
	if err != nil {
		return false, err
	}
	return true, memberships.Put(t, &membership{GroupUUID: group.UUID, AssetUUID: asset.UUID, Seq: seq})
}

// RemoveFromGroup removes an asset from a group. Errors: NotFound, also when the asset is not in
// the group; Forbidden.
func (s *Store) RemoveFromGroup(userUUID, groupUUID, assetUUID string) error {
	return s.updateOnReserve(func(t *txn) error {
		if _, err := t.ownGroup(userUUID, groupUUID); err != nil {
			return err
		}
		if _, err := t.ownAsset(userUUID, assetUUID); err != nil {
			return err
		}
		row, err := memberships.Get(t, string(table.Key(groupUUID, assetUUID)))
		if err != nil {
			return err
		}
		return memberships.Delete(t, string(memberships.Key(row)))
	})
}

// AssetGroups returns the groups of an asset in the order that the asset joined them. Errors:
// NotFound, Forbidden.
func (s *Store) AssetGroups(userUUID, assetUUID string) ([]Group, error) {
	return viewed(s, func(t *txn) (list []Group, err error) {
		if _, err := t.ownAsset(userUUID, assetUUID); err != nil {
			return list, err
		}
		rows, err := memberships.List(t, membershipsByAsset, assetUUID)
		if err != nil {
			return list, err
		}
		for _, row := range rows {
			group, err := groups.Get(t, row.GroupUUID)
			if err != nil {
				return list, err
			}
			list = append(list, group.served(t))
		}

		return list, nil
	})
}

// firstGroup returns the uuid of the group that an asset joined first, empty when it is in no
// group.
func (t *txn) firstGroup(assetUUID string) (string, error) {
	row, err := memberships.First(t, membershipsByAsset, assetUUID)
	if err != nil || row == nil {
		return "", err
	}
	return row.GroupUUID, nil
}

// groupAssets returns the assets of a user's group, the last added first. Errors: NotFound,
// Forbidden.
func (t *txn) groupAssets(userUUID, groupUUID string) ([]*assetRow, error) {
	if _, err := t.ownGroup(userUUID, groupUUID); err != nil {
		return nil, err
	}
	members, _, err := memberships.Page(t, Page{}, membershipsByGroup, groupUUID)
	if err != nil {
		return nil, err
	}
	rows := make([]*assetRow, len(members))
	for i, m := range members {
		if rows[i], err = assets.Get(t, m.AssetUUID); err != nil {
			return nil, err
		}
	}

	return rows, nil
}

// groups checks that memberships connect an asset and a group of the same user, and that each user
// has at most one default group.
func (c *check) groups() error {
	defaults := map[string]int{}
	err := groups.Each(c.t, func(row *groupRow) error {
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

	return memberships.Each(c.t, func(row *membership) error {
		group, err := groups.Find(c.t, row.GroupUUID)
		if err != nil {
			return err
		}
		asset, err := assets.Find(c.t, row.AssetUUID)
		if err != nil {
			return err
		}
		if group == nil || asset == nil || group.UserUUID != asset.UserUUID || asset.awaitsUpload() {
			c.report(
				"membership",
				"Asset %s is in group %s, but the group, the asset or their common owner does not exist.",
				row.AssetUUID,
				row.GroupUUID,
			)
		}

		return err
	})
}
