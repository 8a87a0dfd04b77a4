package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/media"
	"roughcut/media/interchange"
	"roughcut/server/api"
	"roughcut/server/auth"
	"roughcut/server/problem"
	"roughcut/store"
)

// cutsDisabled is the value of the parameter cuts for a timeline of all footage.
const cutsDisabled = "disabled"

// timelineProject returns a project as package interchange reads it.
func timelineProject(in store.TimelineSource, originalPath func(store.Clip) (string, error)) interchange.Project {
	p := interchange.Project{
		Name: in.Project.Name, Chapters: in.Chapters, Transcript: in.Transcript, Captions: in.Captions, Range: in.Range,
		VolumePercent: store.DefaultExportSettings().Audio.MainVolumePercent,
	}
	for _, c := range in.Clips {
		r := interchange.Recording{UUID: c.UUID, Name: c.Name, SizeBytes: c.SizeBytes, Info: c.Info}
		if c.LinkedFile != nil {
			r.Path = c.LinkedFile.Path
		}
		r.File, _ = originalPath(c) // a missing file is an error of the download
		p.Recordings = append(p.Recordings, r)
	}

	for _, e := range in.Edits {
		p.Edits = append(p.Edits, interchange.Edit{
			UUID: e.UUID, Kind: e.Type, Reason: e.Reason, Confidence: valueOr(e.Confidence, 0),
			StartMS: e.StartMS, EndMS: e.EndMS, Active: e.Active, Mute: e.Action == store.ActionMute,
		})
	}

	for _, a := range in.Assets {
		a.Name = withExtension(a.Name, a.Info.ContentType)
		p.Assets = append(p.Assets, a)
	}

	return p
}

// withCopies puts the constant-rate copies of clips in place of recordings with a variable frame
// rate. Errors: Conflict constant_rate_missing.
func (s *Server) withCopies(p *interchange.Project, clips []store.Clip) error {
	for i, c := range clips {
		if !c.Info.VariableRate() {
			continue
		}
		file := s.Store.ConstantRatePath(c)
		if file == "" {
			return problem.Errorf(store.Conflict, "constant_rate_missing",
				"%q has no constant-rate copy. Make the copy, then download again.", c.Name)
		}

		p.Recordings[i] = p.Recordings[i].WithCopy("", file, c.ConstantRate.SizeBytes, c.ConstantRate.Info)
	}

	return nil
}

// withExtension returns the name of an asset as a file name: names of assets may lack the
// extension.
func withExtension(name, contentType string) string {
	if path.Ext(name) != "" {
		return name
	}
	known := map[string]string{
		"image/jpeg": ".jpg", "video/mp4": ".mp4", "audio/mp4": ".m4a", "audio/mpeg": ".mp3", "video/quicktime": ".mov",
	}
	if extension := known[contentType]; extension != "" {
		return name + extension
	}
	if list, err := mime.ExtensionsByType(contentType); err == nil && len(list) > 0 {
		return name + list[0]
	}
	return name
}

// timeline derives the timeline of a project. With copies, it plays constant-rate copies.
func (s *Server) timeline(
	userUUID, projectUUID string,
	place interchange.Place,
	within store.Within,
	whole, copies bool,
) (interchange.Timeline, error) {
	source, err := s.Store.TimelineSource(userUUID, projectUUID, within)
	if err != nil {
		return interchange.Timeline{}, err
	}
	project := timelineProject(source, s.Store.OriginalPath)
	if copies {
		if err := s.withCopies(&project, source.Clips); err != nil {
			return interchange.Timeline{}, err
		}
	}

	line, err := interchange.New(project, place, whole)
	if errors.Is(err, media.ErrNothingLeft) {
		err = problem.Unprocessablef(
			"The cuts leave nothing of the video. Switch off some of them.",
		)
	}

	return line, err
}

// timelineFault returns the error of writing a timeline as a problem.
func timelineFault(err error) error {
	var unsupported *interchange.UnsupportedError
	if errors.As(err, &unsupported) {
		return problem.Unprocessablef("%s", unsupported.Reason)
	}
	return err
}

// GetTimeline returns the edited video in the format of another program.
func (s handlers) GetTimeline(
	ctx context.Context,
	request api.GetTimelineRequestObject,
) (api.GetTimelineResponseObject, error) {
	format, _ := interchange.LookupFormat(string(request.Format)) // the contract allows only known names
	place := interchange.Place{Folder: valueOr(request.Params.MediaFolder, "")}
	within := store.Within{StartMS: request.Params.StartMS, EndMS: request.Params.EndMS}
	line, err := s.timeline(userOf(ctx), request.ProjectUUID, place, within, disablesCuts(request.Params.Cuts), false)
	if err != nil {
		return nil, err
	}
	if line.Lacks(format.Name) == interchange.LacksText {
		if err := s.requireTranscript(ctx, request.ProjectUUID); err != nil {
			return nil, err
		}
	}

	var out bytes.Buffer
	file := downloadName(line.Name, format.Extension)
	options := interchange.Options{FCPXMLVersion: string(valueOr(request.Params.FCPXMLVersion, ""))}
	if line.Subtitles() != nil { // Kdenlive opens a project without this file too
		options.Subtitles = interchange.SubtitleName(file, format.Name)
	}
	if err := interchange.Write(&out, format.Name, line, options); err != nil {
		return nil, timelineFault(err)
	}
	name := disposition(file)
	return api.GetTimeline200ApplicationOctetStreamResponse{
		Body:          &out,
		ContentLength: int64(out.Len()),
		Headers:       api.GetTimeline200ResponseHeaders{ContentDisposition: &name},
	}, nil
}

// requireTranscript refuses the text of a project without an analysis, as the captions do. After an
// analysis, a recording without speech has an empty text. Errors: Conflict no_transcript.
func (s handlers) requireTranscript(ctx context.Context, projectUUID string) error {
	project, err := s.Store.Project(userOf(ctx), projectUUID)
	if err == nil && project.ActiveRunUUID == "" {
		err = problem.Errorf(
			store.Conflict, "no_transcript", "The project has no transcript yet. Analyze the project first.",
		)
	}

	return err
}

// disablesCuts reports whether a timeline has all footage.
func disablesCuts[T ~string](cuts *T) bool { return cuts != nil && *cuts == cutsDisabled }

// bundlePrefix marks signed objects that are bundles: the prefix, then the project, the format, the
// value of cuts, the FCPXML version, whether it has constant-rate copies, and the bounds of its
// range, separated by slashes.
const bundlePrefix = "timeline/"

// GetTimelineBundleURL returns an address for downloading a timeline with its media.
func (s handlers) GetTimelineBundleURL(
	ctx context.Context,
	request api.GetTimelineBundleURLRequestObject,
) (api.GetTimelineBundleURLResponseObject, error) {
	b := bundleRequest{
		project: request.ProjectUUID, format: string(request.Format), whole: disablesCuts(request.Params.Cuts),
		version: string(valueOr(request.Params.FCPXMLVersion, "")), copies: valueOr(request.Params.ConstantRate, false),
		within: store.Within{StartMS: request.Params.StartMS, EndMS: request.Params.EndMS},
	}
	bundle, name, err := s.bundle(ctx, userOf(ctx), b)
	if err != nil {
		return nil, err
	}
	address, err := s.sign(infoOf(ctx), auth.Download, b.object(), "/download/v1/", s.Settings.DownloadURLTTL)
	return api.GetTimelineBundleURL200JSONResponse{
		URL: address, ExpiresIn: seconds(s.Settings.DownloadURLTTL), Filename: name, SizeBytes: bundle.Size(),
	}, err
}

// bundleRequest names a bundle.
type bundleRequest struct {
	project, format, version string
	whole, copies            bool
	within                   store.Within
}

// object returns the request as the object of a signed address.
func (b bundleRequest) object() string {
	cuts := "removed"
	if b.whole {
		cuts = cutsDisabled
	}
	parts := []string{
		b.project, b.format, cuts, b.version, strconv.FormatBool(b.copies), boundText(b.within.StartMS),
		boundText(b.within.EndMS),
	}
	return bundlePrefix + strings.Join(parts, "/")
}

// boundText writes a bound of a range, empty for none.
func boundText(ms *int64) string {
	if ms == nil {
		return ""
	}
	return strconv.FormatInt(*ms, 10)
}

// parseBound reads boundText.
func parseBound(text string) (*int64, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no bound
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	return &ms, err
}

// parseBundle returns the request of a signed object; ok is false for another object.
func parseBundle(object string) (b bundleRequest, ok bool) {
	rest, ok := strings.CutPrefix(object, bundlePrefix)
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 7 {
		return bundleRequest{}, false
	}
	copies, err := strconv.ParseBool(parts[4])
	start, startErr := parseBound(parts[5])
	end, endErr := parseBound(parts[6])
	return bundleRequest{
		project: parts[0], format: parts[1], whole: parts[2] == cutsDisabled, version: parts[3], copies: copies,
		within: store.Within{StartMS: start, EndMS: end},
	}, errors.Join(err, startErr, endErr) == nil
}

// bundle returns the archive of a timeline with its media, and its file name.
func (s *Server) bundle(
	ctx context.Context, userUUID string, b bundleRequest,
) (*interchange.Bundle, string, error) {
	line, err := s.timeline(userUUID, b.project, interchange.BundlePlace(), b.within, b.whole, b.copies)
	if err != nil {
		return nil, "", err
	}
	modified := time.Unix(0, 0)
	files, err := interchange.BundleFiles(line.Name, b.format, line, interchange.Options{FCPXMLVersion: b.version},
		func(source interchange.Source) (interchange.BundleFile, error) {
			info, err := os.Stat(source.File)
			if err != nil {
				return interchange.BundleFile{}, problem.NotFoundf(
					"The file of %q is missing, so the timeline cannot be packed with its media.", source.Name)
			}

			if info.ModTime().After(modified) {
				modified = info.ModTime()
			}
			open := func() (io.ReadSeekCloser, error) { return os.Open(source.File) }
			id := fmt.Sprint(source.File, info.Size(), info.ModTime().UnixNano())
			return interchange.BundleFile{Size: info.Size(), Open: open, ID: id}, nil
		})
	if err != nil {
		return nil, "", err
	}
	bundle, err := interchange.NewBundle(ctx, files, modified, s.bundleSums)
	return bundle, downloadName(line.Name, interchange.BundleExtension(b.format)), timelineFault(err)
}

// sendBundle sends a bundle or the requested ranges of it.
func (s *Server) sendBundle(c echo.Context, userUUID string, b bundleRequest) (err error) {
	ctx, leave, err := s.transfers.join(c.Request().Context(), transferOwner{user: userUUID, bundle: true})
	if err != nil {
		return err
	}
	defer leave()
	leaveGate, err := enterGate(c.Request().Context(), s.gate, userUUID)
	if err != nil {
		return err
	}
	bundle, name, err := s.bundle(ctx, userUUID, b)
	leaveGate()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bundle.Close()) }()
	return s.sendContent(ctx, c, bundle, content{
		contentType: "application/zip", caching: "private, no-cache", name: name,
		tag: `"` + bundle.Tag() + `"`,
	})
}

// CompareTimeline returns how a changed timeline differs from its project.
func (s handlers) CompareTimeline(
	ctx context.Context,
	request api.CompareTimelineRequestObject,
) (api.CompareTimelineResponseObject, error) {
	source, err := s.Store.TimelineSource(userOf(ctx), request.ProjectUUID, store.Within{})
	if err != nil && !store.IsKind(err, store.Unprocessable) {
		return nil, err
	}
	reading, fault := interchange.Read(request.Body, string(request.Format))
	if fault != nil {
		return nil, readFault(fault)
	}
	if err != nil {
		return nil, err
	}
	found, err := interchange.Compare(timelineProject(source, s.Store.OriginalPath), reading)
	if err != nil {
		return nil, readFault(err)
	}
	return api.CompareTimeline200JSONResponse{
		Changes: mapSlice(found.Changes, func(c interchange.Change) api.TimelineChange {
			return api.TimelineChange{
				Kind: api.TimelineChangeKind(c.Kind), EditUUID: orNull(c.EditUUID), StartMS: c.StartMS, EndMS: c.EndMS,
				ClipUuids: append([]string{}, c.Recordings...),
				Segments: mapSlice(c.Segments, func(s interchange.Segment) api.ClipSegment {
					return api.ClipSegment{ClipUUID: s.Recording, StartMS: s.StartMS, EndMS: s.EndMS}
				}),
			}
		}),
		Ignored: append([]string{}, found.Ignored...),
	}, nil
}

// readFault returns the error of reading a timeline as a problem.
func readFault(err error) error {
	var refused *interchange.ReadError
	if errors.As(err, &refused) {
		return problem.FieldError("file", refused.Reason)
	}
	return err
}
