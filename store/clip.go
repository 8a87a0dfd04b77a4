package store

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// Statuses of a clip.
const (
	ClipPending    = "pending_upload"
	ClipProcessing = "processing"
	ClipReady      = "ready"
	ClipFailed     = "failed"
)

// Sources of a clip.
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
	fileMotion   = "motion.u8"
)

// Clip is a recording in a project.
type Clip struct {
	UUID, ClipFileID, ProjectUUID, UserUUID string
	Position                                int // in display order, from 0
	Name, Status, Error                     string
	Source                                  string // SourceUpload, SourceImport, SourceLocal
	ContentType                             string // as declared, until the clip is probed
	DeclaredBytes, SizeBytes                int64  // SizeBytes is the actual size, 0 before the confirm
	Info                                    media.Info
	DurationMS                              *int64 // nil until ready
	Sprite                                  media.Sprite
	// a job makes the sprite sheet and the motion of the ready clip
	TilesLeft bool `json:",omitempty"`
	// why that job made neither; empty while it runs and after it succeeded
	TilesError string `json:",omitempty"`
	// a job makes the audio of the ready clip again, for other tracks that are heard
	TracksLeft bool `json:",omitempty"`
	// why that job failed; empty while it runs and after it succeeded
	TracksError string `json:",omitempty"`
	// false for a clip of an earlier version, until a job has listed its audio tracks and heard
	// which have speech, or has failed
	TracksKnown           bool `json:",omitempty"`
	HasPeaks, HasEnergies bool
	// integrated loudness of the audio; nil without audio and before it is measured
	LUFS *float64
	// of SourceLocal; nil for a recording in the data directory
	LinkedFile *LinkedFile `json:"Reference,omitempty"`
	Transcript *ClipImport `json:",omitempty"` // nil for one of the speech model
	// nil unless a person asked for it; stays until the clip is deleted
	ConstantRate *ConstantRateCopy `json:",omitempty"`
	// the face that views follow; see media.MainFaces
	Faces      []media.Face `json:",omitempty"`
	FacesKnown bool         `json:",omitempty"` // false until someone needs the faces
	// whether the video shows a screen; nil without video, with too few frames, and for a clip that
	// an earlier version has read
	Screen *bool `json:",omitempty"`
	// uuids of the clips that it duplicates, directly and indirectly, the original first
	CopyOf               []string `json:",omitempty"`
	CreatedAt, UpdatedAt time.Time
}

// ProxyKey returns the key of the clip's proxy, for Store.FilePath.
func (c Clip) ProxyKey() string { return clipKey(c.ClipFileID, fileProxy) }

// SpriteKey returns the key of the clip's sprite sheet, or "" if the clip has no sprite sheet.
func (c Clip) SpriteKey() string {
	if c.Sprite == (media.Sprite{}) {
		return ""
	}
	return clipKey(c.ClipFileID, fileSprite)
}

// clipRow is the stored form of a Clip.
type clipRow struct {
	Clip
	CollectAt time.Time // when an unconfirmed upload is deleted
	ImportURL string    // address of the recording during an import, otherwise empty
	HasProxy  bool
	HasSpeech bool
	HasKeys   bool
	HasMotion bool         // false for a recording that was ingested by an earlier version
	Trashed   *trashedClip `json:",omitempty"` // nil unless it is in the trash
}

var (
	clipsByProject = &table.Index[clipRow]{
		Name: "clips.by_project",
		Keys: func(r *clipRow) [][]byte {
			if r.Trashed != nil {
				return nil
			}
			return table.Entry(r.ProjectUUID, uint64(r.Position))
		},
	}
	clipsByFile = &table.Index[clipRow]{
		Name: "clips.by_file",
		Keys: func(r *clipRow) [][]byte { return table.Entry(r.ClipFileID) },
	}
	clipsPending = &table.Index[clipRow]{Name: "clips.pending", Keys: func(r *clipRow) [][]byte {
		if r.Status != ClipPending {
			return nil
		}
		return table.Entry(r.CollectAt)
	}}
	clips = &table.Table[clipRow]{
		Name:       "clips",
		Noun:       "clip",
		Key:        func(r *clipRow) []byte { return []byte(r.UUID) },
		Undoable:   true,
		CachedRows: 4096,
		Clone:      clipRow.clone,
		Indexes: []*table.Index[clipRow]{
			clipsByProject, clipsByFile, clipsPending, clipsTrashed, clipsTrashedByProject,
		},
	}
)

func (r clipRow) clone() clipRow {
	r.DurationMS = cloned(r.DurationMS)
	r.Info.Video = cloned(r.Info.Video)
	r.Info.Audio = cloned(r.Info.Audio)
	r.Info.AudioTracks = slices.Clone(r.Info.AudioTracks)
	r.LinkedFile = cloned(r.LinkedFile)
	r.Transcript = cloned(r.Transcript)
	r.ConstantRate = cloned(r.ConstantRate)
	r.Faces, r.Screen = slices.Clone(r.Faces), cloned(r.Screen)
	r.CopyOf = slices.Clone(r.CopyOf)
	r.Trashed = cloned(r.Trashed)
	return r
}

func (r *clipRow) awaitsUpload() bool { return r.Status == ClipPending }

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

func (r *clipRow) extend(t *txn, until time.Time) error {
	r.CollectAt, r.UpdatedAt = until, t.Now
	return clips.Put(t, r)
}

func (r *clipRow) accept(t *txn, bytes int64) error {
	r.Status = ClipProcessing
	r.SizeBytes = bytes
	r.ImportURL = ""
	r.UpdatedAt = t.Now
	if err := clips.Put(t, r); err != nil {
		return err
	}
	if err := t.enqueue(JobClip, r.UUID, r.UserUUID, r.ProjectUUID); err != nil {
		return err
	}
	return t.refreshProject(r.ProjectUUID)
}

func (r *clipRow) expire(t *txn) error {
	if err := t.dropClip(r); err != nil {
		return err
	}
	return t.refreshProject(r.ProjectUUID)
}

// ownClip returns a clip of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownClip(userUUID, uuid string) (*clipRow, error) {
	row, err := clips.Get(t, uuid)
	if err != nil {
		return nil, err
	}
	if row.UserUUID != userUUID {
		return nil, notYours(clips.Noun)
	}
	if row.Trashed != nil {
		return nil, notFound(clips.Noun)
	}
	return row, t.ownPart(userUUID, row.ProjectUUID, clips.Noun)
}

// PresignClip creates a clip that waits for its upload. It checks the declared size and type;
// ConfirmClip checks the actual size. Errors: Unprocessable file_too_large,
// content_type_not_allowed, quota_exceeded, and past maxClips; StorageFull.
func (s *Store) PresignClip(userUUID, projectUUID, name, contentType string, sizeBytes int64) (Clip, error) {
	full := s.CheckFree(max(sizeBytes, 0))
	return updated(s, func(t *txn) (Clip, error) {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return Clip{}, err
		}
		kind, err := t.checkDeclared(userUUID, media.RecordingTypes(), contentType, name, sizeBytes)
		if err != nil {
			return Clip{}, err
		}
		if full != nil {
			return Clip{}, full
		}
		row := &clipRow{
			CollectAt: t.Now.Add(s.o.UploadURLTTL),
			Clip: Clip{
				Name:          orText(oneLine(name), "recording"),
				Status:        ClipPending,
				Source:        SourceUpload,
				ContentType:   kind,
				DeclaredBytes: sizeBytes,
			},
		}
		if err := t.addClip(project, row); err != nil {
			return Clip{}, err
		}
		return row.Clip, t.refresh(project)
	})
}

// addClip stores a new clip as the last one of a project.
func (t *txn) addClip(project *projectRow, row *clipRow) (err error) {
	row.UUID, row.ClipFileID = t.NewID(), t.NewID()
	row.ProjectUUID, row.UserUUID = project.UUID, project.UserUUID
	row.CreatedAt, row.UpdatedAt = t.Now, t.Now
	if row.Position, err = t.nextPosition(project.UUID); err != nil {
		return err
	}
	return clips.Put(t, row)
}

// maxClips is the maximum number of clips of a project, those in the trash among them. It has room
// for an arrangement of maxSegments.
const maxClips = 2000

// checkClips refuses one more clip past maxClips. Errors: Unprocessable.
func (t *txn) checkClips(projectUUID string) error {
	n := clips.Count(t, clipsByProject, projectUUID) + clips.Count(t, clipsTrashedByProject, projectUUID)
	if n < maxClips {
		return nil
	}
	return tooMany(
		"A project can have %d clips, the trash included. Remove some of them and empty the trash.", maxClips,
	)
}

// mediaType returns a content type in lower case and without parameters, such as the codecs that
// browsers append.
func mediaType(contentType string) string {
	bare, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(bare))
}

// checkDeclared checks the declared size and content type of an upload, and returns the content
// type under its usual name. The extension of the file name counts if the declared type is unknown.
// Errors: Unprocessable file_too_large, content_type_not_allowed, quota_exceeded.
func (t *txn) checkDeclared(
	userUUID string,
	types media.FileTypes,
	declared, fileName string,
	sizeBytes int64,
) (contentType string, err error) {
	if sizeBytes <= 0 {
		return "", failField("size_bytes", "The size of a file must be greater than 0 bytes.")
	}
	if limit := t.s.o.MaxUploadBytes; limit > 0 && sizeBytes > limit {
		e := failField("size_bytes", "The file is too large. The maximum is %d MiB.", limit>>20)
		e.Code = "file_too_large"
		return "", e
	}

	contentType, ok := types.Declared(mediaType(declared), extension(fileName))
	if !ok {
		e := failField(
			"content_type",
			"The content type %q is not supported. Supported types are %s; supported extensions are %s.",
			mediaType(declared),
			strings.Join(types.ContentTypes(), ", "),
			strings.Join(types.Extensions(), ", "),
		)
		e.Code = "content_type_not_allowed"
		return "", e
	}

	if err := t.checkQuota(userUUID, sizeBytes); err != nil {
		return "", err
	}
	return contentType, t.checkGenerated(userUUID)
}

// checkQuota refuses bytes that exceed the user's quota. Errors: Unprocessable quota_exceeded.
func (t *txn) checkQuota(userUUID string, bytes int64) error {
	if t.s.o.TierTable.Unlimited {
		return nil
	}
	user, err := t.registry().User(userUUID)
	if err != nil {
		return err
	}
	rights, err := t.books().Entitlements(userUUID)
	if err != nil {
		return err
	}
	if quota := rights.StorageQuotaBytes; user.StorageUsedBytes+bytes > quota {
		e := failField(
			"size_bytes",
			"The file exceeds your storage quota of %d MiB; %d MiB are in use. Delete files or upgrade.",
			quota>>20,
			user.StorageUsedBytes>>20,
		)
		e.Code = "quota_exceeded"
		return e
	}

	return nil
}

// nextPosition returns the position of a new clip. Errors: Unprocessable past maxClips.
func (t *txn) nextPosition(projectUUID string) (int, error) {
	if err := t.checkClips(projectUUID); err != nil {
		return 0, err
	}
	list, err := clips.List(t, clipsByProject, projectUUID)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[len(list)-1].Position + 1, nil
}

// ConfirmClip accepts the uploaded file of a clip, as confirmUpload does. The result fresh is true
// for the first confirm; later ones change nothing.
func (s *Store) ConfirmClip(userUUID, projectUUID, clipUUID string) (c Clip, fresh bool, err error) {
	var row *clipRow
	fresh, err = s.confirmUpload(func(t *txn) (pendingUpload, error) {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return nil, err
		}
		var err error
		if row, err = t.ownClip(userUUID, clipUUID); err != nil {
			return nil, err
		}
		if row.ProjectUUID != projectUUID {
			return nil, notFound(clips.Noun)
		}
		return row, nil
	})
	if err != nil {
		return Clip{}, false, err
	}
	return row.Clip, fresh, nil
}

// Clip returns a clip. Errors: NotFound, Forbidden.
func (s *Store) Clip(userUUID, uuid string) (Clip, error) {
	return viewed(s, func(t *txn) (c Clip, err error) {
		row, err := t.ownClip(userUUID, uuid)
		if err == nil {
			c = row.Clip
		}
		return c, err
	})
}

// RenameClip changes the name of a clip. Errors: NotFound, Forbidden.
func (s *Store) RenameClip(userUUID, uuid, name string, as ...Change) (Clip, error) {
	return updated(s, func(t *txn) (c Clip, err error) {
		row, err := t.ownClip(userUUID, uuid)
		if err != nil {
			return c, err
		}
		if row.Name == name {
			c = row.Clip
			return c, nil
		}

		row.Name, row.UpdatedAt = name, t.Now
		c = row.Clip
		if err := clips.Put(t, row); err != nil {
			return c, err
		}
		return c, t.record(row.ProjectUUID, HistoryClips, optionalChange(as), "rename clip")
	})
}

// Clips returns the clips of a project in display order.
func (s *Store) Clips(userUUID, projectUUID string) ([]Clip, error) {
	list := []Clip{}
	err := s.view(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		rows, err := clips.List(t, clipsByProject, projectUUID)
		for _, row := range rows {
			list = append(list, row.Clip)
		}
		return err
	})
	return list, err
}

// Peaks returns a clip's waveform: media.PeaksPerSecond values a second, 0-255. It is empty without
// audio and before the clip is ready. Errors: see MissingFile.
func (s *Store) Peaks(userUUID, clipUUID string) ([]byte, error) {
	c, err := s.Clip(userUUID, clipUUID)
	if err != nil || !c.HasPeaks {
		return []byte{}, err
	}
	data, err := os.ReadFile(s.FilePath(clipKey(c.ClipFileID, filePeaks)))
	if errors.Is(err, os.ErrNotExist) {
		if _, err := s.Clip(userUUID, clipUUID); err != nil {
			return nil, err // deleted since
		}
		err = s.MissingFile(err)
	}

	return data, err
}

// DeleteClip moves a clip with the edits on it to the trash of its project. It deletes a clip that
// has no recording yet. Errors: Conflict while an analysis or export of the project runs.
func (s *Store) DeleteClip(userUUID, uuid string, as ...Change) error {
	return s.updateOnReserve(func(t *txn) error {
		row, err := t.ownClip(userUUID, uuid)
		if err != nil {
			return err
		}
		if row.Status != ClipReady && (row.Status != ClipProcessing || row.ImportURL != "") {
			if err := t.dropClip(row); err != nil {
				return err
			}
			return t.refreshProject(row.ProjectUUID)
		}

		if err := t.trashClip(row); err != nil {
			return err
		}
		return t.record(row.ProjectUUID, HistoryClips, optionalChange(as), "remove “"+row.Name+"”", movesClip...)
	})
}

func (t *txn) refuseWhileUsed(projectUUID string) error {
	working, err := jobs.List(t, jobsByProject, projectUUID)
	for _, j := range working {
		if j.Kind != JobClip && j.Kind != JobImport && j.Kind != JobConstantRate && j.Kind != JobTiles {
			return conflict(
				"The clips are in use. Wait until the %s has ended, or cancel it.",
				j.Kind,
			)
		}
	}

	return err
}

// dropClips deletes the clips of a project while the transaction has room. It does not trim the
// edits on them.
func (t *txn) dropClips(projectUUID string) error {
	return dropEach(t, clips, projectUUID, t.dropClip, clipsByProject, clipsTrashedByProject)
}

func (t *txn) dropClip(row *clipRow) error {
	if err := t.cancelCopy(row); err != nil {
		return err
	}
	if err := t.cancelJob(row.UUID); err != nil {
		return err
	}
	if err := t.dropClipFiles(row); err != nil {
		return err
	}
	return clips.Delete(t, row.UUID)
}
