package server

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"roughcut/pipeline/models"
	"roughcut/server/api"
	"roughcut/server/problem"
)

// modelUse holds the file names of the active model and of the one that an admin chose.
type modelUse struct{ active, chosen string }

// modelRecord returns the record of a model. Only admins see what to do about a failed download.
func (s *Server) modelRecord(m models.Status, use modelUse, admin bool) api.Model {
	record := api.Model{
		Name:         m.Name,
		SizeBytes:    m.SizeBytes,
		Sha256:       orNull(m.SHA256),
		Multilingual: m.Many,
		Installed:    m.Installed,
		Active:       m.Installed && m.File == use.active,
		Chosen:       m.Installed && m.File == use.chosen,
		Proposed:     m.Name == s.ProposedModel(),
	}
	perHour, word := s.ModelSpeed(m.Name)
	if perHour > 0 {
		record.MinutesPerHour = new(perHour.Minutes())
	}
	record.Speed = orNull(api.ModelSpeed(word))
	if m.Downloading || m.Err != nil || (!m.Installed && m.Received > 0) {
		record.Download = &api.ModelDownload{Status: api.ModelDownloadStatusStopped, ReceivedBytes: m.Received}
		switch {
		case m.Downloading:
			record.Download.Status = api.ModelDownloadStatusLoading
		case m.Err != nil:
			text := "The download failed. Ask an admin of this server to try again."
			if admin {
				text = cmp.Or(s.Models.Advice(m.Err), m.Err.Error())
			}
			record.Download.Status, record.Download.Error = api.ModelDownloadStatusFailed, &text
		}
	}

	return record
}

// modelUse returns the active and the chosen speech model. It ignores an error of ActiveModel,
// which the log of an analysis reports.
func (s *Server) modelUse() (use modelUse, err error) {
	if path, err := s.ActiveModel(); err == nil && path != "" {
		use.active = filepath.Base(path)
	}
	use.chosen, err = s.Store.SpeechModel()
	return use, err
}

// ListModels returns the known and installed speech models.
func (s handlers) ListModels(
	ctx context.Context,
	_ api.ListModelsRequestObject,
) (api.ListModelsResponseObject, error) {
	list, err := s.Models.List()
	if err != nil {
		return nil, err
	}
	use, err := s.modelUse()
	if err != nil {
		return nil, err
	}
	admin := infoOf(ctx).caller.user.IsAdmin
	records := mapSlice(list, func(m models.Status) api.Model { return s.modelRecord(m, use, admin) })
	if path, _ := s.ActiveModel(); path != "" &&
		!slices.ContainsFunc(records, func(m api.Model) bool { return m.Active }) {
		// SPEECH_MODEL names a file outside the models folder.
		if elsewhere, err := s.Models.Describe(path); err == nil {
			records = append(records, s.modelRecord(elsewhere, use, admin))
		}
	}

	return api.ListModels200JSONResponse{
		IsSet:    s.ModelPinned,
		Items:    records,
		Total:    len(records),
		Page:     1,
		PageSize: onePageSize(len(records)),
	}, nil
}

// DownloadModel starts the download of a model. A running download continues.
func (s handlers) DownloadModel(
	_ context.Context,
	request api.DownloadModelRequestObject,
) (api.DownloadModelResponseObject, error) {
	if err := s.Models.Start(request.Model); err != nil {
		return nil, modelError(err)
	}
	record, _, err := s.model(request.Model)
	return api.DownloadModel202JSONResponse(record), err
}

// model returns the record of a known or installed model for an admin.
func (s handlers) model(name string) (api.Model, models.Status, error) {
	status, err := s.Models.Status(name)
	if err != nil {
		return api.Model{}, status, modelError(err)
	}
	use, err := s.modelUse()
	return s.modelRecord(status, use, true), status, err
}

// ChooseModel makes new analyses use a model.
func (s handlers) ChooseModel(
	_ context.Context,
	request api.ChooseModelRequestObject,
) (api.ChooseModelResponseObject, error) {
	_, status, err := s.model(request.Model)
	switch {
	case err != nil:
		return nil, err
	case s.ModelPinned:
		return nil, errModelIsSet
	case !status.Installed:
		return nil, problem.Conflictf("The model is not installed. Download it first.")
	}

	if err := s.Store.SetSpeechModel(status.File); err != nil {
		return nil, err
	}
	record, _, err := s.model(request.Model)
	return api.ChooseModel200JSONResponse(record), err
}

// ForgetModelChoice returns to the best model if the named one was chosen.
func (s handlers) ForgetModelChoice(
	_ context.Context,
	request api.ForgetModelChoiceRequestObject,
) (api.ForgetModelChoiceResponseObject, error) {
	record, _, err := s.model(request.Model)
	if err == nil && record.Chosen {
		err = s.Store.SetSpeechModel("")
	}
	return api.ForgetModelChoice204Response{}, err
}

// CancelModelDownload stops the download of a model.
func (s handlers) CancelModelDownload(
	_ context.Context,
	request api.CancelModelDownloadRequestObject,
) (api.CancelModelDownloadResponseObject, error) {
	if err := s.Models.Cancel(request.Model); err != nil {
		return nil, modelError(err)
	}
	return api.CancelModelDownload204Response{}, nil
}

// DeleteModel deletes an installed or partly downloaded model.
func (s handlers) DeleteModel(
	_ context.Context,
	request api.DeleteModelRequestObject,
) (api.DeleteModelResponseObject, error) {
	record, _, err := s.model(request.Model)
	if err != nil {
		return nil, err
	}
	if record.Active && s.ModelPinned {
		return nil, errModelIsSet
	}
	if err := s.Models.Remove(request.Model); err != nil {
		return nil, modelError(err)
	}
	if record.Chosen {
		err = s.Store.SetSpeechModel("")
	}
	return api.DeleteModel204Response{}, err
}

var errModelIsSet = problem.Conflictf(
	"The setting SPEECH_MODEL fixes the speech model. Remove it from the settings and restart the server first.",
)

// modelError converts the errors of package models that a client can cause.
func modelError(err error) error {
	switch {
	case errors.Is(err, models.ErrUnknown):
		return problem.NotFoundf(
			"The model does not exist. The list names the models that can be downloaded.",
		)
	case errors.Is(err, models.ErrInstalled):
		return problem.Conflictf("The model is already installed.")
	case errors.Is(err, models.ErrNotDownloading):
		return problem.Conflictf("The model is not downloading.")
	case errors.Is(err, models.ErrBusy):
		return problem.Conflictf("The model is downloading. Stop the download first.")
	case errors.Is(err, models.ErrNotInstalled):
		return problem.Conflictf("The model is neither installed nor partly downloaded.")
	}

	return err
}
