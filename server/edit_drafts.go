package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

func draftRecord(d store.Draft) api.Draft {
	record := api.Draft{
		UUID:           d.UUID,
		ProjectUUID:    d.ProjectUUID,
		Name:           d.Name,
		EditOverrides:  api.Overrides{},
		ExportSettings: store.OrEmptyObject(d.ExportSettings),
		CreatedAt:      timestamp(d.CreatedAt),
		UpdatedAt:      timestamp(d.UpdatedAt),
	}
	if len(d.EditOverrides) > 0 {
		recode(d.EditOverrides, &record.EditOverrides)
	}
	if d.Shorts != nil {
		record.Shorts = new(mapSlice(d.Shorts, shortRecord))
	}
	return record
}

func draftSummary(d store.Draft) api.DraftSummary {
	return api.DraftSummary{
		UUID:        d.UUID,
		ProjectUUID: d.ProjectUUID,
		Name:        d.Name,
		CreatedAt:   timestamp(d.CreatedAt),
		UpdatedAt:   timestamp(d.UpdatedAt),
	}
}

// overridesOf converts overrides. It keeps nil, which leaves the stored overrides unchanged.
func overridesOf(in *api.Overrides) (out map[string]store.Override) {
	recode(in, &out)
	return out
}

// ListDrafts returns the drafts of a project without their overrides and settings.
func (s handlers) ListDrafts(
	ctx context.Context,
	request api.ListDraftsRequestObject,
) (api.ListDraftsResponseObject, error) {
	drafts, err := s.Store.Drafts(userOf(ctx), request.ProjectUUID)
	return api.ListDrafts200JSONResponse(wholePage(drafts, draftSummary)), err
}

// CreateDraft creates a draft.
func (s handlers) CreateDraft(
	ctx context.Context,
	request api.CreateDraftRequestObject,
) (api.CreateDraftResponseObject, error) {
	name, err := store.ValidName("name", request.Body.Name)
	if err != nil {
		return nil, err
	}
	draft, err := s.Store.CreateDraft(userOf(ctx), request.ProjectUUID, store.DraftChange{
		Name:           &name,
		EditOverrides:  overridesOf(request.Body.EditOverrides),
		ExportSettings: request.Body.ExportSettings,
		WithShorts:     request.Body.WithShorts,
	})
	return api.CreateDraft201JSONResponse(draftRecord(draft)), err
}

// GetDraft returns a draft.
func (s handlers) GetDraft(
	ctx context.Context,
	request api.GetDraftRequestObject,
) (api.GetDraftResponseObject, error) {
	draft, err := s.Store.Draft(userOf(ctx), request.DraftUUID)
	return api.GetDraft200JSONResponse(draftRecord(draft)), err
}

// UpdateDraft changes a draft and replaces its overrides, settings and shorts completely.
func (s handlers) UpdateDraft(
	ctx context.Context,
	request api.UpdateDraftRequestObject,
) (api.UpdateDraftResponseObject, error) {
	name, err := newName(request.Body.Name)
	if err != nil {
		return nil, err
	}
	draft, err := s.Store.UpdateDraft(userOf(ctx), request.DraftUUID, store.DraftChange{
		Name:           name,
		EditOverrides:  overridesOf(request.Body.EditOverrides),
		ExportSettings: request.Body.ExportSettings,
		WithShorts:     request.Body.WithShorts,
	})
	return api.UpdateDraft200JSONResponse(draftRecord(draft)), err
}

// ApplyDraft brings the edits and shorts of a project back to the state of a draft.
func (s handlers) ApplyDraft(
	ctx context.Context,
	request api.ApplyDraftRequestObject,
) (api.ApplyDraftResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	result, err := s.Store.ApplyDraft(userOf(ctx), request.DraftUUID, as)
	return api.ApplyDraft200JSONResponse{SwitchedOff: result.SwitchedOff, Missing: result.Missing}, err
}

// DeleteDraft deletes a draft.
func (s handlers) DeleteDraft(
	ctx context.Context,
	request api.DeleteDraftRequestObject,
) (api.DeleteDraftResponseObject, error) {
	err := s.Store.DeleteDraft(userOf(ctx), request.DraftUUID)
	return api.DeleteDraft204Response{}, err
}
