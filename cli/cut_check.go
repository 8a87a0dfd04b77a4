package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"roughcut/media"
	"roughcut/store"
)

// check validates the flags and the files before any work starts.
func (c *cutJob) check() error {
	if c.pacing < 0 || c.pacing > 100 {
		return usageError{errors.New("--pacing must be 0 to 100")}
	}
	if c.falseStarts < 0 || c.falseStarts > 100 {
		return usageError{errors.New("--false-starts must be 0 to 100")}
	}
	if err := checkCutOptions(c.options); err != nil {
		return err
	}
	if c.resolution == "" { // as without the flag
		c.resolution = media.AsRecorded
	}
	if names := media.Resolutions(); !slices.Contains(names, c.resolution) {
		return usageError{fmt.Errorf("--resolution must be %s, not %q", orList(names), c.resolution)}
	}
	if names := media.AspectRatios(); !slices.Contains(names, c.aspect) {
		return usageError{fmt.Errorf("--aspect must be %s, not %q", orList(names), c.aspect)}
	}
	if c.codec != media.CodecH264 && c.codec != media.CodecSource {
		return usageError{fmt.Errorf("--video-codec must be h264 or source, not %q", c.codec)}
	}
	if styles := media.CaptionStyleNames(); c.captions != "" && !slices.Contains(styles, c.captions) {
		return usageError{fmt.Errorf("--captions must be %s, not %q", orList(styles), c.captions)}
	}
	switch c.censor {
	case media.CensorNone, media.CensorMute, media.CensorBleep:
	default:
		return usageError{fmt.Errorf("--censor must be none, mute or bleep (written with =), not %q", c.censor)}
	}
	if err := cmp.Or(c.audioClips.check(), c.timelines.check()); err != nil {
		return err
	}
	terms, err := store.ValidVocabulary("vocabulary", c.vocabulary)
	if err != nil {
		return usageError{fmt.Errorf("--vocabulary: %w", err)}
	}
	c.vocabulary = terms
	if !languages.MatchString(c.language) {
		return usageError{fmt.Errorf("--language must be a language such as en or pt-BR, not %q", c.language)}
	}
	for _, path := range c.inputs {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("cannot read the recording %q: %w", path, reason(err))
		}
	}
	if c.imported, err = readTranscripts(c.transcripts, len(c.inputs)); err != nil {
		return err
	}
	if c.dryRun {
		return nil
	}
	return c.checkOutput()
}

// outputExtensions returns the file name extensions of all export formats.
func outputExtensions() (list []string) {
	for _, f := range media.ExportFormats() {
		list = append(list, f.Extension)
	}
	return list
}

// orList returns choices as "a, b or c".
func orList(choices []string) string {
	last := len(choices) - 1
	if last < 1 {
		return strings.Join(choices, "")
	}
	return strings.Join(choices[:last], ", ") + " or " + choices[last]
}

// languages matches the language codes that the API accepts, and the empty text.
var languages = regexp.MustCompile(`^([A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$`)

// reason returns the cause of a file error without the name of the call and the path.
func reason(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (c *cutJob) checkOutput() error {
	if c.output == "" {
		return usageError{errors.New("-o OUTPUT is missing (or use --dry-run)")}
	}
	if err := c.checkTimelines(); err != nil || !c.rendersVideo() {
		return err
	}
	extension := filepath.Ext(c.output)
	if _, ok := media.ExportFormatOf(extension); !ok {
		name := strings.TrimSuffix(c.output, extension) + media.DefaultExportFormat().Extension
		return usageError{
			fmt.Errorf("the output must be a file of %s, name it %s", orList(outputExtensions()), name),
		}
	}
	existing, err := os.Stat(c.output)
	if err != nil {
		return c.checkFolder()
	}
	if existing.IsDir() {
		return usageError{fmt.Errorf("%s is a folder, name a video file", c.output)}
	}
	for _, path := range c.inputs {
		if input, err := os.Stat(path); err == nil && os.SameFile(input, existing) {
			return usageError{fmt.Errorf("%s is one of the recordings, which Roughcut never changes", c.output)}
		}
	}
	if !c.force {
		return fmt.Errorf("%s already exists, choose another name or use --force", c.output)
	}
	return c.checkFolder()
}

// checkFolder fails unless the folder of the output is writable.
func (c *cutJob) checkFolder() error {
	probe, err := os.CreateTemp(filepath.Dir(c.output), ".roughcut-*.part")
	if err != nil {
		return fmt.Errorf("cannot write to the folder %s: %w", filepath.Dir(c.output), reason(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
