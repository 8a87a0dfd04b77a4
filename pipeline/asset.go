package pipeline

import (
	"context"

	"roughcut/media"
	"roughcut/store"
)

// asset trims an asset if the job asks for it, reads its properties, and makes its poster and
// proxy. Clients poll assets: an asset belongs to no project, so no event stream carries its
// progress.
func (p *Pool) asset(ctx context.Context, job store.Job) error {
	in, err := p.Store.AssetInput(job)
	if err != nil {
		return err
	}
	result := store.AssetResult{}
	defer func() { removeAll(result.FileTemp, result.PosterTemp, result.ProxyTemp) }()
	if result.PosterTemp, err = p.Store.TempPath(".jpg"); err != nil {
		return err
	}
	if result.ProxyTemp, err = p.Store.TempPath(".mp4"); err != nil {
		return err
	}
	path := in.Path
	if in.Trim != nil {
		if result.FileTemp, err = p.trim(ctx, in); err != nil {
			return err
		}
		path = result.FileTemp
	}

	result.Asset, err = p.Engine.Asset(
		ctx,
		media.AssetRequest{Path: path, PosterPath: result.PosterTemp, ProxyPath: result.ProxyTemp, Outline: true},
		nil,
	)
	if err != nil {
		return err
	}
	dropMissing(&result.PosterTemp, &result.ProxyTemp)
	_, err = p.Store.FinishAsset(job, result)
	return err
}

// trim writes the requested part of an asset to a temporary file and returns its path. The caller
// removes the file.
func (p *Pool) trim(ctx context.Context, in store.AssetInput) (string, error) {
	suffix := ".mp4"
	if in.Trim.AudioOnly || in.Asset.Kind == media.KindAudio {
		suffix = ".m4a"
	}
	path, err := p.Store.TempPath(suffix)
	if err != nil {
		return "", err
	}
	request := *in.Trim
	request.OutPath = path
	if _, err := p.Engine.Trim(ctx, request, nil); err != nil {
		removeAll(path)
		return "", err
	}

	return path, nil
}
