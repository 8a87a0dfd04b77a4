package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roughcut/media"
	"roughcut/media/interchange"
	"roughcut/store"
	"roughcut/store/outfile"
)

// validate checks the flags and the files before any work starts.
func (c *cutJob) validate(ctx context.Context) error {
	for _, option := range media.CutOptionTable() {
		if err := option.Check(c.options); err != nil {
			return usageError{fmt.Errorf("--%s %w", option.Flag, err)}
		}
	}

	c.resolution = cmp.Or(c.resolution, media.AsRecorded) // as without the flag
	if names := media.Resolutions(); !slices.Contains(names, c.resolution) {
		return usageError{fmt.Errorf("--resolution must be %s, not %q", media.OrList(names), c.resolution)}
	}
	if names := media.AspectRatios(); !slices.Contains(names, c.aspect) {
		return usageError{fmt.Errorf("--aspect must be %s, not %q", media.OrList(names), c.aspect)}
	}
	if c.codec != media.CodecH264 && c.codec != media.CodecSource {
		return usageError{fmt.Errorf("--video-codec must be h264 or source, not %q", c.codec)}
	}
	if styles := media.CaptionStyleNames(); c.captions != "" && !slices.Contains(styles, c.captions) {
		return usageError{fmt.Errorf("--captions must be %s, not %q", media.OrList(styles), c.captions)}
	}
	switch c.censor {
	case media.CensorNone, media.CensorMute, media.CensorBleep:
	default:
		return usageError{fmt.Errorf("--censor must be none, mute or bleep (written with =), not %q", c.censor)}
	}

	if err := cmp.Or(c.audioClips.validate(), c.timelines.validate(), c.limits.validate()); err != nil {
		return err
	}
	terms, err := store.ValidVocabulary("vocabulary", c.vocabulary)
	if err != nil {
		return usageError{fmt.Errorf("--vocabulary: %w", err)}
	}
	c.vocabulary = terms
	if err := cmp.Or(c.checkEach(), c.checkStreams()); err != nil {
		return err
	}
	if err := c.expandFolders(); err != nil {
		return err
	}
	if !c.each.on {
		if err := c.checkInputs(); err != nil {
			return err
		}
	}

	if c.tracks, err = parseTracks(c.audioTracks, len(c.inputs)); err != nil {
		return err
	}
	if c.imported, err = readTranscripts(c.transcripts, len(c.inputs), c.status); err != nil {
		return err
	}
	if err := c.checkLanguage(); err != nil || c.dryRun {
		return err
	}
	if err := c.checkWords(); err != nil || c.each.on {
		return err
	}
	return c.checkOutput(ctx)
}

// checkWords returns an error if a flag needs the words of the recordings, and nothing tells them.
func (c *cutJob) checkWords() error {
	if !c.noModel || !slices.Contains(c.imported, nil) {
		return nil
	}
	flag := ""
	for _, name := range c.timelines.formats {
		if f, _ := interchange.LookupFormat(name); f.Kind == interchange.KindText && name != "chapters" {
			flag = "--timeline " + name
		}
	}

	if c.censor != media.CensorNone {
		flag = "--censor"
	}
	if c.captions != "" {
		flag = "--captions"
	}
	if flag == "" {
		return nil
	}
	return fmt.Errorf(
		"%s needs a speech model. Run roughcut models download base.en, use --model, or give each recording "+
			"a --transcript", flag,
	)
}

// outputExtensions returns the file name extensions of all export formats.
func outputExtensions() (list []string) {
	for _, f := range media.ExportFormats() {
		list = append(list, f.Extension)
	}
	return list
}

// fileCause returns the cause of a file error without the name of the call and the path.
func fileCause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// checkOutput claims the files that the cut writes.
func (c *cutJob) checkOutput(ctx context.Context) error {
	if c.output == "" {
		return usageError{errors.New("-o OUTPUT is missing (or use --dry-run)")}
	}
	paths := c.timelinePaths()
	existing, err := os.Stat(c.output)
	isFolder := err == nil && existing.IsDir()
	if !c.rendersVideo() {
		if isFolder {
			return usageError{fmt.Errorf("%s is a folder, name a file without its extension", c.output)}
		}
		return c.claimAll(ctx, paths)
	}

	extension := filepath.Ext(c.output)
	if _, ok := media.ExportFormatOf(extension); !ok {
		name := strings.TrimSuffix(c.output, extension) + media.DefaultExportFormat().Extension
		return usageError{
			fmt.Errorf("the output must be a file of %s, name it %s", media.OrList(outputExtensions()), name),
		}
	}

	if isFolder {
		return usageError{fmt.Errorf("%s is a folder, name a video file", c.output)}
	}
	return c.claimAll(ctx, append(paths, c.output))
}

func (c *cutJob) claimAll(ctx context.Context, paths []string) error {
	for _, path := range paths {
		if err := c.claim(ctx, path); err != nil {
			return err
		}
	}

	return nil
}

// claim reserves a file for the cut. It refuses files that the cut reads or has claimed, and those
// that Roughcut reads for a project.
func (c *cutJob) claim(ctx context.Context, path string) error {
	for _, claimed := range slices.AppendSeq(slices.Clone(c.each.written), maps.Keys(c.claims)) {
		if outfile.Same(path, claimed) {
			return usageError{fmt.Errorf("the cut would write %s twice, choose other names", path)}
		}
	}

	same := func(input string) bool { return input != "" && outfile.Same(path, input) }
	if slices.ContainsFunc(slices.Concat(c.inputs, c.each.inputs), same) {
		return usageError{fmt.Errorf("%s is one of the recordings, which Roughcut never changes", path)}
	}
	read := append([]string{c.audioClips.cover, c.model}, c.transcripts...)
	if slices.ContainsFunc(read, same) {
		return usageError{fmt.Errorf("%s is a file that the cut reads, choose another name", path)}
	}
	if c.force { // otherwise nothing is replaced
		if err := checkReplaced(ctx, c.dataDir, path, c.status); err != nil {
			return err
		}
	}

	file, err := claimOutput(path, outfile.Options{Replace: c.force})
	if err != nil {
		return err
	}
	if c.claims == nil {
		c.claims = map[string]*outfile.File{}
	}
	c.claims[path] = file
	return nil
}

// release ends the claims and removes incomplete files.
func (c *cutJob) release() {
	for _, file := range c.claims {
		file.Close()
	}

	if c.streams != "" {
		_ = os.RemoveAll(c.streams) // the system clears what stays
	}
}
