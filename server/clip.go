package server

import (
	"context"
	"fmt"
	"math"

	"roughcut/media"
	"roughcut/server/api"
	"roughcut/server/auth"
	"roughcut/server/problem"
	"roughcut/store"
)

// Names of a clip's files below clips/<clip_file_id>/.
const (
	proxyFile  = "proxy.mp4"
	spriteFile = "sprite.jpg"
)

func clipKey(c store.Clip, name string) string { return "clips/" + c.ClipFileID + "/" + name }

func clipRecord(c store.Clip) api.Clip {
	record := api.Clip{
		UUID:        c.UUID,
		ClipFileID:  c.ClipFileID,
		Position:    c.Position,
		Name:        c.Name,
		Status:      api.ClipStatus(c.Status),
		Error:       orNull(c.Error),
		Source:      api.ClipSource(c.Source),
		DurationMS:  c.DurationMS,
		SizeBytes:   c.SizeBytes,
		ContentType: c.ContentType,
		CreatedAt:   timestamp(c.CreatedAt),
		UpdatedAt:   timestamp(c.UpdatedAt),
	}
	if c.SizeBytes == 0 {
		record.SizeBytes = c.DeclaredBytes
	}
	if c.Source == store.SourceUpload && c.SizeBytes > 0 && c.SizeBytes < c.DeclaredBytes {
		record.Warning = new(fmt.Sprintf(
			"Only %d of %d bytes arrived, so the end may be missing. If it is, upload the file again.",
			c.SizeBytes, c.DeclaredBytes,
		))
	}

	if c.LinkedFile != nil {
		record.Reference = &api.Reference{Path: c.LinkedFile.Path, State: api.ReferenceState(c.LinkedFile.State())}
	}
	if c.Status != store.ClipReady {
		return record
	}
	record.CopyOf = orMissing(c.CopyOf)
	if m := c.Transcript; m != nil {
		record.ImportedTranscript = &api.ImportedTranscript{
			Name: m.Name, Words: m.Words, Language: orNull(m.Language), Warnings: orMissing(m.Warnings),
		}
	}

	if m := c.ConstantRate; m != nil {
		record.ConstantRateCopy = &api.ConstantRateCopy{
			Status: api.ConstantRateCopyStatus(m.Status), Error: orNull(m.Error), SizeBytes: m.SizeBytes,
		}
	}

	if c.TilesLeft {
		record.SpritePending = &c.TilesLeft
	}
	record.SpriteError, record.Screen = orNull(c.TilesError), c.Screen
	record.Waveform = true
	addAudio(&record, c)
	if v := c.Info.Video; v != nil {
		record.Width, record.Height = &v.Width, &v.Height
		if v.Rate.Den != 0 {
			record.FrameRate = new(float64(v.Rate.Num) / float64(v.Rate.Den))
		}

		if v.VariableRate {
			record.VariableFrameRate = &v.VariableRate
		}
	}

	if c.Sprite != (media.Sprite{}) {
		record.SpriteKey, record.SpriteSecondsPerTile = new(clipKey(c, spriteFile)), &c.Sprite.SecondsPerTile
	}

	return record
}

// addAudio adds to the record of a clip what is known about its audio.
func addAudio(record *api.Clip, c store.Clip) {
	record.HasAudio = new(c.Info.Audio != nil)
	if n := len(c.Info.AudioTracks); n > 1 {
		record.AudioTracks = &n
	}
	if a := c.Info.Audio; a != nil {
		record.AudioChannels = &a.Channels
		record.VoiceChannel = orNull(api.ClipVoiceChannel(a.VoiceOn))
		record.VoiceGain, record.UnheardChannels = orNull(a.VoiceGain), orMissing(a.Unheard)
		record.OppositeChannels = orNull(a.Opposite)
	}

	record.Tracks = orMissing(trackRecords(c.Info))
	if c.TracksLeft {
		record.TracksPending = &c.TracksLeft
	}
	record.TracksError = orNull(c.TracksError)
	if c.LUFS != nil {
		record.LoudnessLufs = new(math.Round(10**c.LUFS) / 10)
	}
}

// PresignClip creates a clip that waits for its upload.
func (s handlers) PresignClip(
	ctx context.Context,
	request api.PresignClipRequestObject,
) (api.PresignClipResponseObject, error) {
	clip, err := s.Store.PresignClip(
		userOf(ctx),
		request.ProjectUUID,
		request.Body.Filename,
		valueOr(request.Body.ContentType, ""),
		request.Body.SizeBytes,
	)
	if err != nil {
		return nil, err
	}
	record, err := s.presigned(ctx, clip)
	return api.PresignClip201JSONResponse(record), err
}

// RenewClipUpload returns a new address for an unfinished upload.
func (s handlers) RenewClipUpload(
	ctx context.Context,
	request api.RenewClipUploadRequestObject,
) (api.RenewClipUploadResponseObject, error) {
	clip, err := s.Store.RenewClipUpload(userOf(ctx), request.ProjectUUID, request.ClipUUID)
	if err != nil {
		return nil, err
	}
	record, err := s.presigned(ctx, clip)
	return api.RenewClipUpload200JSONResponse(record), err
}

func (s handlers) presigned(ctx context.Context, clip store.Clip) (api.PresignedClip, error) {
	address, err := s.sign(infoOf(ctx), auth.Upload, clip.ClipFileID, "/upload/v1/", s.Settings.UploadURLTTL)
	return api.PresignedClip{
		ClipUUID:    clip.UUID,
		ClipFileID:  clip.ClipFileID,
		UploadURL:   address,
		ContentType: clip.ContentType,
		ExpiresIn:   seconds(s.Settings.UploadURLTTL),
	}, err
}

// ConfirmClip accepts an upload. It responds with 202 the first time and 200 after that.
func (s handlers) ConfirmClip(
	ctx context.Context,
	request api.ConfirmClipRequestObject,
) (api.ConfirmClipResponseObject, error) {
	clip, fresh, err := s.Store.ConfirmClip(userOf(ctx), request.ProjectUUID, request.ClipUUID)
	if err != nil {
		return nil, err
	}
	if fresh {
		return api.ConfirmClip202JSONResponse(clipRecord(clip)), nil
	}
	return api.ConfirmClip200JSONResponse(clipRecord(clip)), nil
}

// ImportClip creates a clip from a URL. The pipeline downloads it in the background.
func (s handlers) ImportClip(
	ctx context.Context,
	request api.ImportClipRequestObject,
) (api.ImportClipResponseObject, error) {
	found, err := s.lookUpImport(ctx, request.Body.URL)
	if err != nil {
		return nil, err
	}
	clip, err := s.Store.ImportClip(userOf(ctx), request.ProjectUUID, found)
	return api.ImportClip202JSONResponse(clipRecord(clip)), err
}

// ListClips returns the clips of a project in display order.
func (s handlers) ListClips(
	ctx context.Context,
	request api.ListClipsRequestObject,
) (api.ListClipsResponseObject, error) {
	clips, err := s.Store.Clips(userOf(ctx), request.ProjectUUID)
	if err == nil {
		err = s.Store.QueueTracks(clips)
	}
	return api.ListClips200JSONResponse(wholePage(clips, clipRecord)), err
}

// OrderClips changes the display order of a project's clips.
func (s handlers) OrderClips(
	ctx context.Context,
	request api.OrderClipsRequestObject,
) (api.OrderClipsResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	clips, err := s.Store.OrderClips(userOf(ctx), request.ProjectUUID, request.Body.ClipUuids, as)
	return api.OrderClips200JSONResponse(wholePage(clips, clipRecord)), err
}

// ArrangeClips makes a project play parts of its recordings in another order.
func (s handlers) ArrangeClips(
	ctx context.Context,
	request api.ArrangeClipsRequestObject,
) (api.ArrangeClipsResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	segments := mapSlice(request.Body.Segments, func(s api.ClipSegment) store.ClipSegment {
		return store.ClipSegment{ClipUUID: s.ClipUUID, Span: media.Span{StartMS: s.StartMS, EndMS: s.EndMS}}
	})
	clips, err := s.Store.ArrangeClips(userOf(ctx), request.ProjectUUID, segments, as)
	return api.ArrangeClips200JSONResponse(wholePage(clips, clipRecord)), err
}

// DuplicateClip adds a clip of the same recording behind a clip.
func (s handlers) DuplicateClip(
	ctx context.Context,
	request api.DuplicateClipRequestObject,
) (api.DuplicateClipResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	clip, err := s.Store.DuplicateClip(userOf(ctx), request.ClipUUID, as)
	return api.DuplicateClip201JSONResponse(clipRecord(clip)), err
}

// RenameClip changes the name of a clip.
func (s handlers) RenameClip(
	ctx context.Context,
	request api.RenameClipRequestObject,
) (api.RenameClipResponseObject, error) {
	name, err := store.ValidName("name", request.Body.Name)
	if err != nil {
		return nil, err
	}
	clip, err := s.Store.RenameClip(
		userOf(ctx), request.ClipUUID, name, changeOf(request.Params.XChange, request.Params.XChangeLabel),
	)
	return api.RenameClip200JSONResponse(clipRecord(clip)), err
}

// DeleteClip moves a clip to the trash.
func (s handlers) DeleteClip(
	ctx context.Context,
	request api.DeleteClipRequestObject,
) (api.DeleteClipResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	err := s.Store.DeleteClip(userOf(ctx), request.ClipUUID, as)
	return api.DeleteClip204Response{}, err
}

// GetClipProxyURL returns an address that plays the clip. It plays the proxy, or the upload itself
// if the clip needs no proxy or its proxy is not ready.
func (s handlers) GetClipProxyURL(
	ctx context.Context,
	request api.GetClipProxyURLRequestObject,
) (api.GetClipProxyURLResponseObject, error) {
	f := infoOf(ctx)
	clip, err := s.Store.Clip(userOf(ctx), request.ClipUUID)
	if err != nil {
		return nil, err
	}
	if clip.Status != store.ClipReady && clip.Status != store.ClipProcessing {
		return nil, problem.Conflictf("The clip cannot be played: %s.", statusText(clip.Status))
	}

	if clip.SizeBytes == 0 {
		return nil, problem.Conflictf("The clip cannot be played yet: it is still downloading.")
	}

	response := api.GetClipProxyURL200JSONResponse{ExpiresIn: seconds(s.Settings.MediaTokenTTL)}
	if response.URL, err = s.sign(
		f,
		auth.Media,
		clip.UUID+"/"+proxyFile,
		"/media/v1/",
		s.Settings.MediaTokenTTL,
	); err != nil {
		return nil, err
	}

	if clip.Status != store.ClipReady || clip.Sprite == (media.Sprite{}) {
		return response, nil
	}
	sprite := clip.Sprite
	response.Sprite = &api.Sprite{
		ExpiresIn: seconds(s.Settings.MediaTokenTTL), TileWidthPx: sprite.TileWidth, TileHeightPx: sprite.TileHeight,
		TilesPerRow: sprite.TilesPerRow, TotalTiles: sprite.TotalTiles, SecondsPerTile: sprite.SecondsPerTile,
	}
	response.Sprite.URL, err = s.sign(f, auth.Media, clip.UUID+"/"+spriteFile, "/media/v1/", s.Settings.MediaTokenTTL)
	return response, err
}

func statusText(status string) string {
	switch status {
	case store.ClipPending:
		return "it is not uploaded yet"
	case store.ClipProcessing:
		return "it is still processing"
	case store.ClipFailed:
		return "its processing failed"
	}

	return "its status is " + status
}

// GetClipWaveform returns the loudness of a clip over time. A clip without audio has no peaks.
func (s handlers) GetClipWaveform(
	ctx context.Context,
	request api.GetClipWaveformRequestObject,
) (api.GetClipWaveformResponseObject, error) {
	clip, err := s.Store.Clip(userOf(ctx), request.ClipUUID)
	if err != nil {
		return nil, err
	}
	if clip.Status != store.ClipReady {
		return nil, problem.Conflictf("The clip has no waveform: %s.", statusText(clip.Status))
	}
	var peaks []byte
	if clip.HasPeaks {
		if peaks, err = s.Store.Peaks(userOf(ctx), clip.UUID); err != nil {
			return nil, err
		}
	}

	reduced, factor := reducePeaks(peaks, valueOr(request.Params.Samples, len(peaks)))
	return api.GetClipWaveform200JSONResponse{
		DurationMS:       valueOr(clip.DurationMS, 0),
		SamplesPerSecond: media.PeaksPerSecond / float64(factor),
		Peaks:            reduced,
	}, nil
}

// reducePeaks keeps the largest of every factor neighboring peaks, so that at most limit peaks
// remain.
func reducePeaks(peaks []byte, limit int) (reduced []int, factor int) {
	factor = 1
	if len(peaks) > limit {
		factor = (len(peaks) + limit - 1) / limit
	}
	reduced = make([]int, 0, len(peaks)/factor+1)
	for start := 0; start < len(peaks); start += factor {
		largest := byte(0)
		for _, p := range peaks[start:min(start+factor, len(peaks))] {
			largest = max(largest, p)
		}
		reduced = append(reduced, int(largest))
	}

	return reduced, factor
}
