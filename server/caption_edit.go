package server

import (
	"context"
	"errors"

	"roughcut/media"
	"roughcut/media/subtitle"
	"roughcut/server/api"
	"roughcut/store"
)

// CreateCaptionLine adds a caption line to the active run.
func (s handlers) CreateCaptionLine(
	ctx context.Context,
	request api.CreateCaptionLineRequestObject,
) (api.CreateCaptionLineResponseObject, error) {
	b, as := request.Body, changeOf(request.Params.XChange, request.Params.XChangeLabel)
	span := media.Span{StartMS: b.StartMS, EndMS: b.EndMS}
	line, err := s.Store.CreateCaptionLine(userOf(ctx), request.ProjectUUID, b.Text, span, as)
	return api.CreateCaptionLine201JSONResponse(captionRecord(line)), err
}

// UpdateCaptionLine changes the text, the speaker and the times of a caption line. Its original
// text stays.
func (s handlers) UpdateCaptionLine(
	ctx context.Context,
	request api.UpdateCaptionLineRequestObject,
) (api.UpdateCaptionLineResponseObject, error) {
	b, as := request.Body, changeOf(request.Params.XChange, request.Params.XChangeLabel)
	to := store.CaptionChange{Text: b.Text, Speaker: b.Speaker, StartMS: b.StartMS, EndMS: b.EndMS}
	line, err := s.Store.UpdateCaptionLine(userOf(ctx), request.CaptionLineUUID, to, as)
	return api.UpdateCaptionLine200JSONResponse(captionRecord(line)), err
}

// DeleteCaptionLine deletes a caption line.
func (s handlers) DeleteCaptionLine(
	ctx context.Context,
	request api.DeleteCaptionLineRequestObject,
) (api.DeleteCaptionLineResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	err := s.Store.DeleteCaptionLine(userOf(ctx), request.CaptionLineUUID, as)
	return api.DeleteCaptionLine204Response{}, err
}

// SplitCaptionLine divides a caption line in two.
func (s handlers) SplitCaptionLine(
	ctx context.Context,
	request api.SplitCaptionLineRequestObject,
) (api.SplitCaptionLineResponseObject, error) {
	parts, err := s.Store.SplitCaptionLine(
		userOf(ctx),
		request.CaptionLineUUID,
		request.Body.Position,
		request.Body.AtMS,
		changeOf(request.Params.XChange, request.Params.XChangeLabel),
	)
	return api.SplitCaptionLine200JSONResponse{Items: mapSlice(parts, captionRecord)}, err
}

// MergeCaptionLine joins a caption line with the next one.
func (s handlers) MergeCaptionLine(
	ctx context.Context,
	request api.MergeCaptionLineRequestObject,
) (api.MergeCaptionLineResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	line, err := s.Store.MergeCaptionLine(userOf(ctx), request.CaptionLineUUID, as)
	return api.MergeCaptionLine200JSONResponse(captionRecord(line)), err
}

// ImportCaptionLines reads captions from a subtitle file.
func (s handlers) ImportCaptionLines(
	ctx context.Context,
	request api.ImportCaptionLinesRequestObject,
) (api.ImportCaptionLinesResponseObject, error) {
	file, err := readSubtitles(request.Body.Text, subtitle.ReadCaptions)
	if err != nil {
		return nil, err
	}
	created, all, err := s.Store.ImportCaptionLines(
		userOf(ctx),
		request.ProjectUUID,
		store.CaptionImport{
			Lines:   file.CaptionLines(),
			Edited:  valueOr(request.Body.Times, api.CaptionImportTimesRecording) == api.CaptionImportTimesVideo,
			Replace: valueOr(request.Body.Replace, true),
		},
		changeOf(request.Params.XChange, request.Params.XChangeLabel),
	)
	return api.ImportCaptionLines200JSONResponse{
		Created: created, Items: mapSlice(all, captionRecord), Warnings: orMissing(file.Warnings),
	}, err
}

// readSubtitles reads the text of a subtitle or transcript file. Errors: Unprocessable.
func readSubtitles(
	text string,
	read func([]byte) (media.ImportedTranscript, error),
) (media.ImportedTranscript, error) {
	file, err := read([]byte(text))
	var fault *subtitle.Fault
	if errors.As(err, &fault) {
		return file, &store.Error{
			Kind: store.Unprocessable, Code: "unprocessable", Message: fault.Error(),
			Fields: []store.FieldError{{Field: "text", Message: fault.Error()}},
		}
	}

	return file, err
}
