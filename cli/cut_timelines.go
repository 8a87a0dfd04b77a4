package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"roughcut/media"
	"roughcut/media/interchange"
	"roughcut/pipeline"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// timelineFlags choose the timeline files of a cut.
type timelineFlags struct {
	formats []string
	cuts    string // cutsRemoved or cutsDisabled
	version string // of FCPXML
	folder  string // of the recordings on the computer of the other editor; empty for their own path
	// constantRate writes constant-rate copies of recordings with a variable frame rate, and makes
	// the timelines refer to the copies.
	constantRate bool
}

// Values of --timeline-cuts.
const (
	cutsRemoved  = "removed"
	cutsDisabled = "disabled"
)

func addTimelineFlags(f *pflag.FlagSet, t *timelineFlags) {
	f.StringSliceVar(
		&t.formats,
		"timeline",
		nil,
		"also write the cuts or the text in these formats, separated by commas: "+
			strings.Join(interchange.FormatNames(), ", "),
	)
	f.StringVar(
		&t.cuts,
		"timeline-cuts",
		cutsRemoved,
		"parts that are cut: removed from timelines, or disabled (all footage; texts have the times of the recordings)",
	)
	f.StringVar(
		&t.folder,
		"media-folder",
		"",
		"folder of the recordings on the computer of the other editor, if it is not this one",
	)
	f.StringVar(
		&t.version,
		"fcpxml-version",
		interchange.DefaultFCPXMLVersion,
		"version of --timeline fcpxml: "+media.OrList(interchange.FCPXMLVersions()),
	)
	f.BoolVar(
		&t.constantRate,
		"constant-rate",
		false,
		"for timelines, write constant-rate copies of recordings with a variable frame rate next to the output",
	)
}

func (t timelineFlags) validate() error {
	for _, name := range t.formats {
		if _, ok := interchange.LookupFormat(name); !ok {
			return usageError{
				fmt.Errorf("--timeline must be %s, not %q", media.OrList(interchange.FormatNames()), name),
			}
		}
	}

	if t.cuts != cutsRemoved && t.cuts != cutsDisabled {
		return usageError{fmt.Errorf("--timeline-cuts must be removed or disabled, not %q", t.cuts)}
	}
	if versions := interchange.FCPXMLVersions(); !slices.Contains(versions, t.version) {
		return usageError{fmt.Errorf("--fcpxml-version must be %s, not %q", media.OrList(versions), t.version)}
	}
	if t.constantRate && len(t.formats) == 0 {
		return usageError{errors.New("--constant-rate needs --timeline")}
	}
	return nil
}

// timelineHelp lists the formats for the long help.
func timelineHelp() string {
	var list strings.Builder
	for _, f := range interchange.Formats() {
		fmt.Fprintf(&list, "\n    %-15s %s: %s", f.Name, f.Label, f.Opens)
	}
	return list.String()
}

// rendersVideo reports whether the cut writes a video. With --timeline, an output without the
// extension of an export format is the base name of the timelines only.
func (c *cutJob) rendersVideo() bool {
	_, known := media.ExportFormatOf(filepath.Ext(c.output))
	return len(c.timelines.formats) == 0 || known
}

// timelinePath returns the path of a timeline file.
func (c *cutJob) timelinePath(f interchange.Format) string {
	base := c.output
	if c.rendersVideo() {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return base + f.Extension
}

// timelinePaths returns the paths of all timeline files.
func (c *cutJob) timelinePaths() (paths []string) {
	for _, name := range c.timelines.formats {
		f, _ := interchange.LookupFormat(name) // validate accepts only known names
		path := c.timelinePath(f)
		if paths = append(paths, path); name == "kdenlive" {
			paths = append(paths, interchange.SubtitleName(path, name))
		}
	}

	return paths
}

// writeTimelines writes the timeline files.
func (c *cutJob) writeTimelines(ctx context.Context, clips []media.RenderClip, r cutReport) error {
	if len(c.timelines.formats) == 0 {
		return nil
	}
	project, err := c.timelineProject(clips, r)
	if err != nil {
		return err
	}
	if c.timelines.constantRate {
		if err := c.writeCopies(ctx, clips, project.Recordings); err != nil {
			return err
		}
	}

	place := interchange.Place{Folder: c.timelines.folder}
	line, err := interchange.New(project, place, c.timelines.cuts == cutsDisabled)
	if err != nil {
		return err
	}
	written := 0
	for _, name := range c.timelines.formats {
		if lacking := line.Lacks(name); lacking != "" {
			if err := c.leaveOut(name, lacking); err != nil {
				return err
			}
			continue
		}

		written++
		if err := c.writeTimeline(line, name); err != nil {
			return err
		}
	}

	if written == 0 && !c.rendersVideo() {
		return errors.New("no file was written, because all of them would be empty")
	}

	for _, r := range project.Recordings {
		if n := len(r.Info.AudioTracks); n > 1 {
			fmt.Fprintf(
				c.status,
				"%s has %d audio tracks. Timelines play those that are heard and have the others muted, "+
					"except OTIO and EDL, which cannot name a track.\n",
				r.Name,
				n,
			)
		}
	}

	return nil
}

// leaveOut says why the file of a format is not written. It removes the file of an earlier cut that
// the file would have replaced.
func (c *cutJob) leaveOut(format, lacking string) error {
	f, _ := interchange.LookupFormat(format) // validate accepts only known names
	path := c.timelinePath(f)
	fmt.Fprintf(c.status, "%s is not written, because the recording has no %s\n", path, lacking)
	if !c.force { // it does not exist
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", path, outputError(path, err))
	}
	return nil
}

// writeTimeline writes a timeline in a format, with the subtitles that it refers to.
func (c *cutJob) writeTimeline(line interchange.Timeline, format string) error {
	f, _ := interchange.LookupFormat(format)
	path := c.timelinePath(f)
	options := interchange.Options{FCPXMLVersion: c.timelines.version}
	if subtitles := line.Subtitles(); format == "kdenlive" && subtitles != nil {
		options.Subtitles = filepath.Base(interchange.SubtitleName(path, format))
		if err := c.write(interchange.SubtitleName(path, format), func(w io.Writer) error {
			_, err := w.Write(subtitles)
			return err
		}); err != nil {
			return err
		}
	}

	if err := c.write(path, func(w io.Writer) error {
		return interchange.Write(w, format, line, options)
	}); err != nil {
		return err
	}

	_, err := fmt.Fprintf(c.status, "Wrote %s for %s\n", path, f.Opens)
	return err
}

// write writes a claimed file.
func (c *cutJob) write(path string, write func(io.Writer) error) error {
	if err := c.claims[path].Write(write); err != nil {
		return fmt.Errorf("write %s: %w", path, outputError(path, err))
	}
	return nil
}

// copyPath returns the path of the constant-rate copy of a recording, in the folder of the output.
func (c *cutJob) copyPath(recording string) string {
	return filepath.Join(filepath.Dir(c.output), interchange.CopyName(filepath.Base(recording)))
}

// claimCopies claims the constant-rate copies of the recordings with a variable frame rate.
func (c *cutJob) claimCopies(ctx context.Context, clips []media.RenderClip) error {
	if c.dryRun || !c.timelines.constantRate {
		return nil
	}
	var need int64
	claimed := map[string]bool{} // by path of the original, which can be given twice
	for _, clip := range clips {
		path, err := filepath.Abs(clip.Path)
		if err != nil {
			return err
		}
		if !clip.Info.VariableRate() || claimed[path] {
			continue
		}
		if err := c.claim(ctx, c.copyPath(path)); err != nil {
			return err
		}
		claimed[path] = true
		if file, err := os.Stat(path); err == nil {
			need += file.Size() // a copy has the packets of the original
		}
	}

	return checkSpace(filepath.Dir(c.output), "The copies with a constant frame rate", need)
}

// writeCopies writes constant-rate copies of the recordings with a variable frame rate, and puts
// them in place of the recordings.
func (c *cutJob) writeCopies(
	ctx context.Context,
	clips []media.RenderClip,
	recordings []interchange.Recording,
) error {
	made := map[string]interchange.Recording{} // by path of the original
	for i, clip := range clips {
		if !clip.Info.VariableRate() {
			continue
		}
		copied, ok := made[recordings[i].File]
		if !ok {
			var err error
			if copied, err = c.writeCopy(ctx, clip, recordings[i]); err != nil {
				return fmt.Errorf("write %s: %w", c.copyPath(clip.Path), err)
			}
			made[recordings[i].File] = copied
		}

		copied.UUID = recordings[i].UUID
		recordings[i] = copied
	}

	return nil
}

// writeCopy writes the constant-rate copy of a recording and returns the recording with it.
func (c *cutJob) writeCopy(
	ctx context.Context,
	clip media.RenderClip,
	r interchange.Recording,
) (copied interchange.Recording, err error) {
	plan, err := media.ConstantRatePlan(clip)
	if err != nil {
		return r, err
	}
	target := c.copyPath(clip.Path)
	path, err := filepath.Abs(target)
	if err != nil {
		return r, err
	}
	progress := showProgress(c.status, "Writing "+filepath.Base(path))
	defer progress.end()
	claim := c.claims[target]
	_, err = c.engine.Render(ctx, plan, claim.Temp(), progress.set)
	if err == nil {
		err = outputError(target, claim.Commit())
	}
	if err != nil {
		return r, err
	}
	info, err := c.engine.Probe(ctx, path)
	if err != nil {
		return r, err
	}
	file, err := os.Stat(path)
	if err != nil {
		return r, err
	}
	linked := path
	if c.timelines.folder != "" {
		linked = ""
	}
	return r.WithCopy(linked, path, file.Size(), info), nil
}

// timelineProject returns the recordings and edits of a cut.
func (c *cutJob) timelineProject(clips []media.RenderClip, r cutReport) (interchange.Project, error) {
	name := filepath.Base(c.output)
	p := interchange.Project{
		Name:          strings.TrimSuffix(name, filepath.Ext(name)),
		Chapters:      media.ChaptersOf(clips),
		Transcript:    r.Transcript.Transcript,
		VolumePercent: store.DefaultExportSettings().Audio.MainVolumePercent,
		Range:         c.span,
	}
	for i, clip := range clips {
		path, err := filepath.Abs(clip.Path)
		if err != nil {
			return p, err
		}
		r := interchange.Recording{
			UUID: fmt.Sprintf("recording-%d", i+1), Name: filepath.Base(path), Path: path, File: path, Info: clip.Info,
		}
		if c.timelines.folder != "" {
			r.Path = ""
		}
		p.Recordings = append(p.Recordings, r)
	}

	for i, e := range r.Edits {
		p.Edits = append(p.Edits, interchange.Edit{
			UUID: fmt.Sprintf("edit-%d", i+1), Kind: e.Type, Reason: e.Reason, Confidence: e.Confidence,
			StartMS: e.StartMS, EndMS: e.EndMS, Active: e.Active, Mute: e.Action == store.ActionMute,
		})
	}

	slices.SortStableFunc(p.Edits, func(a, b interchange.Edit) int { return int(a.StartMS - b.StartMS) })
	for _, line := range detect.CaptionLines(r.Transcript.Words, pipeline.CaptionWordsMedium) {
		p.Captions = append(p.Captions, media.CaptionLine{Text: line.Text, StartMS: line.StartMS, EndMS: line.EndMS})
	}
	return p, nil
}
