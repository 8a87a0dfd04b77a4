package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

func shortRecord(m store.Short) api.Short {
	return api.Short{
		UUID:           m.UUID,
		ProjectUUID:    m.ProjectUUID,
		Name:           m.Name,
		StartMS:        m.StartMS,
		EndMS:          m.EndMS,
		ExportSettings: m.ExportSettings,
		CreatedAt:      timestamp(m.CreatedAt),
		UpdatedAt:      timestamp(m.UpdatedAt),
	}
}

// ListShorts returns the shorts of a project.
func (s handlers) ListShorts(
	ctx context.Context,
	request api.ListShortsRequestObject,
) (api.ListShortsResponseObject, error) {
	shorts, err := s.Store.Shorts(userOf(ctx), request.ProjectUUID)
	return api.ListShorts200JSONResponse(wholePage(shorts, shortRecord)), err
}

// CreateShort makes a short of a range of a project.
func (s handlers) CreateShort(
	ctx context.Context,
	request api.CreateShortRequestObject,
) (api.CreateShortResponseObject, error) {
	name, err := store.ValidName("name", request.Body.Name)
	if err != nil {
		return nil, err
	}
	short, err := s.Store.CreateShort(userOf(ctx), request.ProjectUUID, store.Short{
		Name:           name,
		StartMS:        request.Body.StartMS,
		EndMS:          request.Body.EndMS,
		ExportSettings: request.Body.ExportSettings,
	}, changeOf(request.Params.XChange, request.Params.XChangeLabel))
	return api.CreateShort201JSONResponse(shortRecord(short)), err
}

// UpdateShort renames or moves a short, or changes its settings.
func (s handlers) UpdateShort(
	ctx context.Context,
	request api.UpdateShortRequestObject,
) (api.UpdateShortResponseObject, error) {
	name, err := newName(request.Body.Name)
	if err != nil {
		return nil, err
	}
	short, err := s.Store.UpdateShort(userOf(ctx), request.ProjectUUID, request.ShortUUID, store.ShortChange{
		Name:           name,
		StartMS:        request.Body.StartMS,
		EndMS:          request.Body.EndMS,
		ExportSettings: request.Body.ExportSettings,
	}, changeOf(request.Params.XChange, request.Params.XChangeLabel))
	return api.UpdateShort200JSONResponse(shortRecord(short)), err
}

// DeleteShort deletes a short.
func (s handlers) DeleteShort(
	ctx context.Context,
	request api.DeleteShortRequestObject,
) (api.DeleteShortResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	err := s.Store.DeleteShort(userOf(ctx), request.ProjectUUID, request.ShortUUID, as)
	return api.DeleteShort204Response{}, err
}
