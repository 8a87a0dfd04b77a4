package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

func takeGroupRecord(g store.TakeGroup) api.TakeGroup {
	return api.TakeGroup{ID: g.ID, Takes: mapSlice(g.Takes, func(take store.Take) api.Take {
		return api.Take{
			Number:   take.Number,
			StartMS:  take.Span.StartMS,
			EndMS:    take.Span.EndMS,
			Text:     take.Text,
			Complete: take.Complete,
			Fluent:   take.Fluent,
			Partial:  take.Partial,
			LevelDB:  take.LevelDB,
			Proposed: take.Proposed,
			Kept:     take.Kept,
			EditUUID: take.EditUUID,
			Reason:   take.Reason,
		}
	})}
}

// ListTakeGroups returns the take groups of the active run, by time.
func (s handlers) ListTakeGroups(
	ctx context.Context,
	request api.ListTakeGroupsRequestObject,
) (api.ListTakeGroupsResponseObject, error) {
	groups, err := s.Store.TakeGroups(userOf(ctx), request.ProjectUUID)
	return api.ListTakeGroups200JSONResponse(wholePage(groups, takeGroupRecord)), err
}

// ChooseTake keeps one take of a group and removes all others.
func (s handlers) ChooseTake(
	ctx context.Context,
	request api.ChooseTakeRequestObject,
) (api.ChooseTakeResponseObject, error) {
	changed, undo, err := s.Store.ChooseTake(
		userOf(ctx),
		request.ProjectUUID,
		request.ID,
		request.Body.Number,
		changeOf(request.Params.XChange, request.Params.XChangeLabel),
	)
	return api.ChooseTake200JSONResponse(changedEdits(changed, undo)), err
}
