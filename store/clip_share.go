package store

import (
	"slices"
)

// maxSharers is the maximum number of clips of one file, including clips in the trash. Each clip
// has its own transcript, and transcripts count towards no quota.
const maxSharers = 200

// clipOfFile returns a clip with a file: one that is not in a trash, if there is one. It returns
// nil for an unknown file.
func (t *txn) clipOfFile(fileID string) (*clipRow, error) {
	list, err := clips.List(t, clipsByFile, fileID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if len(list) == 1 {
		return list[0], nil
	}
	err = t.trashedLast(list)
	return list[0], err
}

// sharers returns the other clips with the file of a clip. Those in the trash come last.
func (t *txn) sharers(row *clipRow) ([]*clipRow, error) {
	list, err := clips.List(t, clipsByFile, row.ClipFileID)
	list = slices.DeleteFunc(list, func(r *clipRow) bool { return r.UUID == row.UUID })
	if err == nil {
		err = t.trashedLast(list)
	}
	return list, err
}

// trashedLast moves the clips in a trash to the end of a list.
func (t *txn) trashedLast(list []*clipRow) error {
	var here, gone []*clipRow
	for _, row := range list {
		trashed, err := t.trashed(row)
		if err != nil {
			return err
		}
		if trashed {
			gone = append(gone, row)
		} else {
			here = append(here, row)
		}
	}

	copy(list, slices.Concat(here, gone))
	return nil
}

// sharingProjects returns the uuids of the projects with the file of a clip, its own first.
func (t *txn) sharingProjects(row *clipRow) ([]string, error) {
	uuids := []string{row.ProjectUUID}
	others, err := t.sharers(row)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		if slices.Contains(uuids, other.ProjectUUID) {
			continue
		}
		project, err := projects.Find(t, other.ProjectUUID)
		if err != nil {
			return nil, err
		}
		if project != nil { // nil while it is deleted
			uuids = append(uuids, project.UUID)
		}
	}

	return uuids, nil
}

// refreshSharing is refreshProject for all projects with the file of a clip.
func (t *txn) refreshSharing(row *clipRow) error {
	uuids, err := t.sharingProjects(row)
	for _, uuid := range uuids {
		if err == nil {
			err = t.refreshProject(uuid)
		}
	}

	return err
}

// usedElsewhere reports whether another clip that is not in a trash has the file of a clip.
func (t *txn) usedElsewhere(row *clipRow) (bool, error) {
	list, err := t.sharers(row)
	if err != nil || len(list) == 0 {
		return false, err
	}
	trashed, err := t.trashed(list[0])
	return !trashed, err
}

// putShared writes a clip, and copies the data about its file to the other clips with the file.
func (t *txn) putShared(row *clipRow) error {
	others, err := t.sharers(row)
	for _, other := range others {
		other.knowFile(row)
		if row.UpdatedAt.Equal(t.Now) {
			other.UpdatedAt = t.Now
		}
		if err == nil {
			err = clips.Put(t, other)
		}
	}

	if err != nil {
		return err
	}
	return clips.Put(t, row)
}

// knowFile takes over what another clip knows about the file of both.
func (r *clipRow) knowFile(from *clipRow) {
	known := from.clone()
	r.Info, r.DurationMS, r.ContentType = known.Info, known.DurationMS, known.ContentType
	r.Sprite, r.TilesLeft, r.TilesError, r.LUFS = known.Sprite, known.TilesLeft, known.TilesError, known.LUFS
	r.TracksLeft, r.TracksError, r.TracksKnown = known.TracksLeft, known.TracksError, known.TracksKnown
	r.HasPeaks, r.HasEnergies, r.HasProxy = known.HasPeaks, known.HasEnergies, known.HasProxy
	r.HasSpeech, r.HasKeys, r.HasMotion = known.HasSpeech, known.HasKeys, known.HasMotion
	r.LinkedFile, r.Faces, r.FacesKnown, r.Screen = known.LinkedFile, known.Faces, known.FacesKnown, known.Screen
}

// needs reports whether a clip needs a stored file of those that share its clip file. All need the
// recording and what ingest derived from it.
func (r *clipRow) needs(key string) bool {
	if r.Transcript != nil && key == clipKey(r.ClipFileID, r.Transcript.File) {
		return true
	}
	if r.ConstantRate != nil && r.ConstantRate.File != "" && key == clipKey(r.ClipFileID, r.ConstantRate.File) {
		return true
	}
	return slices.ContainsFunc(sharedFiles, func(name string) bool { return key == clipKey(r.ClipFileID, name) })
}

// sharedFiles are the names of the files that all clips of a clip file need.
var sharedFiles = []string{
	fileOriginal, fileProxy, fileSprite, fileSpeech, filePeaks, fileKeys, fileEnergies, fileMotion,
}

// dropClipFiles deletes the files of a clip that is deleted. Files that other clips need stay, and
// belong to one of those.
func (t *txn) dropClipFiles(row *clipRow) error {
	others, err := t.sharers(row)
	if err != nil {
		return err
	}
	owned, err := files.List(t, filesByOwner, row.UUID)
	for _, file := range owned {
		if err == nil {
			err = t.bequeath(file, others)
		}
	}

	if len(others) == 0 {
		if err == nil {
			err = t.cancelJob(row.ClipFileID)
		}
		if err == nil {
			err = t.dropPart(row.ClipFileID)
		}
	}

	return err
}

// bequeath gives a file to the first of some clips that needs it, and deletes it if none does.
func (t *txn) bequeath(file *fileRow, others []*clipRow) error {
	i := slices.IndexFunc(others, func(r *clipRow) bool { return r.needs(file.Key) })
	if i < 0 {
		return t.dropFile(file)
	}
	file.Owner = others[i].UUID
	return files.Put(t, file)
}

// cancelTiles cancels the tiles job of a clip that goes to the trash, unless another clip waits for
// it.
func (t *txn) cancelTiles(row *clipRow) error {
	used, err := t.usedElsewhere(row)
	if err != nil || used {
		return err
	}
	return t.cancelJob(row.ClipFileID)
}
