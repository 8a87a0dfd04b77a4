package server

import (
	"context"

	"roughcut/media"
	"roughcut/media/subtitle"
	"roughcut/server/api"
)

// ImportTranscript gives a clip a transcript from a file.
func (s handlers) ImportTranscript(
	ctx context.Context,
	request api.ImportTranscriptRequestObject,
) (api.ImportTranscriptResponseObject, error) {
	clip, err := s.Store.Clip(userOf(ctx), request.ClipUUID)
	if err != nil {
		return nil, err
	}
	m, err := readSubtitles(request.Body.Text, func(data []byte) (media.ImportedTranscript, error) {
		m, err := subtitle.ReadTranscript(data)
		if err != nil {
			return m, err
		}
		return subtitle.Fit(m, clip.Info.DurationMS)
	})
	if err != nil {
		return nil, err
	}
	clip, err = s.Store.ImportTranscript(userOf(ctx), request.ClipUUID, valueOr(request.Body.Filename, ""), m)
	return api.ImportTranscript200JSONResponse(clipRecord(clip)), err
}

// RemoveTranscript removes the imported transcript of a clip.
func (s handlers) RemoveTranscript(
	ctx context.Context,
	request api.RemoveTranscriptRequestObject,
) (api.RemoveTranscriptResponseObject, error) {
	err := s.Store.RemoveTranscript(userOf(ctx), request.ClipUUID)
	return api.RemoveTranscript204Response{}, err
}

// GetClipTranscript returns the transcript of a clip in the active run.
func (s handlers) GetClipTranscript(
	ctx context.Context,
	request api.GetClipTranscriptRequestObject,
) (api.GetClipTranscriptResponseObject, error) {
	m, err := s.Store.ClipTranscript(userOf(ctx), request.ClipUUID)
	if err != nil {
		return nil, err
	}
	response := api.GetClipTranscript200JSONResponse{Generator: subtitle.Generator, Language: m.Language}
	response.Words = mapSlice(m.Words, func(w media.Word) api.ClipWord {
		return api.ClipWord{
			Text: w.Text, StartMS: w.StartMS, EndMS: w.EndMS, Probability: w.Probability, Speaker: orNull(w.Speaker),
		}
	})
	response.Segments = mapSlice(m.Segments, func(t media.TimedText) api.TextSpan {
		return api.TextSpan{Text: t.Text, StartMS: t.StartMS, EndMS: t.EndMS}
	})
	return response, nil
}
