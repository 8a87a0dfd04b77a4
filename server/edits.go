package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

func editRecord(e store.Edit) api.Edit {
	return api.Edit{
		UUID: e.UUID, RunUUID: e.RunUUID, Type: api.EditType(e.Type), StartMS: e.StartMS, EndMS: e.EndMS, Active: e.Active, Reason: e.Reason,
		Confidence: e.Confidence, CreatedAt: timestamp(e.CreatedAt), UpdatedAt: timestamp(e.UpdatedAt),
	}
}

// ListEdits answers with the edits of the active run and the manual cuts, by start.
func (s operations) ListEdits(ctx context.Context, request api.ListEditsRequestObject) (api.ListEditsResponseObject, error) {
	edits, err := s.Store.Edits(userOf(ctx), request.ProjectUUID, or(request.Params.ActiveOnly, false))
	if err != nil {
		return nil, err
	}
	return api.ListEdits200JSONResponse{Items: each(edits, editRecord), Total: len(edits), Page: 1, PageSize: onePageSize(len(edits))}, nil
}

// CreateEdit adds a manual cut.
func (s operations) CreateEdit(ctx context.Context, request api.CreateEditRequestObject) (api.CreateEditResponseObject, error) {
	edit, err := s.Store.CreateEdit(userOf(ctx), request.ProjectUUID, store.Edit{
		Type: store.EditManual, StartMS: request.Body.StartMS, EndMS: request.Body.EndMS,
		Active: or(request.Body.Active, true), Reason: or(request.Body.Reason, ""),
	})
	if err != nil {
		return nil, err
	}
	return api.CreateEdit201JSONResponse(editRecord(edit)), nil
}

// UpdateEdit toggles or moves an edit.
func (s operations) UpdateEdit(ctx context.Context, request api.UpdateEditRequestObject) (api.UpdateEditResponseObject, error) {
	edit, err := s.Store.UpdateEdit(userOf(ctx), request.EditUUID, store.EditChange{
		Active: request.Body.Active, StartMS: request.Body.StartMS, EndMS: request.Body.EndMS,
	})
	if err != nil {
		return nil, err
	}
	return api.UpdateEdit200JSONResponse(editRecord(edit)), nil
}

// UpdateEdits toggles or moves many edits at once.
func (s operations) UpdateEdits(ctx context.Context, request api.UpdateEditsRequestObject) (api.UpdateEditsResponseObject, error) {
	changed, undo, err := s.Store.UpdateEdits(userOf(ctx), request.ProjectUUID, each(request.Body.Edits, func(c api.NamedEditChange) store.NamedEditChange {
		return store.NamedEditChange{UUID: c.UUID, EditChange: store.EditChange{Active: c.Active, StartMS: c.StartMS, EndMS: c.EndMS}}
	}))
	if err != nil {
		return nil, err
	}
	return api.UpdateEdits200JSONResponse{Items: each(changed, editRecord), Undo: each(undo, func(c store.NamedEditChange) api.NamedEditChange {
		return api.NamedEditChange{UUID: c.UUID, Active: c.Active, StartMS: c.StartMS, EndMS: c.EndMS}
	})}, nil
}

// DeleteEdit removes a manual cut; a detected edit is switched off instead.
func (s operations) DeleteEdit(ctx context.Context, request api.DeleteEditRequestObject) (api.DeleteEditResponseObject, error) {
	deleted, edit, err := s.Store.DeleteEdit(userOf(ctx), request.EditUUID)
	if err != nil {
		return nil, err
	}
	if deleted {
		return api.DeleteEdit204Response{}, nil
	}
	return api.DeleteEdit200JSONResponse(editRecord(edit)), nil
}
