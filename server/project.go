package server

import (
	"context"

	"roughcut/media"
	"roughcut/server/api"
	"roughcut/store"
)

func projectSummary(p store.Project) api.ProjectSummary {
	return api.ProjectSummary{
		UUID:        p.UUID,
		Name:        p.Name,
		Status:      api.ProjectSummaryStatus(p.Status),
		Error:       orNull(p.Error),
		DurationMS:  p.DurationMS,
		ClipCount:   p.ClipCount,
		ActiveRunID: orNull(p.ActiveRunUUID),
		ToReview:    p.Counts.ToReview,
		ExportCount: p.Counts.Exports,
		TrashedAt:   timestampOrNull(p.TrashedAt),
		PurgedAt:    timestampOrNull(p.PurgedAt()),
		CreatedAt:   timestamp(p.CreatedAt),
		UpdatedAt:   timestamp(p.UpdatedAt),
	}
}

func projectRecord(p store.Project) api.Project {
	return api.Project{
		UUID:        p.UUID,
		Name:        p.Name,
		Status:      api.ProjectStatus(p.Status),
		Error:       orNull(p.Error),
		DurationMS:  p.DurationMS,
		ClipCount:   p.ClipCount,
		ActiveRunID: orNull(p.ActiveRunUUID),
		Settings:    store.OrEmptyObject(p.Settings),
		Vocabulary:  append([]string{}, p.Vocabulary...),
		AIDirector:  !p.DirectorOff,

		ExportSettings: p.ExportSettings,
		Transcript:     transcriptRecord(p.Transcript),
		CreatedAt:      timestamp(p.CreatedAt),
		UpdatedAt:      timestamp(p.UpdatedAt),
	}
}

func transcriptRecord(t *store.ProjectTranscript) *api.Transcript {
	if t == nil {
		return nil
	}
	return &api.Transcript{
		Language: orNull(t.Language),
		Words: mapSlice(t.Words, func(w store.ProjectWord) api.Word {
			return api.Word{
				Text:        w.Text,
				StartMS:     w.StartMS,
				EndMS:       w.EndMS,
				Probability: w.Probability,
				ClipUUID:    w.ClipUUID,
				Speaker:     orNull(w.Speaker),
			}
		}),
		Segments: mapSlice(t.Segments, func(s media.TimedText) api.TextSpan {
			return api.TextSpan{Text: s.Text, StartMS: s.StartMS, EndMS: s.EndMS}
		}),
	}
}

// ListProjects returns one page of the caller's projects, newest first, or of those in the trash.
func (s handlers) ListProjects(
	ctx context.Context,
	request api.ListProjectsRequestObject,
) (api.ListProjectsResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	filter := store.ProjectFilter{
		Query:   valueOr(request.Params.Q, ""),
		Sort:    string(valueOr(request.Params.Sort, "")),
		Trashed: valueOr(request.Params.Trashed, false),
	}
	projects, total, err := s.Store.Projects(userOf(ctx), filter, page)
	return api.ListProjects200JSONResponse(pageRecord(page, projects, total, projectSummary)), err
}

// CreateProject creates a project.
func (s handlers) CreateProject(
	ctx context.Context,
	request api.CreateProjectRequestObject,
) (api.CreateProjectResponseObject, error) {
	name, err := store.ValidName("name", request.Body.Name)
	if err != nil {
		return nil, err
	}
	project, err := s.Store.CreateProject(userOf(ctx), name, request.Body.Settings)
	return api.CreateProject201JSONResponse(projectRecord(project)), err
}

// GetProject returns a project with its settings and its transcript.
func (s handlers) GetProject(
	ctx context.Context,
	request api.GetProjectRequestObject,
) (api.GetProjectResponseObject, error) {
	project, err := s.Store.Project(userOf(ctx), request.ProjectUUID)
	return api.GetProject200JSONResponse(projectRecord(project)), err
}

// UpdateProject changes a project's name, settings or vocabulary.
func (s handlers) UpdateProject(
	ctx context.Context,
	request api.UpdateProjectRequestObject,
) (api.UpdateProjectResponseObject, error) {
	name, err := newName(request.Body.Name)
	if err != nil {
		return nil, err
	}
	if _, err := s.Store.UpdateProject(userOf(ctx), request.ProjectUUID, store.ProjectChange{
		Name: name, Settings: request.Body.Settings, Vocabulary: request.Body.Vocabulary,
		Director: request.Body.AIDirector, ExportSettings: request.Body.ExportSettings,
	}); err != nil {
		return nil, err
	}

	project, err := s.Store.Project(userOf(ctx), request.ProjectUUID)
	return api.UpdateProject200JSONResponse(projectRecord(project)), err
}

// DeleteProject deletes a project and everything in it.
func (s handlers) DeleteProject(
	ctx context.Context,
	request api.DeleteProjectRequestObject,
) (api.DeleteProjectResponseObject, error) {
	if err := s.Store.DeleteProject(userOf(ctx), request.ProjectUUID); err != nil {
		return nil, err
	}
	s.transfers.endProject(request.ProjectUUID)
	return api.DeleteProject204Response{}, nil
}

// DuplicateProject copies a project.
func (s handlers) DuplicateProject(
	ctx context.Context,
	request api.DuplicateProjectRequestObject,
) (api.DuplicateProjectResponseObject, error) {
	project, err := s.Store.DuplicateProject(userOf(ctx), request.ProjectUUID)
	return api.DuplicateProject201JSONResponse(projectSummary(project)), err
}

// TrashProject moves a project to the trash.
func (s handlers) TrashProject(
	ctx context.Context,
	request api.TrashProjectRequestObject,
) (api.TrashProjectResponseObject, error) {
	project, err := s.Store.TrashProject(userOf(ctx), request.ProjectUUID)
	if err != nil {
		return nil, err
	}
	s.transfers.endProject(request.ProjectUUID)
	return api.TrashProject200JSONResponse(projectSummary(project)), nil
}

// RestoreProject brings a project back from the trash.
func (s handlers) RestoreProject(
	ctx context.Context,
	request api.RestoreProjectRequestObject,
) (api.RestoreProjectResponseObject, error) {
	project, err := s.Store.RestoreProject(userOf(ctx), request.ProjectUUID)
	return api.RestoreProject200JSONResponse(projectSummary(project)), err
}

// newName checks an optional name with store.ValidName.
func newName(text *string) (*string, error) {
	if text == nil {
		return nil, nil
	}
	name, err := store.ValidName("name", *text)
	return &name, err
}
