package server

import (
	"context"

	"roughcut/server/api"
	"roughcut/store"
)

func cutDefaultsRecord(d store.CutDefaults) api.CutDefaults {
	return api.CutDefaults{
		Items: mapSlice(d.Items, func(item store.CutDefault) api.CutDefault {
			return api.CutDefault{
				Type:              api.DetectedEditType(item.Type),
				Accepted:          item.Accepted,
				Rejected:          item.Rejected,
				ActiveFrom:        item.ActiveFrom,
				DefaultActiveFrom: item.DefaultActiveFrom,
			}
		}),
		Total:    len(d.Items),
		Page:     1,
		PageSize: onePageSize(len(d.Items)),
		Enabled:  d.Enabled,
	}
}

// GetCutDefaults returns the learned defaults of the caller.
func (s handlers) GetCutDefaults(
	ctx context.Context,
	_ api.GetCutDefaultsRequestObject,
) (api.GetCutDefaultsResponseObject, error) {
	d, err := s.Store.CutDefaults(userOf(ctx))
	return api.GetCutDefaults200JSONResponse(cutDefaultsRecord(d)), err
}

// UpdateCutDefaults switches learning on or off.
func (s handlers) UpdateCutDefaults(
	ctx context.Context,
	request api.UpdateCutDefaultsRequestObject,
) (api.UpdateCutDefaultsResponseObject, error) {
	d, err := s.Store.EnableCutDefaults(userOf(ctx), request.Body.Enabled)
	return api.UpdateCutDefaults200JSONResponse(cutDefaultsRecord(d)), err
}

// ResetCutDefaults forgets the decisions of the caller.
func (s handlers) ResetCutDefaults(
	ctx context.Context,
	_ api.ResetCutDefaultsRequestObject,
) (api.ResetCutDefaultsResponseObject, error) {
	if err := s.Store.ResetCutDefaults(userOf(ctx)); err != nil {
		return nil, err
	}
	return api.ResetCutDefaults204Response{}, nil
}
