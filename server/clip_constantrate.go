package server

import (
	"context"

	"roughcut/server/api"
)

// MakeConstantRateCopy queues a constant-rate copy of a clip. It responds with 202 for a new copy
// and 200 for one that exists or is being made.
func (s handlers) MakeConstantRateCopy(
	ctx context.Context,
	request api.MakeConstantRateCopyRequestObject,
) (api.MakeConstantRateCopyResponseObject, error) {
	clip, fresh, err := s.Store.MakeConstantRateCopy(userOf(ctx), request.ClipUUID)
	if err != nil {
		return nil, err
	}
	if fresh {
		return api.MakeConstantRateCopy202JSONResponse(clipRecord(clip)), nil
	}
	return api.MakeConstantRateCopy200JSONResponse(clipRecord(clip)), nil
}

// RemoveConstantRateCopy deletes the constant-rate copy of a clip, or stops making it.
func (s handlers) RemoveConstantRateCopy(
	ctx context.Context,
	request api.RemoveConstantRateCopyRequestObject,
) (api.RemoveConstantRateCopyResponseObject, error) {
	err := s.Store.RemoveConstantRateCopy(userOf(ctx), request.ClipUUID)
	return api.RemoveConstantRateCopy204Response{}, err
}
