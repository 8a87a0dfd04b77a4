package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roughcut/pipeline/models"
	"roughcut/server/api"
	"roughcut/store"
)

// modelRecord describes a model; active is the file name of the one that is used. Why a download failed is for admins.
func modelRecord(s models.Status, active string, admin bool) api.Model {
	record := api.Model{
		Name: s.Name, SizeBytes: s.SizeBytes, Sha256: orNull(s.SHA256), Multilingual: s.Multilingual(), Installed: s.Installed,
		Active: s.Installed && s.File == active,
	}
	if s.Loading || s.Fault != nil || !s.Installed && s.Received > 0 {
		record.Download = &api.ModelDownload{Status: api.ModelDownloadStatusStopped, ReceivedBytes: s.Received}
		switch {
		case s.Loading:
			record.Download.Status = api.ModelDownloadStatusLoading
		case s.Fault != nil:
			text := "The download failed; an admin sees why."
			if admin {
				text = s.Fault.Error()
			}
			record.Download.Status, record.Download.Error = api.ModelDownloadStatusFailed, &text
		}
	}
	return record
}

// activeModel returns the file name of the speech model that is used. That SPEECH_MODEL names none is for the log of an analysis.
func (s *Server) activeModel() string {
	path, err := s.ActiveModel()
	if err != nil || path == "" {
		return ""
	}
	return filepath.Base(path)
}

// ListModels answers with the speech models that are known or installed.
func (s operations) ListModels(ctx context.Context, _ api.ListModelsRequestObject) (api.ListModelsResponseObject, error) {
	list, err := s.Models.List()
	if err != nil {
		return nil, err
	}
	active, admin := s.activeModel(), factsOf(ctx).caller.user.IsAdmin
	records := each(list, func(m models.Status) api.Model { return modelRecord(m, active, admin) })
	if path, _ := s.ActiveModel(); path != "" && !slices.ContainsFunc(records, func(m api.Model) bool { return m.Active }) {
		if info, err := os.Stat(path); err == nil { // SPEECH_MODEL names a file elsewhere
			name := strings.TrimPrefix(strings.TrimSuffix(active, ".bin"), "ggml-")
			elsewhere := models.Status{Model: models.Model{Name: name, SizeBytes: info.Size()}, File: active, Installed: true}
			records = append(records, modelRecord(elsewhere, active, admin))
		}
	}
	return api.ListModels200JSONResponse{Items: records, Total: len(records), Page: 1, PageSize: onePageSize(len(records))}, nil
}

// DownloadModel begins the download of a model; one that is under way goes on.
func (s operations) DownloadModel(_ context.Context, request api.DownloadModelRequestObject) (api.DownloadModelResponseObject, error) {
	if err := s.Models.Start(request.Model); err != nil {
		return nil, modelError(err)
	}
	status, err := s.Models.Status(request.Model)
	return api.DownloadModel202JSONResponse(modelRecord(status, s.activeModel(), true)), modelError(err)
}

// CancelModelDownload stops the download of a model.
func (s operations) CancelModelDownload(_ context.Context, request api.CancelModelDownloadRequestObject) (api.CancelModelDownloadResponseObject, error) {
	if err := s.Models.Cancel(request.Model); err != nil {
		return nil, modelError(err)
	}
	return api.CancelModelDownload204Response{}, nil
}

// DeleteModel removes a model, or what came of it.
func (s operations) DeleteModel(_ context.Context, request api.DeleteModelRequestObject) (api.DeleteModelResponseObject, error) {
	if err := s.Models.Remove(request.Model); err != nil {
		return nil, modelError(err)
	}
	return api.DeleteModel204Response{}, nil
}

// modelError says what a client can cause with a model.
func modelError(err error) error {
	switch {
	case errors.Is(err, models.ErrUnknown):
		return refuse(store.NotFound, "not_found", "There is no such model; the list names those that can be downloaded.")
	case errors.Is(err, models.ErrInstalled):
		return refuse(store.Conflict, "conflict", "The model is installed already.")
	case errors.Is(err, models.ErrIdle):
		return refuse(store.Conflict, "conflict", "The model is not being downloaded.")
	case errors.Is(err, models.ErrBusy):
		return refuse(store.Conflict, "conflict", "The model is being downloaded. Stop that first.")
	case errors.Is(err, models.ErrAbsent):
		return refuse(store.Conflict, "conflict", "Nothing of the model is here.")
	}
	return err
}
