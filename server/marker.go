package server

import (
	"bytes"
	"context"
	"strings"

	"roughcut/media/interchange"
	"roughcut/server/api"
	"roughcut/store"
)

func markerRecord(m store.Marker) api.Marker {
	return api.Marker{
		UUID:        m.UUID,
		ProjectUUID: m.ProjectUUID,
		Kind:        api.MarkerKind(m.Kind),
		TimeMS:      m.TimeMS,
		Name:        m.Name,
		CreatedAt:   timestamp(m.CreatedAt),
		UpdatedAt:   timestamp(m.UpdatedAt),
	}
}

// markerName checks the title of a marker, which may be empty. It returns nil for nil.
func markerName(text *string) (*string, error) {
	if text == nil || strings.TrimSpace(*text) == "" {
		if text != nil {
			text = new(string)
		}
		return text, nil
	}

	return newName(text)
}

// ListMarkers returns the markers of a project.
func (s handlers) ListMarkers(
	ctx context.Context,
	request api.ListMarkersRequestObject,
) (api.ListMarkersResponseObject, error) {
	markers, err := s.Store.Markers(userOf(ctx), request.ProjectUUID)
	return api.ListMarkers200JSONResponse(wholePage(markers, markerRecord)), err
}

// CreateMarker adds a chapter, a split or a note.
func (s handlers) CreateMarker(
	ctx context.Context,
	request api.CreateMarkerRequestObject,
) (api.CreateMarkerResponseObject, error) {
	name, err := markerName(request.Body.Name)
	if err != nil {
		return nil, err
	}
	marker, err := s.Store.CreateMarker(userOf(ctx), request.ProjectUUID, store.Marker{
		Kind: string(request.Body.Kind), TimeMS: request.Body.TimeMS, Name: valueOr(name, ""),
	}, changeOf(request.Params.XChange, request.Params.XChangeLabel))
	return api.CreateMarker201JSONResponse(markerRecord(marker)), err
}

// UpdateMarker renames or moves a marker.
func (s handlers) UpdateMarker(
	ctx context.Context,
	request api.UpdateMarkerRequestObject,
) (api.UpdateMarkerResponseObject, error) {
	name, err := markerName(request.Body.Name)
	if err != nil {
		return nil, err
	}
	change := store.MarkerChange{Name: name, TimeMS: request.Body.TimeMS}
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	marker, err := s.Store.UpdateMarker(userOf(ctx), request.MarkerUUID, change, as)
	return api.UpdateMarker200JSONResponse(markerRecord(marker)), err
}

// DeleteMarker deletes a marker.
func (s handlers) DeleteMarker(
	ctx context.Context,
	request api.DeleteMarkerRequestObject,
) (api.DeleteMarkerResponseObject, error) {
	as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
	err := s.Store.DeleteMarker(userOf(ctx), request.MarkerUUID, as)
	return api.DeleteMarker204Response{}, err
}

// GetChaptersText returns the chapters of the edited video as lines of a description.
func (s handlers) GetChaptersText(
	ctx context.Context,
	request api.GetChaptersTextRequestObject,
) (api.GetChaptersTextResponseObject, error) {
	chapters, _, err := s.Store.EditedChapters(
		userOf(ctx), request.ProjectUUID, store.Within{StartMS: request.Params.StartMS, EndMS: request.Params.EndMS},
	)
	var text bytes.Buffer
	interchange.WriteChapters(&text, chapters)
	return api.GetChaptersText200TextPlainCharsetUTF8Response{
		Body: &text, ContentLength: int64(text.Len()),
		Headers: api.GetChaptersText200ResponseHeaders{
			ContentDisposition: s.fileNameOf(ctx, request.ProjectUUID, " chapters.txt"),
		},
	}, err
}

// GetChaptersVTT returns the chapters of the edited video as a WebVTT chapters track.
func (s handlers) GetChaptersVTT(
	ctx context.Context,
	request api.GetChaptersVTTRequestObject,
) (api.GetChaptersVTTResponseObject, error) {
	chapters, durationMS, err := s.Store.EditedChapters(
		userOf(ctx), request.ProjectUUID, store.Within{StartMS: request.Params.StartMS, EndMS: request.Params.EndMS},
	)
	var text bytes.Buffer
	interchange.WriteChaptersVTT(&text, chapters, durationMS)
	return api.GetChaptersVTT200TextVttResponse{
		Body: &text, ContentLength: int64(text.Len()),
		Headers: api.GetChaptersVTT200ResponseHeaders{
			ContentDisposition: s.fileNameOf(ctx, request.ProjectUUID, " chapters.vtt"),
		},
	}, err
}
