package server

import (
	"context"
	"errors"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/server/api"
	"roughcut/server/problem"
)

// GetClipFaces returns the main face of a clip. The first request looks for it.
func (s handlers) GetClipFaces(
	ctx context.Context,
	request api.GetClipFacesRequestObject,
) (api.GetClipFacesResponseObject, error) {
	clip, err := s.Store.ReadyClip(userOf(ctx), request.ClipUUID)
	if err != nil {
		return nil, err
	}
	faces, err := s.Faces(ctx, clip)
	var fault pipeline.FileFault
	if errors.As(err, &fault) {
		return nil, problem.Conflictf("%s", fault.FileFault())
	}
	if err != nil {
		return nil, err
	}
	return api.GetClipFaces200JSONResponse{
		Faces: mapSlice(faces, func(f media.Face) api.Face {
			return api.Face{AtMS: f.MS, X: f.X, Y: f.Y, Size: f.Size, Confidence: f.Confidence}
		}),
		Center: mapSlice(media.FaceCenter(faces), func(k media.CropKeyframe) api.FaceCenter {
			return api.FaceCenter{AtMS: k.MS, X: k.X, Y: k.Y}
		}),
	}, nil
}
