package store

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"roughcut/media"
)

// copyStep is the number of bytes that AddAssetFile copies between two checks for cancellation.
const copyStep = 16 << 20

// AddAssetFile copies a file of this machine into the library of a user and queues its processing.
// The caller decides who may name a path. Errors: see LinkClip, PresignAsset and ConfirmAsset; also
// the error of ctx.
func (s *Store) AddAssetFile(ctx context.Context, userUUID, path string) (Asset, error) {
	types := media.AssetTypes()
	resolved, err := s.outsideFile(path, types)
	if err != nil {
		return Asset{}, err
	}
	file, stat, err := openLinkedFile(resolved)
	if err != nil {
		return Asset{}, unreadable(path, err)
	}
	defer file.Close()
	if stat.Size() == 0 {
		return Asset{}, failField("path", "%s is empty.", filepath.Base(path))
	}
	asset, err := s.PresignAsset(userUUID, NewAsset{
		FileName: filepath.Base(resolved), SizeBytes: stat.Size(),
		ContentType: types.ByExtension()[extension(resolved)],
	})
	if err != nil {
		return Asset{}, err
	}
	if err := s.copyUpload(ctx, asset.AssetFileID, file); err != nil {
		return Asset{}, errors.Join(err, s.DeleteAsset(userUUID, asset.UUID))
	}
	asset, _, err = s.ConfirmAsset(userUUID, asset.UUID)
	return asset, err
}

// copyUpload stores the bytes of a file as the upload of a clip or asset file.
func (s *Store) copyUpload(ctx context.Context, fileID string, from io.Reader) error {
	target, err := s.OpenUpload(fileID)
	if err != nil {
		return err
	}
	defer func() { _ = target.Abort() }() // no effect after Commit
	for ctx.Err() == nil {
		if _, err := io.CopyN(target, from, copyStep); errors.Is(err, io.EOF) {
			return target.Commit()
		} else if err != nil {
			return err
		}
	}

	return context.Cause(ctx)
}
