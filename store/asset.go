package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// Statuses of an asset.
const (
	AssetPending  = "pending"  // a job for its file is queued or running
	AssetUploaded = "uploaded" // ready for use
	AssetFailed   = "failed"
)

// assetAwaited is the status of an asset with an unconfirmed upload. Lists do not show it.
const assetAwaited = "pending_upload"

// Limits of an asset's tags.
const (
	maxTags   = 50
	maxTagLen = 100 // characters
)

// Asset is an image, video or audio file in a user's library.
type Asset struct {
	UUID, AssetFileID, UserUUID string
	Kind                        string // image, video, audio: as declared, until the file is probed
	DisplayName                 string
	Tags                        []string
	GroupUUID                   *string // group that the asset joined first
	Status, Error               string
	ContentType                 string     // as declared, until the file is probed
	DeclaredBytes, SizeBytes    int64      // SizeBytes is the actual size, 0 before the confirm
	Info                        media.Info // empty until the file is probed
	DurationMS                  *int64     // nil until the file is probed, and for images
	Version                     int        // of the file, from 1; each replacement adds 1
	HasPoster, HasProxy         bool
	// waveform of an audio asset, see media.Asset; nil for assets from older versions
	Outline              []byte
	CreatedAt, UpdatedAt time.Time
}

// NewAsset describes a file to upload.
type NewAsset struct {
	FileName, ContentType string
	SizeBytes             int64
	GroupUUID             *string // nil: the default group, if there is one
	DisplayName           string  // empty: the file name
	Tags                  []string
}

// AssetFilter selects assets. Empty fields select all.
type AssetFilter struct {
	GroupUUID, Kind, Tag string
	Query                string // words that each start a word of the name or of a tag
	Ungrouped            bool   // only assets without a group
}

// assetRow is the stored form of an Asset.
type assetRow struct {
	Asset
	Seq        uint64    // lists sort by it
	CollectAt  time.Time // when an unconfirmed upload is deleted
	GivenGroup string    // group to join after the confirm, empty for none
	ImportURL  string    // address of the file during an import, otherwise empty
	Source     string    // asset that this copy is made from, empty when it is done
	Edit       *AssetEdit
}

var (
	assetsByUser = &table.Index[assetRow]{
		Name: "assets.by_user",
		Keys: func(r *assetRow) [][]byte { return table.Entry(r.UserUUID) },
	}
	assetsListed = &table.Index[assetRow]{Name: "assets.listed", Counted: true, Keys: func(r *assetRow) [][]byte {
		if r.awaitsUpload() {
			return nil
		}
		return table.Entry(r.UserUUID, r.Seq)
	}}
	assetsByFile = &table.Index[assetRow]{
		Name:   "assets.by_file",
		Unique: true,
		Keys:   func(r *assetRow) [][]byte { return table.Entry(r.AssetFileID) },
	}
	assetsAwaiting = &table.Index[assetRow]{Name: "assets.awaiting", Keys: func(r *assetRow) [][]byte {
		if !r.awaitsUpload() {
			return nil
		}
		return table.Entry(r.CollectAt)
	}}
	assetsBySource = &table.Index[assetRow]{Name: "assets.by_source", Keys: func(r *assetRow) [][]byte {
		if r.Source == "" {
			return nil
		}
		return table.Entry(r.Source)
	}}
	assets = &table.Table[assetRow]{
		Name:    "assets",
		Noun:    "asset",
		Key:     func(r *assetRow) []byte { return []byte(r.UUID) },
		Subject: func(r *assetRow) string { return r.UUID },
		Indexes: []*table.Index[assetRow]{assetsByUser, assetsListed, assetsByFile, assetsAwaiting, assetsBySource},
	}
)

// Names of an asset's files, without the version.
const (
	assetOriginal = "original"
	assetPoster   = "poster"
	assetProxy    = "proxy"
)

// FileKey returns the key of the asset's file, for Store.FilePath.
func (a Asset) FileKey() string { return assetKey(a.AssetFileID, assetOriginal, a.Version) }

// PosterKey returns the key of the asset's thumbnail, or "" if the asset has no thumbnail.
func (a Asset) PosterKey() string {
	if !a.HasPoster {
		return ""
	}
	return assetKey(a.AssetFileID, assetPoster, a.Version)
}

// ProxyKey returns the key of the MP4 proxy for browsers, empty when browsers play the file itself.
func (a Asset) ProxyKey() string {
	if !a.HasProxy {
		return ""
	}
	return assetKey(a.AssetFileID, assetProxy, a.Version)
}

func (r *assetRow) awaitsUpload() bool { return r.Status == assetAwaited }

func (r *assetRow) slot() slot {
	return slot{
		owner:     r.UUID,
		userUUID:  r.UserUUID,
		fileID:    r.AssetFileID,
		key:       r.FileKey(),
		declared:  r.DeclaredBytes,
		collectAt: r.CollectAt,
	}
}

func (r *assetRow) extend(t *txn, until time.Time) error {
	r.CollectAt = until
	return assets.Put(t, r)
}

func (r *assetRow) accept(t *txn, bytes int64) error {
	r.Status, r.SizeBytes, r.UpdatedAt = AssetPending, bytes, t.Now
	imported := r.ImportURL != ""
	r.ImportURL = ""
	if err := assets.Put(t, r); err != nil {
		return err
	}
	if !imported { // an import joined at its start and may have left since
		if err := r.joinGiven(t); err != nil {
			return err
		}
	}

	return t.enqueue(JobAsset, r.UUID, r.UserUUID, "")
}

// joinGiven adds the asset to the group that was given for it. It does nothing when the group was
// deleted or is full.
func (r *assetRow) joinGiven(t *txn) error {
	group, err := groups.Find(t, r.GivenGroup)
	if err != nil || group == nil {
		return err
	}
	if _, err = t.addToGroup(group, r); IsKind(err, Unprocessable) {
		return nil
	}
	return err
}

func (r *assetRow) expire(t *txn) error { return t.dropAsset(r) }

// servedAsset returns the asset with the group that it joined first.
func (t *txn) servedAsset(row *assetRow) (Asset, error) {
	a := row.Asset
	first, err := t.firstGroup(row.UUID)
	if first != "" {
		a.GroupUUID = &first
	}
	return a, err
}

// ownAsset returns an asset of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownAsset(userUUID, uuid string) (*assetRow, error) {
	row, err := assets.Get(t, uuid)
	if err == nil && row.UserUUID != userUUID {
		err = notYours(assets.Noun)
	}
	return row, err
}

// confirmedAsset is ownAsset for operations that need the asset's file. Errors: also Conflict
// asset_not_ready.
func (t *txn) confirmedAsset(userUUID, uuid string) (*assetRow, error) {
	row, err := t.ownAsset(userUUID, uuid)
	if err == nil && row.awaitsUpload() {
		err = fail(
			Conflict,
			"asset_not_ready",
			"The asset has no file yet. Upload its file and confirm the upload first.",
		)
	}

	return row, err
}

// PresignAsset creates an asset that waits for its upload. Lists show it after ConfirmAsset.
// Errors: NotFound and Forbidden for the group; Unprocessable file_too_large,
// content_type_not_allowed, quota_exceeded; StorageFull.
func (s *Store) PresignAsset(userUUID string, in NewAsset) (Asset, error) {
	full := s.CheckFree(max(in.SizeBytes, 0))
	return updated(s, func(t *txn) (Asset, error) {
		group, err := t.givenGroup(userUUID, in.GroupUUID)
		if err != nil {
			return Asset{}, err
		}
		if in.Tags, err = cleanTags(in.Tags); err != nil {
			return Asset{}, err
		}
		contentType, err := t.checkDeclared(userUUID, media.AssetTypes(), in.ContentType, in.FileName, in.SizeBytes)
		if err != nil {
			return Asset{}, err
		}
		if full != nil {
			return Asset{}, full
		}
		name := orText(oneLine(in.DisplayName), orText(oneLine(in.FileName), "asset"))
		row := &assetRow{
			GivenGroup: group,
			CollectAt:  t.Now.Add(s.o.UploadURLTTL),
			Asset: Asset{
				UserUUID:      userUUID,
				Kind:          media.FileKind(contentType),
				DisplayName:   name,
				Tags:          in.Tags,
				Status:        assetAwaited,
				ContentType:   contentType,
				DeclaredBytes: in.SizeBytes,
			},
		}
		err = t.addAsset(row)
		return row.Asset, err
	})
}

// addAsset stores a new asset.
func (t *txn) addAsset(row *assetRow) (err error) {
	row.UUID, row.AssetFileID, row.Version = t.NewID(), t.NewID(), 1
	row.CreatedAt, row.UpdatedAt = t.Now, t.Now
	if row.Seq, err = assets.NextSeq(t); err != nil {
		return err
	}
	return assets.Put(t, row)
}

// cleanTags trims tags and removes empty and repeated ones, ignoring case. Errors: Unprocessable.
func cleanTags(tags []string) ([]string, error) {
	clean, seen := []string{}, map[string]bool{}
	for _, tag := range tags {
		tag = strings.Join(strings.Fields(tag), " ")
		if tag == "" || seen[table.Fold(tag)] {
			continue
		}
		if len([]rune(tag)) > maxTagLen {
			return nil, failField("tags", "A tag may have at most %d characters.", maxTagLen)
		}
		seen[table.Fold(tag)] = true
		clean = append(clean, tag)
	}

	if len(clean) > maxTags {
		return nil, failField("tags", "An asset may have at most %d tags.", maxTags)
	}
	return clean, nil
}

// ConfirmAsset accepts the uploaded file of an asset, as confirmUpload does. The asset joins its
// group, appears in lists, and its file is probed. The result fresh is true for the first confirm;
// later ones change nothing.
func (s *Store) ConfirmAsset(userUUID, uuid string) (a Asset, fresh bool, err error) {
	fresh, err = s.confirmUpload(func(t *txn) (pendingUpload, error) { return t.ownAsset(userUUID, uuid) })
	if err != nil {
		return Asset{}, false, err
	}
	a, err = s.Asset(userUUID, uuid)
	return a, fresh, err
}

// Asset returns an asset, even an unconfirmed one. Errors: NotFound, Forbidden.
func (s *Store) Asset(userUUID, uuid string) (Asset, error) {
	return viewed(s, func(t *txn) (a Asset, err error) {
		row, err := t.ownAsset(userUUID, uuid)
		if err == nil {
			a, err = t.servedAsset(row)
		}
		return a, err
	})
}

// PlayableAsset returns an asset that is ready to be played or placed. Errors: NotFound, Forbidden;
// Conflict asset_not_ready.
func (s *Store) PlayableAsset(userUUID, uuid string) (Asset, error) {
	a, err := s.Asset(userUUID, uuid)
	if err == nil {
		err = checkReady(a)
	}
	return a, err
}

// checkReady refuses an asset that is not ready. Errors: Conflict asset_not_ready.
func checkReady(a Asset) error {
	const code = "asset_not_ready"
	switch a.Status {
	case AssetUploaded:
		return nil
	case assetAwaited:
		return fail(Conflict, code, "The asset has no file yet. Upload its file and confirm the upload first.")
	case AssetFailed:
		return fail(Conflict, code, "The asset could not be used: %s", a.Error)
	}

	return fail(Conflict, code, "The asset is still being processed. Wait until its status is uploaded.")
}

// Assets returns one page of a user's assets, newest first, and the number of all. In a group, the
// asset that was added last comes first. Errors: NotFound and Forbidden for the group.
func (s *Store) Assets(userUUID string, f AssetFilter, p Page) ([]Asset, int, error) {
	return viewedPage(s, func(t *txn) ([]Asset, int, error) {
		rows, total, err := t.findAssets(userUUID, f, p)
		list := make([]Asset, 0, len(rows))
		for _, row := range rows {
			a, err := t.servedAsset(row)
			if err != nil {
				return nil, 0, err
			}
			list = append(list, a)
		}

		return list, total, err
	})
}

func (t *txn) findAssets(userUUID string, f AssetFilter, p Page) ([]*assetRow, int, error) {
	if f == (AssetFilter{}) {
		return assets.Page(t, p, assetsListed, userUUID)
	}
	var rows []*assetRow
	var err error
	if f.GroupUUID != "" {
		rows, err = t.groupAssets(userUUID, f.GroupUUID)
	} else {
		rows, _, err = assets.Page(t, Page{}, assetsListed, userUUID)
	}

	if err != nil {
		return nil, 0, err
	}
	words := strings.Fields(table.Fold(f.Query))
	rows = slices.DeleteFunc(rows, func(r *assetRow) bool { return !r.matches(f, words) })
	if f.Ungrouped {
		rows = slices.DeleteFunc(
			rows,
			func(r *assetRow) bool { return memberships.Count(t, membershipsByAsset, r.UUID) > 0 },
		)
	}

	return table.Cut(rows, p), len(rows), nil
}

// matches reports whether an asset has the kind and the tag, and whether each of the folded words
// starts a word of its name or tags.
func (r *assetRow) matches(f AssetFilter, words []string) bool {
	if f.Kind != "" && r.Kind != f.Kind {
		return false
	}
	asked := func(tag string) bool { return table.Fold(tag) == table.Fold(f.Tag) }
	if f.Tag != "" && !slices.ContainsFunc(r.Tags, asked) {
		return false
	}
	has := strings.FieldsFunc(table.Fold(r.DisplayName+" "+strings.Join(r.Tags, " ")), func(c rune) bool {
		return strings.ContainsRune(" _-.,;:()[]/", c)
	})
	return !slices.ContainsFunc(words, func(word string) bool {
		return !slices.ContainsFunc(has, func(h string) bool { return strings.HasPrefix(h, word) }) &&
			!strings.HasPrefix(table.Fold(r.DisplayName), word)
	})
}

// AssetTag is a tag with the number of assets that have it.
type AssetTag struct {
	Tag        string // spelled as in the newest of the assets
	AssetCount int
}

// AssetTags returns one page of the tags of a user's assets in alphabetical order, and the number
// of all. Tags that differ only in case are one tag.
func (s *Store) AssetTags(userUUID string, p Page) ([]AssetTag, int, error) {
	found := map[string]*AssetTag{}
	err := s.view(func(t *txn) error {
		rows, _, err := assets.Page(t, Page{}, assetsListed, userUUID)
		for _, row := range rows {
			for _, tag := range row.Tags {
				if found[table.Fold(tag)] == nil {
					found[table.Fold(tag)] = &AssetTag{Tag: tag}
				}
				found[table.Fold(tag)].AssetCount++
			}
		}

		return err
	})
	list := make([]AssetTag, 0, len(found))
	for _, folded := range slices.Sorted(maps.Keys(found)) {
		list = append(list, *found[folded])
	}
	return table.Cut(list, p), len(list), err
}

// UpdateAsset changes the name and the tags of an asset. A nil value stays unchanged. Errors:
// Unprocessable for an empty name or too many tags; Conflict asset_not_ready before the confirm.
func (s *Store) UpdateAsset(userUUID, uuid string, displayName *string, tags *[]string) (Asset, error) {
	return updated(s, func(t *txn) (a Asset, err error) {
		row, err := t.confirmedAsset(userUUID, uuid)
		if err != nil {
			return a, err
		}
		if displayName != nil {
			if row.DisplayName, err = ValidName("display_name", *displayName); err != nil {
				return a, err
			}
		}

		if tags != nil {
			if row.Tags, err = cleanTags(*tags); err != nil {
				return a, err
			}
		}

		row.UpdatedAt = t.Now
		if err := assets.Put(t, row); err != nil {
			return a, err
		}
		a, err = t.servedAsset(row)
		return a, err
	})
}

// DeleteAsset deletes an asset with its files and placements, and frees its storage. Copies that
// are being made from it fail. Errors: NotFound, Forbidden.
func (s *Store) DeleteAsset(userUUID, uuid string) error {
	return s.updateOnReserve(func(t *txn) error {
		row, err := t.ownAsset(userUUID, uuid)
		if err != nil {
			return err
		}
		if err := t.failCopies(row.UUID, "The source asset was deleted before the copy was made."); err != nil {
			return err
		}
		if err := t.dropPlacements(row.AssetFileID); err != nil {
			return err
		}
		return t.dropAsset(row)
	})
}

func (t *txn) dropAsset(row *assetRow) error {
	if err := t.cancelJob(row.UUID); err != nil {
		return err
	}
	if err := t.dropFiles(row.UUID); err != nil {
		return err
	}
	if err := t.dropPart(row.AssetFileID); err != nil {
		return err
	}
	if err := memberships.DeleteAll(t, membershipsByAsset, row.UUID); err != nil {
		return err
	}
	return assets.Delete(t, row.UUID)
}

// dropLibrary deletes the assets and groups of a user while the transaction has room.
func (t *txn) dropLibrary(userUUID string) error {
	if err := dropEach(t, assets, userUUID, t.dropAsset, assetsByUser); err != nil {
		return err
	}
	return groups.DeleteAll(t, groupsByUser, userUUID)
}

// assetKey returns the key of a file of an asset.
func assetKey(assetFileID, name string, version int) string {
	return fmt.Sprintf("assets/%s/%s-%d", assetFileID, name, version)
}

// assets checks that each asset has its file exactly when its status says so, that the source of a
// pending copy exists, and that placed assets belong to the owner of the project.
func (c *check) assets() error {
	err := assets.Each(c.t, func(row *assetRow) error {
		if row.awaitsUpload() {
			return nil
		}
		file, err := files.Find(c.t, row.FileKey())
		if err != nil {
			return err
		}
		there := row.Status != AssetFailed && row.Source == "" && row.ImportURL == ""
		if (file != nil) != there || (there && (!file.Counted || file.Size != row.SizeBytes)) {
			c.report("asset_file", "Asset %s has the status %s, which does not match its file.", row.UUID, row.Status)
		}
		if row.Source == "" {
			return nil
		}
		source, err := assets.Find(c.t, row.Source)
		if err == nil && (source == nil || source.UserUUID != row.UserUUID || row.Edit == nil) {
			c.report("asset_source", "Asset %s is a pending copy of an asset that does not exist.", row.UUID)
		}
		return err
	})
	if err != nil {
		return err
	}
	return edits.Each(c.t, func(row *editRow) error {
		if row.Placement == nil {
			return nil
		}
		asset, err := assets.Lookup(c.t, assetsByFile, row.Placement.AssetFileID)
		if err != nil {
			return err
		}
		project, err := projects.Find(c.t, row.ProjectUUID)
		if err == nil && (asset == nil || project == nil || project.UserUUID != asset.UserUUID) {
			c.report("edit_asset", "Edit %s places an asset that does not exist.", row.UUID)
		}
		return err
	})
}
