package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

// Search searches the caller's transcripts and assets.
func (s handlers) Search(ctx context.Context, request api.SearchRequestObject) (api.SearchResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	hits, total, err := s.Store.Search(userOf(ctx), request.Params.Q, string(valueOr(request.Params.Kind, "")), page)
	return api.Search200JSONResponse(pageRecord(page, hits, total, hitRecord)), err
}

func hitRecord(h store.SearchHit) api.Hit {
	record := api.Hit{Kind: api.HitKind(h.Kind), Score: h.Score, Fragment: h.Fragment}
	if h.Kind == store.HitAsset {
		record.AssetUUID, record.DisplayName = &h.AssetUUID, &h.DisplayName
		return record
	}

	record.ProjectUUID, record.ProjectName, record.ClipUUID = &h.ProjectUUID, &h.ProjectName, &h.ClipUUID
	record.StartMS, record.EndMS, record.Speaker = &h.StartMS, &h.EndMS, orNull(h.Speaker)
	return record
}
