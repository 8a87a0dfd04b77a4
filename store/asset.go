package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"roughcut/media"
)

// Statuses of an asset.
const (
	AssetPending  = "pending"  // work on its file is queued or under way
	AssetUploaded = "uploaded" // ready for use
	AssetFailed   = "failed"
)

// assetAwaited is the status of an asset whose upload nobody confirmed yet: no list shows it.
const assetAwaited = "pending_upload"

// Bounds on what people write about an asset.
const (
	maxTags   = 50
	maxTagLen = 100 // characters
)

// Asset is an image, video or sound in a user's library.
type Asset struct {
	UUID, AssetFileID, UserUUID string
	Kind                        string // image, video, audio: as declared until the file was looked at
	DisplayName                 string
	Tags                        []string
	GroupUUID                   *string // the group that it has been in for longest
	Status, Error               string
	ContentType                 string     // as declared until the file was looked at
	DeclaredBytes, SizeBytes    int64      // SizeBytes is the real size, 0 before confirm
	Info                        media.Info // empty until the file was looked at
	DurationMS                  *int64     // nil until the file was looked at, and for images
	Version                     int        // of the file, from 1: a replacement is the next one
	HasPoster, HasProxy         bool
	// of a sound, as media.Asset has it; nil also where an older version looked at the file
	Outline              []byte
	CreatedAt, UpdatedAt time.Time
}

// NewAsset declares a file that is about to be uploaded.
type NewAsset struct {
	FileName, ContentType string
	SizeBytes             int64
	GroupUUID             *string // nil: the default group, where there is one
	DisplayName           string  // empty: the file name
	Tags                  []string
}

// AssetFilter says which assets to list; empty fields let all through.
type AssetFilter struct {
	GroupUUID, Kind, Tag string
	Query                string // words that each begin a word of the name or of a tag
	Ungrouped            bool   // only those in no group
}

// assetRow is an Asset as it is stored.
type assetRow struct {
	Asset
	Seq        uint64    // the order of lists
	CollectAt  time.Time // when an upload that nobody confirms is collected
	GivenGroup string    // the group that it joins at confirm, empty for none
	ImportURL  string    // where its file is fetched from; empty once it is here, and for an upload
	Source     string    // the asset that it is to be made from, until it is
	Edit       *AssetEdit
}

var (
	assetsByUser = &index[assetRow]{name: "assets.by_user", keys: func(r *assetRow) [][]byte { return one(r.UserUUID) }}
	assetsListed = &index[assetRow]{name: "assets.listed", counted: true, keys: func(r *assetRow) [][]byte {
		if r.waits() {
			return nil
		}
		return one(r.UserUUID, r.Seq)
	}}
	assetsByFile = &index[assetRow]{
		name:   "assets.by_file",
		unique: true,
		keys:   func(r *assetRow) [][]byte { return one(r.AssetFileID) },
	}
	assetsAwaiting = &index[assetRow]{name: "assets.awaiting", keys: func(r *assetRow) [][]byte {
		if !r.waits() {
			return nil
		}
		return one(r.CollectAt)
	}}
	assetsBySource = &index[assetRow]{name: "assets.by_source", keys: func(r *assetRow) [][]byte {
		if r.Source == "" {
			return nil
		}
		return one(r.Source)
	}}
	assets = &table[assetRow]{name: "assets", what: "asset", key: func(r *assetRow) []byte { return []byte(r.UUID) },
		found:   func(r *assetRow) string { return r.UUID },
		indexes: []*index[assetRow]{assetsByUser, assetsListed, assetsByFile, assetsAwaiting, assetsBySource}}
)

// assetTypes are the content types that an asset may be declared as.
var assetTypes = append(slices.Clone(clipTypes), "image/png", "image/jpeg", "image/webp", "image/gif",
	"audio/mpeg", "audio/mp4", "audio/x-m4a", "audio/aac", "audio/wav", "audio/x-wav", "audio/flac", "audio/ogg")

// Names of an asset's files, before the version of the file.
const (
	assetOriginal = "original"
	assetPoster   = "poster"
	assetProxy    = "proxy"
)

// FileKey is the key of the asset's file, for Store.FilePath.
func (a Asset) FileKey() string { return assetKey(a.AssetFileID, assetOriginal, a.Version) }

// PosterKey is the key of the asset's small picture, empty without one.
func (a Asset) PosterKey() string {
	if !a.HasPoster {
		return ""
	}
	return assetKey(a.AssetFileID, assetPoster, a.Version)
}

// ProxyKey is the key of the MP4 that browsers play in place of the asset's file, empty where they
// play the file itself.
func (a Asset) ProxyKey() string {
	if !a.HasProxy {
		return ""
	}
	return assetKey(a.AssetFileID, assetProxy, a.Version)
}

func (r *assetRow) waits() bool { return r.Status == assetAwaited }

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

func (r *assetRow) prolong(t *txn, until time.Time) error {
	r.CollectAt = until
	return assets.put(t, r)
}

func (r *assetRow) takeOver(t *txn, bytes int64) error {
	r.Status, r.SizeBytes, r.UpdatedAt = AssetPending, bytes, t.now
	imported := r.ImportURL != ""
	r.ImportURL = ""
	if err := assets.put(t, r); err != nil {
		return err
	}
	if !imported { // an import joined at once; it may have left since
		if err := r.joinGiven(t); err != nil {
			return err
		}
	}
	return t.enqueue(JobAsset, r.UUID, r.UserUUID, "")
}

// joinGiven puts the asset into the group that it was given; one that was deleted meanwhile is
// none.
func (r *assetRow) joinGiven(t *txn) error {
	group, err := groups.find(t, r.GivenGroup)
	if err != nil || group == nil {
		return err
	}
	_, err = t.join(group, r)
	return err
}

func (r *assetRow) collect(t *txn) error { return t.dropAsset(r) }

// servedAsset returns the asset with the group that it has been in for longest.
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
	row, err := assets.get(t, uuid)
	if err == nil && row.UserUUID != userUUID {
		err = notYours(assets.what)
	}
	return row, err
}

// confirmedAsset is ownAsset for what makes no sense before the file is there. Errors: also
// Conflict asset_not_ready.
func (t *txn) confirmedAsset(userUUID, uuid string) (*assetRow, error) {
	row, err := t.ownAsset(userUUID, uuid)
	if err == nil && row.waits() {
		err = fail(Conflict, "asset_not_ready", "The asset was never uploaded; send its file and confirm it first.")
	}
	return row, err
}

// PresignAsset makes the record of an asset that is about to be uploaded; no list shows it before
// ConfirmAsset. Errors: NotFound and Forbidden for the group; Unprocessable file_too_large,
// content_type_not_allowed, quota_exceeded; StorageFull.
func (s *Store) PresignAsset(userUUID string, in NewAsset) (Asset, error) {
	full := s.CheckFree(max(in.SizeBytes, 0))
	in.ContentType = mediaType(in.ContentType)
	var row *assetRow
	err := s.update(func(t *txn) error {
		group, err := t.givenGroup(userUUID, in.GroupUUID)
		if err != nil {
			return err
		}
		if in.Tags, err = cleanTags(in.Tags); err != nil {
			return err
		}
		if err := t.declare(userUUID, assetTypes, in.ContentType, in.SizeBytes); err != nil {
			return err
		}
		if full != nil {
			return full
		}
		seq, err := assets.next(t)
		if err != nil {
			return err
		}
		name := orText(oneLine(in.DisplayName), orText(oneLine(in.FileName), "asset"))
		kind, _, _ := strings.Cut(in.ContentType, "/")
		row = &assetRow{
			Seq:        seq,
			GivenGroup: group,
			CollectAt:  t.now.Add(s.o.UploadURLTTL),
			Asset: Asset{
				UUID:          s.NewID(),
				AssetFileID:   s.NewID(),
				UserUUID:      userUUID,
				Kind:          kind,
				DisplayName:   name,
				Tags:          in.Tags,
				Status:        assetAwaited,
				ContentType:   in.ContentType,
				DeclaredBytes: in.SizeBytes,
				Version:       1,
				CreatedAt:     t.now,
				UpdatedAt:     t.now,
			},
		}
		return assets.put(t, row)
	})
	if err != nil {
		return Asset{}, err
	}
	return row.Asset, nil
}

// cleanTags trims tags and drops empty ones and repetitions, whatever their case.
func cleanTags(tags []string) ([]string, error) {
	clean, seen := []string{}, map[string]bool{}
	for _, tag := range tags {
		tag = strings.Join(strings.Fields(tag), " ")
		if tag == "" || seen[fold(tag)] {
			continue
		}
		if len([]rune(tag)) > maxTagLen {
			return nil, failField("tags", "A tag may have at most %d characters.", maxTagLen)
		}
		seen[fold(tag)] = true
		clean = append(clean, tag)
	}
	if len(clean) > maxTags {
		return nil, failField("tags", "An asset may have at most %d tags.", maxTags)
	}
	return clean, nil
}

// ConfirmAsset takes the uploaded file of an asset over, as confirmUpload does: the asset shows in
// lists, in its group, and its file is looked at. fresh tells the first confirm from later ones,
// which change nothing.
func (s *Store) ConfirmAsset(userUUID, uuid string) (a Asset, fresh bool, err error) {
	fresh, err = s.confirmUpload(func(t *txn) (awaiting, error) { return t.ownAsset(userUUID, uuid) })
	if err != nil {
		return Asset{}, false, err
	}
	a, err = s.Asset(userUUID, uuid)
	return a, fresh, err
}

// Asset returns an asset, also one that was not confirmed.
func (s *Store) Asset(userUUID, uuid string) (Asset, error) {
	var a Asset
	err := s.view(func(t *txn) error {
		row, err := t.ownAsset(userUUID, uuid)
		if err == nil {
			a, err = t.servedAsset(row)
		}
		return err
	})
	return a, err
}

// PlayableAsset returns an asset that can be played or placed. Errors: Conflict asset_not_ready.
func (s *Store) PlayableAsset(userUUID, uuid string) (Asset, error) {
	a, err := s.Asset(userUUID, uuid)
	if err == nil {
		err = checkReady(a)
	}
	return a, err
}

// checkReady refuses an asset that is not ready for use.
func checkReady(a Asset) error {
	const code = "asset_not_ready"
	switch a.Status {
	case AssetUploaded:
		return nil
	case assetAwaited:
		return fail(Conflict, code, "The asset was never uploaded; send its file and confirm it first.")
	case AssetFailed:
		return fail(Conflict, code, "The asset could not be used: %s", a.Error)
	}
	return fail(Conflict, code, "The asset is still being processed; wait until it is uploaded.")
}

// Assets returns one page of a user's assets, newest first (in a group: last added first), and how
// many there are in all. Errors: NotFound and Forbidden for the group.
func (s *Store) Assets(userUUID string, f AssetFilter, p Page) ([]Asset, int, error) {
	var list []Asset
	total := 0
	err := s.view(func(t *txn) error {
		rows, n, err := t.findAssets(userUUID, f, p)
		if err != nil {
			return err
		}
		list, total = make([]Asset, 0, len(rows)), n
		for _, row := range rows {
			a, err := t.servedAsset(row)
			if err != nil {
				return err
			}
			list = append(list, a)
		}
		return nil
	})
	return list, total, err
}

func (t *txn) findAssets(userUUID string, f AssetFilter, p Page) ([]*assetRow, int, error) {
	if f == (AssetFilter{}) {
		return assets.page(t, p, assetsListed, userUUID)
	}
	var rows []*assetRow
	var err error
	if f.GroupUUID != "" {
		rows, err = t.groupAssets(userUUID, f.GroupUUID)
	} else {
		rows, _, err = assets.page(t, Page{}, assetsListed, userUUID)
	}
	if err != nil {
		return nil, 0, err
	}
	words := strings.Fields(fold(f.Query))
	rows = slices.DeleteFunc(rows, func(r *assetRow) bool { return !r.matches(f, words) })
	if f.Ungrouped {
		rows = slices.DeleteFunc(
			rows,
			func(r *assetRow) bool { return memberships.count(t, membershipsByAsset, r.UUID) > 0 },
		)
	}
	return cut(rows, p), len(rows), nil
}

// matches reports whether an asset is of the kind, has the tag, and for each of the folded words
// has one that begins with it.
func (r *assetRow) matches(f AssetFilter, words []string) bool {
	if f.Kind != "" && r.Kind != f.Kind {
		return false
	}
	if f.Tag != "" && !slices.ContainsFunc(r.Tags, func(tag string) bool { return fold(tag) == fold(f.Tag) }) {
		return false
	}
	has := strings.FieldsFunc(fold(r.DisplayName+" "+strings.Join(r.Tags, " ")), func(c rune) bool {
		return strings.ContainsRune(" _-.,;:()[]/", c)
	})
	return !slices.ContainsFunc(words, func(word string) bool {
		return !slices.ContainsFunc(has, func(h string) bool { return strings.HasPrefix(h, word) }) &&
			!strings.HasPrefix(fold(r.DisplayName), word)
	})
}

// AssetTag is a tag and how many assets have it.
type AssetTag struct {
	Tag        string // as the newest of them has it
	AssetCount int
}

// AssetTags returns one page of the tags of a user's assets in alphabetical order, and how many
// there are in all. Those that differ in case alone are one.
func (s *Store) AssetTags(userUUID string, p Page) ([]AssetTag, int, error) {
	found := map[string]*AssetTag{}
	err := s.view(func(t *txn) error {
		rows, _, err := assets.page(t, Page{}, assetsListed, userUUID)
		for _, row := range rows {
			for _, tag := range row.Tags {
				if found[fold(tag)] == nil {
					found[fold(tag)] = &AssetTag{Tag: tag}
				}
				found[fold(tag)].AssetCount++
			}
		}
		return err
	})
	list := make([]AssetTag, 0, len(found))
	for _, folded := range slices.Sorted(maps.Keys(found)) {
		list = append(list, *found[folded])
	}
	return cut(list, p), len(list), err
}

// UpdateAsset changes what a person wrote about an asset; nil leaves a field as it is, and tags
// replace all there were. Errors: Unprocessable for an empty name or too many tags; Conflict
// asset_not_ready before the confirm.
func (s *Store) UpdateAsset(userUUID, uuid string, displayName *string, tags *[]string) (Asset, error) {
	var a Asset
	err := s.update(func(t *txn) error {
		row, err := t.confirmedAsset(userUUID, uuid)
		if err != nil {
			return err
		}
		if displayName != nil {
			if row.DisplayName, err = ValidName("display_name", *displayName); err != nil {
				return err
			}
		}
		if tags != nil {
			if row.Tags, err = cleanTags(*tags); err != nil {
				return err
			}
		}
		row.UpdatedAt = t.now
		if err := assets.put(t, row); err != nil {
			return err
		}
		a, err = t.servedAsset(row)
		return err
	})
	return a, err
}

// DeleteAsset removes an asset with its files and gives its storage back. The edits that place it
// go with it, and copies that are still being made from it fail.
func (s *Store) DeleteAsset(userUUID, uuid string) error {
	return s.update(func(t *txn) error {
		row, err := t.ownAsset(userUUID, uuid)
		if err != nil {
			return err
		}
		if err := t.failCopies(row.UUID, "The asset that it was to be made from was deleted."); err != nil {
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
	if err := deleteRows(t, memberships, membershipsByAsset, row.UUID); err != nil {
		return err
	}
	return assets.delete(t, row.UUID)
}

// dropLibrary deletes all assets and groups of a user.
func dropLibrary(t *txn, userUUID string) error {
	list, err := assets.list(t, assetsByUser, userUUID)
	if err != nil {
		return err
	}
	for _, row := range list {
		if err := t.dropAsset(row); err != nil {
			return err
		}
	}
	return deleteRows(t, groups, groupsByUser, userUUID)
}

// assetKey is the key of a file of an asset file.
func assetKey(assetFileID, name string, version int) string {
	return fmt.Sprintf("assets/%s/%s-%d", assetFileID, name, version)
}

// assets checks that an asset has its file exactly while it should, that one which is to be made
// from another finds it, and that what is placed in a project is an asset of its owner.
func (c *check) assets() error {
	err := assets.all(c.t, func(row *assetRow) error {
		if row.waits() {
			return nil
		}
		file, err := files.find(c.t, row.FileKey())
		if err != nil {
			return err
		}
		there := row.Status != AssetFailed && row.Source == "" && row.ImportURL == ""
		if (file != nil) != there || there && (!file.Counted || file.Size != row.SizeBytes) {
			c.report("asset_file", "Asset %s is %s, which does not fit its file.", row.UUID, row.Status)
		}
		if row.Source == "" {
			return nil
		}
		source, err := assets.find(c.t, row.Source)
		if err == nil && (source == nil || source.UserUUID != row.UserUUID || row.Edit == nil) {
			c.report("asset_source", "Asset %s is to be made from an asset that is gone.", row.UUID)
		}
		return err
	})
	if err != nil {
		return err
	}
	return edits.all(c.t, func(row *editRow) error {
		if row.Placement == nil {
			return nil
		}
		asset, err := assets.lookup(c.t, assetsByFile, row.Placement.AssetFileID)
		if err != nil {
			return err
		}
		project, err := projects.find(c.t, row.ProjectUUID)
		if err == nil && (asset == nil || project == nil || project.UserUUID != asset.UserUUID) {
			c.report("edit_asset", "Edit %s places an asset that is not there.", row.UUID)
		}
		return err
	})
}
