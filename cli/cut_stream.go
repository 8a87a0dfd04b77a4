package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"roughcut/media"
	"roughcut/media/interchange"
)

// standardInput names the recording from standard input in messages and chapters.
const standardInput = "standard input"

// openStreams makes the folder for a video that goes to standard output and for a recording from
// standard input. Both need a file, because the engines seek in it.
func (c *cutJob) openStreams(in io.Reader) (err error) {
	receives := slices.Contains(c.inputs, stdio)
	if receives && isTerminal(in) {
		return usageError{errors.New("standard input is a terminal, send a recording to it")}
	}
	if c.sends = c.output == stdio; !receives && !c.sends {
		return nil
	}
	if c.streams, err = os.MkdirTemp("", "roughcut-stream-"); err != nil {
		return err
	}
	if !c.sends {
		return nil
	}
	format, _ := media.FindExportFormat(c.each.format) // checkEach refuses an unknown one
	c.output = filepath.Join(c.streams, "video"+format.Extension)
	if c.dryRun {
		return nil
	}
	return checkPiped(c.out)
}

// checkStreams returns an error if flags do not fit standard input or standard output.
func (c *cutJob) checkStreams() error {
	first := slices.Index(c.inputs, stdio)
	switch {
	case first >= 0 && c.each.on:
		return usageError{errors.New("--each cannot cut standard input, name the recordings")}
	case first >= 0 && slices.Contains(c.inputs[first+1:], stdio):
		return usageError{errors.New("standard input is only one recording, so - can be given once")}
	case slices.Contains(append([]string{c.audioClips.cover, c.each.outDir}, c.transcripts...), stdio):
		return usageError{errors.New("- stands for a recording or the video; write ./- for a file of that name")}
	case c.sends && c.json && !c.dryRun:
		return usageError{errors.New("--json prints on standard output, so the video needs -o FILE")}
	case c.sends && len(c.timelines.formats) > 0:
		return usageError{errors.New("--timeline names its files after the video, so the video needs -o FILE")}
	}

	for _, name := range c.timelines.formats {
		if f, _ := interchange.LookupFormat(name); first >= 0 && f.Kind != interchange.KindText {
			return usageError{fmt.Errorf("--timeline %s names the recordings, so standard input cannot be one", name)}
		}
	}

	return nil
}

// receive stores the recording from standard input in a file, which replaces it among the inputs.
func (c *cutJob) receive(ctx context.Context, in io.Reader) error {
	i := slices.Index(c.inputs, stdio)
	if i < 0 {
		return nil
	}
	c.received = filepath.Join(c.streams, standardInput)
	file, err := os.Create(c.received)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, cancelable(ctx, in))
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("reading standard input: %w", err)
	}
	c.inputs[i] = c.received
	return nil
}

// send copies the video to standard output.
func (c *cutJob) send() error {
	if !c.sends {
		return nil
	}
	file, err := os.Open(c.output)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(c.out, file); err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	return nil
}

// shown returns the name of a recording in messages.
func (c *cutJob) shown(path string) string {
	if path == c.received {
		return standardInput
	}
	return path
}

// outputName returns the name of the video in messages.
func (c *cutJob) outputName() string {
	if c.sends {
		return "standard output"
	}
	return c.output
}
