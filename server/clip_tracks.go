package server

import (
	"context"

	"roughcut/media"
	"roughcut/server/api"
)

// trackRecords returns the audio tracks of a file, also the only one.
func trackRecords(info media.Info) []api.ClipTrack {
	tracks := info.AudioTracks
	if a := info.Audio; len(tracks) == 0 && a != nil {
		tracks = []media.AudioTrack{{Codec: a.Codec, Channels: a.Channels, Played: true}}
	}
	records := make([]api.ClipTrack, 0, len(tracks))
	for i, t := range tracks {
		records = append(records, api.ClipTrack{
			Index: i + 1, Codec: t.Codec, Channels: t.Channels, Decodable: !t.Undecodable, Heard: t.Played,
			Language: orNull(t.Language), Title: orNull(t.Title), Speech: t.Speech,
		})
	}

	return records
}

// ChooseClipTracks chooses the audio tracks of a clip that are heard.
func (s handlers) ChooseClipTracks(
	ctx context.Context,
	request api.ChooseClipTracksRequestObject,
) (api.ChooseClipTracksResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	tracks := mapSlice(request.Body.Heard, func(index int) int { return index - 1 })
	clip, err := s.Store.ChooseTracks(userOf(ctx), request.ClipUUID, tracks, as)
	return api.ChooseClipTracks200JSONResponse(clipRecord(clip)), err
}
