package store

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"roughcut/media"
)

// Statuses of a clip.
const (
	ClipPending    = "pending_upload"
	ClipProcessing = "processing"
	ClipReady      = "ready"
	ClipFailed     = "failed"
)

// Where a clip comes from.
const (
	SourceUpload = "upload"
	SourceImport = "import"
	SourceLocal  = "local"
)

// Names of a clip's files.
const (
	fileOriginal = "original"
	fileProxy    = "proxy.mp4"
	fileSprite   = "sprite.jpg"
	fileSpeech   = "speech.s16"
	filePeaks    = "peaks.u8"
	fileKeys     = "keys.u32"
	fileEnergies = "energies.u16"
)

// Clip is a recording in a project.
type Clip struct {
	UUID, ClipFileID, ProjectUUID, UserUUID string
	Position                                int // display order, from 0
	Name, Status, Error                     string
	Source                                  string // SourceUpload, SourceImport, SourceLocal
	ContentType                             string // as declared until it is probed
	DeclaredBytes, SizeBytes                int64  // SizeBytes is the real size, 0 before confirm
	Info                                    media.Info
	DurationMS                              *int64 // nil until ready
	Sprite                                  media.Sprite
	HasPeaks, HasEnergies                   bool
	// integrated loudness of its sound; nil where there is none, or it was not measured
	LUFS *float64
	// of SourceLocal; nil for a recording that is kept here
	LinkedFile           *LinkedFile `json:"Reference,omitempty"`
	CreatedAt, UpdatedAt time.Time
}

// ProxyKey is the key of the clip's proxy, for Store.FilePath.
func (c Clip) ProxyKey() string { return clipKey(c.ClipFileID, fileProxy) }

// SpriteKey is the key of the clip's sprite sheet, empty without one.
func (c Clip) SpriteKey() string {
	if c.Sprite == (media.Sprite{}) {
		return ""
	}
	return clipKey(c.ClipFileID, fileSprite)
}

// clipRow is a Clip as it is stored.
type clipRow struct {
	Clip
	CollectAt time.Time // when an upload that nobody confirms is collected
	ImportURL string    // where the recording is fetched from; empty once it is here, and for an upload
	HasProxy  bool
	HasSpeech bool
	HasKeys   bool
}

var (
	clipsByProject = &index[clipRow]{
		name: "clips.by_project",
		keys: func(r *clipRow) [][]byte { return one(r.ProjectUUID, uint64(r.Position)) },
	}
	clipsByFile = &index[clipRow]{
		name:   "clips.by_file",
		unique: true,
		keys:   func(r *clipRow) [][]byte { return one(r.ClipFileID) },
	}
	clipsPending = &index[clipRow]{name: "clips.pending", keys: func(r *clipRow) [][]byte {
		if r.Status != ClipPending {
			return nil
		}
		return one(r.CollectAt)
	}}
	clips = &table[clipRow]{
		name:    "clips",
		what:    "clip",
		key:     func(r *clipRow) []byte { return []byte(r.UUID) },
		recent:  newRecent(4096, clipRow.clone),
		indexes: []*index[clipRow]{clipsByProject, clipsByFile, clipsPending},
	}
)

func (r clipRow) clone() clipRow {
	r.DurationMS = cloned(r.DurationMS)
	r.Info.Video = cloned(r.Info.Video)
	r.Info.Audio = cloned(r.Info.Audio)
	r.LinkedFile = cloned(r.LinkedFile)
	return r
}

// clipTypes are the content types that a clip may be declared as.
var clipTypes = []string{
	"video/mp4",
	"video/quicktime",
	"video/x-m4v",
	"video/webm",
	"video/x-matroska",
	"video/x-msvideo",
	"video/mpeg",
	"video/mp2t",
}

func (r *clipRow) waits() bool { return r.Status == ClipPending }

func (r *clipRow) slot() slot {
	return slot{
		owner:     r.UUID,
		userUUID:  r.UserUUID,
		fileID:    r.ClipFileID,
		key:       clipKey(r.ClipFileID, fileOriginal),
		declared:  r.DeclaredBytes,
		collectAt: r.CollectAt,
	}
}

func (r *clipRow) prolong(t *txn, until time.Time) error {
	r.CollectAt = until
	return clips.put(t, r)
}

func (r *clipRow) takeOver(t *txn, bytes int64) error {
	r.Status = ClipProcessing
	r.SizeBytes = bytes
	r.ImportURL = ""
	r.UpdatedAt = t.now
	if err := clips.put(t, r); err != nil {
		return err
	}
	if err := t.enqueue(JobClip, r.UUID, r.UserUUID, r.ProjectUUID); err != nil {
		return err
	}
	return t.refreshProject(r.ProjectUUID)
}

func (r *clipRow) collect(t *txn) error {
	if err := t.dropClip(r); err != nil {
		return err
	}
	return t.refreshProject(r.ProjectUUID)
}

// ownClip returns a clip of a user with its project. Errors: NotFound, then Forbidden.
func (t *txn) ownClip(userUUID, uuid string) (*clipRow, error) {
	row, err := clips.get(t, uuid)
	if err != nil {
		return nil, err
	}
	if row.UserUUID != userUUID {
		return nil, notYours(clips.what)
	}
	return row, nil
}

// PresignClip makes the record of a clip that is about to be uploaded. What is declared is only an
// early test; ConfirmClip decides. Errors: Unprocessable file_too_large, content_type_not_allowed,
// quota_exceeded; StorageFull.
func (s *Store) PresignClip(userUUID, projectUUID, name, contentType string, sizeBytes int64) (Clip, error) {
	full := s.CheckFree(max(sizeBytes, 0))
	contentType = mediaType(contentType)
	var row *clipRow
	err := s.update(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if err := t.declare(userUUID, clipTypes, contentType, sizeBytes); err != nil {
			return err
		}
		if full != nil {
			return full
		}
		position, err := t.nextPosition(projectUUID)
		if err != nil {
			return err
		}
		row = &clipRow{
			CollectAt: t.now.Add(s.o.UploadURLTTL),
			Clip: Clip{
				UUID:          s.NewID(),
				ClipFileID:    s.NewID(),
				ProjectUUID:   projectUUID,
				UserUUID:      userUUID,
				Position:      position,
				Name:          orText(oneLine(name), "recording"),
				Status:        ClipPending,
				Source:        SourceUpload,
				ContentType:   contentType,
				DeclaredBytes: sizeBytes,
				CreatedAt:     t.now,
				UpdatedAt:     t.now,
			},
		}
		if err := clips.put(t, row); err != nil {
			return err
		}
		return t.refresh(project)
	})
	if err != nil {
		return Clip{}, err
	}
	return row.Clip, nil
}

// mediaType is a content type without its parameters, such as the codecs that browsers write behind
// it, in lower case.
func mediaType(contentType string) string {
	bare, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(bare))
}

// declare checks what a presign declares of a file that may have some content types.
func (t *txn) declare(userUUID string, allowed []string, contentType string, sizeBytes int64) error {
	if sizeBytes <= 0 {
		return failField("size_bytes", "The size of a file must be more than 0 bytes.")
	}
	if !t.s.o.TierTable.Owner && sizeBytes > t.s.o.MaxUploadBytes {
		e := failField("size_bytes", "A file may have at most %d MiB.", t.s.o.MaxUploadBytes>>20)
		e.Code = "file_too_large"
		return e
	}
	if !slices.Contains(allowed, contentType) {
		e := failField(
			"content_type",
			"%q cannot be used here; allowed are %s.",
			contentType,
			strings.Join(allowed, ", "),
		)
		e.Code = "content_type_not_allowed"
		return e
	}
	return t.checkQuota(userUUID, sizeBytes)
}

// checkQuota refuses bytes that do not fit into a user's plan.
func (t *txn) checkQuota(userUUID string, bytes int64) error {
	if t.s.o.TierTable.Owner {
		return nil
	}
	user, err := users.get(t, userUUID)
	if err != nil {
		return err
	}
	a, err := accounts.get(t, userUUID)
	if err != nil {
		return err
	}
	if quota := t.plan(a).StorageQuotaBytes; user.StorageUsedBytes+bytes > quota {
		e := failField(
			"size_bytes",
			"The file does not fit: your plan holds %d MiB, of which %d MiB are used. Delete something, or upgrade.",
			quota>>20,
			user.StorageUsedBytes>>20,
		)
		e.Code = "quota_exceeded"
		return e
	}
	return nil
}

func (t *txn) nextPosition(projectUUID string) (int, error) {
	list, err := clips.list(t, clipsByProject, projectUUID)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[len(list)-1].Position + 1, nil
}

// ConfirmClip takes the uploaded file of a clip over, as confirmUpload does. fresh tells the first
// confirm from later ones, which change nothing.
func (s *Store) ConfirmClip(userUUID, projectUUID, clipUUID string) (c Clip, fresh bool, err error) {
	var row *clipRow
	fresh, err = s.confirmUpload(func(t *txn) (awaiting, error) {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return nil, err
		}
		var err error
		if row, err = t.ownClip(userUUID, clipUUID); err != nil {
			return nil, err
		}
		if row.ProjectUUID != projectUUID {
			return nil, notFound(clips.what)
		}
		return row, nil
	})
	if err != nil {
		return Clip{}, false, err
	}
	return row.Clip, fresh, nil
}

// Clip returns a clip.
func (s *Store) Clip(userUUID, uuid string) (Clip, error) {
	var c Clip
	err := s.view(func(t *txn) error {
		row, err := t.ownClip(userUUID, uuid)
		if err == nil {
			c = row.Clip
		}
		return err
	})
	return c, err
}

// Clips returns the clips of a project in display order.
func (s *Store) Clips(userUUID, projectUUID string) ([]Clip, error) {
	list := []Clip{}
	err := s.view(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		rows, err := clips.list(t, clipsByProject, projectUUID)
		for _, row := range rows {
			list = append(list, row.Clip)
		}
		return err
	})
	return list, err
}

// Peaks returns a clip's waveform: media.PeaksPerSecond a second, 0-255. It is empty without sound
// and before the clip is ready.
func (s *Store) Peaks(userUUID, clipUUID string) ([]byte, error) {
	c, err := s.Clip(userUUID, clipUUID)
	if err != nil || !c.HasPeaks {
		return []byte{}, err
	}
	data, err := os.ReadFile(s.FilePath(clipKey(c.ClipFileID, filePeaks)))
	if errors.Is(err, os.ErrNotExist) {
		if _, err := s.Clip(userUUID, clipUUID); err != nil {
			return nil, err // deleted meanwhile
		}
	}
	return data, err
}

// DeleteClip removes a clip with its files and with what lies on its footage, and gives its storage
// back. Errors: Conflict while an analysis or export of the project uses it.
func (s *Store) DeleteClip(userUUID, uuid string) error {
	return s.update(func(t *txn) error {
		row, err := t.ownClip(userUUID, uuid)
		if err != nil {
			return err
		}
		if row.Status == ClipReady {
			if err := t.refuseWhileUsed(row.ProjectUUID); err != nil {
				return err
			}
		}
		project, err := projects.get(t, row.ProjectUUID)
		if err != nil {
			return err
		}
		if err := t.unanchor(row); err != nil {
			return err
		}
		if err := t.dropClip(row); err != nil {
			return err
		}
		if err := t.changed(row.ProjectUUID); err != nil {
			return err
		}
		return t.refresh(project)
	})
}

func (t *txn) refuseWhileUsed(projectUUID string) error {
	working, err := jobs.list(t, jobsByProject, projectUUID)
	for _, j := range working {
		if j.Kind != JobClip && j.Kind != JobImport {
			return fail(
				Conflict,
				"conflict",
				"The project's clips are in use: wait for the %s to end, or cancel it.",
				j.Kind,
			)
		}
	}
	return err
}

// dropClips removes all clips of a project, without a thought for what lies on them.
func (t *txn) dropClips(projectUUID string) error {
	list, err := clips.list(t, clipsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, row := range list {
		if err := t.dropClip(row); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) dropClip(row *clipRow) error {
	if err := t.cancelJob(row.UUID); err != nil {
		return err
	}
	if err := t.dropFiles(row.UUID); err != nil {
		return err
	}
	if err := t.dropPart(row.ClipFileID); err != nil {
		return err
	}
	return clips.delete(t, row.UUID)
}
