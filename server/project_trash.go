package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

func trashItem(e store.TrashItem) api.TrashItem {
	return api.TrashItem{
		UUID:      e.UUID,
		Kind:      api.TrashItemKind(e.Kind),
		Name:      e.Name,
		SizeBytes: e.SizeBytes,
		DeletedAt: timestamp(e.DeletedAt),
		PurgedAt:  timestamp(e.PurgedAt),
	}
}

// ListTrash returns the deleted clips and exports of a project, the last deleted first.
func (s handlers) ListTrash(
	ctx context.Context,
	request api.ListTrashRequestObject,
) (api.ListTrashResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	list, total, err := s.Store.Trash(userOf(ctx), request.ProjectUUID, page)
	return api.ListTrash200JSONResponse(pageRecord(page, list, total, trashItem)), err
}

// EmptyTrash deletes the clips and exports in the trash of a project with their files.
func (s handlers) EmptyTrash(
	ctx context.Context,
	request api.EmptyTrashRequestObject,
) (api.EmptyTrashResponseObject, error) {
	err := s.Store.EmptyTrash(userOf(ctx), request.ProjectUUID)
	return api.EmptyTrash204Response{}, err
}

// RestoreTrashed brings a deleted clip or export back.
func (s handlers) RestoreTrashed(
	ctx context.Context,
	request api.RestoreTrashedRequestObject,
) (api.RestoreTrashedResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	err := s.Store.RestoreTrashed(userOf(ctx), request.ProjectUUID, request.TrashedUUID, as)
	return api.RestoreTrashed204Response{}, err
}
