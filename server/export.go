package server

import (
	"context"
	"path"
	"strings"
	"unicode"

	"roughcut/media"
	"roughcut/media/estimate"
	"roughcut/server/api"
	"roughcut/server/auth"
	"roughcut/server/problem"
	"roughcut/store"
)

func exportRecord(e store.Export) api.Export {
	return api.Export{
		UUID:              e.UUID,
		ProjectUUID:       e.ProjectUUID,
		Name:              e.Name,
		Status:            api.ExportStatus(e.Status),
		Progress:          e.Progress,
		Step:              orNull(e.Step),
		Error:             orNull(e.Error),
		DraftID:           e.DraftID,
		ShortUUID:         e.ShortUUID,
		ExportSettings:    store.OrEmptyObject(e.Settings),
		DurationMS:        orNull(e.DurationMS),
		SizeBytes:         orNull(e.SizeBytes),
		Width:             orNull(e.Width),
		Height:            orNull(e.Height),
		ContentType:       orNull(e.ContentType),
		StorageKey:        orNull(e.StorageKey),
		ExpiresAt:         timestampOrNull(e.ExpiresAt),
		WatermarkRequired: e.WatermarkRequired,
		Rendering:         renderingRecord(e.Rendering),
		WaitsForClips:     e.WaitsForClips,
		CreatedAt:         timestamp(e.CreatedAt),
		UpdatedAt:         timestamp(e.UpdatedAt),
	}
}

func renderingRecord(r *media.RenderResult) *api.Rendering {
	if r == nil {
		return nil
	}
	return &api.Rendering{
		CopiedFrames:    r.Copied,
		EncodedFrames:   r.Encoded,
		KeptFrames:      r.Reused,
		EncodedBecause:  orNull(r.EncodedBecause),
		VerifiedParts:   r.VerifiedParts,
		RepeatedBecause: orNull(r.RepeatedBecause),
		VideoCodec:      orNull(api.RenderingVideoCodec(r.Codec)),
		H264Because:     orNull(r.H264Because),
		VideoEncoder:    orNull(r.Encoder),
		SoftwareBecause: orNull(r.SoftwareBecause),
		AudioOverDB:     orNull(r.OverDB),
		RenderMS:        orNull(r.TookMS),
	}
}

// ListExports returns one page of a project's exports, newest first.
func (s handlers) ListExports(
	ctx context.Context,
	request api.ListExportsRequestObject,
) (api.ListExportsResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	exports, total, err := s.Store.Exports(userOf(ctx), request.ProjectUUID, page)
	return api.ListExports200JSONResponse(pageRecord(page, exports, total, exportRecord)), err
}

// CreateExport freezes the edits and settings of an export and queues it.
func (s handlers) CreateExport(
	ctx context.Context,
	request api.CreateExportRequestObject,
) (api.CreateExportResponseObject, error) {
	var name string
	if request.Body.Name != nil || request.Body.ShortUUID == nil {
		var err error
		if name, err = store.ValidName("name", valueOr(request.Body.Name, "")); err != nil {
			return nil, err
		}
	}

	export, err := s.Store.CreateExport(userOf(ctx), request.ProjectUUID, store.NewExport{
		Name:         name,
		DraftID:      request.Body.DraftID,
		ShortUUID:    request.Body.ShortUUID,
		Settings:     store.OrEmptyObject(request.Body.ExportSettings),
		Overrides:    overridesOf(request.Body.EditOverrides),
		WaitForClips: request.Body.WaitForClips,
	})
	return api.CreateExport202JSONResponse(exportRecord(export)), err
}

// EstimateExport predicts the size and the render time of an export.
func (s handlers) EstimateExport(
	ctx context.Context,
	request api.EstimateExportRequestObject,
) (api.EstimateExportResponseObject, error) {
	in, err := s.Store.EstimateInput(userOf(ctx), request.ProjectUUID, store.NewExport{
		DraftID:   request.Body.DraftID,
		ShortUUID: request.Body.ShortUUID,
		Settings:  store.OrEmptyObject(request.Body.ExportSettings),
		Overrides: overridesOf(request.Body.EditOverrides),
	})
	if err != nil {
		return nil, err
	}
	estimate, err := s.Options.EstimateExport(ctx, in)
	if err != nil {
		return nil, problem.Unprocessablef("The export is not possible: %v.", err)
	}
	return api.EstimateExport200JSONResponse(estimateRecord(estimate, in.Clips)), nil
}

func estimateRecord(e estimate.Result, clips []media.RenderClip) api.ExportEstimate {
	method := api.ExportEstimateMethodMixed
	switch {
	case e.CopiesMost():
		method = api.ExportEstimateMethodCopy
	case e.Copied == 0:
		method = api.ExportEstimateMethodEncode
	}

	record := api.ExportEstimate{
		Method:         method,
		EncodedBecause: orNull(e.EncodedBecause),
		RenderMS:       e.TookMS,
		SizeBytes:      e.SizeBytes,
		DurationMS:     e.DurationMS,
		Width:          e.Width,
		Height:         e.Height,
		FrameRate:      e.Rate.Float(),
		CopiedFrames:   e.Copied,
		EncodedFrames:  e.Frames - e.Copied,
		ClipsDiffer:    clipsDiffer(clips),
		Basis:          new(api.ExportEstimateBasis(e.Basis)),
	}
	record.MissingGlyphs = orNull(e.MissingGlyphs)
	record.H264Because = orNull(e.H264Because)
	if warnings := e.Warnings(); len(warnings) > 0 {
		record.Warnings = &warnings
	}
	if e.LowBytes < e.HighBytes {
		record.LowSizeBytes, record.HighSizeBytes = &e.LowBytes, &e.HighBytes
	}
	return record
}

// clipsDiffer reports whether clips differ in frame size or frame rate.
func clipsDiffer(clips []media.RenderClip) bool {
	var first *media.VideoInfo
	for _, c := range clips {
		v := c.Info.Video
		switch {
		case v == nil:
		case first == nil:
			first = v
		case v.Width != first.Width || v.Height != first.Height || (!v.Still && v.Rate != first.Rate):
			return true
		}
	}

	return false
}

// GetExport returns an export.
func (s handlers) GetExport(
	ctx context.Context,
	request api.GetExportRequestObject,
) (api.GetExportResponseObject, error) {
	export, err := s.Store.Export(userOf(ctx), request.ExportUUID)
	return api.GetExport200JSONResponse(exportRecord(export)), err
}

// DeleteExport deletes an export and its file.
func (s handlers) DeleteExport(
	ctx context.Context,
	request api.DeleteExportRequestObject,
) (api.DeleteExportResponseObject, error) {
	err := s.Store.DeleteExport(userOf(ctx), request.ExportUUID)
	return api.DeleteExport204Response{}, err
}

// CancelExport stops an export.
func (s handlers) CancelExport(
	ctx context.Context,
	request api.CancelExportRequestObject,
) (api.CancelExportResponseObject, error) {
	export, err := s.Store.CancelExport(userOf(ctx), request.ExportUUID)
	return api.CancelExport202JSONResponse(exportRecord(export)), err
}

// GetExportDownloadURL returns an address for downloading the video.
func (s handlers) GetExportDownloadURL(
	ctx context.Context,
	request api.GetExportDownloadURLRequestObject,
) (api.GetExportDownloadURLResponseObject, error) {
	export, name, err := s.finishedExport(ctx, request.ExportUUID)
	if err != nil {
		return nil, err
	}
	address, err := s.sign(
		infoOf(ctx),
		auth.Download,
		export.UUID+"/"+name,
		"/download/v1/",
		s.Settings.DownloadURLTTL,
	)
	return api.GetExportDownloadURL200JSONResponse{
		URL:       address,
		ExpiresIn: seconds(s.Settings.DownloadURLTTL),
		Filename:  name,
		SizeBytes: export.SizeBytes,
	}, err
}

// finishedExport returns an export with a finished video and the proposed file name.
func (s handlers) finishedExport(ctx context.Context, exportUUID string) (store.Export, string, error) {
	user := userOf(ctx)
	export, err := s.Store.Export(user, exportUUID)
	if err != nil {
		return store.Export{}, "", err
	}
	switch export.Status {
	case store.StatusCompleted:
	case store.ExportExpired:
		return store.Export{}, "", problem.NotFoundf(
			"The export has expired and its file is deleted. Export again.",
		)
	default:
		return store.Export{}, "", problem.Conflictf(
			"The video is not ready: the export is %s.",
			export.Status,
		)
	}

	project, err := s.Store.Project(user, export.ProjectUUID)
	if err != nil {
		return store.Export{}, "", err
	}
	return export, fileName(project.Name, export.Name, path.Ext(export.StorageKey)), nil
}

// maxFileName bounds a proposed file name in bytes. Most file systems accept 255.
const maxFileName = 200

// fileName returns the download name of an export. The name of its project comes first. An export
// never has the name of a recording.
func fileName(project, export, extension string) string {
	switch {
	case export == project:
		return downloadName(project+" cut", extension)
	case strings.HasPrefix(export, project):
		return downloadName(export, extension)
	}

	return downloadName(project+" - "+export, extension)
}

// downloadName returns a file name that every file system accepts, with an extension.
func downloadName(name, extension string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	for len(clean) > maxFileName {
		runes := []rune(clean)
		clean = string(runes[:len(runes)-1])
	}

	return strings.Trim(clean, " .") + extension
}
