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
	"roughcut/server/problem"
	"roughcut/store"
)

// modelUse names by its file the model that is used, and the one that an admin chose.
type modelUse struct{ active, chosen string }

// modelRecord describes a model. Why a download failed is for admins.
func modelRecord(s models.Status, use modelUse, admin bool) api.Model {
	record := api.Model{
		Name:         s.Name,
		SizeBytes:    s.SizeBytes,
		Sha256:       orNull(s.SHA256),
		Multilingual: s.Multilingual(),
		Installed:    s.Installed,
		Active:       s.Installed && s.File == use.active,
		Chosen:       s.Installed && s.File == use.chosen,
	}
	if s.Downloading || s.Err != nil || !s.Installed && s.Received > 0 {
		record.Download = &api.ModelDownload{Status: api.ModelDownloadStatusStopped, ReceivedBytes: s.Received}
		switch {
		case s.Downloading:
			record.Download.Status = api.ModelDownloadStatusLoading
		case s.Err != nil:
			text := "The download failed; an admin sees why."
			if admin {
				text = s.Err.Error()
			}
			record.Download.Status, record.Download.Error = api.ModelDownloadStatusFailed, &text
		}
	}
	return record
}

// modelUse returns which speech model is used, and which was chosen. That SPEECH_MODEL names none
// is for the log of an analysis.
func (s *Server) modelUse() (use modelUse, err error) {
	if path, err := s.ActiveModel(); err == nil && path != "" {
		use.active = filepath.Base(path)
	}
	use.chosen, err = s.Store.SpeechModel()
	return use, err
}

// ListModels answers with the speech models that are known or installed.
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
	records := mapSlice(list, func(m models.Status) api.Model { return modelRecord(m, use, admin) })
	if path, _ := s.ActiveModel(); path != "" &&
		!slices.ContainsFunc(records, func(m api.Model) bool { return m.Active }) {
		if info, err := os.Stat(path); err == nil { // SPEECH_MODEL names a file elsewhere
			name := strings.TrimPrefix(strings.TrimSuffix(use.active, ".bin"), "ggml-")
			elsewhere := models.Status{
				Model:     models.Model{Name: name, SizeBytes: info.Size()},
				File:      use.active,
				Installed: true,
			}
			records = append(records, modelRecord(elsewhere, use, admin))
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

// DownloadModel begins the download of a model; one that is under way goes on.
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

// model finds a model that is known or installed, and describes it to an admin.
func (s handlers) model(name string) (api.Model, models.Status, error) {
	status, err := s.Models.Status(name)
	if err != nil {
		return api.Model{}, status, modelError(err)
	}
	use, err := s.modelUse()
	return modelRecord(status, use, true), status, err
}

// ChooseModel has the analyses that begin from now on use a model.
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
		return nil, problem.Errorf(store.Conflict, "conflict", "The model is not installed. Download it first.")
	}
	if err := s.Store.SetSpeechModel(status.File); err != nil {
		return nil, err
	}
	record, _, err := s.model(request.Model)
	return api.ChooseModel200JSONResponse(record), err
}

// ForgetModelChoice has the best model used again where the named one was chosen.
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

// DeleteModel removes a model, or what came of it.
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

var errModelIsSet = problem.Errorf(
	store.Conflict,
	"conflict",
	"The setting SPEECH_MODEL names the speech model that is used. Take it out of the settings of the server and start that anew first.",
)

// modelError says what a client can cause with a model.
func modelError(err error) error {
	switch {
	case errors.Is(err, models.ErrUnknown):
		return problem.Errorf(
			store.NotFound,
			"not_found",
			"There is no such model; the list names those that can be downloaded.",
		)
	case errors.Is(err, models.ErrInstalled):
		return problem.Errorf(store.Conflict, "conflict", "The model is installed already.")
	case errors.Is(err, models.ErrNotDownloading):
		return problem.Errorf(store.Conflict, "conflict", "The model is not being downloaded.")
	case errors.Is(err, models.ErrBusy):
		return problem.Errorf(store.Conflict, "conflict", "The model is being downloaded. Stop that first.")
	case errors.Is(err, models.ErrNotInstalled):
		return problem.Errorf(store.Conflict, "conflict", "Nothing of the model is here.")
	}
	return err
}
