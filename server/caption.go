package server

import (
	"bytes"
	"context"

	"roughcut/media/interchange"
	"roughcut/pipeline"
	"roughcut/server/api"
	"roughcut/store"
)

func captionRecord(l store.CaptionLine) api.CaptionLine {
	return api.CaptionLine{
		UUID:         l.UUID,
		Text:         l.Text,
		OriginalText: l.OriginalText,
		Speaker:      orNull(l.Speaker),
		Sequence:     l.Sequence,
		StartMS:      l.StartMS,
		EndMS:        l.EndMS,
		CreatedAt:    timestamp(l.CreatedAt),
		UpdatedAt:    timestamp(l.UpdatedAt),
	}
}

// GenerateCaptionLines builds caption lines from the words of the active run.
func (s handlers) GenerateCaptionLines(
	ctx context.Context,
	request api.GenerateCaptionLinesRequestObject,
) (api.GenerateCaptionLinesResponseObject, error) {
	user := userOf(ctx)
	transcripts, err := s.Store.ClipTranscripts(user, request.ProjectUUID)
	if err != nil {
		return nil, err
	}
	lines := s.CaptionLines(transcripts, valueOr(request.Body.MaxWords, pipeline.CaptionWordsMedium))
	created, all, err := s.Store.ReplaceCaptionLines(
		user,
		request.ProjectUUID,
		valueOr(request.Body.Force, false),
		lines,
		changeOf(request.Params.XChange, request.Params.XChangeLabel),
	)
	return api.GenerateCaptionLines200JSONResponse{Created: created, Items: mapSlice(all, captionRecord)}, err
}

// ListCaptionLines returns one page of a project's caption lines.
func (s handlers) ListCaptionLines(
	ctx context.Context,
	request api.ListCaptionLinesRequestObject,
) (api.ListCaptionLinesResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	lines, total, err := s.Store.CaptionLines(userOf(ctx), request.ProjectUUID, page)
	return api.ListCaptionLines200JSONResponse(pageRecord(page, lines, total, captionRecord)), err
}

// fileNameOf returns the Content-Disposition header of a file that is named after a project; nil if
// the project cannot be read.
func (s handlers) fileNameOf(ctx context.Context, projectUUID, ending string) *string {
	project, err := s.Store.Project(userOf(ctx), projectUUID)
	if err != nil {
		return nil
	}
	return new(disposition(downloadName(project.Name, ending)))
}

// GetCaptionsSRT returns the captions of the edited video as SubRip.
func (s handlers) GetCaptionsSRT(
	ctx context.Context,
	request api.GetCaptionsSRTRequestObject,
) (api.GetCaptionsSRTResponseObject, error) {
	captions, err := s.Store.EditedCaptions(
		userOf(ctx), request.ProjectUUID, store.Within{StartMS: request.Params.StartMS, EndMS: request.Params.EndMS},
	)
	var text bytes.Buffer
	interchange.WriteSRT(&text, captions)
	return api.GetCaptionsSRT200ApplicationXSubripResponse{
		Body: &text, ContentLength: int64(text.Len()),
		Headers: api.GetCaptionsSRT200ResponseHeaders{
			ContentDisposition: s.fileNameOf(ctx, request.ProjectUUID, ".srt"),
		},
	}, err
}

// GetCaptionsVTT returns the captions of the edited video as WebVTT.
func (s handlers) GetCaptionsVTT(
	ctx context.Context,
	request api.GetCaptionsVTTRequestObject,
) (api.GetCaptionsVTTResponseObject, error) {
	captions, err := s.Store.EditedCaptions(
		userOf(ctx), request.ProjectUUID, store.Within{StartMS: request.Params.StartMS, EndMS: request.Params.EndMS},
	)
	var text bytes.Buffer
	interchange.WriteVTT(&text, captions, false)
	return api.GetCaptionsVTT200TextVttResponse{
		Body: &text, ContentLength: int64(text.Len()),
		Headers: api.GetCaptionsVTT200ResponseHeaders{
			ContentDisposition: s.fileNameOf(ctx, request.ProjectUUID, ".vtt"),
		},
	}, err
}

// GetCaptionsText returns the captions of the edited video as plain text.
func (s handlers) GetCaptionsText(
	ctx context.Context,
	request api.GetCaptionsTextRequestObject,
) (api.GetCaptionsTextResponseObject, error) {
	captions, err := s.Store.EditedCaptions(
		userOf(ctx), request.ProjectUUID, store.Within{StartMS: request.Params.StartMS, EndMS: request.Params.EndMS},
	)
	var text bytes.Buffer
	interchange.WriteText(&text, captions)
	return api.GetCaptionsText200TextPlainCharsetUTF8Response{
		Body: &text, ContentLength: int64(text.Len()),
		Headers: api.GetCaptionsText200ResponseHeaders{
			ContentDisposition: s.fileNameOf(ctx, request.ProjectUUID, ".txt"),
		},
	}, err
}
