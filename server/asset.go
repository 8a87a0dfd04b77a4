package server

import (
	"context"
	"fmt"

	"github.com/labstack/echo/v4"

	"roughcut/media"
	"roughcut/server/api"
	"roughcut/server/auth"
	"roughcut/server/problem"
	"roughcut/store"
)

// assetRecord returns an asset as the contract defines it. baseURL is the start of the thumbnail's
// address.
func assetRecord(baseURL string) func(store.Asset) api.Asset {
	return func(a store.Asset) api.Asset {
		record := api.Asset{
			UUID:        a.UUID,
			UserAssetID: a.UUID,
			AssetFileID: a.AssetFileID,
			Kind:        api.AssetKind(a.Kind),
			ContentType: a.ContentType,
			SizeBytes:   a.SizeBytes,
			DurationMS:  a.DurationMS,
			DisplayName: a.DisplayName,
			Tags:        a.Tags,
			GroupID:     a.GroupUUID,
			Status:      api.AssetStatus(a.Status),
			Error:       orNull(a.Error),
			CreatedAt:   timestamp(a.CreatedAt),
			UpdatedAt:   timestamp(a.UpdatedAt),
		}
		if v := a.Info.Video; v != nil && a.Kind != "audio" {
			record.Width, record.Height = &v.Width, &v.Height
		}
		if sound := a.Info.Audio; sound != nil {
			record.AudioChannels = &sound.Channels
		}
		if a.Kind == "audio" && a.Outline != nil {
			record.Outline = new(mapSlice(a.Outline, func(bar byte) int { return int(bar) }))
		}

		if a.HasPoster {
			address := fmt.Sprintf("%s/api/v1/assets/%s/poster?v=%d", baseURL, a.UUID, a.Version)
			record.PosterURL = &address
		}

		return record
	}
}

// assetRecordFor returns the record of one asset, with the addresses of the request.
func assetRecordFor(ctx context.Context, a store.Asset) api.Asset {
	return assetRecord(infoOf(ctx).baseURL)(a)
}

// assetPage returns the records of one page of assets.
func assetPage(ctx context.Context, list []store.Asset, total int, p store.Page) api.AssetPage {
	return api.AssetPage(pageRecord(p, list, total, assetRecord(infoOf(ctx).baseURL)))
}

// PresignAsset creates an asset that waits for its upload.
func (s handlers) PresignAsset(
	ctx context.Context,
	request api.PresignAssetRequestObject,
) (api.PresignAssetResponseObject, error) {
	b := request.Body
	asset, err := s.Store.PresignAsset(userOf(ctx), store.NewAsset{
		FileName: b.Filename, ContentType: valueOr(b.ContentType, ""), SizeBytes: b.SizeBytes, GroupUUID: b.GroupID,
		DisplayName: valueOr(b.DisplayName, ""), Tags: valueOr(b.Tags, nil),
	})
	if err != nil {
		return nil, err
	}
	record, err := s.presignedAsset(ctx, asset)
	return api.PresignAsset201JSONResponse(record), err
}

// RenewAssetUpload returns a new address for an unfinished upload.
func (s handlers) RenewAssetUpload(
	ctx context.Context,
	request api.RenewAssetUploadRequestObject,
) (api.RenewAssetUploadResponseObject, error) {
	asset, err := s.Store.RenewAssetUpload(userOf(ctx), request.AssetUUID)
	if err != nil {
		return nil, err
	}
	record, err := s.presignedAsset(ctx, asset)
	return api.RenewAssetUpload200JSONResponse(record), err
}

func (s handlers) presignedAsset(ctx context.Context, asset store.Asset) (api.PresignedAsset, error) {
	address, err := s.sign(infoOf(ctx), auth.Upload, asset.AssetFileID, "/upload/v1/", s.Settings.UploadURLTTL)
	return api.PresignedAsset{
		AssetFileID: asset.AssetFileID,
		UserAssetID: asset.UUID,
		UploadURL:   address,
		ContentType: asset.ContentType,
		ExpiresIn:   seconds(s.Settings.UploadURLTTL),
	}, err
}

// ConfirmAsset accepts an upload. It responds with 202 the first time and 200 after that.
func (s handlers) ConfirmAsset(
	ctx context.Context,
	request api.ConfirmAssetRequestObject,
) (api.ConfirmAssetResponseObject, error) {
	asset, fresh, err := s.Store.ConfirmAsset(userOf(ctx), request.AssetUUID)
	if err != nil {
		return nil, err
	}
	if fresh {
		return api.ConfirmAsset202JSONResponse(assetRecordFor(ctx, asset)), nil
	}
	return api.ConfirmAsset200JSONResponse(assetRecordFor(ctx, asset)), nil
}

// ImportAsset creates an asset from a URL. The pipeline downloads it in the background.
func (s handlers) ImportAsset(
	ctx context.Context,
	request api.ImportAssetRequestObject,
) (api.ImportAssetResponseObject, error) {
	b := request.Body
	if b.GroupID != nil { // check the body before using the network
		if err := s.Store.Access(userOf(ctx), "asset_group", *b.GroupID); err != nil {
			return nil, err
		}
	}

	found, err := s.lookUpImport(ctx, b.URL)
	if err != nil {
		return nil, err
	}
	asset, err := s.Store.ImportAsset(userOf(ctx), found, b.GroupID, valueOr(b.DisplayName, ""))
	return api.ImportAsset202JSONResponse(assetRecordFor(ctx, asset)), err
}

// ListAssets returns one page of the caller's assets.
func (s handlers) ListAssets(
	ctx context.Context,
	request api.ListAssetsRequestObject,
) (api.ListAssetsResponseObject, error) {
	q, page := request.Params, pageOf(request.Params.Page, request.Params.PageSize)
	list, total, err := s.Store.Assets(userOf(ctx), store.AssetFilter{
		GroupUUID: valueOr(q.GroupID, ""),
		Kind:      string(valueOr(q.Kind, "")),
		Tag:       valueOr(q.Tag, ""),
		Query:     valueOr(q.Q, ""),
	}, page)
	return api.ListAssets200JSONResponse(assetPage(ctx, list, total, page)), err
}

// ListUngroupedAssets returns one page of the assets without a group.
func (s handlers) ListUngroupedAssets(
	ctx context.Context,
	request api.ListUngroupedAssetsRequestObject,
) (api.ListUngroupedAssetsResponseObject, error) {
	q, page := request.Params, pageOf(request.Params.Page, request.Params.PageSize)
	list, total, err := s.Store.Assets(userOf(ctx), store.AssetFilter{
		Ungrouped: true, Kind: string(valueOr(q.Kind, "")), Tag: valueOr(q.Tag, ""), Query: valueOr(q.Q, ""),
	}, page)
	return api.ListUngroupedAssets200JSONResponse(assetPage(ctx, list, total, page)), err
}

// ListAssetTags returns one page of the tags on the caller's assets.
func (s handlers) ListAssetTags(
	ctx context.Context,
	request api.ListAssetTagsRequestObject,
) (api.ListAssetTagsResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	tags, total, err := s.Store.AssetTags(userOf(ctx), page)
	record := func(t store.AssetTag) api.AssetTag { return api.AssetTag{Tag: t.Tag, AssetCount: t.AssetCount} }
	return api.ListAssetTags200JSONResponse(pageRecord(page, tags, total, record)), err
}

// UpdateAsset changes the name and tags of an asset.
func (s handlers) UpdateAsset(
	ctx context.Context,
	request api.UpdateAssetRequestObject,
) (api.UpdateAssetResponseObject, error) {
	asset, err := s.Store.UpdateAsset(userOf(ctx), request.AssetUUID, request.Body.DisplayName, request.Body.Tags)
	return api.UpdateAsset200JSONResponse(assetRecordFor(ctx, asset)), err
}

// DeleteAsset deletes an asset and its file.
func (s handlers) DeleteAsset(
	ctx context.Context,
	request api.DeleteAssetRequestObject,
) (api.DeleteAssetResponseObject, error) {
	err := s.Store.DeleteAsset(userOf(ctx), request.AssetUUID)
	return api.DeleteAsset204Response{}, err
}

// GetAssetVideoURL returns an address that plays or shows the asset.
func (s handlers) GetAssetVideoURL(
	ctx context.Context,
	request api.GetAssetVideoURLRequestObject,
) (api.GetAssetVideoURLResponseObject, error) {
	asset, err := s.Store.PlayableAsset(userOf(ctx), request.AssetUUID)
	if err != nil {
		return nil, err
	}
	address, err := s.sign(infoOf(ctx), auth.Asset, asset.UUID, "/asset/v1/", s.Settings.AssetURLTTL)
	return api.GetAssetVideoURL200JSONResponse{URL: address, ExpiresIn: seconds(s.Settings.AssetURLTTL)}, err
}

// EditAsset trims an asset in place or into a copy.
func (s handlers) EditAsset(
	ctx context.Context,
	request api.EditAssetRequestObject,
) (api.EditAssetResponseObject, error) {
	b := request.Body
	edit := store.AssetEdit{
		StartMS:      b.StartMS,
		EndMS:        b.EndMS,
		ExtractAudio: valueOr(b.ExtractAudio, false),
		Fast:         valueOr(b.FastMode, false),
		Replace:      valueOr(b.SaveMode, "copy") == "replace",
	}
	for _, cut := range valueOr(b.Cuts, nil) {
		edit.Cuts = append(edit.Cuts, media.Span{StartMS: cut.StartMS, EndMS: cut.EndMS})
	}
	copied, err := s.Store.EditAsset(userOf(ctx), request.AssetUUID, edit)
	return api.EditAsset202JSONResponse{Status: store.AssetPending, NewAssetUUID: orNull(copied)}, err
}

// getAssetFile sends the browser-compatible file of an asset.
func (s *Server) getAssetFile(c echo.Context) error {
	claims, err := s.claims(c, auth.Asset)
	if err != nil {
		return err
	}
	asset, err := s.Store.Asset(claims.User, claims.Object)
	if err != nil {
		return err
	}
	key, contentType := asset.ProxyKey(), "video/mp4"
	if key == "" {
		key, contentType = asset.FileKey(), asset.ContentType
	}
	return s.sendFile(
		c,
		claims.User,
		file{path: s.Store.FilePath(key), contentType: contentType, caching: "private, no-cache"},
	)
}

// getAssetPoster sends the thumbnail of an asset to its owner.
func (s *Server) getAssetPoster(c echo.Context) error {
	user := infoOf(c.Request().Context()).caller.user.UUID
	asset, err := s.Store.Asset(user, c.Param("asset_uuid"))
	if err != nil {
		return err
	}
	if !asset.HasPoster {
		return problem.NotFoundf("This asset has no thumbnail.")
	}
	return s.sendFile(c, user, file{
		path:        s.Store.FilePath(asset.PosterKey()),
		contentType: "image/jpeg",
		caching:     "private, max-age=31536000, immutable",
	})
}
