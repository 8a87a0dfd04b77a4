package store

import (
	"encoding/binary"
	"fmt"

	"roughcut/media"
	"roughcut/media/audio"
)

// ClipInput is the input of a job that reads a clip.
type ClipInput struct {
	Clip         Clip
	OriginalPath string
}

// CheckLinkedFiles returns an error when the linked file is missing or has changed. Errors: see
// LinkedFile.Check.
func (in ClipInput) CheckLinkedFiles() error {
	if in.Clip.LinkedFile == nil {
		return nil
	}
	return in.Clip.LinkedFile.Check()
}

// ClipResult is the output of a clip job. The paths name temporary files from TempPath, which
// FinishClip moves into the store. An empty path means that the file does not exist.
type ClipResult struct {
	Ingested                          media.IngestResult
	ProxyTemp, SpriteTemp, SpeechTemp string
}

// ClipInput returns the input of a job that reads a clip. Errors: ErrStaleJob; Conflict
// reference_missing, reference_changed.
func (s *Store) ClipInput(j Job) (ClipInput, error) {
	var in ClipInput
	err := s.view(func(t *txn) error {
		_, row, err := heldRow(t, j, clips, j.ClipUUID())
		if err != nil {
			return err
		}
		in = ClipInput{Clip: row.Clip}
		return nil
	})
	if err != nil {
		return ClipInput{}, err
	}
	in.OriginalPath, err = s.OriginalPath(in.Clip)
	return in, err
}

// FinishClip stores the output of a clip job and makes the clip ready. A clip that was ready keeps
// its properties. With TracksLeft it keeps its sprite sheet and motion, and learns about its audio.
// After an error it removes the temporary files. If the ingest left its tiles, it queues a job for
// them. Errors: ErrStaleJob; StorageFull; Conflict reference_missing, reference_changed when the
// linked file changed during the job.
func (s *Store) FinishClip(j Job, r ClipResult) (Clip, error) {
	in, err := s.ClipInput(j)
	var made []fileRow
	if err == nil {
		made, err = s.moveClipFiles(in.Clip, r)
	}
	var row *clipRow
	if err == nil {
		row, err = updated(s, func(t *txn) (*clipRow, error) { return t.finishClip(j, r, made) })
	}
	if err != nil {
		return Clip{}, s.discardMade(err, made, r.ProxyTemp, r.SpriteTemp, r.SpeechTemp)
	}
	return row.Clip, nil
}

// moveClipFiles stores the files of a clip durably and returns the rows for them. After an error it
// returns the rows of the files that it stored before.
func (s *Store) moveClipFiles(c Clip, r ClipResult) ([]fileRow, error) {
	var made []fileRow
	for _, part := range []struct{ temp, name string }{
		{r.ProxyTemp, fileProxy},
		{r.SpriteTemp, fileSprite},
		{r.SpeechTemp, fileSpeech},
	} {
		if part.temp == "" {
			continue
		}
		k := clipKey(c.ClipFileID, part.name)
		size, err := s.moveIn(part.temp, k)
		if err != nil {
			return made, err
		}
		made = append(made, fileRow{Key: k, Size: size, Owner: c.UUID, UserUUID: c.UserUUID})
	}

	for _, part := range []struct {
		data []byte
		name string
	}{
		{r.Ingested.Peaks, filePeaks},
		{audio.PackEnergies(r.Ingested.Energies), fileEnergies},
		{packTimes(r.Ingested.Keyframes), fileKeys},
		{r.Ingested.Motion, fileMotion},
	} {
		if len(part.data) == 0 {
			continue
		}
		k := clipKey(c.ClipFileID, part.name)
		size, err := s.writeIn(part.data, k)
		if err != nil {
			return made, err
		}
		made = append(made, fileRow{Key: k, Size: size, Owner: c.UUID, UserUUID: c.UserUUID})
	}

	return made, nil
}

// packTimes encodes times in milliseconds as 32-bit big-endian numbers. unpackTimes decodes them.
func packTimes(times []int64) (packed []byte) {
	for _, ms := range times {
		packed = binary.BigEndian.AppendUint32(packed, uint32(ms))
	}
	return packed
}

func unpackTimes(packed []byte) (times []int64) {
	for ; len(packed) >= 4; packed = packed[4:] {
		times = append(times, int64(binary.BigEndian.Uint32(packed)))
	}
	return times
}

func (t *txn) finishClip(j Job, r ClipResult, made []fileRow) (*clipRow, error) {
	held, row, err := heldRow(t, j, clips, j.Subject)
	if err != nil {
		return nil, err
	}
	before, err := t.timeline(row.ProjectUUID)
	if err != nil {
		return nil, err
	}
	again := row.Status == ClipReady // made again after files were lost, or for other tracks
	if !again {
		if err := t.checkGenerated(row.UserUUID); err != nil {
			return nil, err
		}
	}

	if err := t.putFiles(made); err != nil {
		return nil, err
	}
	heard := row.TracksLeft
	if err := t.describe(row, r); err != nil {
		return nil, err
	}
	if err := jobs.Delete(t, held.UUID); err != nil || (again && !heard) {
		return row, err
	}
	if !again {
		if err := t.addChapters(row); err != nil {
			return nil, err
		}
	}

	if err := t.refreshSharing(row); err != nil || again {
		return row, err
	}
	if err := t.settleAnchors(row.ProjectUUID); err != nil {
		return nil, err
	}
	return row, t.rearrange(row.ProjectUUID, before, nil)
}

// describe stores what an ingest found out about a clip, which is ready then. Of a clip that was
// ready before, edits refer to what is known, so it stays; another choice of tracks changes the
// audio only.
func (t *txn) describe(row *clipRow, r ClipResult) error {
	again, heard := row.Status == ClipReady, row.TracksLeft
	duration := r.Ingested.Info.DurationMS
	if row.TracksKnown = row.TracksKnown || heard || !again; heard {
		row.Info = learnAudio(row.Info, r.Ingested.Info, true)
	}
	if again {
		duration, r.Ingested.Info = *row.DurationMS, row.Info
	}
	if heard && r.ProxyTemp == "" { // the recording plays the tracks
		if err := t.dropProxy(row); err != nil {
			return err
		}
	}

	row.Status, row.Error, row.UpdatedAt = ClipReady, "", t.Now
	row.Info, row.DurationMS = r.Ingested.Info, &duration
	row.TracksLeft, row.TracksError = false, ""
	if row.Info.ContentType != "" {
		row.ContentType = row.Info.ContentType
	}
	row.describeAudio(r)
	if !heard {
		row.describeVideo(r)
		if err := t.leaveTiles(row, r.Ingested.TilesLeft); err != nil {
			return err
		}
	}

	return t.putShared(row)
}

// describeAudio sets what an ingest found out about the audio, and the proxy, which contains it.
func (r *clipRow) describeAudio(result ClipResult) {
	found := result.Ingested
	r.HasPeaks, r.HasProxy, r.HasSpeech = len(found.Peaks) > 0, result.ProxyTemp != "", result.SpeechTemp != ""
	r.HasEnergies, r.LUFS = len(found.Energies) > 0, nil
	if lufs, ok := audio.IntegratedLoudness(found.Energies); ok {
		if a := r.Info.Audio; a != nil && a.Channels == 1 {
			lufs -= media.MonoLUFS // the energies are those of both sides
		}
		r.LUFS = &lufs
	}
}

// describeVideo sets what an ingest found out about the video.
func (r *clipRow) describeVideo(result ClipResult) {
	r.HasKeys, r.HasMotion = len(result.Ingested.Keyframes) > 0, len(result.Ingested.Motion) > 0
	r.Sprite, r.Screen = media.Sprite{}, result.Ingested.Screen
	if result.SpriteTemp != "" {
		r.Sprite = result.Ingested.Sprite
	}
}

// FailClip ends a clip job without success. The clip becomes failed with a reason, its file is
// removed, and its storage is freed. A clip that was ready stays so. Errors: ErrStaleJob.
func (s *Store) FailClip(j Job, reason string) error {
	return s.failJob(j, reason, (*txn).failClip)
}

func (t *txn) failClip(held *jobRow, reason string) error {
	row, err := clips.Get(t, held.Subject)
	if err != nil {
		return fmt.Errorf("failing a clip: %w", err)
	}
	if row.Status == ClipReady { // its files were to be made again; those that it has stay
		if err := jobs.Delete(t, held.UUID); err != nil {
			return err
		}
		if !row.TracksLeft {
			row.TracksKnown = true // another try would fail too
			return t.putShared(row)
		}

		row.TracksLeft, row.TracksError, row.UpdatedAt = false, reason, t.Now
		if err := t.putShared(row); err != nil {
			return err
		}
		return t.refreshSharing(row)
	}

	if err := t.dropFiles(row.UUID); err != nil {
		return err
	}
	row.Status = ClipFailed
	row.Error = reason
	row.ImportURL = ""
	row.UpdatedAt = t.Now
	if err := clips.Put(t, row); err != nil {
		return err
	}
	if err := jobs.Delete(t, held.UUID); err != nil {
		return err
	}
	return t.refreshProject(row.ProjectUUID)
}

// dropProxy deletes the proxy of a clip that does not need it any more.
func (t *txn) dropProxy(row *clipRow) error {
	file, err := files.Find(t, clipKey(row.ClipFileID, fileProxy))
	if err != nil || file == nil {
		return err
	}
	return t.dropFile(file)
}
