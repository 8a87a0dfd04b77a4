package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"

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
	data, kind, err := s.still(ctx, request.ProjectUUID, *request.Body)
	if err != nil {
		return nil, err
	}
	size := int64(len(data))
	if kind == media.StillJPEG {
		return api.GetStill200ImageJpegResponse{Body: bytes.NewReader(data), ContentLength: size}, nil
	}
	return api.GetStill200ImagePngResponse{Body: bytes.NewReader(data), ContentLength: size}, nil
}

// still renders one frame of the recording.
func (s handlers) still(
	ctx context.Context,
	project string,
	request api.StillRequest,
) (data []byte, kind media.StillKind, err error) {
	in, err := s.Store.EstimateInput(userOf(ctx), project, store.NewExport{
		Settings: store.OrEmptyObject(request.ExportSettings),
	})
	if err != nil {
		return nil, "", err
	}
	kind = media.StillKind(valueOr(request.Type, api.Png))
	data, err = s.Options.Still(ctx, in.ExportInput, request.AtMS, kind)
	var fault pipeline.FileFault
	if errors.As(err, &fault) {
		return nil, "", problem.Unprocessablef("The frame is not available: %s.", fault.FileFault())
	}

	return data, kind, err
}

// stillName returns the file name of a frame, such as "Talk 0.07.50.png".
func stillName(project string, atMS int64, kind media.StillKind) string {
	hundredths := atMS / 10
	at := fmt.Sprintf("%d.%02d.%02d", hundredths/6000, hundredths/100%60, hundredths%100)
	if hours := hundredths / 360_000; hours > 0 {
		at = fmt.Sprintf("%d.%02d.%02d.%02d", hours, hundredths/6000%60, hundredths/100%60, hundredths%100)
	}
	extension := ".png"
	if kind == media.StillJPEG {
		extension = ".jpg"
	}
	return downloadName(project+" "+at, extension)
}
