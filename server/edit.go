package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/server/problem"
	"roughcut/store"
)

func editRecord(e store.Edit) api.Edit {
	record := api.Edit{
		UUID:        e.UUID,
		RunUUID:     e.RunUUID,
		Type:        api.EditType(e.Type),
		StartMS:     e.StartMS,
		EndMS:       e.EndMS,
		Active:      e.Active,
		Reason:      e.Reason,
		Confidence:  e.Confidence,
		Action:      editAction(e),
		StretchUUID: orNull(e.StretchUUID),
		TakeGroup:   orNull(e.TakeGroup),
		TakeNumber:  takeNumber(e),
		CreatedAt:   timestamp(e.CreatedAt),
		UpdatedAt:   timestamp(e.UpdatedAt),
	}
	if e.Placement != nil {
		recode(store.WholePlacement(*e.Placement), &record)
	}
	return record
}

// editAction returns the action of a cut, nil for a placed asset.
func editAction(e store.Edit) *api.EditAction { return orNull(api.EditAction(e.Action)) }

// takeNumber returns the take that an edit removes, nil for other edits.
func takeNumber(e store.Edit) *int {
	if e.TakeGroup == "" {
		return nil
	}
	return &e.TakeNumber
}

// changedEdits returns the response to a change of several edits.
func changedEdits(changed []store.Edit, undo []store.NamedEditChange) api.ChangedEdits {
	response := api.ChangedEdits{Items: mapSlice(changed, editRecord), Undo: []api.NamedEditChange{}}
	if len(undo) > 0 {
		recode(undo, &response.Undo)
	}
	return response
}

// ListEdits returns the edits of the active run, the manual cuts and the placed assets, ordered by
// start time.
func (s handlers) ListEdits(
	ctx context.Context,
	request api.ListEditsRequestObject,
) (api.ListEditsResponseObject, error) {
	edits, err := s.Store.Edits(userOf(ctx), request.ProjectUUID, valueOr(request.Params.ActiveOnly, false))
	return api.ListEdits200JSONResponse(wholePage(edits, editRecord)), err
}

// CreateEdit adds a manual cut or places an asset.
func (s handlers) CreateEdit(
	ctx context.Context,
	request api.CreateEditRequestObject,
) (api.CreateEditResponseObject, error) {
	b := request.Body
	var how store.PlacementChange
	recode(b, &how)
	edit := store.Edit{
		StartMS: b.StartMS,
		EndMS:   b.EndMS,
		Active:  valueOr(b.Active, true),
		Reason:  valueOr(b.Reason, ""),
		Action:  string(valueOr(b.Action, "")),
	}
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	var err error
	switch {
	case b.Type == store.EditAsset:
		edit, err = s.Store.PlaceAsset(userOf(ctx), request.ProjectUUID, edit, how, as)
	case how != store.PlacementChange{}:
		err = problem.FieldError(
			"type",
			"must be asset if the request has fields of an asset",
		)
	case b.SplitFrom != nil:
		edit, err = s.Store.SplitEdit(userOf(ctx), request.ProjectUUID, *b.SplitFrom, edit, as)
	default:
		edit, err = s.Store.CreateEdit(userOf(ctx), request.ProjectUUID, edit, as)
	}

	return api.CreateEdit201JSONResponse(editRecord(edit)), err
}

// UpdateEdit toggles or moves an edit, or changes the placement of its asset.
func (s handlers) UpdateEdit(
	ctx context.Context,
	request api.UpdateEditRequestObject,
) (api.UpdateEditResponseObject, error) {
	b := request.Body
	var change store.EditChange
	recode(b, &change)
	recode(b, &change.Placement)
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	edit, err := s.Store.UpdateEdit(userOf(ctx), request.EditUUID, change, as)
	return api.UpdateEdit200JSONResponse(editRecord(edit)), err
}

// UpdateEdits toggles or moves several edits at once.
func (s handlers) UpdateEdits(
	ctx context.Context,
	request api.UpdateEditsRequestObject,
) (api.UpdateEditsResponseObject, error) {
	var changes []store.NamedEditChange
	recode(request.Body.Edits, &changes)
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	changed, undo, err := s.Store.UpdateEdits(userOf(ctx), request.ProjectUUID, changes, as)
	return api.UpdateEdits200JSONResponse(changedEdits(changed, undo)), err
}

// DeleteEdit deletes a manual cut or a placed asset, and switches off a detected edit.
func (s handlers) DeleteEdit(
	ctx context.Context,
	request api.DeleteEditRequestObject,
) (api.DeleteEditResponseObject, error) {
	deleted, edit, err := s.Store.DeleteEdit(
		userOf(ctx), request.EditUUID, changeOf(request.Params.XChange, request.Params.XChangeLabel),
	)
	if err != nil {
		return nil, err
	}
	if deleted {
		return api.DeleteEdit204Response{}, nil
	}
	return api.DeleteEdit200JSONResponse(editRecord(edit)), nil
}
