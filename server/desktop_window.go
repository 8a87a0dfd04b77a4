package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"roughcut/pipeline"
	"roughcut/server/api"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/outfile"
)

// ReferenceClip creates a clip from a linked file.
func (s handlers) ReferenceClip(
	ctx context.Context,
	request api.ReferenceClipRequestObject,
) (api.ReferenceClipResponseObject, error) {
	clip, err := s.Store.LinkClip(userOf(ctx), request.ProjectUUID, request.Body.Path)
	return api.ReferenceClip202JSONResponse(clipRecord(clip)), err
}

// RelinkClip changes the path of a clip's linked file.
func (s handlers) RelinkClip(
	ctx context.Context,
	request api.RelinkClipRequestObject,
) (api.RelinkClipResponseObject, error) {
	clip, err := s.Store.RelinkClip(userOf(ctx), request.ClipUUID, request.Body.Path)
	return api.RelinkClip200JSONResponse(clipRecord(clip)), err
}

// AddAssetFile copies a file of this machine into the library.
func (s handlers) AddAssetFile(
	ctx context.Context,
	request api.AddAssetFileRequestObject,
) (api.AddAssetFileResponseObject, error) {
	asset, err := s.Store.AddAssetFile(ctx, userOf(ctx), request.Body.Path)
	return api.AddAssetFile202JSONResponse(assetRecordFor(ctx, asset)), err
}

// window returns the desktop window, or an error if the server has none.
func (s *Server) window() (DesktopWindow, error) {
	if s.Window == nil {
		return nil, problem.Errorf(
			store.Conflict,
			"no_window",
			"This server has no desktop window. Start Roughcut with: roughcut desktop.",
		)
	}

	return s.Window, nil
}

// openDialog opens a dialog of the desktop window. Only one dialog can be open at a time.
func (s *Server) openDialog(dialog func(DesktopWindow) error) error {
	window, err := s.window()
	if err != nil {
		return err
	}
	if !s.dialog.TryLock() {
		return problem.Conflictf("Another dialog is already open. Close it first.")
	}
	defer s.dialog.Unlock()
	return dialog(window)
}

// ChooseFiles opens a file dialog and returns the chosen recordings.
func (s handlers) ChooseFiles(context.Context, api.ChooseFilesRequestObject) (api.ChooseFilesResponseObject, error) {
	response := api.ChooseFiles200JSONResponse{Paths: []string{}}
	err := s.openDialog(func(window DesktopWindow) error {
		chosen, err := window.ChooseFiles()
		response.Paths = append(response.Paths, chosen...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return response, nil
}

// TakeFiles returns the files that the window received. A folder stands for its recordings; without
// any, it stays, and linking it fails with a reason.
func (s handlers) TakeFiles(context.Context, api.TakeFilesRequestObject) (api.TakeFilesResponseObject, error) {
	window, err := s.window()
	if err != nil {
		return nil, err
	}
	response := api.TakeFiles200JSONResponse{Paths: []string{}}
	for _, path := range window.TakeFiles() {
		if found, err := pipeline.RecordingsIn(path); err == nil && len(found) > 0 {
			response.Paths = append(response.Paths, found...)
		} else {
			response.Paths = append(response.Paths, path)
		}
	}

	return response, nil
}

// DescribePage tells the window what its page shows.
func (s handlers) DescribePage(
	ctx context.Context,
	request api.DescribePageRequestObject,
) (api.DescribePageResponseObject, error) {
	window, err := s.window()
	if err != nil {
		return nil, err
	}
	recent, _, err := s.Store.Projects(
		userOf(ctx), store.ProjectFilter{Sort: "changed"}, store.Page{Number: 1, Size: RecentProjects},
	)
	if err != nil {
		return nil, err
	}
	window.ShowPage(*request.Body, recent)
	return api.DescribePage204Response{}, nil
}

// ReportPageError logs why the page of the window did not start.
func (s handlers) ReportPageError(
	ctx context.Context,
	request api.ReportPageErrorRequestObject,
) (api.ReportPageErrorResponseObject, error) {
	if !infoOf(ctx).fromThisMachine {
		return nil, problem.Errorf(store.Forbidden, "local_only", "Only the page of the desktop window can do this.")
	}
	if _, err := s.window(); err != nil {
		return nil, err
	}
	oneLine := strings.Join(strings.Fields(request.Body.Message), " ")
	s.Log.Warn("the page of the window did not start", "error", oneLine)
	return api.ReportPageError204Response{}, nil
}

// SaveExport copies a rendered video to a path that the user chooses.
func (s handlers) SaveExport(
	ctx context.Context,
	request api.SaveExportRequestObject,
) (api.SaveExportResponseObject, error) {
	export, name, err := s.finishedExport(ctx, request.ExportUUID)
	if err != nil {
		return nil, err
	}
	if name, err = s.freeName(name); err != nil {
		return nil, err
	}
	path, err := s.saveAs(ctx, export.ProjectUUID, name, func(target string) error {
		if err := s.copyOut(ctx, s.Store.FilePath(export.StorageKey), target); err != nil {
			return err
		}
		s.saved.Store(export.UUID, target)
		return nil
	})
	return api.SaveExport200JSONResponse{Path: path}, err
}

// SaveStill writes one frame of the recording to a path that the user chooses.
func (s handlers) SaveStill(
	ctx context.Context,
	request api.SaveStillRequestObject,
) (api.SaveStillResponseObject, error) {
	data, kind, err := s.still(ctx, request.ProjectUUID, *request.Body)
	if err != nil {
		return nil, err
	}
	project, err := s.Store.Project(userOf(ctx), request.ProjectUUID)
	if err != nil {
		return nil, err
	}
	infoOf(ctx).leaveGate() // the user may take long
	name := stillName(project.Name, request.Body.AtMS, kind)
	path, err := s.saveAs(ctx, project.UUID, name, func(target string) error {
		return writeOut(target, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	})
	return api.SaveStill200JSONResponse{Path: path}, err
}

// freeName returns a proposed file name, with "cut" added if a linked file has that name. The
// dialog starts in the folder of the recordings, and a project has the name of its first recording.
func (s *Server) freeName(name string) (string, error) {
	linked, err := s.Store.LinkedPaths()
	if err != nil {
		return "", err
	}
	stem := func(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
	extension := filepath.Ext(name)
	free, base := stem(name), strings.TrimSuffix(stem(name), " cut")
	for n := 1; slices.ContainsFunc(linked, func(l string) bool { return strings.EqualFold(stem(l), free) }); n++ {
		if free = base + " cut"; n > 1 {
			free = fmt.Sprintf("%s %d", free, n)
		}
	}

	return free + extension, nil
}

// saveFolder returns the folder in which the dialog for a file of a project starts: the folder of
// the last saved file, or the folder of the first linked recording. It returns "" if files cannot
// be created there, for example on the card of a camera.
func (s *Server) saveFolder(ctx context.Context, projectUUID string) (string, error) {
	clips, err := s.Store.Clips(userOf(ctx), projectUUID)
	if err != nil {
		return "", err
	}
	var folders []string
	if folder, ok := s.savedTo.Load(projectUUID); ok {
		folders = append(folders, folder.(string))
	}
	for _, clip := range clips {
		if clip.LinkedFile != nil {
			folders = append(folders, filepath.Dir(clip.LinkedFile.Path))
			break
		}
	}

	for _, folder := range folders {
		if outfile.Writable(folder) {
			return folder, nil
		}
	}

	return "", nil
}

// saveAs asks where to save a file of a project under a proposed name, and calls write with the
// chosen path. It returns that path, or nil if the user cancels. It refuses paths of files that
// Roughcut reads.
func (s *Server) saveAs(
	ctx context.Context,
	projectUUID, name string,
	write func(target string) error,
) (path *string, err error) {
	folder, err := s.saveFolder(ctx, projectUUID)
	if err != nil {
		return nil, err
	}
	err = s.openDialog(func(window DesktopWindow) error {
		target, err := window.ChooseSavePath(folder, name)
		if err != nil || target == "" {
			return err
		}
		if !strings.EqualFold(filepath.Ext(target), filepath.Ext(name)) {
			target += filepath.Ext(name)
			if _, err := os.Lstat(target); err == nil { // the dialog asked about the other name
				return problem.Errorf(
					store.Conflict,
					"not_saved",
					"The file %s already exists. Save under that full name to replace it, or choose another name. "+
						"Nothing has changed.",
					target,
				)
			}
		}

		if err := s.checkOutput(target); err != nil {
			return err
		}
		path = &target
		s.saving.Add(1)
		defer s.saving.Add(-1)
		if err := write(target); err != nil {
			return err
		}
		s.savedTo.Store(projectUUID, filepath.Dir(target))
		return nil
	})
	return path, err
}

// Saving reports whether a file is being written to a path that the user has chosen.
func (s *Server) Saving() bool { return s.saving.Load() > 0 }

// checkOutput refuses to replace a linked file, the speech model or a file of the data directory.
func (s *Server) checkOutput(target string) error {
	if model, err := s.ActiveModel(); err == nil && model != "" && outfile.Same(model, target) {
		return problem.Errorf(
			store.Conflict,
			"not_saved",
			"%s is the speech model. Choose another name. Nothing has changed.",
			target,
		)
	}

	return s.Store.CheckOutput(target)
}

// ShowExport shows the saved copy of a rendered video in the file manager.
func (s handlers) ShowExport(
	ctx context.Context,
	request api.ShowExportRequestObject,
) (api.ShowExportResponseObject, error) {
	export, err := s.Store.Export(userOf(ctx), request.ExportUUID)
	if err != nil {
		return nil, err
	}
	path, saved := s.saved.Load(export.UUID)
	if s.Window == nil || !saved {
		return nil, problem.Errorf(store.Conflict, "not_saved", "The video is not saved yet. Save it first.")
	}
	if _, err := os.Stat(path.(string)); err != nil {
		return nil, problem.Errorf(
			store.Conflict,
			"not_saved",
			"The file %s was moved or deleted. Save the video again.",
			path,
		)
	}

	if err := s.Window.ShowFile(path.(string)); err != nil {
		return nil, problem.Conflictf(
			"The file manager could not be opened: %v. The video is at %s.", err, path,
		)
	}

	return api.ShowExport204Response{}, nil
}

// copyStep is the number of bytes that copyOut copies between two checks for cancellation.
const copyStep = 16 << 20

// copyOut copies a stored file to a path outside the data directory, completely or not at all.
func (s *Server) copyOut(ctx context.Context, from, target string) error {
	source, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return problem.NotFoundf("The file of this export is missing. Export again.")
	}
	if err != nil {
		return err
	}
	defer source.Close()
	return writeOut(target, func(w io.Writer) error {
		for ctx.Err() == nil {
			if _, err := io.CopyN(w, source, copyStep); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}

		return ctx.Err()
	})
}

// writeOut writes a file at a path outside the data directory, completely or not at all. The dialog
// has asked before replacing a file.
func writeOut(target string, write func(w io.Writer) error) error {
	err := outfile.Write(target, outfile.Options{Replace: true}, write)
	var fault syscall.Errno
	switch {
	case store.DiskFull(err):
		return problem.Errorf(
			store.StorageFull,
			"storage_full",
			"The disk of %s has no room for the file. Free some space or choose another folder.",
			filepath.Dir(target),
		)
	case errors.Is(err, outfile.ErrBusy), errors.Is(err, outfile.ErrNotRegular):
		return problem.Errorf(
			store.Conflict,
			"not_saved",
			"%s could not be saved: %v. Choose another name.",
			target,
			err,
		)
	case errors.As(err, &fault):
		return problem.Errorf(
			store.Conflict,
			"not_saved",
			"The file could not be saved in %s: %v. Choose another folder.",
			filepath.Dir(target),
			fault,
		)
	}

	return err
}
