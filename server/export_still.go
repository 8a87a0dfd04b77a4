package server

import (
	"bytes"
	"context"
	"errors"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/server/api"
	"roughcut/server/problem"
	"roughcut/store"
)

// GetStill returns one frame of the recording as an image.
func (s handlers) GetStill(
	ctx context.Context,
	request api.GetStillRequestObject,
) (api.GetStillResponseObject, error) {
	in, err := s.Store.EstimateInput(userOf(ctx), request.ProjectUUID, store.NewExport{
		Settings: object(request.Body.ExportSettings),
	})
	if err != nil {
		return nil, err
	}
	kind := media.StillKind(valueOr(request.Body.Type, api.Png))
	data, err := s.Options.Still(ctx, in.ExportInput, request.Body.AtMS, kind)
	var fault pipeline.FileFault
	if errors.As(err, &fault) {
		return nil, problem.Errorf(
			store.Unprocessable, "unprocessable", "The frame is not available: %s.", fault.FileFault(),
		)
	}
	if err != nil {
		return nil, err
	}
	size := int64(len(data))
	if kind == media.StillJPEG {
		return api.GetStill200ImageJpegResponse{Body: bytes.NewReader(data), ContentLength: size}, nil
	}
	return api.GetStill200ImagePngResponse{Body: bytes.NewReader(data), ContentLength: size}, nil
}
