package server

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"roughcut/server/api"
	"roughcut/server/problem"
	"roughcut/store"
)

// ReferenceClip makes a clip of a recording that stays where it is.
func (s handlers) ReferenceClip(
	ctx context.Context,
	request api.ReferenceClipRequestObject,
) (api.ReferenceClipResponseObject, error) {
	clip, err := s.Store.LinkClip(userOf(ctx), request.ProjectUUID, request.Body.Path)
	if err != nil {
		return nil, err
	}
	return api.ReferenceClip202JSONResponse(clipRecord(clip)), nil
}

// RelinkClip says where the recording of a clip is now.
func (s handlers) RelinkClip(
	ctx context.Context,
	request api.RelinkClipRequestObject,
) (api.RelinkClipResponseObject, error) {
	clip, err := s.Store.RelinkClip(userOf(ctx), request.ClipUUID, request.Body.Path)
	if err != nil {
		return nil, err
	}
	return api.RelinkClip200JSONResponse(clipRecord(clip)), nil
}

// ask opens a dialog of the desktop window, of which there is one at a time.
func (s *Server) ask(dialog func(DesktopWindow) error) error {
	if s.Window == nil {
		return problem.Errorf(
			store.Conflict,
			"no_window",
			"There is no desktop window that could ask. Start Roughcut with: roughcut desktop.",
		)
	}
	if !s.dialog.TryLock() {
		return problem.Errorf(store.Conflict, "conflict", "A dialog is open already; answer that one first.")
	}
	defer s.dialog.Unlock()
	return dialog(s.Window)
}

// ChooseFiles lets the person choose recordings in a dialog of the desktop.
func (s handlers) ChooseFiles(context.Context, api.ChooseFilesRequestObject) (api.ChooseFilesResponseObject, error) {
	answer := api.ChooseFiles200JSONResponse{Paths: []string{}}
	err := s.ask(func(window DesktopWindow) error {
		chosen, err := window.ChooseFiles()
		answer.Paths = append(answer.Paths, chosen...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// TakeFiles answers with the files that were handed to the window.
func (s handlers) TakeFiles(context.Context, api.TakeFilesRequestObject) (api.TakeFilesResponseObject, error) {
	if s.Window == nil {
		return nil, problem.Errorf(store.Conflict, "no_window", "There is no desktop window that files could be handed to.")
	}
	return api.TakeFiles200JSONResponse{Paths: append([]string{}, s.Window.TakeFiles()...)}, nil
}

// SaveExport copies a rendered video to where the person wants it.
func (s handlers) SaveExport(
	ctx context.Context,
	request api.SaveExportRequestObject,
) (api.SaveExportResponseObject, error) {
	export, name, err := s.finishedExport(ctx, request.ExportUUID)
	if err != nil {
		return nil, err
	}
	var answer api.SaveExport200JSONResponse
	err = s.ask(func(window DesktopWindow) error {
		target, err := window.ChooseSavePath(name)
		if err != nil || target == "" {
			return err
		}
		if !strings.EqualFold(filepath.Ext(target), filepath.Ext(name)) {
			target += filepath.Ext(name)
			if _, err := os.Lstat(target); err == nil { // the dialog has asked about the other name
				return problem.Errorf(
					store.Conflict,
					"not_saved",
					"There is a file %s already. Save under that whole name to replace it, or choose another name; the export is still here.",
					target,
				)
			}
		}
		answer.Path = &target
		return s.copyOut(ctx, s.Store.FilePath(export.StorageKey), target)
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// copyStep is how many bytes are copied before it is looked whether anybody still waits.
const copyStep = 16 << 20

// copyOut copies one of our files to a place outside of the data directory, whole or not at all.
func (s *Server) copyOut(ctx context.Context, from, target string) error {
	source, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return problem.Errorf(store.NotFound, "not_found", "The file of this export is gone. Export again.")
	}
	if err != nil {
		return err
	}
	defer source.Close()
	err = store.WriteFileAtomic(target, func(w io.Writer) error {
		for {
			if _, err := io.CopyN(w, source, copyStep); errors.Is(err, io.EOF) {
				return nil
			} else if err := errors.Join(err, ctx.Err()); err != nil {
				return err
			}
		}
	})
	if err == nil {
		err = os.Chmod(target, 0o644) // it is the person's from here on, to share as other files of theirs
	}
	var fault syscall.Errno
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return problem.Errorf(
			store.StorageFull,
			"storage_full",
			"There is no room for the video in %s. Free some space, or choose another place.",
			filepath.Dir(target),
		)
	case errors.As(err, &fault):
		return problem.Errorf(
			store.Conflict,
			"not_saved",
			"The video could not be saved in %s: %v. Choose another place; the export is still here.",
			filepath.Dir(target),
			fault,
		)
	}
	return err
}
