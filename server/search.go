package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

// Search looks for words in the transcripts of the caller's projects.
func (s operations) Search(ctx context.Context, request api.SearchRequestObject) (api.SearchResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	hits, total, err := s.Store.Search(userOf(ctx), request.Params.Q, page)
	if err != nil {
		return nil, err
	}
	return api.Search200JSONResponse{Items: each(hits, hitRecord), Total: total, Page: page.Number, PageSize: page.Size}, nil
}

func hitRecord(h store.Hit) api.Hit {
	return api.Hit{
		Kind: api.HitKind(h.Kind), Score: h.Score, Fragment: h.Fragment, ProjectUUID: &h.ProjectUUID, ProjectName: &h.ProjectName,
		ClipUUID: &h.ClipUUID, StartMS: &h.StartMS, EndMS: &h.EndMS,
	}
}
