package server

import (
	"context"
	"net/url"

	"github.com/google/uuid"

	"roughcut/server/api"
	"roughcut/store"
)

// mostLabel bounds the label of a change, in characters.
const mostLabel = 200

// changeOf returns the change that the headers of a request name. It ignores a malformed UUID and a
// label that is not percent-encoded.
func changeOf(id, label *string) store.Change {
	var c store.Change
	if parsed, err := uuid.Parse(valueOr(id, "")); err == nil {
		c.UUID = parsed.String()
	}
	if text, err := url.PathUnescape(valueOr(label, "")); err == nil {
		runes := []rune(text)
		c.Label = string(runes[:min(len(runes), mostLabel)])
	}

	return c
}

func historyEntry(e store.HistoryEntry) api.HistoryEntry {
	return api.HistoryEntry{
		UUID:      e.UUID,
		Kind:      api.HistoryEntryKind(e.Kind),
		Label:     e.Label,
		Undone:    e.Undone,
		CreatedAt: timestamp(e.CreatedAt),
	}
}

// ListHistory returns the changes of a project that can be undone and redone, newest first.
func (s handlers) ListHistory(
	ctx context.Context,
	request api.ListHistoryRequestObject,
) (api.ListHistoryResponseObject, error) {
	entries, err := s.Store.History(userOf(ctx), request.ProjectUUID)
	return api.ListHistory200JSONResponse(wholePage(entries, historyEntry)), err
}

// UndoChange undoes the newest change that is not undone.
func (s handlers) UndoChange(
	ctx context.Context,
	request api.UndoChangeRequestObject,
) (api.UndoChangeResponseObject, error) {
	entry, err := s.undo(ctx, request.ProjectUUID, request.Params.Entry, false)
	return api.UndoChange200JSONResponse(entry), err
}

// RedoChange redoes the oldest change that is undone.
func (s handlers) RedoChange(
	ctx context.Context,
	request api.RedoChangeRequestObject,
) (api.RedoChangeResponseObject, error) {
	entry, err := s.undo(ctx, request.ProjectUUID, request.Params.Entry, true)
	return api.RedoChange200JSONResponse(entry), err
}

// undo undoes or redoes the next change. Former settings of a run give their edits by a replan.
func (s handlers) undo(ctx context.Context, project string, wanted *string, redo bool) (api.HistoryEntry, error) {
	user := userOf(ctx)
	step, err := s.Store.UndoStep(user, project, valueOr(wanted, ""), redo)
	if err != nil {
		return api.HistoryEntry{}, err
	}
	if step.Settings == nil {
		entry, err := s.Store.Undo(user, project, step.Entry.UUID, redo, store.Proposal{})
		return historyEntry(entry), err
	}

	var entry store.HistoryEntry
	err = s.replan(user, project, step.RunUUID, func(k *store.AnalysisSettings) {
		*k = *step.Settings
	}, func(_ store.AnalysisSettings, found store.Proposal) (err error) {
		entry, err = s.Store.Undo(user, project, step.Entry.UUID, redo, found)
		return err
	})
	return historyEntry(entry), err
}
