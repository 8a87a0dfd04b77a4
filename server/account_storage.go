package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

// GetMySpace returns the storage use of the caller.
func (s handlers) GetMySpace(
	ctx context.Context,
	request api.GetMySpaceRequestObject,
) (api.GetMySpaceResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	space, total, err := s.Store.UserStorage(userOf(ctx), page)
	if err != nil {
		return nil, err
	}
	records := mapSlice(space.Projects, func(p store.ProjectStorage) api.ProjectSpace {
		return api.ProjectSpace{
			UUID:         p.UUID,
			Name:         p.Name,
			ClipBytes:    p.ClipBytes,
			DerivedBytes: p.DerivedBytes,
			ExportBytes:  p.ExportBytes,
			TotalBytes:   p.TotalBytes,
			ClipCount:    p.ClipCount,
			ExportCount:  p.ExportedCount,
			Trashed:      p.Trashed,
		}
	})
	var quota *int64
	if space.GeneratedQuotaBytes > 0 {
		quota = &space.GeneratedQuotaBytes
	}
	return api.GetMySpace200JSONResponse{
		StorageUsedBytes:    space.CountedBytes,
		GeneratedBytes:      space.GeneratedBytes,
		GeneratedQuotaBytes: quota,
		ClipBytes:           space.ClipBytes,
		AssetBytes:          space.AssetBytes,
		DerivedBytes:        space.DerivedBytes,
		ExportBytes:         space.ExportBytes,
		Items:               records,
		Total:               total,
		Page:                page.Number,
		PageSize:            page.Size,
	}, nil
}
