package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

func groupRecord(g store.Group) api.AssetGroup {
	return api.AssetGroup{
		UUID:                g.UUID,
		Name:                g.Name,
		Description:         g.Description,
		DefaultInstructions: g.DefaultInstructions,
		IsDefault:           g.IsDefault,
		IsPinned:            g.IsPinned,
		AssetCount:          g.AssetCount,
		CreatedAt:           timestamp(g.CreatedAt),
		UpdatedAt:           timestamp(g.UpdatedAt),
	}
}

// ListAssetGroups returns one page of the caller's groups.
func (s handlers) ListAssetGroups(
	ctx context.Context,
	request api.ListAssetGroupsRequestObject,
) (api.ListAssetGroupsResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	list, total, err := s.Store.Groups(userOf(ctx), page)
	return api.ListAssetGroups200JSONResponse(pageRecord(page, list, total, groupRecord)), err
}

// CreateAssetGroup creates a group.
func (s handlers) CreateAssetGroup(
	ctx context.Context,
	request api.CreateAssetGroupRequestObject,
) (api.CreateAssetGroupResponseObject, error) {
	b := request.Body
	group, err := s.Store.CreateGroup(userOf(ctx), store.Group{
		Name: b.Name, Description: valueOr(b.Description, ""), DefaultInstructions: valueOr(b.DefaultInstructions, ""),
		IsDefault: valueOr(b.IsDefault, false), IsPinned: valueOr(b.IsPinned, false),
	})
	return api.CreateAssetGroup201JSONResponse(groupRecord(group)), err
}

// UpdateAssetGroup changes a group.
func (s handlers) UpdateAssetGroup(
	ctx context.Context,
	request api.UpdateAssetGroupRequestObject,
) (api.UpdateAssetGroupResponseObject, error) {
	b := request.Body
	group, err := s.Store.UpdateGroup(userOf(ctx), request.AssetGroupUUID, func(g *store.Group) {
		store.SetIfGiven(&g.Name, b.Name)
		store.SetIfGiven(&g.Description, b.Description)
		store.SetIfGiven(&g.DefaultInstructions, b.DefaultInstructions)
		store.SetIfGiven(&g.IsDefault, b.IsDefault)
		store.SetIfGiven(&g.IsPinned, b.IsPinned)
	})
	return api.UpdateAssetGroup200JSONResponse(groupRecord(group)), err
}

// DeleteAssetGroup deletes a group but keeps its assets.
func (s handlers) DeleteAssetGroup(
	ctx context.Context,
	request api.DeleteAssetGroupRequestObject,
) (api.DeleteAssetGroupResponseObject, error) {
	err := s.Store.DeleteGroup(userOf(ctx), request.AssetGroupUUID)
	return api.DeleteAssetGroup204Response{}, err
}

// ListGroupAssets returns one page of the assets of a group.
func (s handlers) ListGroupAssets(
	ctx context.Context,
	request api.ListGroupAssetsRequestObject,
) (api.ListGroupAssetsResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	list, total, err := s.Store.Assets(userOf(ctx), store.AssetFilter{GroupUUID: request.AssetGroupUUID}, page)
	return api.ListGroupAssets200JSONResponse(assetPage(ctx, list, total, page)), err
}

// AddToGroup adds an asset to a group.
func (s handlers) AddToGroup(
	ctx context.Context,
	request api.AddToGroupRequestObject,
) (api.AddToGroupResponseObject, error) {
	if _, err := s.Store.AddToGroups(userOf(ctx), request.Body.AssetUUID, request.AssetGroupUUID); err != nil {
		return nil, err
	}
	return api.AddToGroup204Response{}, nil
}

// RemoveFromGroup removes an asset from a group.
func (s handlers) RemoveFromGroup(
	ctx context.Context,
	request api.RemoveFromGroupRequestObject,
) (api.RemoveFromGroupResponseObject, error) {
	err := s.Store.RemoveFromGroup(userOf(ctx), request.AssetGroupUUID, request.AssetUUID)
	return api.RemoveFromGroup204Response{}, err
}

// ListAssetGroupsOfAsset returns the groups of an asset.
func (s handlers) ListAssetGroupsOfAsset(
	ctx context.Context,
	request api.ListAssetGroupsOfAssetRequestObject,
) (api.ListAssetGroupsOfAssetResponseObject, error) {
	list, err := s.Store.AssetGroups(userOf(ctx), request.AssetUUID)
	return api.ListAssetGroupsOfAsset200JSONResponse(wholePage(list, groupRecord)), err
}

// AddAssetToGroups adds an asset to several groups.
func (s handlers) AddAssetToGroups(
	ctx context.Context,
	request api.AddAssetToGroupsRequestObject,
) (api.AddAssetToGroupsResponseObject, error) {
	added, err := s.Store.AddToGroups(userOf(ctx), request.AssetUUID, request.Body.GroupIds...)
	return api.AddAssetToGroups200JSONResponse{Added: added}, err
}
