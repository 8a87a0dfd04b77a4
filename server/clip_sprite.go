package server

import (
	"context"

	"roughcut/server/api"
)

// RetrySprite makes the sprite sheet of a clip and measures its motion again, after a failure.
func (s handlers) RetrySprite(
	ctx context.Context,
	request api.RetrySpriteRequestObject,
) (api.RetrySpriteResponseObject, error) {
	clip, err := s.Store.RetryTiles(userOf(ctx), request.ClipUUID)
	return api.RetrySprite202JSONResponse(clipRecord(clip)), err
}
