package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

func placeRecord(p store.ReplacedPlace) api.ReplacedPlace {
	return api.ReplacedPlace{
		Index:         p.Index,
		TextBefore:    p.Before,
		TextAfter:     p.After,
		ContextBefore: p.ContextBefore,
		ContextAfter:  p.ContextAfter,
		StartMS:       p.StartMS,
		EndMS:         p.EndMS,
		In:            api.ReplacedPlaceIn(p.In),
	}
}

// ReplaceText replaces a text in the transcript and the captions of the active run.
func (s handlers) ReplaceText(
	ctx context.Context,
	request api.ReplaceTextRequestObject,
) (api.ReplaceTextResponseObject, error) {
	wanted := store.TextReplacement{
		Find:       request.Body.Find,
		Replace:    request.Body.Replace,
		MatchCase:  valueOr(request.Body.MatchCase, false),
		WholeWords: valueOr(request.Body.WholeWords, false),
		DryRun:     valueOr(request.Body.DryRun, false),
		Only:       valueOr(request.Body.Only, nil),

		CaptionsOnly: valueOr(request.Body.In, api.TextReplacementInEverywhere) == api.TextReplacementInCaptions,
	}
	places, changed, undo, err := s.Store.ReplaceText(
		userOf(ctx), request.ProjectUUID, wanted, changeOf(request.Params.XChange, request.Params.XChangeLabel),
	)
	return api.ReplaceText200JSONResponse{
		Items:           mapSlice(places, placeRecord),
		Changed:         changed,
		ReplacementUUID: orNull(undo),
	}, err
}

// UndoReplacement restores the texts before the last replacement.
func (s handlers) UndoReplacement(
	ctx context.Context,
	request api.UndoReplacementRequestObject,
) (api.UndoReplacementResponseObject, error) {
	err := s.Store.UndoReplacement(userOf(ctx), request.ProjectUUID, request.ReplacementUUID)
	return api.UndoReplacement204Response{}, err
}

// RenameSpeaker renames a speaker in the transcript of the active run.
func (s handlers) RenameSpeaker(
	ctx context.Context,
	request api.RenameSpeakerRequestObject,
) (api.RenameSpeakerResponseObject, error) {
	words, err := s.Store.RenameSpeaker(
		userOf(ctx), request.ProjectUUID, request.Body.Speaker, request.Body.Name,
		changeOf(request.Params.XChange, request.Params.XChangeLabel),
	)
	return api.RenameSpeaker200JSONResponse{Words: words}, err
}
